"""Commands for images: store, remove, and clean up images that no text uses.

Unused images of erased people are deleted at once, others after thirty days. Texts are scanned in portions outside of
the transaction that deletes. An image is deleted only if its use count has not changed since the scan began.
"""

import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import action_quotas, events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import NotFound
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Image
from readtrack.infra.models.texts import ADDRESS, COLUMNS, image_names
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.library.images.encode import EncodedImage
from readtrack.markdown.sanitize import IMAGES, ImageSize, image_address

JOB = "images.forget"
ROWS_AT_ONCE = 200  # rows scanned by one statement; their texts may add up to 40 MB
IMAGES_AT_ONCE = 100  # images deleted per transaction


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
    action_quotas.require(tx, me, "image.added")
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
        raise NotFound(_("Image not found."))
    events.record_event(tx, me, "image.removed", private=True)


def enqueue_image_cleanup(tx: Write, person_id: int) -> None:
    """Enqueue a job that deletes a person's images except those used in remaining texts."""
    queue.enqueue(tx, JOB, {"person": person_id}, dedup_key=f"{JOB}:{person_id}")


@queue.handler(JOB)
def delete_person_images(database: Database, _http: Http, job: LeasedJob) -> None:
    """Delete the unused images of an erased person. Run this after their private texts are deleted."""
    _delete_unused(database, col(Image.person_id) == job.payload["person"])
    with database.write() as tx:
        queue.finish_job(tx, job)


def delete_unused_images(database: Database) -> int:
    """Delete images uploaded over thirty days ago that no text uses; return their number.

    Younger ones are kept, because a text still being written may use them.
    """
    return _delete_unused(database, col(Image.created_at) < now() - UNDO_PERIOD)


def _delete_unused(database: Database, condition: sa.ColumnElement[bool]) -> int:
    unused = list(_find_unused(database, condition).items())
    deleted_count = 0
    for start in range(0, len(unused), IMAGES_AT_ONCE):
        batch = unused[start : start + IMAGES_AT_ONCE]
        is_unchanged = sa.or_(*(sa.and_(col(Image.name) == name, col(Image.uses) == uses) for name, uses in batch))
        delete = sa.delete(Image).where(condition, is_unchanged).returning(col(Image.id))
        with database.write() as tx:
            deleted_count += len(tx.bulk_execute(delete).all())
    return deleted_count


def _find_unused(database: Database, condition: sa.ColumnElement[bool]) -> Mapping[str, int]:
    """Return the unused images with their use counts, read before the texts are scanned."""
    with database.read() as tx:
        unused = dict(tx.rows(sa.select(col(Image.name), col(Image.uses)).where(condition)))
    if unused:
        for text in _texts_with_images(database):
            for name in image_names(text):
                unused.pop(name, None)
            if not unused:
                break
    return unused


def _texts_with_images(database: Database) -> Iterator[str]:
    for table, names in COLUMNS.items():
        for name in names:
            yield from _search(database, col(table.id), getattr(table, name))  # type: ignore[attr-defined]


def _search(database: Database, number: Any, column: Any) -> Iterator[str]:  # noqa: ANN401 - columns of any table
    text, last_id = sa.cast(column, sa.Text), 0
    batch_query = sa.select(number.label("id")).order_by(number).limit(ROWS_AT_ONCE)
    while True:
        with database.read() as tx:
            batch_end = tx.scalar(sa.select(sa.func.max(batch_query.where(number > last_id).subquery().c.id)))
            if batch_end is None:
                return
            in_batch = sa.and_(number > last_id, number <= batch_end)
            texts = tx.scalars(sa.select(text).where(in_batch, text.contains(ADDRESS))).all()
        yield from texts
        last_id = batch_end
