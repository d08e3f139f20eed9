"""A library to look round in: what it holds is in `content`, how it comes into a database in `filling`."""

from readtrack.infra.db import Database


def fill(database: Database) -> str:
    """Fills a new library; gives the code with which everybody comes in."""
    from readtrack.cli.demo import seed

    return seed.fill(database)
