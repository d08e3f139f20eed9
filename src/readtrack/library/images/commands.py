"""Commands for images: store and remove."""

import secrets

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, quotas
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Image
from readtrack.infra.permissions import CurrentUser
from readtrack.library.images.encode import EncodedImage
from readtrack.markdown.link_targets import IMAGES, ImageSize, image_address


def store_image(tx: Write, me: CurrentUser, encoded: EncodedImage) -> str:
    """Store an image and return its unguessable name; the same file gets the same name again.

    Raise TooManyRequests beyond the quota.
    """
    permissions.require(me, "keep")
    permissions.lock_person(tx, me)
    query = sa.select(Image).where(col(Image.person_id) == me.id, col(Image.sha256) == encoded.sha256)
    if existing := tx.scalar(query.with_for_update()):
        existing.created_at = now()  # restart the cleanup period: a text using it is about to be saved
        tx.flush()
        return existing.name
    quotas.require(tx, me, "image.added")
    address = image_address(secrets.token_hex(16), ImageSize(encoded.width, encoded.height))
    image = Image(name=address.removeprefix(IMAGES), person_id=me.id, **encoded._asdict())
    tx.add(image)
    events.record_event(tx, me, "image.added", private=True)  # private, because the text may be
    tx.flush()
    return image.name


def remove_image(tx: Write, me: CurrentUser, name: str) -> None:
    """Remove one of my images for good; texts show its alternative text instead. Raise NotFound."""
    permissions.require(me, "keep")
    statement = sa.delete(Image).where(col(Image.name) == name, col(Image.person_id) == me.id)
    if tx.bulk_execute(statement.returning(col(Image.id))).first() is None:
        raise NotFound(_("There is no such image."))
    events.record_event(tx, me, "image.removed", private=True)
