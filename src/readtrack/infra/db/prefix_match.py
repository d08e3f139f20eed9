"""Prefix matches that use an index where the database can."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler


def starts_with(column: Any, beginning: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - columns and expressions of texts
    """Return the condition that a text starts with `beginning`, compared by code points.

    SQLite compares bytes, so it can use an index. PostgreSQL collates by language and scans the column.
    """
    return _StartsWith(column, sa.literal(beginning) if isinstance(beginning, str) else beginning)


class _StartsWith(sa.FunctionElement[bool]):
    type = sa.Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Return self unchanged.

        SQLAlchemy would otherwise append `= 1` on SQLite, which prevents the use of an index.
        """
        return self


@compiles(_StartsWith)
def _by_function(begins: _StartsWith, compiler: SQLCompiler, **how: Any) -> str:  # noqa: ANN401
    return f"starts_with({compiler.process(begins.clauses, **how)})"


@compiles(_StartsWith, "sqlite")
def _by_bounds(begins: _StartsWith, compiler: SQLCompiler, **how: Any) -> str:  # noqa: ANN401
    column, beginning = (compiler.process(part, **how) for part in begins.clauses)
    upto = compiler.process(list(begins.clauses)[1], **how)
    return f"({column} >= {beginning} AND {column} < {upto} || char(1114111))"  # U+10FFFF is the highest code point.
