"""The undo log: bulk edits and deletions that can be undone for thirty days."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import UndoEntry
from readtrack.infra.permissions import CurrentUser

UNDO_PERIOD = timedelta(days=30)


def record_undo_entry(tx: Write, me: CurrentUser, verb: str, undo: Mapping[str, Any]) -> int:
    """Store the data needed to undo an action and return the entry's ID.

    `verb` is the event's, e.g. "topic.deleted".
    """
    undo_entry = UndoEntry(person_id=me.id, verb=verb, undo=dict(undo))
    tx.add(undo_entry)
    tx.flush()
    return undo_entry.id or 0


def get_undo_entry(tx: Write, undo_id: int, condition: sa.ColumnElement[bool]) -> UndoEntry:
    """Return an undo entry, locked until the transaction ends.

    Raise NotFound if it does not match `condition`, Conflict if it was undone already or is too old.
    """
    undo_entry = tx.scalar(sa.select(UndoEntry).where(col(UndoEntry.id) == undo_id, condition).with_for_update())
    if undo_entry is None:
        raise NotFound(_("Action {number} not found.").format(number=undo_id))
    if undo_entry.undone_at is not None:
        raise Conflict(_("Already undone."), code="nothing-to-undo")
    if undo_entry.created_at < now() - UNDO_PERIOD:
        raise Conflict(_("This can't be undone after 30 days."), code="nothing-to-undo")
    return undo_entry
