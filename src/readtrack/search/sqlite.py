"""The search index in SQLite: FTS5 over tokens, so that its own tokenizer only splits at spaces."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from readtrack.infra.db import Read, Write
from readtrack.search.documents import Document, Index
from readtrack.search.tokens import Needle

# `ascii` treats all non-ASCII characters as token characters, so results do not depend on SQLite's Unicode version.
TOKENISER = "ascii tokenchars '+#_'"
# Bytes of tokens that a transaction collects before it writes them as a segment, to be merged with others later. Takes
# memory only while an index is built; with SQLite's 1 MB that takes a third longer.
HASH_BYTES = 1 << 25
MANY_HITS = 2_000  # IDs; with 100,000 papers a page is filled quickly if one paper in fifty matches.
MANY_CLUSTERED = 10_000  # IDs; if all matches may be at the end of the list, a tenth of the papers must match.


def lock(_tx: Write) -> None:
    """Do nothing: SQLite serializes write transactions."""


def create(tx: Write, index: Index) -> None:
    columns = ", ".join(index.fields)
    connection = tx.connection()
    connection.exec_driver_sql(
        f'CREATE VIRTUAL TABLE {index.table} USING fts5({columns}, columnsize=0, tokenize="{TOKENISER}")'
    )
    connection.exec_driver_sql(f"INSERT INTO {index.table} ({index.table}, rank) VALUES ('hashsize', {HASH_BYTES})")  # noqa: S608 - our own names


def drop(tx: Write, index: Index) -> None:
    tx.connection().exec_driver_sql(f"DROP TABLE IF EXISTS {index.table}")


def index_documents(tx: Write, index: Index, documents: Mapping[int, Document]) -> None:
    """Insert or replace documents."""
    columns = ", ".join(("rowid", *index.fields))
    marks = ", ".join("?" * (len(index.fields) + 1))
    rows = [(number, *document) for number, document in documents.items()]
    if rows:
        tx.connection().exec_driver_sql(f"INSERT OR REPLACE INTO {index.table} ({columns}) VALUES ({marks})", rows)  # noqa: S608 - our own names


def remove_documents(tx: Write, index: Index, ids: Sequence[int]) -> None:
    table = _table(index)
    if ids:
        tx.connection().execute(sa.delete(table).where(table.c.rowid.in_(ids)))


def hits(index: Index, needles: Sequence[Needle], fields: Sequence[str]) -> sa.Select[Any]:
    """Select the IDs of objects that contain all tokens of a needle in sequence.

    The sequence must be in one of the fields, or in any field if none is given.
    """
    table = _table(index)
    phrase = " OR ".join(map(_phrase, needles))
    match_text = f"{{{' '.join(fields)}}} : ({phrase})" if fields else phrase
    return sa.select(table.c.rowid).where(table.c[index.table].op("MATCH")(match_text))


def postings(
    tx: Read, index: Index, tokens: Sequence[str], fields: Sequence[str], *, limit: int
) -> dict[str, list[int]]:
    """Return the IDs of objects that contain each token in one of the fields, at most `limit` per token."""
    connection, columns = tx.connection(), " ".join(fields)
    statement = f"SELECT rowid FROM {index.table} WHERE {index.table} MATCH ? LIMIT ?"  # noqa: S608 - our own names
    results = {token: connection.exec_driver_sql(statement, (f'{{{columns}}} : "{token}"', limit)) for token in tokens}
    return {token: list(rows.scalars()) for token, rows in results.items()}


def _phrase(needle: Needle) -> str:
    return '"{}"{}'.format(" ".join(needle.tokens).replace('"', '""'), " *" if needle.prefix else "")


def in_subquery(tx: Read, column: Any, ids: Any, *, clustered: bool) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a column, and a SELECT or UNION
    """Return `column IN ids`, with a hint for large subqueries.

    SQLite would fetch and sort all their rows. For many matches it is faster to scan the list in its order and test
    each row, which `+ 0` enforces.
    """
    condition: sa.ColumnElement[bool] = (column if _few(tx, ids, clustered=clustered) else column + 0).in_(ids)
    return condition


def by_index(
    tx: Read,
    column: Any,  # noqa: ANN401 - of ids
    condition: sa.ColumnElement[bool],
    *,
    clustered: bool,
) -> sa.ColumnElement[bool]:
    """Return a condition that uses its index only if few rows match.

    For many, `coalesce` hides it from the planner.
    """
    ids = sa.select(column).where(condition).correlate(None)
    return column.in_(ids) if _few(tx, ids, clustered=clustered) else sa.func.coalesce(condition, sa.false())


def _few(tx: Read, ids: Any, *, clustered: bool) -> bool:  # noqa: ANN401
    limit = MANY_CLUSTERED if clustered else MANY_HITS
    count_query = sa.select(sa.func.count()).select_from(ids.limit(limit).subquery())
    return tx.connection().execute(count_query).scalar_one() < limit


def find_documents(tx: Read, index: Index, ids: Sequence[int]) -> dict[int, Document]:
    """Return the documents stored in the index."""
    table = _table(index)
    query = sa.select(table.c.rowid, *(table.c[field] for field in index.fields)).where(table.c.rowid.in_(ids))
    return {number: tuple(document) for number, *document in tx.connection().execute(query)}


def id_column(index: Index) -> sa.ColumnClause[Any]:
    return _table(index).c.rowid


def _table(index: Index) -> sa.TableClause:
    return sa.table(index.table, *map(sa.column, ("rowid", index.table, *index.fields)))
