"""What people keep of their way of looking at the library, and what was done that can be undone."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import DISPLAYS, json_list, json_object, moment, one_of, scattered


class SavedSearch(SQLModel, table=True):
    """A question with a name: what to show, in which order, how. `q` is kept in the canonical form.

    `shared`: the team's, shown to everybody; else only to who made it.
    """

    __tablename__ = "saved_search"
    __table_args__ = (
        one_of("display", DISPLAYS),
        sa.Index("ix_saved_search_person_id_position", "person_id", "position"),
    )
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id")
    name: str
    q: str = ""
    sort: str = ""
    display: str = "list"
    grouping: str = ""
    columns: list[str] = json_list()  # of the table, in their order; none: as the table has them
    shared: bool = Field(default=False, index=True)
    position: float = 0.0  # in the side bar of who made it
    version: int = 1
    created_at: datetime = moment()
    updated_at: datetime = moment()
    deleted_at: datetime | None = moment(optional=True)


class UndoEntry(SQLModel, table=True):
    """What one person did, with what it takes to undo it: to many papers at once, or by taking something away."""

    __tablename__ = "undo_entry"
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    verb: str
    created_at: datetime = moment(index=True)
    undo: dict[str, Any] = json_object()
    undone_at: datetime | None = moment(optional=True)
