"""The expected schema revision and Alembic, which is slow to import and loaded only for a migration."""

from functools import cache
from typing import TYPE_CHECKING

from readtrack.infra import resources
from readtrack.infra.errors import StorageUnavailable

if TYPE_CHECKING:
    import sqlalchemy as sa
    from alembic.config import Config

TABLE = "alembic_version"  # Alembic's own table, with one row.
FOREIGN = (
    "The database has tables of another program ({tables}). Choose another READTRACK_DATA or READTRACK_DATABASE_URL."
)
NEWER = "This database was created by a newer version of readtrack. Use that version."


@cache
def known_revisions() -> list[str]:
    """Return all revisions of this readtrack, oldest first.

    Migration file names begin with their revision.
    """
    versions = resources.find("migrations") / "versions"
    return sorted(path.name.partition("_")[0] for path in versions.glob("[0-9]*_*.py"))


def wanted_revision() -> str:
    """Return the newest revision."""
    return known_revisions()[-1]


def upgrade(connection: "sa.Connection") -> None:
    """Upgrade to the newest revision.

    Raise StorageUnavailable if the schema is from a newer readtrack, or tables of another program are in the way.
    """
    import sqlalchemy as sa
    from alembic import command
    from alembic.util import CommandError
    from sqlmodel import SQLModel

    table_names = set(sa.inspect(connection).get_table_names())
    if TABLE not in table_names and (foreign_tables := sorted(table_names & set(SQLModel.metadata.tables))):
        raise StorageUnavailable(FOREIGN.format(tables=", ".join(foreign_tables[:5])))
    try:
        command.upgrade(config_over(connection), "head")
    except CommandError as error:
        raise StorageUnavailable(NEWER) from error


def config_over(connection: "sa.Connection | None") -> "Config":
    """Return the Alembic configuration for an open connection, or for the migration files only."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(resources.find("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
