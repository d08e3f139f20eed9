"""Which columns hold texts that may show images, and the count of an image's uses, kept whenever such a text is saved.

Whoever deletes unused images reads all texts before the transaction that deletes: by the count they know that no text
with the image was saved in between. It is kept here, by the mapper, so that no command can forget to.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic_core import to_json
from sqlmodel import SQLModel, col

from readtrack.infra.models.discussion import Comment
from readtrack.infra.models.drafts import Draft, Image, TextTemplate, TopicVersion
from readtrack.infra.models.knowledge import ComparisonRow
from readtrack.infra.models.library import Topic
from readtrack.infra.models.meetings import Meeting
from readtrack.infra.models.readings import Summary, SummaryVersion
from readtrack.infra.models.saved_searches import UndoEntry

COLUMNS: dict[type[SQLModel], Sequence[str]] = {
    Summary: ("markdown",),
    SummaryVersion: ("markdown",),
    Comment: ("markdown",),
    Topic: ("markdown",),
    TopicVersion: ("markdown",),
    Meeting: ("notes", "decisions"),
    TextTemplate: ("markdown",),
    ComparisonRow: ("cells",),
    Draft: ("fields",),
    UndoEntry: ("undo",),  # what can be put back
}
ADDRESS = "/images/"
_NAME = re.compile(rf"{ADDRESS}([0-9a-fx-]+)")


def image_names(text: str) -> Sequence[str]:
    """The names of images in a text, or in JSON with texts."""
    return _NAME.findall(text) if ADDRESS in text else ()


def _count_uses(_mapper: object, connection: sa.Connection, row: object) -> None:
    names = set(_names_in(getattr(row, name) for name in COLUMNS[type(row)]))  # type: ignore[index]
    if not names:
        return
    # Locked in one order, as two texts with the same images may be saved at once.
    used = sa.select(col(Image.id)).where(col(Image.name).in_(names)).order_by(col(Image.id)).with_for_update()
    images = sa.update(Image).where(col(Image.id).in_(used))
    connection.execute(images.values(uses=col(Image.uses) + 1))


def _names_in(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        yield from image_names(value if isinstance(value, str) else to_json(value).decode())


for _table in COLUMNS:
    sa.event.listen(_table, "before_insert", _count_uses)
    sa.event.listen(_table, "before_update", _count_uses)
