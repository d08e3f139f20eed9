"""What `readtrack check` examines: the database itself, and the search index against the tables."""

from readtrack import db, search
from readtrack.db import Database


def problems_of(database: Database) -> list[str]:
    """Sentences: what is wrong and what to do; empty when all is well."""
    problems = db.integrity_problems(database)
    with database.read() as tx:
        return problems + search.check(tx)
