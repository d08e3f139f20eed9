"""Tells people of what concerns them, in the transaction of its effect. Nobody is told of what they did themselves."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.clock import now
from readtrack.db import Write
from readtrack.models import NOTICE_WAYS, Notice, Person
from readtrack.policy import Visitor

Kind = Literal["mention", "reply", "assignment", "meeting", "version", "job"]
MOST_TOLD = 200  # people, by one change


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
        if not _joined(tx, person_id, f"{kind}:{once}", values):
            row: dict[str, Any] = {
                "person_id": person_id,
                "kind": kind,
                "open_key": f"{kind}:{once}",
                "mail_due": way == "mail",
            }
            _add(tx, Notice(**row, **values))


def _joined(tx: Write, person_id: int, key: str, values: Mapping[str, Any]) -> bool:
    same = (col(Notice.person_id) == person_id, col(Notice.open_key) == key)
    result: Any = tx.execute(sa.update(Notice).where(*same).values(count=col(Notice.count) + 1, **values))
    return bool(result.rowcount)


def _add(tx: Write, notice: Notice) -> None:
    try:
        with tx.begin_nested():
            tx.add(notice)
    except IntegrityError:  # they were told of the same at this very moment: that is enough
        return
