"""Commands for leads (papers that notes only describe or name): resolve, drop and reopen."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Entry, Lead, MatchSuggestion, PaperTopic, UndoEntry
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.commands import add_paper
from readtrack.library.relations.links import get_paper_by_text
from readtrack.library.topics.commands import link_topic, unlink_topic
from readtrack.library.topics.queries import find_id
from readtrack.metadata import sources

FOUND = "lead.found"


def resolve_lead(tx: Write, me: CurrentUser, lead_id: int, paper_id: int) -> None:
    """Resolve a lead to a paper: its entries show the paper, which is added to their topics."""
    permissions.require(me, "edit")
    permissions.require_present(tx, paper_id)
    lead = _get_lead_for_update(tx, lead_id)
    if lead.state == "found" and lead.paper_id == paper_id:
        return
    if lead.state == "found":
        message = _("This reference is already linked to a paper. Reopen it first.")
        raise Conflict(message)
    lead.state, lead.paper_id = "found", paper_id
    entries = tx.scalars(sa.select(Entry).where(col(Entry.lead_id) == lead_id)).all()
    for entry in entries:
        entry.paper_id = paper_id
    tx.flush()
    topic_names = (find_id(tx, name) for entry in entries for name in entry.topics)
    topics = [candidate_id for candidate_id in dict.fromkeys([*topic_names, lead.topic_id]) if candidate_id is not None]
    added = [candidate_id for candidate_id in topics if tx.get(PaperTopic, (paper_id, candidate_id)) is None]
    for topic_id in added:
        link_topic(tx, me, paper_id, topic_id)
    undo_log.record_undo_entry(tx, me, FOUND, {"title": lead.text, "was": lead_id, "filed": added})
    events.record_event(tx, me, FOUND, paper_id=paper_id, data={"lead": lead_id})


def resolve_lead_by_text(tx: Write, me: CurrentUser, lead_id: int, text: str) -> int:
    """Resolve a lead to a paper given as text, adding it by identifier or link if needed; return its id.

    Raise Invalid if the text matches nothing, AmbiguousPaper if it matches several titles.
    """
    permissions.require(me, "edit")
    _get_lead_for_update(tx, lead_id)
    try:
        paper_id = get_paper_by_text(tx, me, text)
    except Invalid:
        ref = sources.parse_ref(text.strip())
        if ref is None:
            raise
        paper_id, _is_new = add_paper(tx, me, ref)
    resolve_lead(tx, me, lead_id, paper_id)
    return paper_id


def drop_lead(tx: Write, me: CurrentUser, lead_id: int) -> None:
    """Drop a lead, ending the search for it. Raise Conflict if it is resolved."""
    permissions.require(me, "edit")
    lead = _get_lead_for_update(tx, lead_id)
    if lead.state == "found":
        message = _("This reference is already linked to a paper. Reopen it first.")
        raise Conflict(message)
    _set_state(tx, me, lead, "dropped")


def reopen_lead(tx: Write, me: CurrentUser, lead_id: int) -> None:
    """Reopen a dropped or resolved lead, and the suggestions decided with it.

    Its entries no longer show the paper, which stays in the library.
    """
    permissions.require(me, "edit")
    lead = _get_lead_for_update(tx, lead_id)
    if lead.state == "found":
        _unlink_paper(tx, me, lead)
    _set_state(tx, me, lead, "open")


def _unlink_paper(tx: Write, me: CurrentUser, lead: Lead) -> None:
    """Unlink the lead from its paper, and the paper from topics it was added to for the lead."""
    conditions = (col(Entry.lead_id) == lead.id, col(Entry.paper_id) == lead.paper_id)
    tx.execute(sa.update(Entry).where(*conditions).values(paper_id=None))
    is_entry = (
        col(UndoEntry.verb) == FOUND,
        col(UndoEntry.undone_at).is_(None),
        col(UndoEntry.undo)["was"].as_integer() == lead.id,
    )
    undo_entry = tx.scalar(
        sa.select(UndoEntry)
        .where(*is_entry)
        .order_by(col(UndoEntry.created_at).desc(), col(UndoEntry.id).desc())
        .limit(1)
    )
    for topic_id in undo_entry.undo["filed"] if undo_entry else ():
        if lead.paper_id and tx.get(PaperTopic, (lead.paper_id, topic_id)) is not None:
            unlink_topic(tx, me, lead.paper_id, topic_id)
    if undo_entry:
        undo_entry.undone_at = now()
    _reopen_proposals(tx, lead)
    lead.paper_id = None


def _reopen_proposals(tx: Write, lead: Lead) -> None:
    """Reopen the accepted suggestion and those rejected together with it."""
    is_own = col(MatchSuggestion.lead_id) == lead.id
    query = sa.select(sa.func.max(col(MatchSuggestion.decided_at))).where(
        is_own, col(MatchSuggestion.state) == "accepted"
    )
    decided_at = tx.scalar(query)
    if decided_at is not None:
        statement = sa.update(MatchSuggestion).where(is_own, col(MatchSuggestion.decided_at) >= decided_at)
        tx.execute(statement.values(state="open", decided_by=None, decided_at=None))


def _set_state(tx: Write, me: CurrentUser, lead: Lead, state: str) -> None:
    if lead.state != state:
        lead.state = state
        tx.flush()
        events.record_event(tx, me, f"lead.{'reopened' if state == 'open' else state}", data={"lead": lead.id})


def _get_lead_for_update(tx: Write, lead_id: int) -> Lead:
    lead = tx.get(Lead, lead_id, with_for_update=True, populate_existing=True)
    if lead is None:
        raise NotFound(not_found_message(lead_id))
    return lead


def not_found_message(lead_id: int) -> str:
    return _("Reference {lead_id} not found.").format(lead_id=lead_id)
