"""The expected schema revision and Alembic, which is slow to import and loaded only for a migration."""

from functools import cache
from typing import TYPE_CHECKING

from readtrack.infra import resources
from readtrack.infra.errors import NewerSchema, StorageUnavailable

if TYPE_CHECKING:
    import sqlalchemy as sa
    from alembic.config import Config

TABLE = "alembic_version"  # Alembic's own table, with one row.
FOREIGN = (
    "The database has tables of another program ({tables}). Choose another READTRACK_DATA or READTRACK_DATABASE_URL."
)
NEWER = "This database was created by a newer version of readtrack. Use that version."
FORMER_TABLES = frozenset(  # Names of tables before revision 0012.
    {"attempt", "closed_host", "deed", "duplicate", "gloss", "half_way", "idempotency", "inquiry", "layout", "lookup"}
    | {"machine_use", "notice", "pace", "proposal", "record", "refused_relation", "saved_view", "seen", "sign_in"}
)


def created_tables() -> frozenset[str]:
    """Return the names of all tables that any revision has or had."""
    from sqlmodel import SQLModel

    import readtrack.infra.models  # noqa: F401 - fills SQLModel.metadata

    return FORMER_TABLES | SQLModel.metadata.tables.keys()


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


def is_older(revision: str) -> bool:
    """Return True if the schema can be upgraded. Raise NewerSchema if it is from a newer readtrack."""
    if revision not in known_revisions():
        raise NewerSchema(NEWER)
    return revision != wanted_revision()


def stored_revision(connection: "sa.Connection") -> str | None:
    """Return the revision of the schema, or None if there are no readtrack tables."""
    import sqlalchemy as sa

    if not sa.inspect(connection).has_table(TABLE):
        return None
    revision: str | None = connection.scalar(sa.text(f"SELECT version_num FROM {TABLE}"))  # noqa: S608
    return revision


def pending(revision: str | None) -> list[tuple[str, str]]:
    """Return the revisions after this one with the first line of what each does, in the order they are applied."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(config_over(None)).walk_revisions()
    later = [(script.revision, script.doc) for script in scripts if revision is None or script.revision > revision]
    return later[::-1]


def upgrade(connection: "sa.Connection", revision: str = "head") -> None:
    """Upgrade to the newest revision, or to an older one.

    Raise NewerSchema if the schema is newer, StorageUnavailable if tables of another program are in the way.
    """
    from alembic import command
    from alembic.util import CommandError

    refuse_foreign_tables(connection)
    try:
        command.upgrade(config_over(connection), revision)
    except CommandError as error:
        raise NewerSchema(NEWER) from error


def refuse_foreign_tables(connection: "sa.Connection") -> None:
    """Raise StorageUnavailable if there are tables of another program under the names of ours."""
    import sqlalchemy as sa
    from sqlmodel import SQLModel

    table_names = set(sa.inspect(connection).get_table_names())
    if TABLE not in table_names and (foreign_tables := sorted(table_names & set(SQLModel.metadata.tables))):
        raise StorageUnavailable(FOREIGN.format(tables=", ".join(foreign_tables[:5])))


def config_over(connection: "sa.Connection | None") -> "Config":
    """Return the Alembic configuration for an open connection, or for the migration files only."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(resources.find("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
