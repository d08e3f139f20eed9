"""The migrations make what the models say, on both databases."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlmodel import SQLModel

import readtrack.models  # noqa: F401 - fills SQLModel.metadata


def not_the_index(_thing, name, *_):
    return not (name or "").startswith(("search_", "ix_search_"))


# SQLAlchemy cannot read indexes over expressions back from SQLite; on PostgreSQL this test compares them too.
@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_the_migrated_tables_are_those_of_the_models(database):
    options = {"compare_type": True, "include_object": not_the_index}
    with database.read() as tx:
        context = MigrationContext.configure(tx.connection(), opts=options)
        assert compare_metadata(context, SQLModel.metadata) == []
