"""Tables for saved searches and the undo log."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import DISPLAYS, json_list, json_object, moment, one_of, scattered


class SavedSearch(SQLModel, table=True):
    """A saved search: query, sort order and display. `q` is stored in canonical form.

    `shared` ones are visible to the team, others only to their owner.
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
    columns: list[str] = json_list()  # Table columns in order; empty: the default ones.
    shared: bool = Field(default=False, index=True)
    position: float = 0.0  # Position in the owner's sidebar.
    version: int = 1
    created_at: datetime = moment()
    updated_at: datetime = moment()
    deleted_at: datetime | None = moment(optional=True)


class UndoEntry(SQLModel, table=True):
    """An action that can be undone, with the data for it: a bulk edit or a deletion."""

    __tablename__ = "undo_entry"
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    verb: str
    created_at: datetime = moment(index=True)
    undo: dict[str, Any] = json_object()
    undone_at: datetime | None = moment(optional=True)
