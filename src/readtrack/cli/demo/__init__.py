"""A demo library. `content` reads its data, `seed` writes it to a database."""

from readtrack.infra.db import Database


def fill(database: Database) -> str:
    """Fill a new library and return the code to sign in."""
    from readtrack.cli.demo import seed

    return seed.fill(database)
