"""Queries for leads and their suggestions, and for commentaries whose paper is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.models import Entry, Lead, MatchSuggestion, Note, NoteRevision, Paper, Relation, TitleSearch, Topic
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed, is_present
from readtrack.library.matching.leads import not_found_message
from readtrack.library.matching.lookups import COMMENTARIES, find_searchable_leads
from readtrack.library.matching.suggestions import ProposalRow, find_open_proposals

SHOWN_BESIDE = 5  # on a topic's page


@dataclass(frozen=True)
class LeadFilter:
    """The filter of leads. `topic`: slug of the topic above their entries."""

    state: str = "open"
    topic: str = ""

    @property
    def question(self) -> str:
        """The context that a pagination cursor is bound to."""
        return f"leads\0{self.state}\0{self.topic}"


class LeadRow(NamedTuple):
    """A lead for display.

    `topic`: a slug; `searching`: services are still to be asked; `searched_at`: time of the last answer; `searchable`:
    it is open and names a title; `proposals`: number of open ones; the rest: where the notes first mention it.
    """

    id: int
    text: str
    state: str
    paper_id: int | None
    paper: str | None
    language: str | None
    created_at: datetime
    topic: str | None
    topic_name: str | None
    searching: bool
    searched_at: datetime | None
    searchable: bool
    proposals: int
    import_id: int | None
    note_id: int | None
    note: str | None
    number: int | None
    first_line: int | None


class SecondHand(NamedTuple):
    """A commentary of the library whose paper is missing. `discussed_title`: the title it seems to discuss."""

    id: int
    title: str
    language: str | None
    kind: str
    discussed_title: str


_PLAIN: Sequence[Any] = (
    col(Lead.id),
    col(Lead.text),
    col(Lead.state),
    col(Paper.id).label("paper_id"),
    col(Paper.title).label("paper"),
    col(Paper.language),
    col(Lead.created_at),
    col(Topic.slug).label("topic"),
    col(Topic.name).label("topic_name"),
    (sa.func.coalesce(col(TitleSearch.state), "waiting") == "waiting").label("searching"),
    col(TitleSearch.asked_at).label("searched_at"),
)
_LEADS: sa.Select[Any] = (
    sa.select(*_PLAIN)
    .join(Paper, sa.and_(col(Paper.id) == col(Lead.paper_id), is_present(Paper)), isouter=True)
    .join(Topic, col(Topic.id) == col(Lead.topic_id), isouter=True)
    .join(TitleSearch, col(TitleSearch.lead_id) == col(Lead.id), isouter=True)
    .order_by(col(Lead.id).desc())
)
_PLACE: Sequence[Any] = (
    col(Entry.lead_id),
    col(Entry.revision_id).label("import_id"),
    col(NoteRevision.note_id),
    col(Note.title).label("note"),
    col(NoteRevision.number),
    col(Entry.first_line),
)
_PLACES: sa.Select[Any] = (
    sa.select(*_PLACE)
    .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
    .join(Note, col(Note.id) == col(NoteRevision.note_id))
    .order_by(col(Entry.id).desc())
)


def list_leads(tx: Read, me: CurrentUser, page_request: PageRequest, lead_filter: LeadFilter) -> Page[LeadRow]:
    """Return a page of leads, newest first, in a fixed number of statements."""
    permissions.require(me, "see")
    query = _LEADS.where(*_conditions(lead_filter))
    if page_request.after is not None:
        query = query.where(col(Lead.id) < page_request.after[1])
    rows, has_more = split_page(tx.execute(query.limit(page_request.limit + 1)).all(), page_request.limit)
    return Page(_build_lead_rows(tx, rows), (rows[-1].id, rows[-1].id) if has_more else None)


def get_lead(tx: Read, me: CurrentUser, lead_id: int) -> LeadRow:
    """Return a lead. Raise NotFound."""
    permissions.require(me, "see")
    row = tx.execute(_LEADS.where(col(Lead.id) == lead_id)).one_or_none()
    if row is None:
        raise NotFound(not_found_message(lead_id))
    return _build_lead_rows(tx, [row])[0]


def count_leads(tx: Read, me: CurrentUser, topic: str = "") -> dict[str, int]:
    """Return the number of leads in each state, of all or of a topic."""
    permissions.require(me, "see")
    query = sa.select(col(Lead.state), sa.func.count()).group_by(col(Lead.state))
    if topic:
        query = query.join(Topic, col(Topic.id) == col(Lead.topic_id)).where(col(Topic.slug) == topic)
    return dict(map(tuple, tx.execute(query)))


def find_lead_proposals(tx: Read, me: CurrentUser, leads: Sequence[LeadRow]) -> Mapping[int, Sequence[ProposalRow]]:
    """Return the open suggestions for each lead, the likeliest first."""
    lead_ids = [lead.id for lead in leads if lead.proposals]
    return find_open_proposals(tx, me, MatchSuggestion.lead_id, lead_ids)


def list_second_hand(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[SecondHand]:
    """Return a page of commentaries whose discussed paper is not in the library, or not confirmed."""
    permissions.require(me, "see")
    query = _second_hand_query()
    if page_request.after is not None:
        query = query.where(col(Paper.id) < page_request.after[1])
    rows, has_more = split_page(
        tx.execute(query.order_by(col(Paper.id).desc()).limit(page_request.limit + 1)).all(), page_request.limit
    )
    items = [SecondHand(row.id, row.title, row.language, row.kind, _discussed_title(row.title)) for row in rows]
    return Page(items, (rows[-1].id, rows[-1].id) if has_more else None)


def count_second_hand(tx: Read, me: CurrentUser) -> int:
    """Return the number of these commentaries."""
    permissions.require(me, "see")
    return tx.scalar(sa.select(sa.func.count()).select_from(_second_hand_query().subquery())) or 0


def find_discussed_proposals(
    tx: Read, me: CurrentUser, rows: Sequence[SecondHand]
) -> Mapping[int, Sequence[ProposalRow]]:
    """Return the suggestions of what each commentary discusses."""
    return find_open_proposals(tx, me, MatchSuggestion.paper_id, [row.id for row in rows])


def _second_hand_query() -> sa.Select[Any]:
    """Return the query for commentaries that were searched for and have no "discusses" relation."""
    has_relation = sa.exists().where(col(Relation.from_id) == col(Paper.id), col(Relation.kind) == "discusses")
    columns: Sequence[Any] = (col(Paper.id), col(Paper.title), col(Paper.language), col(Paper.kind))
    query: sa.Select[Any] = sa.select(*columns).join(TitleSearch, col(TitleSearch.paper_id) == col(Paper.id))
    was_searched = col(TitleSearch.asked_at).is_not(None)
    return query.where(col(Paper.kind).in_(COMMENTARIES), was_searched, ~has_relation, is_listed(Paper))


def _discussed_title(title: str) -> str:
    from readtrack.library.matching.commentary import find_discussed_work

    work = find_discussed_work(title)
    return work.title if work else ""


def _conditions(lead_filter: LeadFilter) -> list[sa.ColumnElement[bool]]:
    states = [col(Lead.state) == lead_filter.state] if lead_filter.state else []
    return [*states, *([col(Topic.slug) == lead_filter.topic] if lead_filter.topic else [])]


def _build_lead_rows(tx: Read, rows: Sequence[sa.Row[Any]]) -> list[LeadRow]:
    ids = [row.id for row in rows]
    proposal_counts, mentions = _count_open_proposals(tx, ids), _find_first_mentions(tx, ids)
    searchable = find_searchable_leads(tx, ids)
    no_mention = (None,) * (len(_PLACE) - 1)
    return [
        LeadRow(*row, row.id in searchable, proposal_counts.get(row.id, 0), *mentions.get(row.id, no_mention))
        for row in rows
    ]


def _count_open_proposals(tx: Read, lead_ids: Sequence[int]) -> dict[int | None, int]:
    conditions = (col(MatchSuggestion.lead_id).in_(lead_ids), col(MatchSuggestion.state) == "open")
    query = (
        sa.select(col(MatchSuggestion.lead_id), sa.func.count())
        .where(*conditions)
        .group_by(col(MatchSuggestion.lead_id))
    )
    return {row[0]: row[1] for row in tx.execute(query)} if lead_ids else {}


def _find_first_mentions(tx: Read, lead_ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Return where the notes first mention each lead."""
    rows = tx.execute(_PLACES.where(col(Entry.lead_id).in_(lead_ids))) if lead_ids else ()
    return {row.lead_id: tuple(row)[1:] for row in rows}
