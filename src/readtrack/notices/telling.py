"""Tells people of what concerns them, in the transaction of its effect. Nobody is told of what they did themselves."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.clock import now
from readtrack.db import Write
from readtrack.models import NOTICE_WAYS, Comment, Notice, Person
from readtrack.policy import Visitor

Kind = Literal["mention", "reply", "assignment", "meeting", "version", "job"]
MOST_TOLD = 200  # people, by one change
MOST_EARLIER = 50  # comments that one notice remembers
EARLIER = "earlier"


def tell(
    tx: Write,
    me: Visitor | None,
    kind: Kind,
    people: Iterable[int],
    *,
    about: Mapping[str, int],
    once: str,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Gives each of them a notice. `about`: what it is about, by column (paper_id, comment_id, …).

    `once`: what they have at most one unread notice of; the next of it makes that one newer, and counts.
    """
    told = sorted({*people} - {me.id if me else 0})[:MOST_TOLD]
    active = sa.select(col(Person.id), col(Person.notices)).where(col(Person.id).in_(told))
    for person_id, ways in tx.execute(active.where(col(Person.disabled_at).is_(None)).order_by(col(Person.id))).all():
        way = ways.get(kind, NOTICE_WAYS[0])
        if way == "nothing":
            continue
        values: dict[str, Any] = {"by_id": me.id if me else None, "data": dict(data or {}), "at": now(), **about}
        values["mail_due"] = way == "mail"  # again, when the last letter told of what came before
        if not _joined(tx, person_id, f"{kind}:{once}", values):
            _add(tx, Notice(person_id=person_id, kind=kind, open_key=f"{kind}:{once}", **values))


def take_back(tx: Write, comment_id: int) -> None:
    """A comment is out of sight. Who was told of others before it, in the same notice, is still told of those."""
    named = sa.select(Notice).where(col(Notice.comment_id) == comment_id, col(Notice.read_at).is_(None))
    notices = tx.scalars(named.with_for_update().execution_options(populate_existing=True)).all()
    earlier = {number for notice in notices for number in notice.data.get(EARLIER, ())}
    here = (col(Comment.id).in_(earlier), col(Comment.deleted_at).is_(None), col(Comment.hidden_at).is_(None))
    writers = dict(tx.execute(sa.select(col(Comment.id), col(Comment.person_id)).where(*here)).all()) if earlier else {}
    for notice in notices:
        told = notice.data.get(EARLIER, [])
        left = [number for number in told if number in writers]
        if left:
            notice.count = max(notice.count - 1 - (len(told) - len(left)), 1)
            notice.comment_id, notice.by_id = left[-1], writers[left[-1]]
            notice.data = {**notice.data, EARLIER: left[:-1]}
    tx.flush()


def _joined(tx: Write, person_id: int, key: str, values: Mapping[str, Any]) -> bool:
    same = (col(Notice.person_id) == person_id, col(Notice.open_key) == key)
    columns = (col(Notice.id), col(Notice.comment_id), col(Notice.data))
    held = tx.execute(sa.select(*columns).where(*same).with_for_update()).one_or_none()
    if held is None:
        return False
    data = values["data"] | _and_before(held.data, held.comment_id)
    newer = sa.update(Notice).where(col(Notice.id) == held.id)
    tx.execute(newer.values(count=col(Notice.count) + 1, **{**values, "data": data}))
    return True


def _and_before(data: Mapping[str, Any], comment_id: int | None) -> dict[str, list[int]]:
    """The comments that an unread notice told of: should a newer one go, it leads to them again."""
    return {} if comment_id is None else {EARLIER: [*data.get(EARLIER, ()), comment_id][-MOST_EARLIER:]}


def _add(tx: Write, notice: Notice) -> None:
    try:
        with tx.begin_nested():
            tx.add(notice)
    except IntegrityError:  # they were told of the same at this very moment: that is enough
        return
