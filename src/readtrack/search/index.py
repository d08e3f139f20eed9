"""The search index: the interface of a backend, the choice of the one for a database, and building and checking it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import sqlalchemy as sa

from readtrack.infra.db import Read, Write
from readtrack.search import postgres, sqlite
from readtrack.search.documents import BATCH_SIZE, INDEXES, Document, Index, batches, read
from readtrack.search.tokens import TOKENS_VERSION, Needle

LAYOUT_VERSION = 2  # Increment when the index stores something else.
STAMP = f"tokens {TOKENS_VERSION}, layout {LAYOUT_VERSION}"
MAX_REPORTED_IDS = 10  # Maximum IDs listed in a problem.


class Backend(Protocol):
    def lock(self, tx: Write, /) -> None: ...

    def create(self, tx: Write, index: Index) -> None: ...

    def drop(self, tx: Write, index: Index) -> None: ...

    def index_documents(self, tx: Write, index: Index, documents: Mapping[int, Document]) -> None: ...

    def remove_documents(self, tx: Write, index: Index, ids: Sequence[int]) -> None: ...

    def hits(self, index: Index, needles: Sequence[Needle], fields: Sequence[str]) -> sa.Select[Any]: ...

    def postings(
        self, tx: Read, index: Index, tokens: Sequence[str], fields: Sequence[str], *, limit: int
    ) -> dict[str, list[int]]: ...

    def in_subquery(self, tx: Read, column: Any, ids: Any, *, clustered: bool) -> sa.ColumnElement[bool]: ...  # noqa: ANN401

    def by_index(
        self,
        tx: Read,
        column: Any,  # noqa: ANN401 - of ids
        condition: sa.ColumnElement[bool],
        *,
        clustered: bool,
    ) -> sa.ColumnElement[bool]: ...

    def find_documents(self, tx: Read, index: Index, ids: Sequence[int]) -> dict[int, Document]: ...

    def id_column(self, index: Index) -> sa.ColumnElement[Any]: ...


def backend(tx: Read) -> Backend:
    return postgres if tx.get_bind().dialect.name == "postgresql" else sqlite


_stamp = sa.Table("search_stamp", sa.MetaData(), sa.Column("stamp", sa.Text, primary_key=True))


def ensure(tx: Write) -> bool:
    """Build the index if it is missing or outdated, and return whether it was built.

    Other processes wait.
    """
    if _is_current(tx):
        return False
    backend(tx).lock(tx)
    if _is_current(tx):
        return False
    rebuild(tx)
    return True


def rebuild(tx: Write) -> None:
    """Rebuild the whole index from the tables."""
    store = backend(tx)
    _stamp.create(tx.connection(), checkfirst=True)
    for index in INDEXES:
        store.drop(tx, index)
        store.create(tx, index)
        for ids in _portions(tx, index.ids):
            store.index_documents(tx, index, read(tx, index, ids))
    tx.connection().execute(sa.delete(_stamp))
    tx.connection().execute(sa.insert(_stamp).values(stamp=STAMP))


def update(tx: Write, index: Index, ids: Iterable[int]) -> None:
    """Reindex these objects; deleted ones are removed."""
    store = backend(tx)
    for batch in batches(ids):
        documents = read(tx, index, batch)
        store.index_documents(tx, index, documents)
        store.remove_documents(tx, index, [number for number in batch if number not in documents])


def add(tx: Write, index: Index, documents: Mapping[int, Document]) -> None:
    """Index new objects whose documents are given."""
    for batch in batches(documents):
        backend(tx).index_documents(tx, index, {number: documents[number] for number in batch})


def check(tx: Read) -> list[str]:
    """Return the differences between index and tables as sentences; empty if there are none."""
    if not _is_current(tx):
        return ["The search index is missing or was made by another version. Restart readtrack to have it built."]
    return [problem for index in INDEXES for problem in _problems(tx, index)]


def _problems(tx: Read, index: Index) -> Iterator[str]:
    outdated_ids = [number for ids in _portions(tx, index.ids) for number in _differing_ids(tx, index, ids)]
    indexed_batches = _portions(tx, backend(tx).id_column(index))
    if outdated_ids:
        yield _format_problem(index, outdated_ids, "not found in search as it stands now")
    if orphan_ids := [number for ids in indexed_batches for number in _missing_ids(tx, index, ids)]:
        yield _format_problem(index, orphan_ids, "still in the search index but no longer there")


def _differing_ids(tx: Read, index: Index, ids: Sequence[int]) -> list[int]:
    documents, indexed = read(tx, index, ids), backend(tx).find_documents(tx, index, ids)
    empty_document = ("",) * len(index.fields)
    return [number for number, document in documents.items() if indexed.get(number, empty_document) != document]


def _missing_ids(tx: Read, index: Index, ids: Sequence[int]) -> set[int]:
    return set(ids) - set(tx.connection().execute(sa.select(index.ids).where(index.ids.in_(ids))).scalars())


def _format_problem(index: Index, ids: list[int], description: str) -> str:
    listed_ids = ", ".join(map(str, ids[:MAX_REPORTED_IDS])) + (" …" if len(ids) > MAX_REPORTED_IDS else "")
    count = f"1 {index.noun} is" if len(ids) == 1 else f"{len(ids):,} {index.noun.replace('y', 'ie')}s are"
    return f"{count} {description} (number {listed_ids}). Building the search index anew puts that right."


def _portions(tx: Read, ids: sa.ColumnElement[Any]) -> Iterator[Sequence[int]]:
    """Yield all IDs of a column, 1,000 at a time."""
    last_id = 0
    while True:
        query = sa.select(ids).distinct().where(ids > last_id).order_by(ids).limit(BATCH_SIZE)
        batch = tx.connection().execute(query).scalars().all()
        if not batch:
            return
        yield batch
        last_id = batch[-1]


def _is_current(tx: Read) -> bool:
    tables = set(sa.inspect(tx.connection()).get_table_names())
    if not tables.issuperset({_stamp.name, *(index.table for index in INDEXES)}):
        return False
    return tx.connection().execute(sa.select(_stamp.c.stamp)).scalars().all() == [STAMP]
