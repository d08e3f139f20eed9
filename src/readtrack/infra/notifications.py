"""Notifications, created in the transaction of the event.

Nobody is notified of their own actions.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import NOTIFICATION_CHANNELS, Comment, Notification, Person
from readtrack.infra.models.columns import unused_ids
from readtrack.infra.permissions import CurrentUser

Kind = Literal["mention", "reply", "assignment", "meeting", "version", "job"]
BATCH_SIZE = 200  # People per INSERT.
MAX_EARLIER_COMMENTS = 1000  # Maximum earlier comments stored in an unread notification.
EARLIER = "earlier"


def notify(
    tx: Write,
    me: CurrentUser | None,
    kind: Kind,
    people: Iterable[int],
    *,
    subject_ids: Mapping[str, int],
    group_key: str,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Notify people. `subject_ids` contains the foreign keys of the subject (paper_id, comment_id, …).

    Each person has at most one unread notification per `group_key` key: a further event updates it and increments its
    count.
    """
    recipients = sorted({*people} - {me.id if me else 0})
    values: dict[str, Any] = {
        "actor_id": me.id if me else None,
        "data": dict(data or {}),
        "created_at": now(),
        **subject_ids,
    }
    for start in range(0, len(recipients), BATCH_SIZE):
        channels = _delivery_ways(tx, kind, recipients[start : start + BATCH_SIZE])
        updated_ids = _update_unread(tx, channels, f"{kind}:{group_key}", values)
        new_rows = [
            {
                **values,
                "person_id": person_id,
                "kind": kind,
                "group_key": f"{kind}:{group_key}",
                "mail_due": channel == "mail",
            }
            for person_id, channel in channels.items()
            if person_id not in updated_ids
        ]
        _insert(tx, new_rows)


def retract_notifications(tx: Write, comment_id: int) -> None:
    """Withdraw a hidden or deleted comment from unread notifications.

    A notification that also covers other comments stays and refers to those.
    """
    thread = sa.select(sa.func.coalesce(col(Comment.parent_id), col(Comment.id))).where(col(Comment.id) == comment_id)
    keys = [f"{kind}:thread:{tx.scalar(thread)}" for kind in ("mention", "reply")]
    query = sa.select(Notification).where(col(Notification.group_key).in_(keys), col(Notification.read_at).is_(None))
    notifications = tx.scalars(query.with_for_update().execution_options(populate_existing=True)).all()
    writers = _writers(tx, {number for notification in notifications for number in _comments_of(notification)})
    for notification in notifications:
        comment_ids = _comments_of(notification)
        visible_ids = [number for number in comment_ids if number in writers]
        if visible_ids and len(visible_ids) < len(comment_ids):
            notification.count = max(notification.count - (len(comment_ids) - len(visible_ids)), 1)
            notification.comment_id, notification.actor_id = visible_ids[-1], writers[visible_ids[-1]]
            notification.data = {**notification.data, EARLIER: visible_ids[:-1]}
    tx.flush()


def _comments_of(notification: Notification) -> list[int]:
    """Return the IDs of the comments a notification covers, oldest first."""
    latest = [] if notification.comment_id is None else [notification.comment_id]
    return [*notification.data.get(EARLIER, ()), *latest]


def _writers(tx: Write, comments: Iterable[int]) -> dict[int, int]:
    """Return the authors of the visible comments by comment ID."""
    numbers, authors = sorted(comments), dict[int, int]()
    for start in range(0, len(numbers), BATCH_SIZE):
        in_batch = col(Comment.id).in_(numbers[start : start + BATCH_SIZE])
        conditions = (in_batch, col(Comment.deleted_at).is_(None), col(Comment.hidden_at).is_(None))
        authors |= dict(tx.execute(sa.select(col(Comment.id), col(Comment.person_id)).where(*conditions)).all())
    return authors


def _delivery_ways(tx: Write, kind: Kind, people: Sequence[int]) -> dict[int, str]:
    """Return the delivery channel of each active person who has not turned this kind off."""
    query = sa.select(col(Person.id), col(Person.notification_settings)).where(col(Person.id).in_(people))
    rows = tx.execute(query.where(col(Person.disabled_at).is_(None)).order_by(col(Person.id))).all()
    channels = {person_id: settings.get(kind, NOTIFICATION_CHANNELS[0]) for person_id, settings in rows}
    return {person_id: channel for person_id, channel in channels.items() if channel != "nothing"}


def _update_unread(tx: Write, channels: Mapping[int, str], key: str, values: Mapping[str, Any]) -> set[int]:
    """Update the unread notifications with that key and return the IDs of their recipients."""
    conditions = (col(Notification.person_id).in_(channels), col(Notification.group_key) == key)
    columns = (col(Notification.id), col(Notification.person_id), col(Notification.comment_id), col(Notification.data))
    unread = tx.execute(sa.select(*columns).where(*conditions).order_by(col(Notification.id)).with_for_update()).all()
    for row in unread:
        data = values["data"] | _earlier_comments(row.data, row.comment_id)
        # Mail it again, because there is news.
        new_values = {**values, "data": data, "mail_due": channels[row.person_id] == "mail"}
        statement = sa.update(Notification).where(col(Notification.id) == row.id)
        tx.execute(statement.values(count=col(Notification.count) + 1, **new_values))
    return {row.person_id for row in unread}


def _earlier_comments(data: Mapping[str, Any], comment_id: int | None) -> dict[str, list[int]]:
    """Return the comments the unread notification covered so far, as a fallback if the newest one is removed."""
    return {} if comment_id is None else {EARLIER: [*data.get(EARLIER, ()), comment_id][-MAX_EARLIER_COMMENTS:]}


def _insert(tx: Write, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert notifications.

    Skip recipients for whom a concurrent transaction has inserted the same one.
    """
    if not rows:
        return
    try:
        with tx.begin_nested():
            ids = unused_ids(tx.connection(), Notification.id, len(rows))
            tx.execute(
                sa.insert(Notification),
                [{**row, "id": notification_id} for row, notification_id in zip(rows, ids, strict=True)],
            )
    except IntegrityError:
        for row in rows if len(rows) > 1 else ():
            _insert(tx, [row])
