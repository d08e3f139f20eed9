"""Suggestions found for titles, and their review.

Accepting one adds an identifier, a paper or a relation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Identifier, Lead, MatchSuggestion, Paper, Person, Relation
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.library.duplicates.evidence import CONFIRMED
from readtrack.library.duplicates.stored_keys import mark_uncompared
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.scheduler import enqueue_requests
from readtrack.library.matching.evidence import format_service_name, translate_match_evidence
from readtrack.library.matching.leads import resolve_lead
from readtrack.library.papers import lookup
from readtrack.library.papers.commands import add_links, add_paper, get_visible_paper, update_known_paper
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

CONFIRMED_SCORE = 98  # percent: likeness of duplicates that a person's decision implies


@dataclass(frozen=True)
class ProposalFilter:
    """The filter of suggestions; empty fields are ignored."""

    state: str = "open"
    kind: str = ""
    paper_id: int | None = None
    lead_id: int | None = None

    @property
    def question(self) -> str:
        """The context that a pagination cursor is bound to."""
        return f"proposals\0{self.state}\0{self.kind}\0{self.paper_id}\0{self.lead_id}"


class ProposalRow(NamedTuple):
    """A suggestion for display.

    `subject`: the paper's title or the lead's text; `present_id`: the paper that already has the identifier.
    """

    id: int
    kind: str
    state: str
    paper_id: int | None
    lead_id: int | None
    subject: str
    identifier: str
    label: str
    url: str
    service: str
    title: str
    authors: Sequence[str]
    year: int | None
    venue: str
    likeness: int
    evidence: str
    made_at: datetime
    decided_by: str
    decided_at: datetime | None
    present_id: int | None


class AcceptanceResult(NamedTuple):
    """The result of accepting a suggestion.

    `is_new_paper`: the paper was added; `twin_id`: another paper that has the identifier; `lead_id`: the resolved lead,
    which can be reopened.
    """

    paper_id: int
    is_new_paper: bool
    twin_id: int | None
    sentence: str
    lead_id: int | None = None


def list_proposals(
    tx: Read, me: CurrentUser, proposal_filter: ProposalFilter, page_request: PageRequest
) -> Page[ProposalRow]:
    """Return a page of suggestions, newest first, except those about deleted papers."""
    permissions.require(me, "see")
    values, is_first_page = _filter_values(proposal_filter), page_request.after is None
    parameters = {
        **values,
        "most": page_request.limit + 1,
        **({} if page_request.after is None else {"before": page_request.after[1]}),
    }
    query = _proposal_list_query(tuple(values), undecided=proposal_filter.state == "open", is_first_page=is_first_page)
    rows, has_more = split_page(tx.rows(query, parameters), page_request.limit)
    return Page(_build_rows(tx, rows), (rows[-1].id, rows[-1].id) if has_more else None)


def get_proposal(tx: Read, me: CurrentUser, proposal_id: int) -> ProposalRow:
    """Return a suggestion. Raise NotFound."""
    permissions.require(me, "see")
    row = tx.execute(_proposals_query().where(col(MatchSuggestion.id) == proposal_id)).one_or_none()
    if row is None:
        raise NotFound(_not_found_message(proposal_id))
    return _build_rows(tx, [row])[0]


def find_open_proposals(
    tx: Read,
    me: CurrentUser,
    subject: Any,  # noqa: ANN401 - MatchSuggestion.paper_id or MatchSuggestion.lead_id
    ids: Sequence[int],
) -> dict[int, list[ProposalRow]]:
    """Return the open suggestions for each paper or lead, the likeliest first, in two statements."""
    permissions.require(me, "see")
    if not ids:
        return {}
    query = _proposals_query().where(subject.in_(ids), col(MatchSuggestion.state) == "open", *_undecided_conditions())
    proposals: dict[int, list[ProposalRow]] = {}
    for row in _build_rows(
        tx, tx.execute(query.order_by(col(MatchSuggestion.likeness).desc(), col(MatchSuggestion.id))).all()
    ):
        proposals.setdefault(getattr(row, subject.key), []).append(row)
    return proposals


def accept_proposal(tx: Write, me: CurrentUser, proposal_id: int) -> AcceptanceResult:
    """Apply a suggestion and reject the alternatives.

    Raise Conflict if it was rejected, or if it concerns a deleted paper that the user may not restore.
    """
    permissions.require(me, "edit")
    proposal = _get_proposal_for_update(tx, proposal_id)
    if proposal.state == "rejected":
        message = _("This suggestion was rejected. Reopen it first.")
        raise Conflict(message)
    result = _apply_proposal(tx, me, proposal)
    if proposal.state == "open":
        _decide(tx, me, proposal, "accepted")
        _reject_others(tx, me, proposal)
    return result


def reject_proposal(tx: Write, me: CurrentUser, proposal_id: int) -> None:
    """Reject a suggestion for good. Raise Conflict if it was accepted."""
    permissions.require(me, "edit")
    proposal = _get_proposal_for_update(tx, proposal_id)
    if proposal.state == "accepted":
        raise Conflict(_(_ACCEPTED))
    if proposal.state == "open":
        _decide(tx, me, proposal, "rejected")


def reopen_proposal(tx: Write, me: CurrentUser, proposal_id: int) -> None:
    """Undo the rejection of a suggestion. Raise Conflict if it was accepted."""
    permissions.require(me, "edit")
    proposal = _get_proposal_for_update(tx, proposal_id)
    if proposal.state == "accepted":
        raise Conflict(_(_ACCEPTED))
    if proposal.state == "rejected":
        proposal.state, proposal.decided_by, proposal.decided_at = "open", None, None
        _record_event(tx, me, proposal, "proposal.reopened")


_ACCEPTED = N_("This suggestion was already applied. Edit the paper instead.")


def _apply_proposal(tx: Write, me: CurrentUser, proposal: MatchSuggestion) -> AcceptanceResult:
    ref = Ref.parse(proposal.identifier)
    if proposal.kind == "discusses":
        return _add_discussion(tx, me, proposal, ref)
    if proposal.lead_id is not None:
        return _resolve_lead(tx, me, proposal, ref)
    return _add_identifier(tx, me, proposal.paper_id or 0, ref)


def _add_identifier(tx: Write, me: CurrentUser, paper_id: int, ref: Ref) -> AcceptanceResult:
    """Add the identifier to the paper; if another paper has it, suggest the two as duplicates."""
    get_visible_paper(tx, paper_id)
    source = sources.by_name(ref.scheme)
    label, other_paper_id = source.label(ref.key), lookup.find_by_ref(tx, ref)
    if other_paper_id is None:
        tx.add(Identifier(paper_id=paper_id, scheme=ref.scheme, value=ref.key))
        tx.flush()
        mark_uncompared(tx, [paper_id])
        add_links(tx, paper_id, source.links(ref.key))
        enqueue_requests(tx, [paper_id])
        search.update_papers(tx, [paper_id])
    elif other_paper_id != paper_id:
        update_known_paper(tx, me, other_paper_id, {})  # restore it if deleted, so that both can be compared
        evidence = CONFIRMED.format(label=label)
        add_candidate(tx, paper_id, other_paper_id, likeness=CONFIRMED_SCORE, evidence=evidence)
        sentence = _("{named} belongs to another paper. Merge the two if they are the same.").format(named=label)
        return AcceptanceResult(paper_id, is_new_paper=False, twin_id=other_paper_id, sentence=sentence)
    return AcceptanceResult(
        paper_id, is_new_paper=False, twin_id=None, sentence=_("Identified as {named}").format(named=label)
    )


def _resolve_lead(tx: Write, me: CurrentUser, proposal: MatchSuggestion, ref: Ref) -> AcceptanceResult:
    lead = tx.get_one(Lead, proposal.lead_id, with_for_update=True)
    if lead.state == "found" and lead.paper_id is not None:
        return AcceptanceResult(
            lead.paper_id, is_new_paper=False, twin_id=None, sentence=_("Already linked to a paper")
        )
    paper_id, is_new = add_paper(tx, me, ref, title=proposal.title)
    resolve_lead(tx, me, lead.id or 0, paper_id)
    template = _("Added “{title}” and linked it") if is_new else _("Linked to “{title}”")
    sentence = template.format(title=proposal.title)
    return AcceptanceResult(paper_id, is_new_paper=is_new, twin_id=None, sentence=sentence, lead_id=lead.id)


def _add_discussion(tx: Write, me: CurrentUser, proposal: MatchSuggestion, ref: Ref) -> AcceptanceResult:
    commentary_id = proposal.paper_id or 0
    get_visible_paper(tx, commentary_id)
    paper_id, is_new = add_paper(tx, me, ref, title=proposal.title)
    if paper_id == commentary_id:
        message = _("A paper can't be linked to itself. Reject this suggestion.")
        raise Conflict(message)
    query = sa.select(col(Relation.id)).where(
        col(Relation.from_id) == commentary_id, col(Relation.to_id) == paper_id, col(Relation.kind) == "discusses"
    )
    if tx.scalar(query) is None:
        tx.add(Relation(from_id=commentary_id, to_id=paper_id, kind="discusses", added_by=me.id))
        tx.flush()
    template = _("Added “{title}” and linked it") if is_new else _("Linked to “{title}”")
    sentence = template.format(title=proposal.title)
    return AcceptanceResult(paper_id, is_new_paper=is_new, twin_id=None, sentence=sentence)


def _get_proposal_for_update(tx: Write, proposal_id: int) -> MatchSuggestion:
    proposal = tx.get(MatchSuggestion, proposal_id, with_for_update=True)
    if proposal is None:
        raise NotFound(_not_found_message(proposal_id))
    return proposal


def _decide(tx: Write, me: CurrentUser, proposal: MatchSuggestion, state: str) -> None:
    proposal.state, proposal.decided_by, proposal.decided_at = state, me.id, now()
    tx.flush()
    _record_event(tx, me, proposal, f"proposal.{state}")


def _record_event(tx: Write, me: CurrentUser, proposal: MatchSuggestion, verb: str) -> None:
    data = {"proposal": proposal.id, "identifier": proposal.identifier}
    events.record_event(tx, me, verb, paper_id=proposal.paper_id, data=data)


def _reject_others(tx: Write, me: CurrentUser, proposal: MatchSuggestion) -> None:
    conditions = (
        col(MatchSuggestion.kind) == proposal.kind,
        col(MatchSuggestion.state) == "open",
        col(MatchSuggestion.id) != proposal.id,
    )
    is_own = (
        col(MatchSuggestion.paper_id) == proposal.paper_id
        if proposal.paper_id
        else col(MatchSuggestion.lead_id) == proposal.lead_id
    )
    for alternative in tx.scalars(
        sa.select(MatchSuggestion).where(is_own, *conditions).order_by(col(MatchSuggestion.id))
    ).all():
        _decide(tx, me, alternative, "rejected")


def _not_found_message(proposal_id: int) -> str:
    return _("Suggestion {proposal_id} not found. Reload the list.").format(proposal_id=proposal_id)


@cache
def _proposals_query() -> sa.Select[Any]:
    columns: Sequence[Any] = [getattr(MatchSuggestion, name) for name in _PLAIN]
    subject: Any = sa.func.coalesce(col(Paper.title), col(Lead.text)).label("subject")
    query: sa.Select[Any] = sa.select(*columns, subject, col(Person.name).label("decider"))
    return (
        query.join(Paper, col(Paper.id) == col(MatchSuggestion.paper_id), isouter=True)
        .join(Lead, col(Lead.id) == col(MatchSuggestion.lead_id), isouter=True)
        .join(Person, col(Person.id) == col(MatchSuggestion.decided_by), isouter=True)
    )


_PLAIN = (
    "id", "kind", "state", "paper_id", "lead_id", "identifier", "service", "title", "authors", "year", "venue",
    "likeness", "evidence", "made_at", "decided_at",
)  # fmt: skip


@cache
def _proposal_list_query(names: tuple[str, ...], *, undecided: bool, is_first_page: bool) -> sa.Select[Any]:
    """Build the list query for a set of filter names; cached because every paper page uses it."""
    cursor_conditions = [] if is_first_page else [col(MatchSuggestion.id) < sa.bindparam("before")]
    query = _proposals_query().where(*_conditions(names, undecided=undecided), *cursor_conditions)
    return query.order_by(col(MatchSuggestion.id).desc()).limit(sa.bindparam("most"))


def _filter_values(proposal_filter: ProposalFilter) -> dict[str, Any]:
    values = {
        "state": proposal_filter.state,
        "kind": proposal_filter.kind,
        "paper_id": proposal_filter.paper_id,
        "lead_id": proposal_filter.lead_id,
    }
    return {name: value for name, value in values.items() if value}


def _conditions(names: Iterable[str], *, undecided: bool) -> list[sa.ColumnElement[bool]]:
    filters = [getattr(MatchSuggestion, name) == sa.bindparam(name) for name in names]
    is_paper_listed = sa.or_(col(MatchSuggestion.paper_id).is_(None), is_listed(Paper))
    return [*filters, is_paper_listed, *(_undecided_conditions() if undecided else ())]


@cache
def _undecided_conditions() -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    """Return the conditions for suggestions that are still useful.

    The lead must be open, and the paper must lack the identifier.
    """
    is_lead_open = sa.or_(col(MatchSuggestion.lead_id).is_(None), col(Lead.state) == "open")
    has_identifier = sa.exists().where(
        col(Identifier.paper_id) == col(MatchSuggestion.paper_id),
        col(Identifier.scheme) + ":" + col(Identifier.value) == col(MatchSuggestion.identifier),
    )
    return is_lead_open, ~has_identifier


def _build_rows(tx: Read, rows: Sequence[sa.Row[Any]]) -> list[ProposalRow]:
    refs = {row.id: Ref.parse(row.identifier) for row in rows}
    owners = lookup.find_by_refs(tx, sorted(set(refs.values())))
    return [_row(row, refs[row.id], owners) for row in rows]


def _row(row: sa.Row[Any], ref: Ref, owners: dict[Ref, int]) -> ProposalRow:
    source = sources.by_name(ref.scheme)
    values = {name: getattr(row, name) for name in _PLAIN} | {
        "service": _(format_service_name(row.service)),
        "evidence": translate_match_evidence(row.evidence),
    }
    return ProposalRow(
        **values,
        subject=row.subject or "",
        label=source.label(ref.key),
        url=source.url(ref.key),
        decided_by=row.decider or "",
        present_id=owners.get(ref),
    )
