"""A library to look round in: what it holds is in `content`, how it comes into a database in `filling`."""

from readtrack.db import Database


def fill(database: Database) -> str:
    """Fills a new library; gives the code with which everybody comes in."""
    from readtrack.demo import filling

    return filling.fill(database)


def sample_notes() -> str:
    """Notes as a team might keep them, for trying the import."""
    from readtrack.demo import content

    return content.sample_notes()
