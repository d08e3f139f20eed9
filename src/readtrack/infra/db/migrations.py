"""Where the tables should stand, and Alembic, which takes a while to import and is needed only to bring them there."""

from functools import cache
from typing import TYPE_CHECKING

from readtrack.infra import resources
from readtrack.infra.errors import StorageUnavailable

if TYPE_CHECKING:
    import sqlalchemy as sa
    from alembic.config import Config

TABLE = "alembic_version"  # Alembic's own, with one row
NEWER = "This database was made by a newer readtrack. Nothing was changed; start the newer version again."


@cache
def known_revisions() -> list[str]:
    """The revisions of this readtrack, oldest first: file names of migrations begin with theirs."""
    versions = resources.find("migrations") / "versions"
    return sorted(path.name.partition("_")[0] for path in versions.glob("[0-9]*_*.py"))


def wanted_revision() -> str:
    """The newest of them."""
    return known_revisions()[-1]


def upgrade(connection: "sa.Connection") -> None:
    """Brings the tables there. Raises StorageUnavailable when they were made by a newer readtrack."""
    from alembic import command
    from alembic.util import CommandError

    try:
        command.upgrade(config_over(connection), "head")
    except CommandError as error:
        raise StorageUnavailable(NEWER) from error


def config_over(connection: "sa.Connection | None") -> "Config":
    """Alembic's configuration over a connection that is open, or for its files alone."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(resources.find("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
