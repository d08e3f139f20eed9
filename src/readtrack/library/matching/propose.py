"""Suggestions created from search results, each with a sentence of evidence.

Nothing is applied automatically.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import MatchSuggestion, Relation, TitleSearch
from readtrack.infra.text import normalize, person_names
from readtrack.library.matching.evidence import format_evidence
from readtrack.library.matching.lookups import TitleSearchTask
from readtrack.library.matching.scoring import MAX_SUGGESTIONS, LikelyMatch, WantedWork, is_sure
from readtrack.library.papers import lookup
from readtrack.metadata import sources
from readtrack.metadata.types import Metadata, Ref

_MAX_AUTHORS = 100  # authors stored with a suggestion


@dataclass(frozen=True)
class LibraryMatch:
    """The identifier chosen for a work, and the paper of the library that has it, if any."""

    ref: Ref
    paper_id: int | None


def save_proposals(
    tx: Write, task: TitleSearchTask, works: Sequence[LikelyMatch], *, services: Collection[str], done: bool
) -> None:
    """Record which services were asked, and save a suggestion for each possible match."""
    wanted_work = task.work
    if wanted_work is not None:
        if works and is_sure(works[0]):
            _delete_open_proposals(tx, task)
        for work in works:
            _propose(tx, task, wanted_work, work)
    values = {
        "state": "done" if done else "waiting",
        "answered_at": {**task.answered_at, **dict.fromkeys(services, str(now()))},
    }
    search_date = {"asked_at": now()} if services else {}
    tx.execute(sa.update(TitleSearch).where(col(TitleSearch.id) == task.id).values(**values, **search_date))


def _propose(tx: Write, task: TitleSearchTask, wanted_work: WantedWork, work: LikelyMatch) -> None:
    library_match = _find_library_match(tx, work.metadata)
    if (
        library_match is None
        or _is_already_proposed(tx, task, library_match)
        or (_count_open(tx, task) >= MAX_SUGGESTIONS)
    ):
        return
    metadata = work.metadata
    proposal = MatchSuggestion(
        kind=task.kind,
        paper_id=task.paper_id,
        lead_id=task.lead_id,
        identifier=str(library_match.ref),
        service=metadata.service or metadata.ref.scheme,
        title=normalize.clean(metadata.title),
        authors=person_names.clean_names(metadata.authors[:_MAX_AUTHORS]),
        year=metadata.year,
        venue=normalize.clean(metadata.venue),
        likeness=work.likeness,
        evidence=format_evidence(task.kind, wanted_work, work),
    )
    tx.add(proposal)
    tx.flush()


def _find_library_match(tx: Read, metadata: Metadata) -> LibraryMatch | None:
    """Return a work's best lasting identifier, preferably one that a paper has; None if it has none."""
    schemes = sources.sources_by_name()
    refs = [ref for ref in dict.fromkeys((metadata.ref, *metadata.identifiers)) if ref.scheme in schemes]
    owners = lookup.find_by_refs(tx, refs)
    best = next((ref for ref in refs if ref in owners), refs[0] if refs else None)
    return LibraryMatch(best, owners.get(best)) if best else None


def _task_filter(task: TitleSearchTask) -> sa.ColumnElement[bool]:
    is_own = (
        col(MatchSuggestion.paper_id) == task.paper_id
        if task.paper_id
        else col(MatchSuggestion.lead_id) == task.lead_id
    )
    return sa.and_(is_own, col(MatchSuggestion.kind) == task.kind)


def _is_already_proposed(tx: Read, task: TitleSearchTask, library_match: LibraryMatch) -> bool:
    """Return True if this was suggested before, whatever the decision, or is already stored as a relation."""
    if library_match.paper_id is not None and library_match.paper_id == task.paper_id:
        return True
    proposal_query = sa.select(col(MatchSuggestion.id)).where(
        _task_filter(task), col(MatchSuggestion.identifier) == str(library_match.ref)
    )
    relation_query = sa.select(col(Relation.id)).where(
        col(Relation.from_id) == task.paper_id,
        col(Relation.to_id) == library_match.paper_id,
        col(Relation.kind) == "discusses",
    )
    return any(tx.execute(query.limit(1)).first() for query in (proposal_query, relation_query))


def _count_open(tx: Read, task: TitleSearchTask) -> int:
    query = (
        sa.select(sa.func.count())
        .select_from(MatchSuggestion)
        .where(_task_filter(task), col(MatchSuggestion.state) == "open")
    )
    return tx.scalar(query) or 0


def _delete_open_proposals(tx: Write, task: TitleSearchTask) -> None:
    """Delete open suggestions that a sure match replaces."""
    tx.execute(sa.delete(MatchSuggestion).where(_task_filter(task), col(MatchSuggestion.state) == "open"))
