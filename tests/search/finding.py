"""What the tests of searches share: an indexed library, and what a search finds in it."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import Paper


def ids_where(tx, condition):
    return tx.connection().execute(sa.select(col(Paper.id)).where(condition).order_by(col(Paper.id))).scalars().all()


def find(database, text, me=None):
    """The ids of the papers that it finds, the oldest first."""
    with database.read() as tx:
        return ids_where(tx, search.paper_filter(tx, search.parse(text), me))


def found_by(database, searches, ids, me=None):
    """What each search finds, by the names that the test has for papers."""
    names = {number: name for name, number in ids.items()}
    return {text: [names[number] for number in find(database, text, me)] for text in searches}
