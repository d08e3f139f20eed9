"""The migrations make what the models say, on both databases."""

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlmodel import SQLModel, col

import readtrack.models  # noqa: F401 - fills SQLModel.metadata
from readtrack.db import _alembic
from readtrack.models import Identifier
from tests import make


def not_the_index(_thing, name, *_):
    return not (name or "").startswith(("search_", "ix_search_"))


# SQLAlchemy cannot read indexes over expressions back from SQLite; on PostgreSQL this test compares them too.
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_the_migrated_tables_are_those_of_the_models(database):
    options = {"compare_type": True, "include_object": not_the_index}
    with database.read() as tx:
        context = MigrationContext.configure(tx.connection(), opts=options)
        assert compare_metadata(context, SQLModel.metadata) == []


def move(database, deed, revision):
    with database.engines[0].connect() as connection, connection.begin():
        deed(_alembic(connection), revision)


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_the_entries_of_an_older_library_are_kept_and_the_way_back_is_open(database):
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
    test_the_migrated_tables_are_those_of_the_models(database)


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_papers_known_by_an_address_get_the_name_that_their_site_has_by_now(database):
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


def names_of(database):
    with database.read() as tx:
        rows = tx.execute(
            sa.select(col(Identifier.scheme), col(Identifier.value)).where(col(Identifier.scheme) != "arxiv")
        )
        return {f"{row.scheme}:{row.value}" for row in rows}
