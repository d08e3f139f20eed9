"""The catalog file: its tables, the row of a work, the hash index, and the insertion of works.

It is SQLite even if the library uses PostgreSQL. A row is JSON, compressed with a dictionary of words common in such
rows. The index maps hashes of identifiers and titles to works; its matches are only hints and are verified afterwards.
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import sqlalchemy as sa

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write, errors
from readtrack.infra.errors import Conflict, SourceUnavailable, StorageUnavailable
from readtrack.infra.text.titles import compare
from readtrack.metadata.catalog.dumps.types import DumpWork
from readtrack.metadata.sources import by_name
from readtrack.metadata.types import DatedVersion, Metadata, Ref, WebLink

_KNOWN_WORDS = (  # The most likely words last, as zlib requires. A change requires a new SCHEMA_VERSION.
    b"theory group field energy quantum state mass model measurement observed galaxies stars temperature phase "
    b"equation solution bound algebra graph random matrix optimal polynomial conjecture prove theorem there exists "
    b"experiments demonstrate outperforms state-of-the-art benchmark datasets language large models training neural "
    b"networks deep reinforcement learning attention inference distributed systems memory performance latency analysis "
    b"algorithm method approach results show that we propose a novel framework for the which can be used to improve "
    b"In this paper, we present However, Moreover, Furthermore, existing methods based on using our between "
    b"Zhang Wang Chen Liu Yang Huang Zhou Zhao Kumar Lee Kim Johnson Smith Michael David Daniel Thomas Alexander "
    b"Conference Workshop International Proceedings Transactions IEEE Journal of the Phys. Rev. Lett. Commun. Math. "
    b"International Conference on Machine Learning Computer Vision and Pattern Recognition Physical Review "
    b'"published","paper","A Survey of Towards Analysis of for with via from and on the in of a 20 2016 2018 2020 2022 '
    b'pages, figures","10 pages, 5 figures accepted withdrawn Published in ","en",["doi:10.1103/physrev","doi:10.1109/'
    b'"doi:10.1145/","doi:10.1007/"],[["v1","2021-0T1:00:00+00:00"],["v2","2023-0"]],"'
    b'["arxiv:2","preprint","paper","'
)
_EDGE_LETTERS = 20  # Letters at the start and end of a title that spellings have in common; a CJK letter counts as 3.
_WIDE = "\u2e80"  # From this code point on, most letters are syllables or words.
_MIN_WORD_LETTERS = 5  # Minimum letters of a significant word.
FILE = "catalogue.sqlite3"
SCHEMA_VERSION = 1  # Increment when the stored format changes incompatibly.
OF_ANOTHER = "{} was created by another version of readtrack. Delete it and load the files again."
DAMAGED = "{} is damaged or unreadable. Stop readtrack, delete the file and load the files again."
_MAX_UNSORTED_HINTS = 200_000  # Hints sorted into the index at once; sorting them takes about 20 MB.
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
    sa.Column("position", sa.Integer, nullable=False),  # Chunks processed, valid or not.
    sa.Column("new", sa.Integer, nullable=False),
    sa.Column("again", sa.Integer, nullable=False),  # Works that already existed.
    sa.Column("bad", sa.Integer, nullable=False),
    sa.Column("begun_at", sa.Text, nullable=False),
    sa.Column("loaded_at", sa.Text),  # Time the file was read completely.
)
WORKS = sa.Table(
    "work",
    _TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("file", sa.Integer, nullable=False),
    sa.Column("facts", sa.LargeBinary, nullable=False),
)
# A hint maps a number (index_numbers) to a work. Inserting hints into a large index one by one would write most of its
# pages for every few thousand works, so they are collected here and inserted in sorted batches.
LOOSE = sa.Table("loose_hint", _TABLES, sa.Column("number", sa.Integer), sa.Column("work", sa.Integer))
HINTS = sa.Table(
    "hint",
    _TABLES,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("work", sa.Integer, primary_key=True),
    sqlite_with_rowid=False,
)


def pack_facts(work: Metadata) -> bytes:
    """Return the compressed row of a work."""
    packer = zlib.compressobj(4, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_KNOWN_WORDS)
    return packer.compress(serialize_facts(work).encode()) + packer.flush()


def unpack_facts(data: bytes) -> Metadata:
    """Return the work of a compressed row. Raise ValueError if the data is invalid."""
    try:
        return _from_row(json.loads(zlib.decompressobj(-zlib.MAX_WBITS, zdict=_KNOWN_WORDS).decompress(data)))
    except zlib.error as error:
        raise ValueError(str(error)) from error


def serialize_facts(work: Metadata) -> str:
    """Return the row as JSON, without derived fields."""
    versions = [[item.label, item.published_at.isoformat() if item.published_at else None] for item in work.versions]
    row = [
        str(work.ref), work.stage, work.kind, work.title, work.authors, work.year,
        work.published_on.isoformat() if work.published_on else None, work.venue, work.abstract, work.language,
        [str(ref) for ref in work.identifiers],
        versions, work.remark, work.publication_type,
    ]  # fmt: skip
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def read_stored_work(_key: str, raw: str) -> Metadata:
    """Read a stored record of the catalog, like the `read` functions of services."""
    try:
        return _from_row(json.loads(raw))
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        message = "The stored catalog record can't be read. Refresh the metadata."
        raise SourceUnavailable(message) from error


def _from_row(row: Sequence[Any]) -> Metadata:
    (
        ref,
        stage,
        kind,
        title,
        authors,
        year,
        published,
        venue,
        abstract,
        language,
        identifiers,
        versions,
        remark,
        *more,
    ) = row
    parsed_ref = Ref.parse(ref)
    return Metadata(
        ref=parsed_ref,
        service="catalogue",
        stage=stage,
        kind=kind,
        title=title,
        authors=tuple(authors),
        year=year,
        published_on=date.fromisoformat(published) if published else None,
        venue=venue,
        abstract=abstract,
        language=language,
        links=_links(parsed_ref),
        identifiers=tuple(Ref.parse(name) for name in identifiers),
        versions=tuple(
            DatedVersion(label, datetime.fromisoformat(timestamp) if timestamp else None)
            for label, timestamp in versions
        ),
        remark=remark,
        publication_type=more[0] if more else "",  # older catalogs have none
    )


def _links(ref: Ref) -> tuple[WebLink, ...]:
    """Return links to the work on its site; none for schemes known only from a dump."""
    try:
        return by_name(ref.scheme).links(ref.key)
    except KeyError:
        return ()


def index_numbers(work: Metadata) -> set[int]:
    """Return all numbers under which the work is indexed."""
    numbers = {ref_number(ref) for ref in (work.ref, *work.identifiers)}
    return numbers | similar_title_numbers(work.title)


def ref_number(ref: Ref) -> int:
    return crc32(f"name {ref}".encode(errors="replace"))


def title_number(title: str) -> int:
    """Return the hash of a title; equal for titles with the same letters."""
    return crc32(f"title {compare.title_letters(title)}".encode(errors="replace"))


def similar_title_numbers(title: str) -> set[int]:
    """Return the hashes that most variants of a title share: truncated, with a wrong word, in another order."""
    letters = compare.title_letters(title)
    if not letters:
        return set()
    hints = {f"from {_beginning(letters)}", f"to {_beginning(letters[::-1])}", *_telling_words(title)}
    hints |= {f"title {part}" for part in (letters, compare.split_subtitle(title)[0]) if compare.is_distinctive(part)}
    return {crc32(hint.encode(errors="replace")) for hint in hints | {f"title {letters}"}}


def _beginning(letters: str) -> str:
    room = _EDGE_LETTERS
    for index, letter in enumerate(letters):
        room -= 3 if letter >= _WIDE else 1
        if room < 0:
            return letters[:index]
    return letters


def _telling_words(title: str) -> Iterator[str]:
    """Yield pairs of the three longest words, which are rarely common ones.

    One of them may be wrong.
    """
    long = sorted(
        {word for word in compare.title_words(title) if len(word) >= _MIN_WORD_LETTERS},
        key=lambda word: (-len(word), word),
    )
    yield from (f"words {' '.join(sorted(pair))}" for pair in combinations(long[:3], 2))


class Batch(NamedTuple):
    """The content of one commit: works, and the position in the file after them."""

    works: Sequence[DumpWork]
    position: int
    error_count: int


class Store:
    """The catalog file, opened for loading; created if missing."""

    def __init__(self, path: Path) -> None:
        self._database = open_database(path)
        with explain_storage_errors(path), self._database.write() as tx:
            _create_tables(tx)
            if not is_readable(tx):
                raise Conflict(OF_ANOTHER.format(path))
            self._loose = tx.scalar(sa.select(sa.func.count()).select_from(LOOSE)) or 0

    def file(self, fingerprint: str, name: str, form: str) -> sa.Row[Any]:
        """Return the row of a file, updated to its current name; create it if needed."""
        with self._database.write() as tx:
            statement = sa.update(FILES).where(FILES.c.fingerprint == fingerprint).values(name=name)
            if not tx.connection().execute(statement).rowcount:
                numbers = {"position": 0, "new": 0, "again": 0, "bad": 0, "begun_at": now().isoformat()}
                tx.execute(sa.insert(FILES).values(fingerprint=fingerprint, name=name, form=form, **numbers))
            return tx.execute(sa.select(FILES).where(FILES.c.fingerprint == fingerprint)).one()

    def add(self, file: int, batch: Batch) -> None:
        """Store a batch and the position after it in one transaction."""
        with self._database.write() as tx:
            new, again, hints = _upsert_works(tx, file, {work.name: work for work in batch.works})
            counts = {"new": FILES.c.new + new, "again": FILES.c.again + again, "bad": FILES.c.bad + batch.error_count}
            statement = sa.update(FILES).where(FILES.c.id == file)
            tx.execute(statement.values(position=batch.position, **counts))
            works = tx.scalar(sa.select(sa.func.max(WORKS.c.id))) or 0
        self._loose += hints
        if self._loose > max(_MAX_UNSORTED_HINTS, works // 2):
            self.settle()

    def close_file(self, file: int) -> None:
        """Mark the file as read completely."""
        with self._database.write() as tx:
            tx.execute(sa.update(FILES).where(FILES.c.id == file).values(loaded_at=now().isoformat()))

    def settle(self) -> None:
        """Move all loose hints into the index, in sorted parts to limit memory."""
        if not self._loose:
            return
        parts = self._loose // _MAX_UNSORTED_HINTS + 1
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
    """Replace the generic message for a damaged file, because the catalog has no backup and needs none."""
    try:
        yield
    except StorageUnavailable as error:
        if error.message != errors.DAMAGED:
            raise
        raise StorageUnavailable(DAMAGED.format(path)) from error


def is_readable(tx: Read) -> bool:
    """Return True if the file has the tables of this edition."""
    has_table = sa.inspect(tx.connection()).has_table(EDITIONS.name)
    return has_table and tx.scalar(sa.select(EDITIONS.c.number)) == SCHEMA_VERSION


def _create_tables(tx: Write) -> None:
    if not sa.inspect(tx.connection()).has_table(EDITIONS.name):
        _TABLES.create_all(tx.connection())
        tx.execute(sa.insert(EDITIONS).values(number=SCHEMA_VERSION))


def _upsert_works(tx: Write, file: int, works: Mapping[str, DumpWork]) -> tuple[int, int, int]:
    """Insert or update works. Return the numbers of new works, existing works and loose hints."""
    facts = {name: pack_facts(work.metadata) for name, work in works.items()}
    query = sa.select(WORKS.c.name, WORKS.c.id, WORKS.c.facts).where(WORKS.c.name.in_(facts))
    existing = {row.name: row for row in tx.execute(query)} if facts else {}
    first = (tx.scalar(sa.select(sa.func.max(WORKS.c.id))) or 0) + 1
    numbers = dict(zip((name for name in facts if name not in existing), range(first, _ALL), strict=False))
    if numbers:
        rows = [{"id": number, "name": name, "file": file, "facts": facts[name]} for name, number in numbers.items()]
        tx.execute(sa.insert(WORKS), rows)
    if existing:
        change = sa.update(WORKS).where(WORKS.c.id == sa.bindparam("this")).values(file=file)
        rows = [{"this": row.id, "facts": facts[name]} for name, row in existing.items()]
        tx.connection().execute(change.values(facts=sa.bindparam("facts")), rows)
    numbers |= {name: row.id for name, row in existing.items() if row.facts != facts[name]}
    hints = list(_hints(works, numbers))
    if hints:
        tx.execute(sa.insert(LOOSE), hints)
    return len(facts) - len(existing), len(existing), len(hints)


def _hints(works: Mapping[str, DumpWork], numbers: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    for name, number in numbers.items():
        yield from ({"number": hint, "work": number} for hint in index_numbers(works[name].metadata))


def _put_in_place(low: int, high: int) -> sa.Insert:
    """Return the statement that moves a range of hints into the index.

    OR IGNORE skips existing ones; a statement that may fail and roll back would keep every changed page in memory.
    """
    query = sa.select(LOOSE.c.number, LOOSE.c.work).where(LOOSE.c.number >= low, LOOSE.c.number < high)
    in_order = query.order_by(LOOSE.c.number, LOOSE.c.work)
    return sa.insert(HINTS).prefix_with("OR IGNORE").from_select(["number", "work"], in_order)
