"""Conditions and aggregates that SQLite and PostgreSQL need in different forms to use an index.

Lists passed as one bound parameter, pairs of columns, and prefixes of texts.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json, to_json
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from readtrack.infra.db import Read


def in_id_list(column: Any, name: str) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a column of numbers
    """Return the condition `column` IN the list of IDs that is bound as `name`.

    A plain IN has one parameter per ID. Rendering them for every execution takes SQLAlchemy as long as SQLite needs for
    the answer.
    """
    return _InList(column, sa.bindparam(name, type_=_IdList()))


def in_text_list(column: Any, name: str) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a column of texts
    """Return the condition `column` IN the list of texts that is bound as `name`, as `in_id_list` does for IDs."""
    return _InList(column, sa.bindparam(name, type_=_TextList()))


def values_by_id(tx: Read, values: Mapping[int, int], name: str) -> sa.Subquery:
    """Return a subquery with the columns `number` and `value` built from a mapping of ID to value.

    It uses one bound parameter on SQLite and two on PostgreSQL.
    """
    if tx.get_bind().dialect.name == "sqlite":
        rows: Any = sa.func.json_each(to_json({str(key): value for key, value in values.items()}).decode())
        pairs = rows.table_valued("key", "value")
        return sa.select(sa.cast(pairs.c.key, sa.Integer).label("number"), pairs.c.value).subquery(name)
    arrays = [
        sa.cast(sa.bindparam(None, list(items)), sa.ARRAY(sa.BigInteger())) for items in (values, values.values())
    ]
    pairs = sa.func.unnest(*arrays).table_valued("number", "value", name="pairs").render_derived()
    return sa.select(pairs.c.number, pairs.c.value).subquery(name)


def aggregate_ids(column: Any) -> sa.ColumnElement[Sequence[int]]:  # noqa: ANN401
    """Return an aggregate of all IDs of a group as one value.

    Return None or empty if the group has none. Fetching one row per ID takes three times as long.
    """
    return _IdListAggregate(column)


class _List(sa.TypeDecorator[Sequence[Any]]):
    """A list as JSON on SQLite, as an array on PostgreSQL."""

    impl = sa.Text
    cache_ok = True
    item_type: type[sa.types.TypeEngine[Any]]

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        return dialect.type_descriptor(sa.Text() if dialect.name == "sqlite" else sa.ARRAY(self.item_type()))

    def process_bind_param(self, value: Sequence[Any] | None, dialect: sa.Dialect) -> Any:  # noqa: ANN401
        return to_json(value).decode() if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Sequence[Any] | None:  # noqa: ANN401
        items: Sequence[Any] | None = from_json(value) if dialect.name == "sqlite" else value
        return items


class _IdList(_List):
    cache_ok = True
    item_type = sa.BigInteger


class _TextList(_List):
    cache_ok = True
    item_type = sa.Text


class _IdListAggregate(sa.FunctionElement[Sequence[int]]):
    type = _IdList()
    inherit_cache = True


class _Condition(sa.FunctionElement[bool]):
    type = sa.Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Return self unchanged.

        SQLAlchemy would otherwise append `= 1` on SQLite, which prevents the use of an index.
        """
        return self


class _InList(_Condition):
    inherit_cache = True


@compiles(_InList)
def _as_array(element: _InList, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    column, items = (compiler.process(clause, **kwargs) for clause in element.clauses)
    return f"{column} = ANY ({items})"


@compiles(_InList, "sqlite")
def _as_json(element: _InList, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    column, items = (compiler.process(clause, **kwargs) for clause in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({items}))"  # noqa: S608 - rendered by SQLAlchemy


@compiles(_IdListAggregate)
def _array_of(element: _IdListAggregate, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    return f"array_agg({compiler.process(element.clauses, **kwargs)})"


@compiles(_IdListAggregate, "sqlite")
def _json_of(element: _IdListAggregate, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    return f"json_group_array({compiler.process(element.clauses, **kwargs)})"


def is_one_of_pairs(first_column: Any, second_column: Any, pairs: Iterable[tuple[str, str]]) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Return the condition that two columns equal one of the pairs; false if there are no pairs.

    Pairs are grouped by their first value, because SQLite does a full table scan for `(first, second) IN (…)`.
    """
    values_by_first = (
        (first_value, [pair[1] for pair in group]) for first_value, group in groupby(sorted(set(pairs)), itemgetter(0))
    )
    return sa.or_(
        sa.false(),
        *(
            sa.and_(first_column == first_value, second_column.in_(second_values))
            for first_value, second_values in values_by_first
        ),
    )


def starts_with(column: Any, prefix: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - columns and expressions of texts
    """Return the condition that a text starts with `prefix`, compared by code points.

    SQLite compares bytes, so it can use an index. PostgreSQL collates by language and scans the column.
    """
    return _StartsWith(column, sa.literal(prefix) if isinstance(prefix, str) else prefix)


class _StartsWith(_Condition):
    inherit_cache = True


@compiles(_StartsWith)
def _by_function(element: _StartsWith, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    return f"starts_with({compiler.process(element.clauses, **kwargs)})"


@compiles(_StartsWith, "sqlite")
def _by_bounds(element: _StartsWith, compiler: SQLCompiler, **kwargs: Any) -> str:  # noqa: ANN401
    column, lower_bound = (compiler.process(clause, **kwargs) for clause in element.clauses)
    upper_bound = compiler.process(list(element.clauses)[1], **kwargs)
    # U+10FFFF is the highest code point.
    return f"({column} >= {lower_bound} AND {column} < {upper_bound} || char(1114111))"
