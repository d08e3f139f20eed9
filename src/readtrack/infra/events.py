"""The append-only event table, used for the activity feed and the audit trail."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Event
from readtrack.infra.permissions import CurrentUser


def record_event(
    tx: Write,
    visitor: CurrentUser | None,
    verb: str,
    *,
    paper_id: int | None = None,
    data: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    private: bool = False,
) -> None:
    """Record one event in the transaction of the change.

    `verb` has the form "concept.verbed", as in "paper.added". `data` is visible to everyone who may see the event;
    `before` and `after` only in the audit trail. None of them may contain secrets.
    """
    tx.add(
        Event(
            person_id=visitor.id if visitor else None,
            token_id=visitor.token_id if visitor else None,
            verb=verb,
            paper_id=paper_id,
            data=dict(data or {}),
            before=None if before is None else dict(before),
            after=None if after is None else dict(after),
            address=visitor.address if visitor else "",
            private=private,
        )
    )


def latest_event_at(tx: Read) -> datetime | None:
    """Return the time of the latest event, which is in the future if the system clock was set back."""
    return tx.scalar(sa.select(col(Event.created_at)).order_by(col(Event.created_at).desc()).limit(1))


def record_events(
    tx: Write,
    visitor: CurrentUser,
    verb: str,
    paper_data: Iterable[tuple[int | None, Mapping[str, Any]]],
    *,
    private: bool = False,
) -> None:
    """Record the same event for many papers (None: for no paper), each with its own `data`, in one INSERT."""
    actor = {"person_id": visitor.id, "token_id": visitor.token_id, "address": visitor.address}
    common_values = {**actor, "verb": verb, "private": private}
    if rows := [{**common_values, "paper_id": paper_id, "data": dict(data)} for paper_id, data in paper_data]:
        tx.flush()  # Keep events in the order in which they happened.
        tx.connection().execute(sa.insert(Event.__table__), rows)  # type: ignore[attr-defined]
