"""The migrations make what the models say, on both databases."""

from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import SQLModel, col

import readtrack.infra.models  # noqa: F401 - fills SQLModel.metadata
from readtrack.infra.clock import now
from readtrack.infra.db import _migration_lock, migrations
from readtrack.infra.db.migrations import config_over
from readtrack.infra.models import (
    Entry,
    Identifier,
    Job,
    Lead,
    MetadataRecord,
    MetadataRequest,
    Note,
    NoteRevision,
    Paper,
)
from readtrack.library.enrichment.records import reverify_records
from tests import make

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


def test_the_newest_revision_is_read_from_the_file_names():
    assert [migrations.wanted_revision()] == ScriptDirectory.from_config(config_over(None)).get_heads()


def not_the_index(_thing, name, *_):
    return not (name or "").startswith(("search_", "ix_search_"))


# SQLAlchemy cannot read indexes over expressions back from SQLite; on PostgreSQL this test compares them too.
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_the_migrated_schema_matches_the_models(database):
    options = {"compare_type": True, "include_object": not_the_index}
    with database.read() as tx:
        context = MigrationContext.configure(tx.connection(), opts=options)
        assert compare_metadata(context, SQLModel.metadata) == []


# Who, in rows that tell who did something: a row of `person` is never deleted, erasing overwrites it.
BY_WHOM = frozenset(
    {"actor_id", "added_by", "closed_by", "committed_by", "created_by", "decided_by", "dismissed_by", "hidden_by"}
    | {"merged_by", "presenter_id", "proposed_by", "resolved_by", "saved_by", "undone_by", "updated_by"}
)
OF_FEW_ROWS = {
    ("invitation", "person_id")
}  # of a person, too, who is never deleted; it has a row for each link that was made


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_every_foreign_key_has_an_index_so_that_deleting_scans_no_table(database):
    with database.read() as tx:
        inspector = sa.inspect(tx.connection())
        missing = {
            (table.name, key.parent.name)
            for table in SQLModel.metadata.sorted_tables
            for key in table.foreign_keys
            if key.parent.name not in columns_that_lead_an_index(inspector, table.name)
            and not (key.column.table.name == "person" and key.parent.name in BY_WHOM)
        }
    assert missing == OF_FEW_ROWS


def columns_that_lead_an_index(inspector, table):
    """An index of some rows only counts when these are those in which the column is set."""
    columns = {inspector.get_pk_constraint(table)["constrained_columns"][0]}
    columns.update(unique["column_names"][0] for unique in inspector.get_unique_constraints(table))
    for index in inspector.get_indexes(table):
        first = index["column_names"][0]
        which = index.get("dialect_options", {}).get(f"{inspector.dialect.name}_where")
        if which is None or str(which).strip("()") == f"{first} IS NOT NULL":
            columns.add(first)
    return columns


def test_the_database_uses_the_index_of_a_mostly_null_foreign_key(database):
    with database.read() as tx:
        if database.dialect == "sqlite":
            plan = "EXPLAIN QUERY PLAN SELECT 1 FROM entry WHERE topic_id = 1"
        else:
            tx.execute(sa.text("SET LOCAL enable_seqscan = off"))  # which it likes best for an empty table
            plan = "EXPLAIN SELECT 1 FROM entry WHERE topic_id = 1"
        assert "ix_entry_topic_id" in str(tx.execute(sa.text(plan)).all())


def move(database, deed, revision):
    """As `migrate` does it: while tables are made anew, others may refer to them."""
    with database.engines[0].connect() as connection:
        with _migration_lock(connection, database.dialect), connection.begin():
            deed(config_over(connection), revision)
        connection.invalidate()


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_entries_of_an_older_library_are_kept_and_the_downgrade_works(database):
    with database.write() as tx:
        make.entry(tx, "- [A Title](https://arxiv.org/abs/2401.00001)", title="A Title", text="worth it")
    with database.read() as tx:
        before = tx.execute(sa.select(SQLModel.metadata.tables["entry"])).one()
    move(database, command.downgrade, "0001")
    with database.read() as tx:
        old = tx.execute(sa.text("SELECT * FROM entry")).mappings().one()
        assert (old["title"], "authors" in old) == ("A Title", False)
        assert "import_rule" not in sa.inspect(tx.connection()).get_table_names()
    move(database, command.upgrade, "head")
    with database.read() as tx:
        assert tx.execute(sa.select(SQLModel.metadata.tables["entry"])).one() == before
    test_the_migrated_schema_matches_the_models(database)


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_papers_known_by_a_url_get_their_sites_current_identifier(database):
    hash_ = "1457c0d6bfcb4967418bfb8ac142f64a"
    values = (
        f"proceedings.neurips.cc/paper/2020/hash/{hash_}-Abstract.html",
        f"proceedings.neurips.cc/paper/2020/file/{hash_}-Paper.pdf",
        "lab.example.org/paper.pdf",
    )
    with database.write() as tx:
        for value in values:
            tx.add(Identifier(paper_id=make.paper(tx).id, scheme="url", value=value))
    move(database, command.downgrade, "0002")
    move(database, command.upgrade, "head")
    assert names_of(database) == {f"neurips:{hash_}", f"url:{values[1]}", f"url:{values[2]}"}
    move(database, command.downgrade, "0002")
    assert not any(name.startswith("neurips:") for name in names_of(database))
    move(database, command.upgrade, "head")


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_upgrade_and_downgrade_keep_what_is_shown_and_pending_requests(database):
    move(database, command.downgrade, "0003")
    fill_as_before(database)
    before = shown(database)
    move(database, command.upgrade, "head")
    assert shown(database) == before
    with database.read() as tx:
        answered, doubted, waiting = tx.scalars(sa.select(Paper).order_by(col(Paper.id))).all()
        states = dict(tuple(row) for row in tx.execute(sa.select(col(MetadataRecord.title), col(MetadataRecord.state))))
        assert states == {"Told": "agrees", "Told before": "superseded", "Another": "disagrees"}
        asked = sa.select(col(MetadataRequest.paper_id), col(MetadataRequest.key), col(MetadataRequest.state)).order_by(
            col(MetadataRequest.id)
        )
        assert list(map(tuple, tx.execute(asked))) == [
            (answered.id, "2401.00001", "answered"),
            (doubted.id, "2401.00002", "answered"),
            (waiting.id, "2401.00003", "waiting"),
        ]
        assert tx.scalars(sa.select(col(Job.payload))).all() == [{"service": "arxiv"}]
        # The year is what a person typed.
        assert answered.field_sources.keys() == {"title", "authors", "published_on", "venue", "abstract"}
        assert (doubted.field_sources, doubted.user_supplied["title"], answered.user_supplied) == ({}, "Named", {})
    with database.write() as tx:
        for paper in tx.scalars(sa.select(Paper)).all():
            reverify_records(tx, paper)
    assert shown(database) == before
    move(database, command.downgrade, "0003")
    assert shown(database) == before
    with database.read() as tx:
        states = dict(map(tuple, tx.execute(sa.text("SELECT title, state FROM record"))))
        assert states == {"Told before": "superseded", "Told": "applied", "Another": "disagrees"}
        asked = tx.scalars(sa.text("SELECT fetch_state FROM identifier ORDER BY id")).all()
        assert asked == ["fetched", "fetched", "waiting"]
    move(database, command.upgrade, "head")
    assert shown(database) == before


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_unresolved_references_of_an_older_library_are_filed_under_the_innermost_heading(database):
    with database.write() as tx:
        outer, inner = make.topic(tx, "Training"), make.topic(tx, "Pipelines")
        heading = make.entry(tx, "# Training", title="Training", topic_id=outer.id)
        note = {"revision_id": heading.revision_id}
        make.entry(tx, "## Pipelines", title="Pipelines", topic_id=inner.id, position=2, **note)
        said: tuple[list[str], ...] = (["Training", "Pipelines"], ["Training", "Unknown"], [])
        entries = [
            make.entry(tx, "- a paper", kind="lead", topics=topics, position=number, **note).id
            for number, topics in enumerate(said, 3)
        ]
    move(database, command.downgrade, "0006")
    with database.write() as tx:
        for number, entry in enumerate(entries, 1):
            lead = sa.text("INSERT INTO lead (id, text, state, created_at) VALUES (:id, 'a paper', 'open', :at)")
            tx.execute(lead.bindparams(sa.bindparam("at", type_=sa.DateTime)), {"id": number, "at": now()})
            tx.execute(sa.text("UPDATE entry SET lead_id = :id WHERE id = :entry"), {"id": number, "entry": entry})
    move(database, command.upgrade, "head")
    with database.read() as tx:
        assert [tx.get_one(Lead, number).topic_id for number in (1, 2, 3)] == [inner.id, outer.id, None]


def shown(database):
    with database.read() as tx:
        columns = {column["name"] for column in sa.inspect(tx.connection()).get_columns("paper")}
        locks = "field_locks" if "field_locks" in columns else "locked"
        fields = f"id, title, authors, year, venue, abstract, record_id, {locks}"
        return [tuple(map(str, row)) for row in tx.execute(sa.text(f"SELECT {fields} FROM paper ORDER BY id"))]


def fill_as_before(database):
    """A paper that arXiv told of twice, one that it told something else of, one that waits; the job that asks."""
    with database.write() as tx:
        tables = sa.MetaData()
        tables.reflect(tx.connection(), only=["paper", "identifier", "record", "job"], resolve_fks=False)
        paper, identifier, record, job = (tables.tables[name] for name in ("paper", "identifier", "record", "job"))
        at = now().replace(microsecond=0)
        dated = {"version": 1, "created_at": at, "updated_at": at, "kind": "paper", "triage": "library", "language": ""}
        told = {"authors": ["Ada"], "venue": "", "abstract": "Short.", "year": 2020}
        for number, title in enumerate(("Told", "Named", ""), start=1):
            more = told if title == "Told" else {"authors": [], "venue": "", "abstract": "", "year": None}
            locked = {"year": {"by": 1, "at": ""}} if title == "Told" else {}
            values = {"id": number, "title": title, "title_key": title.lower(), "locked": locked, **dated, **more}
            tx.execute(sa.insert(paper).values(**values))
            state = "fetched" if title else "waiting"
            name = {"scheme": "arxiv", "value": f"2401.0000{number}", "fetch_state": state, "problem": ""}
            tx.execute(sa.insert(identifier).values(id=number, paper_id=number, **name))
        for number, (paper_id, title, state) in enumerate(
            ((1, "Told before", "superseded"), (1, "Told", "applied"), (2, "Another", "disagrees")), start=1
        ):
            said: dict[str, Any] = {
                "scheme": "arxiv",
                "value": f"2401.0000{paper_id}",
                "language": "",
                "remark": "",
                "raw": "<x/>",
            }
            said |= {"id": number, "paper_id": paper_id, "title": title, "state": state, "fetched_at": at, **told}
            tx.execute(sa.insert(record).values(**said | {"year": 2024}))
        tx.execute(sa.update(paper).where(paper.c.id == 1).values(record_id=2))
        asking: dict[str, Any] = {
            "kind": "papers.refresh",
            "payload": {"scheme": "arxiv"},
            "dedup": "papers.refresh:arxiv",
        }
        asking |= {"state": "queued", "priority": 0, "run_at": at, "created_at": at}
        asking |= {"attempts": 0, "done": 0, "problem": "", "fence": ""}
        tx.execute(sa.insert(job).values(**asking))


def names_of(database):
    with database.read() as tx:
        rows = tx.execute(
            sa.select(col(Identifier.scheme), col(Identifier.value)).where(col(Identifier.scheme) != "arxiv")
        )
        return {f"{row.scheme}:{row.value}" for row in rows}


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_a_downgrade_drops_partly_read_imports_and_keeps_the_others(database):
    with database.write() as tx:
        whole, half = (make.entry(tx, f"# Heading {number}") for number in range(2))
        tx.get_one(NoteRevision, half.revision_id).state = "parsing"
    with database.read() as tx:
        before = tx.execute(sa.select(SQLModel.metadata.tables["entry"]).where(col(Entry.id) == whole.id)).all()
    move(database, command.downgrade, "0007")
    move(database, command.upgrade, "head")
    with database.read() as tx:
        assert tx.execute(sa.select(SQLModel.metadata.tables["entry"])).all() == before
        assert [tx.scalar(sa.select(sa.func.count()).select_from(table)) for table in (Note, NoteRevision)] == [1, 1]


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_papers_of_an_older_library_get_the_citation_keys_of_their_exports(database):
    with database.write() as tx:
        for title, authors in (
            ("Unicron", ["Tao He"]),
            ("Unicron Two", ["He, Tao"]),
            ("Untold", []),
            ("訓練", ["李 明"]),
        ):
            make.paper(tx, title, authors=authors, year=2024)
    move(database, command.downgrade, "0018")
    move(database, command.upgrade, "head")
    with database.read() as tx:
        keys = tx.scalars(sa.select(col(Paper.citation_key)).order_by(col(Paper.id))).all()
    assert keys == ["he2024unicron", "he2024unicron-2", None, "anon2024paper4"]
