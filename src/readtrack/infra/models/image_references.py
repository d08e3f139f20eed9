"""Usage counter of images, incremented when a text that shows the image is saved.

COLUMNS lists the columns whose texts may show images. The deletion of unused images reads all texts before its write
transaction; an unchanged counter proves that no text with the image was saved in between. Mapper events do the
counting, so that no command can omit it.
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
    UndoEntry: ("undo",),  # Data that undo can restore.
}
ADDRESS = "/images/"
_NAME = re.compile(rf"{ADDRESS}([0-9a-fx-]+)")


def image_names(text: str) -> Sequence[str]:
    """Return the names of the images in a text or in JSON."""
    return _NAME.findall(text) if ADDRESS in text else ()


def _count_uses(_mapper: object, connection: sa.Connection, row: object) -> None:
    names = set(_names_in(getattr(row, name) for name in COLUMNS[type(row)]))  # type: ignore[index]
    if not names:
        return
    # Lock in a fixed order to avoid deadlocks between texts that show the same images.
    image_ids = sa.select(col(Image.id)).where(col(Image.name).in_(names)).order_by(col(Image.id)).with_for_update()
    images = sa.update(Image).where(col(Image.id).in_(image_ids))
    connection.execute(images.values(uses=col(Image.uses) + 1))


def _names_in(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        yield from image_names(value if isinstance(value, str) else to_json(value).decode())


for _table in COLUMNS:
    sa.event.listen(_table, "before_insert", _count_uses)
    sa.event.listen(_table, "before_update", _count_uses)
