"""Images that no text shows any more: those of who is erased at once, those of all others after thirty days."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.clock import now
from readtrack.db import Write
from readtrack.deeds import WITHIN
from readtrack.markdown.addresses import IMAGES
from readtrack.models import (
    Comment,
    ComparisonRow,
    Deed,
    Draft,
    Image,
    Meeting,
    Summary,
    SummaryVersion,
    TextTemplate,
    Topic,
    TopicVersion,
)

_NAME = re.compile(rf"{IMAGES}([0-9a-fx-]+)")
_TEXTS: Sequence[Any] = (  # where an image may stand, or come to stand again: deeds hold what can be put back
    Summary.markdown,
    SummaryVersion.markdown,
    Comment.markdown,
    Topic.markdown,
    TopicVersion.markdown,
    Meeting.notes,
    Meeting.decisions,
    TextTemplate.markdown,
    ComparisonRow.cells,
    Draft.fields,
    Deed.undo,
)


def forget_images(tx: Write, person_id: int) -> None:
    """Theirs, but for those that stand in a text that is still there: called when what was private of them is gone."""
    _forget(tx, col(Image.person_id) == person_id)


def sweep_images(tx: Write) -> int:
    """Those that were uploaded thirty days ago or more and that no text shows; how many.

    Younger ones stay: a text that is still being written somewhere else may show them.
    """
    return _forget(tx, col(Image.created_at) < now() - WITHIN)


def _forget(tx: Write, which: sa.ColumnElement[bool]) -> int:
    """Texts are read only when there are such images."""
    names = tx.scalars(sa.select(col(Image.name)).where(which).with_for_update()).all()
    shown = set(_shown(tx)) if names else set()
    gone = [name for name in names if name not in shown]
    for name in gone:
        tx.execute(sa.delete(Image).where(col(Image.name) == name).execution_options(synchronize_session=False))
    return len(gone)


def _shown(tx: Write) -> Iterator[str]:
    """The names of all images in texts."""
    for column in _TEXTS:
        text = sa.cast(column, sa.Text)
        for written in tx.scalars(sa.select(text).where(text.contains(IMAGES))):
            yield from _NAME.findall(written)
