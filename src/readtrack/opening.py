"""Opens a library: settings made ready, database migrated, search index there, the way out guarded."""

from urllib.parse import urlsplit

import readtrack
from readtrack import db, search
from readtrack.db import Database
from readtrack.egress import Egress
from readtrack.pace import DatabaseGate
from readtrack.settings import Settings


def open_library(settings: Settings) -> Database:
    """The database, up to date. `settings` must be ready()."""
    database = Database(settings.url)
    db.migrate(database)
    with database.write() as tx:
        search.ensure(tx)
    return database


def open_egress(settings: Settings, database: Database) -> Egress:
    """The one way out, paced over all processes by the database."""
    contact = f"; {settings.contact}" if settings.contact else ""
    return Egress(
        agent=f"readtrack/{readtrack.__version__} (a team's reading list{contact})",
        gate=DatabaseGate(database),
        intervals={urlsplit(settings.arxiv_url).hostname or "": settings.arxiv_interval},
        bases={"arxiv": settings.arxiv_url},
        offline=settings.offline,
    )
