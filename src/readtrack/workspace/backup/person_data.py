"""The data of one person in an archive, without other people's private data and without secrets."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Database, migrations, tables
from readtrack.infra.models import Question, Reading, Summary
from readtrack.workspace.backup.archive import ArchiveWriter, Manifest

# Tables whose rows belong to one person, and the column that says to whom.
OWNER_COLUMNS: Mapping[str, str] = {
    "assignment": "person_id",
    "comment": "person_id",
    "draft": "person_id",
    "image": "person_id",
    "person": "id",
    "question": "created_by",
    "read_marker": "person_id",
    "reading": "person_id",
    "reading_event": "person_id",
    "saved_search": "person_id",
    "summary": "person_id",
    "vote": "person_id",
}
SECRETS = frozenset({"password_hash", "totp_salt", "totp_step", "recovery"})
PAPER_COLUMNS = ("id", "kind", "title", "authors", "year", "venue")  # What tells papers apart.


def write_person_data(database: Database, file: IO[bytes], person_id: int) -> Manifest:
    """Write all that belongs to a person, and which papers it is about."""
    with ArchiveWriter.open(file) as writer, database.snapshot() as connection:
        found = tables.list_tables(connection)
        for name, columns, condition in _select_tables(found, person_id):
            writer.add_table(name, columns, tables.read_rows(connection, name, columns, condition))
        revision = migrations.stored_revision(connection) or ""
        return writer.finish(kind="person", revision=revision, database=database.dialect)


@contextmanager
def open_person_data(database: Database, person_id: int) -> Iterator[IO[bytes]]:
    """Open a temporary file with the data of a person."""
    with tempfile.TemporaryFile(prefix="readtrack-") as file:
        write_person_data(database, file, person_id)
        file.seek(0)
        yield file


def _select_tables(
    found: Mapping[str, tables.Columns], person_id: int
) -> Iterator[tuple[str, tables.Columns, sa.ColumnElement[bool]]]:
    for name, owner in OWNER_COLUMNS.items():
        columns = {column: kind for column, kind in found[name].items() if column not in SECRETS}
        yield name, columns, sa.column(owner) == person_id
    summary_ids = sa.select(col(Summary.id)).where(col(Summary.person_id) == person_id)
    yield "summary_version", found["summary_version"], sa.column("summary_id").in_(summary_ids)
    paper_ids: sa.CompoundSelect[Any] = sa.union(
        sa.select(col(Reading.paper_id)).where(col(Reading.person_id) == person_id),
        sa.select(col(Summary.paper_id)).where(col(Summary.person_id) == person_id),
        sa.select(col(Question.paper_id)).where(col(Question.created_by) == person_id),
    )
    papers = {column: found["paper"][column] for column in PAPER_COLUMNS}
    yield "paper", papers, sa.column("id").in_(paper_ids)
    yield "identifier", found["identifier"], sa.column("paper_id").in_(paper_ids)
