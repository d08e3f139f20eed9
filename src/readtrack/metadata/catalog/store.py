"""The catalogue's own file: its tables, and how works come into them. It is SQLite beside a PostgreSQL library too."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write, errors
from readtrack.infra.errors import Conflict, StorageUnavailable
from readtrack.metadata.catalog import rows as catalog_rows
from readtrack.metadata.catalog import title_index
from readtrack.metadata.catalog.dumps.types import DumpWork

FILE = "catalogue.sqlite3"
EDITION = 1  # another one when what stands in the file cannot be read as before
OF_ANOTHER = (
    "{} was made by another version of readtrack. Nothing was changed; remove it, and load the files into a new one."
)
DAMAGED = (
    "{} is damaged, or no catalogue. Nothing was changed, and nothing is looked up in it; remove it while readtrack is "
    "stopped, and load the files into a new one."
)
_LOOSE = 200_000  # hints that are put in their place at once: sorting them takes some 20 MB
_ALL = 1 << 32

_TABLES = sa.MetaData()
EDITIONS = sa.Table("edition", _TABLES, sa.Column("number", sa.Integer, primary_key=True))
FILES = sa.Table(
    "file",
    _TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("fingerprint", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("form", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),  # pieces that were worked through, read or not
    sa.Column("new", sa.Integer, nullable=False),
    sa.Column("again", sa.Integer, nullable=False),  # works that were here already
    sa.Column("bad", sa.Integer, nullable=False),
    sa.Column("begun_at", sa.Text, nullable=False),
    sa.Column("loaded_at", sa.Text),  # when it was read to its end
)
WORKS = sa.Table(
    "work",
    _TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("file", sa.Integer, nullable=False),
    sa.Column("facts", sa.LargeBinary, nullable=False),
)
# A hint says under which number (finding.py) a work may be found. Putting each in its place at once would write most
# pages of a large table for every few thousand works, so they lie loose first and are put in order many together.
LOOSE = sa.Table("loose_hint", _TABLES, sa.Column("number", sa.Integer), sa.Column("work", sa.Integer))
HINTS = sa.Table(
    "hint",
    _TABLES,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("work", sa.Integer, primary_key=True),
    sqlite_with_rowid=False,
)


class Batch(NamedTuple):
    """What one commit adds: works, and how far its file is read by them."""

    works: Sequence[DumpWork]
    position: int
    bad: int


class Store:
    """The file opened for loading; made when it is not there."""

    def __init__(self, path: Path) -> None:
        self._database = open_database(path)
        with explain_storage_errors(path), self._database.write() as tx:
            _create_tables(tx)
            if not is_readable(tx):
                raise Conflict(OF_ANOTHER.format(path))
            self._loose = tx.scalar(sa.select(sa.func.count()).select_from(LOOSE)) or 0

    def file(self, fingerprint: str, name: str, form: str) -> sa.Row[Any]:
        """The row of a file, under the name that it has now."""
        with self._database.write() as tx:
            mine = sa.update(FILES).where(FILES.c.fingerprint == fingerprint).values(name=name)
            if not tx.connection().execute(mine).rowcount:
                numbers = {"position": 0, "new": 0, "again": 0, "bad": 0, "begun_at": now().isoformat()}
                tx.execute(sa.insert(FILES).values(fingerprint=fingerprint, name=name, form=form, **numbers))
            return tx.execute(sa.select(FILES).where(FILES.c.fingerprint == fingerprint)).one()

    def add(self, file: int, batch: Batch) -> None:
        """Keeps a batch and the position behind it: both, or neither."""
        with self._database.write() as tx:
            new, again, hints = _upsert_works(tx, file, {work.name: work for work in batch.works})
            added = {"new": FILES.c.new + new, "again": FILES.c.again + again, "bad": FILES.c.bad + batch.bad}
            mine = sa.update(FILES).where(FILES.c.id == file)
            tx.execute(mine.values(position=batch.position, **added))
            works = tx.scalar(sa.select(sa.func.max(WORKS.c.id))) or 0
        self._loose += hints
        if self._loose > max(_LOOSE, works // 2):
            self.settle()

    def close_file(self, file: int) -> None:
        """Notes that it was read to its end."""
        with self._database.write() as tx:
            tx.execute(sa.update(FILES).where(FILES.c.id == file).values(loaded_at=now().isoformat()))

    def settle(self) -> None:
        """Puts every loose hint in its place, some at a time in their order: the memory that takes is bounded."""
        if not self._loose:
            return
        parts = self._loose // _LOOSE + 1
        with self._database.write() as tx:
            for part in range(parts):
                tx.execute(_put_in_place(_ALL * part // parts, _ALL * (part + 1) // parts))
            tx.execute(sa.delete(LOOSE))
        self._loose = 0

    def close(self) -> None:
        self._database.dispose()


def open_database(path: Path) -> Database:
    return Database(f"sqlite:///{path}")


@contextmanager
def explain_storage_errors(path: Path) -> Iterator[None]:
    """Of this file there is no backup, and none is needed."""
    try:
        yield
    except StorageUnavailable as error:
        if error.message != errors.DAMAGED:
            raise
        raise StorageUnavailable(DAMAGED.format(path)) from error


def is_readable(tx: Read) -> bool:
    """Whether its tables are those of this edition."""
    made = sa.inspect(tx.connection()).has_table(EDITIONS.name)
    return made and tx.scalar(sa.select(EDITIONS.c.number)) == EDITION


def _create_tables(tx: Write) -> None:
    if not sa.inspect(tx.connection()).has_table(EDITIONS.name):
        _TABLES.create_all(tx.connection())
        tx.execute(sa.insert(EDITIONS).values(number=EDITION))


def _upsert_works(tx: Write, file: int, works: Mapping[str, DumpWork]) -> tuple[int, int, int]:
    """How many are new, how many were here, and how many hints were laid loose."""
    kept = {name: catalog_rows.pack_facts(work.said) for name, work in works.items()}
    known = sa.select(WORKS.c.name, WORKS.c.id, WORKS.c.facts).where(WORKS.c.name.in_(kept))
    here = {row.name: row for row in tx.execute(known)} if kept else {}
    first = (tx.scalar(sa.select(sa.func.max(WORKS.c.id))) or 0) + 1
    numbers = dict(zip((name for name in kept if name not in here), range(first, _ALL), strict=False))
    if numbers:
        rows = [{"id": number, "name": name, "file": file, "facts": kept[name]} for name, number in numbers.items()]
        tx.execute(sa.insert(WORKS), rows)
    if here:
        change = sa.update(WORKS).where(WORKS.c.id == sa.bindparam("this")).values(file=file)
        rows = [{"this": row.id, "facts": kept[name]} for name, row in here.items()]
        tx.connection().execute(change.values(facts=sa.bindparam("facts")), rows)
    numbers |= {name: row.id for name, row in here.items() if row.facts != kept[name]}
    hints = list(_hints(works, numbers))
    if hints:
        tx.execute(sa.insert(LOOSE), hints)
    return len(kept) - len(here), len(here), len(hints)


def _hints(works: Mapping[str, DumpWork], numbers: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    for name, number in numbers.items():
        yield from ({"number": hint, "work": number} for hint in title_index.index_numbers(works[name].said))


def _put_in_place(low: int, high: int) -> sa.Insert:
    """Passes over what is there already: a statement that might fail instead would keep each changed page in memory."""
    some = sa.select(LOOSE.c.number, LOOSE.c.work).where(LOOSE.c.number >= low, LOOSE.c.number < high)
    in_order = some.order_by(LOOSE.c.number, LOOSE.c.work)
    return sa.insert(HINTS).prefix_with("OR IGNORE").from_select(["number", "work"], in_order)
