"""Verbs of images: keep one, and forget those of somebody who is erased."""

import re
import secrets
from collections.abc import Iterator

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events, policy, quotas
from readtrack.db import Write
from readtrack.images.encoding import Encoded
from readtrack.markdown.addresses import IMAGES, Size, image_address
from readtrack.models import Comment, Image, Meeting, Summary, SummaryVersion, Topic, TopicVersion
from readtrack.policy import Visitor

_NAME = re.compile(rf"{IMAGES}([0-9a-fx-]+)")
_TEXTS = (  # where an image may stand that others see
    Summary.markdown,
    SummaryVersion.markdown,
    Comment.markdown,
    Topic.markdown,
    TopicVersion.markdown,
    Meeting.notes,
    Meeting.decisions,
)


def keep_image(tx: Write, me: Visitor, wanted: Encoded) -> str:
    """Its name, which is not to be guessed; the same one for the same file again. Raises TooMany beyond the quota."""
    policy.require(me, "keep")
    policy.hold_self(tx, me)
    same = sa.select(col(Image.name)).where(col(Image.person_id) == me.id, col(Image.sha256) == wanted.sha256)
    if there := tx.scalar(same):
        return there
    quotas.require(tx, me, "image.added")
    address = image_address(secrets.token_hex(16), Size(wanted.width, wanted.height))
    image = Image(name=address.removeprefix(IMAGES), person_id=me.id, **wanted._asdict())
    tx.add(image)
    events.record(tx, me, "image.added", private=True)  # of a text that may be for nobody else
    tx.flush()
    return image.name


def forget_images(tx: Write, person_id: int) -> None:
    """Theirs, but for those that stand in a text that is still there: called when what was private of them is gone."""
    shown = set(_shown(tx))
    theirs = tx.scalars(sa.select(col(Image.name)).where(col(Image.person_id) == person_id)).all()
    gone = [name for name in theirs if name not in shown]
    tx.execute(sa.delete(Image).where(col(Image.name).in_(gone)).execution_options(synchronize_session=False))


def _shown(tx: Write) -> Iterator[str]:
    """The names of all images in texts."""
    for column in map(col, _TEXTS):
        for text in tx.scalars(sa.select(column).where(column.contains(IMAGES))):
            yield from _NAME.findall(text)
