"""Papers that notes only describe or name: the open ones, and how one is found or dropped."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events, policy
from readtrack.db import Read, Write
from readtrack.errors import Conflict, NotFound
from readtrack.languages import gettext as _
from readtrack.models import Entry, Lead, Proposal
from readtrack.paging import Cut, Page, page
from readtrack.policy import Visitor
from readtrack.topics.commands import link_topic
from readtrack.topics.queries import find_id


class LeadRow(NamedTuple):
    """A lead as it is shown. `proposals`: how many wait; `import_id`, `first_line`: where notes first speak of it."""

    id: int
    text: str
    state: str
    paper_id: int | None
    created_at: datetime
    proposals: int
    import_id: int | None
    first_line: int | None


def list_leads(tx: Read, me: Visitor, cut: Cut, *, state: str = "open") -> Page[LeadRow]:
    """The newest first."""
    policy.require(me, "see")
    query = sa.select(Lead).where(col(Lead.state) == state)
    if cut.after is not None:
        query = query.where(col(Lead.id) < cut.after[1])
    leads, more = page(tx.scalars(query.order_by(col(Lead.id).desc()).limit(cut.limit + 1)).all(), cut.limit)
    ids = [lead.id or 0 for lead in leads]
    waiting, places = _waiting(tx, ids), _places(tx, ids)
    rows = [_row(lead, waiting, places) for lead in leads]
    return Page(rows, (ids[-1], ids[-1]) if more else None)


def find_lead(tx: Write, me: Visitor, lead_id: int, paper_id: int) -> None:
    """It is this paper: the lines of the notes show it, and it stands under their topics."""
    policy.require(me, "edit")
    policy.require_present(tx, paper_id)
    lead = _locked(tx, lead_id)
    if lead.state == "found" and lead.paper_id == paper_id:
        return
    if lead.state == "found":
        message = _("This lead was found already, as another paper. Nothing was changed.")
        raise Conflict(message)
    lead.state, lead.paper_id = "found", paper_id
    entries = tx.scalars(sa.select(Entry).where(col(Entry.lead_id) == lead_id)).all()
    for entry in entries:
        entry.paper_id = paper_id
    tx.flush()
    for name in dict.fromkeys(name for entry in entries for name in entry.topics):
        topic_id = find_id(tx, name)
        if topic_id is not None:
            link_topic(tx, me, paper_id, topic_id)
    events.record(tx, me, "lead.found", paper_id=paper_id, data={"lead": lead_id})


def drop_lead(tx: Write, me: Visitor, lead_id: int) -> None:
    """Nobody looks for it any more. Raises Conflict when it was found."""
    _set(tx, me, lead_id, "dropped")


def reopen_lead(tx: Write, me: Visitor, lead_id: int) -> None:
    """Takes a drop back. Raises Conflict when it was found."""
    _set(tx, me, lead_id, "open")


def _set(tx: Write, me: Visitor, lead_id: int, state: str) -> None:
    policy.require(me, "edit")
    lead = _locked(tx, lead_id)
    if lead.state == "found":
        message = _("This lead was found; its paper is in the library. Nothing was changed.")
        raise Conflict(message)
    if lead.state != state:
        lead.state = state
        tx.flush()
        events.record(tx, me, f"lead.{'reopened' if state == 'open' else state}", data={"lead": lead_id})


def _locked(tx: Write, lead_id: int) -> Lead:
    lead = tx.get(Lead, lead_id, with_for_update=True)
    if lead is None:
        message = _("There is no lead {lead_id}.").format(lead_id=lead_id)
        raise NotFound(message)
    return lead


def _waiting(tx: Read, lead_ids: Sequence[int]) -> dict[int | None, int]:
    mine = (col(Proposal.lead_id).in_(lead_ids), col(Proposal.state) == "open")
    query = sa.select(col(Proposal.lead_id), sa.func.count()).where(*mine).group_by(col(Proposal.lead_id))
    return {row[0]: row[1] for row in tx.execute(query)}


def _places(tx: Read, lead_ids: Sequence[int]) -> dict[int | None, sa.Row[Any]]:
    query = sa.select(col(Entry.lead_id), col(Entry.revision_id), col(Entry.first_line))
    query = query.where(col(Entry.lead_id).in_(lead_ids)).order_by(col(Entry.id).desc())
    return {row.lead_id: row for row in tx.execute(query)}


def _row(lead: Lead, waiting: dict[int | None, int], places: dict[int | None, sa.Row[Any]]) -> LeadRow:
    place = places.get(lead.id)
    return LeadRow(
        id=lead.id or 0,
        text=lead.text,
        state=lead.state,
        paper_id=lead.paper_id,
        created_at=lead.created_at,
        proposals=waiting.get(lead.id, 0),
        import_id=place.revision_id if place else None,
        first_line=place.first_line if place else None,
    )
