"""Texts that begin with something: how each database finds them by an index, where it can."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler


def starts_with(column: Any, beginning: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - columns and expressions of texts
    """Whether a text has that beginning, sign by sign. SQLite compares bytes, so an index finds them; PostgreSQL sorts
    as its language does, and reads the column.
    """
    return _StartsWith(column, sa.literal(beginning) if isinstance(beginning, str) else beginning)


class _StartsWith(sa.FunctionElement[bool]):
    type = sa.Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:  # noqa: ANN401, ARG002
        """As it is: SQLite would be told `= 1`, and use no index."""
        return self


@compiles(_StartsWith)
def _by_function(begins: _StartsWith, compiler: SQLCompiler, **how: Any) -> str:  # noqa: ANN401
    return f"starts_with({compiler.process(begins.clauses, **how)})"


@compiles(_StartsWith, "sqlite")
def _by_bounds(begins: _StartsWith, compiler: SQLCompiler, **how: Any) -> str:  # noqa: ANN401
    column, beginning = (compiler.process(part, **how) for part in begins.clauses)
    upto = compiler.process(list(begins.clauses)[1], **how)
    return f"({column} >= {beginning} AND {column} < {upto} || char(1114111))"  # no character comes after that one
