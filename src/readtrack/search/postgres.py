"""The search index in PostgreSQL: tsvectors built from our own tokens, one row per field and portion."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR

from readtrack.infra.db import Read, Write
from readtrack.search.documents import Document, Index
from readtrack.search.tokens import Needle

# Advisory lock ID; must be the same in all versions, so that two processes never build one index.
INDEX_LOCK_ID = 7_263_548_120
MAX_TOKENS_PER_ROW = 4_000  # Tokens per row; the highest position in a tsvector is 16,383.
MAX_TOKEN_REPEATS = 250  # Maximum occurrences of a token per row; a tsvector stores at most 256 positions of each.
OVERLAP_TOKENS = 100  # Tokens repeated from the previous row, for phrases across the boundary.

_LEXEME = re.compile(r"'([^']*)':([\d,]+)")


def lock(tx: Write) -> None:
    """Take the lock for building the index until the end of the transaction."""
    tx.connection().execute(sa.select(sa.func.pg_advisory_xact_lock(INDEX_LOCK_ID)))


def create(tx: Write, index: Index) -> None:
    table = _table(index)
    tx.connection().execute(sa.schema.CreateTable(table))
    for table_index in table.indexes:
        tx.connection().execute(sa.schema.CreateIndex(table_index))


def drop(tx: Write, index: Index) -> None:
    tx.connection().execute(sa.schema.DropTable(_table(index), if_exists=True))


def index_documents(tx: Write, index: Index, documents: Mapping[int, Document]) -> None:
    """Insert or replace documents."""
    remove_documents(tx, index, list(documents))
    rows = [row for number, document in documents.items() for row in _rows(index, number, document)]
    if rows:
        insert = sa.text(f"INSERT INTO {index.table} VALUES (:id, :field, :part, CAST(:vector AS tsvector))")  # noqa: S608
        tx.connection().execute(insert, rows)


def remove_documents(tx: Write, index: Index, ids: Sequence[int]) -> None:
    table = _table(index)
    if ids:
        tx.connection().execute(sa.delete(table).where(table.c.id.in_(ids)))


def hits(index: Index, needles: Sequence[Needle], fields: Sequence[str]) -> sa.Select[Any]:
    """Select the IDs of objects that contain all tokens of a needle in sequence.

    The sequence must be in one of the fields, or in any field if none is given.
    """
    table = _table(index)
    phrase = " | ".join(f"({_phrase(needle)})" for needle in needles)
    query = sa.select(table.c.id).where(table.c.vector.op("@@")(sa.cast(sa.literal(phrase, sa.Text), TSQUERY)))
    return query.where(table.c.field.in_(fields)) if fields else query


def postings(
    tx: Read, index: Index, tokens: Sequence[str], fields: Sequence[str], *, limit: int
) -> dict[str, list[int]]:
    """Return the IDs of objects that contain each token in one of the fields, at most `limit` per token."""
    statement = sa.text(
        "SELECT asked.token, found.id FROM unnest(CAST(:tokens AS text[])) AS asked(token) CROSS JOIN LATERAL ("  # noqa: S608 - our own names
        f"SELECT DISTINCT id FROM {index.table} WHERE vector @@ CAST(quote_literal(asked.token) AS tsquery) "
        "AND field = ANY(CAST(:fields AS text[])) LIMIT :most) AS found"
    )
    ids_by_token: defaultdict[str, list[int]] = defaultdict(list)
    parameters = {"tokens": list(tokens), "fields": list(fields), "most": limit}
    for token, number in tx.connection().execute(statement, parameters):
        ids_by_token[token].append(number)
    return ids_by_token


def _phrase(needle: Needle) -> str:
    return " <-> ".join(f"'{token}'" for token in needle.tokens) + (":*" if needle.prefix else "")


def in_subquery(_tx: Read, column: Any, ids: Any, *, clustered: bool) -> sa.ColumnElement[bool]:  # noqa: ANN401, ARG001
    """Return `column IN ids`. PostgreSQL's planner has its own statistics."""
    condition: sa.ColumnElement[bool] = column.in_(ids)
    return condition


def by_index(
    _tx: Read,
    _column: Any,  # noqa: ANN401 - see sqlite.py
    condition: sa.ColumnElement[bool],
    *,
    clustered: bool,  # noqa: ARG001
) -> sa.ColumnElement[bool]:
    """Return the condition unchanged. PostgreSQL's planner has its own statistics."""
    return condition


def find_documents(tx: Read, index: Index, ids: Sequence[int]) -> dict[int, Document]:
    """Return the documents stored in the index. Fields without tokens have no row."""
    table = _table(index)
    columns = table.c.id, table.c.field, table.c.part, sa.cast(table.c.vector, sa.Text)
    query = sa.select(*columns).where(table.c.id.in_(ids)).order_by(table.c.id, table.c.field, table.c.part)
    fields_by_id: defaultdict[int, dict[str, list[str]]] = defaultdict(lambda: {field: [] for field in index.fields})
    for number, field, part, vector in tx.connection().execute(query):
        fields_by_id[number][field] += _tokens(vector)[OVERLAP_TOKENS if part else 0 :]
    return {number: tuple(map(" ".join, fields.values())) for number, fields in fields_by_id.items()}


def id_column(index: Index) -> sa.ColumnElement[Any]:
    return _table(index).c.id


def _table(index: Index) -> sa.Table:
    return sa.Table(
        index.table,
        sa.MetaData(),
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("field", sa.Text, primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        sa.Column("vector", TSVECTOR, nullable=False),
        sa.Index(f"ix_{index.table}_vector", "vector", postgresql_using="gin"),
    )


def _rows(index: Index, number: int, document: Document) -> Iterator[dict[str, Any]]:
    for field, text in zip(index.fields, document, strict=True):
        for part, tokens in enumerate(_portions(text.split())):
            yield {"id": number, "field": field, "part": part, "vector": _vector(tokens)}


def _portions(tokens: list[str]) -> Iterator[list[str]]:
    start = 0
    while start < len(tokens):
        end = _portion_end(tokens, start)
        yield tokens[start:end]
        start = end - OVERLAP_TOKENS if end < len(tokens) else end


def _portion_end(tokens: list[str], start: int) -> int:
    counts: Counter[str] = Counter()
    for index in range(start, min(start + MAX_TOKENS_PER_ROW, len(tokens))):
        counts[tokens[index]] += 1
        if counts[tokens[index]] > MAX_TOKEN_REPEATS:
            return index
    return min(start + MAX_TOKENS_PER_ROW, len(tokens))


def _vector(tokens: list[str]) -> str:
    """Return the tsvector literal. Tokens contain neither quotes nor backslashes."""
    positions: defaultdict[str, list[str]] = defaultdict(list)
    for position, token in enumerate(tokens, 1):
        positions[token].append(str(position))
    return " ".join(f"'{token}':{','.join(token_positions)}" for token, token_positions in positions.items())


def _tokens(vector: str) -> list[str]:
    tokens_by_position = {
        int(position): token
        for token, token_positions in _LEXEME.findall(vector)
        for position in token_positions.split(",")
    }
    return [tokens_by_position[position] for position in sorted(tokens_by_position)]
