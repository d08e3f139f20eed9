"""Prefix matches that use an index where the database can."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler


def starts_with(column: Any, prefix: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - columns and expressions of texts
    """Return the condition that a text starts with `prefix`, compared by code points.

    SQLite compares bytes, so it can use an index. PostgreSQL collates by language and scans the column.
    """
    return _StartsWith(column, sa.literal(prefix) if isinstance(prefix, str) else prefix)


class _StartsWith(sa.FunctionElement[bool]):
    type = sa.Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Return self unchanged.

        SQLAlchemy would otherwise append `= 1` on SQLite, which prevents the use of an index.
        """
        return self


@compiles(_StartsWith)
def _by_function(element: _StartsWith, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    return f"starts_with({compiler.process(element.clauses, **kwargs)})"


@compiles(_StartsWith, "sqlite")
def _by_bounds(element: _StartsWith, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    column, lower_bound = (compiler.process(clause, **kwargs) for clause in element.clauses)
    upper_bound = compiler.process(list(element.clauses)[1], **kwargs)
    # U+10FFFF is the highest code point.
    return f"({column} >= {lower_bound} AND {column} < {upper_bound} || char(1114111))"
