"""Tables for the feed of changes. Triggers write them (`infra/db/change_triggers.py`)."""

import sqlalchemy as sa
from sqlmodel import Field, SQLModel


class Change(SQLModel, table=True):
    """The place of a resource in the order of changes, once for each audience: a higher `id` after every change.

    It stays when the resource is deleted. `item`: the ID of the resource; of a reading the paper, with the `reader`,
    which is 0 otherwise. `audience`: 0 for what everybody may see, else the person who alone may see it.
    """

    __table_args__ = (
        sa.UniqueConstraint("kind", "item", "reader", "audience"),
        {"sqlite_autoincrement": True},  # A number is never given twice.
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    item: int
    reader: int
    audience: int


class ChangeFeed(SQLModel, table=True):
    """One row that names the library: it is another one after a restore, so that no copy continues where it was."""

    __tablename__ = "change_feed"
    id: int | None = Field(default=None, primary_key=True)
    incarnation: str
