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
from readtrack.infra.text import normalize
from readtrack.infra.text.titles import compare
from readtrack.library.matching.lookups import LIBRARY, TitleSearchTask
from readtrack.library.matching.scoring import MOST, LikelyMatch, WantedWork, is_sure
from readtrack.library.papers import lookup
from readtrack.metadata import registry
from readtrack.metadata.types import Metadata, Ref

_AUTHORS = 100  # authors stored with a suggestion


@dataclass(frozen=True)
class LibraryMatch:
    """The identifier chosen for a work, and the paper of the library that has it, if any."""

    ref: Ref
    paper_id: int | None


def save_proposals(
    tx: Write, task: TitleSearchTask, works: Sequence[LikelyMatch], *, asked: Collection[str], done: bool
) -> None:
    """Record which services were asked, and save a suggestion for each possible match."""
    wanted = task.wanted
    if wanted is not None:
        if works and is_sure(works[0]):
            _delete_open_proposals(tx, task)
        for work in works:
            _propose(tx, task, wanted, work)
    values = {
        "state": "done" if done else "waiting",
        "answered_at": {**task.answered_at, **dict.fromkeys(asked, str(now()))},
    }
    dated = {"asked_at": now()} if asked else {}
    tx.execute(sa.update(TitleSearch).where(col(TitleSearch.id) == task.id).values(**values, **dated))


def _propose(tx: Write, task: TitleSearchTask, wanted: WantedWork, work: LikelyMatch) -> None:
    here = _find_library_match(tx, work.said)
    if here is None or _is_already_proposed(tx, task, here) or (_count_open(tx, task) >= MOST):
        return
    said = work.said
    proposal = MatchSuggestion(
        kind=task.kind,
        paper_id=task.paper_id,
        lead_id=task.lead_id,
        identifier=str(here.ref),
        service=said.service or said.ref.scheme,
        title=normalize.clean(said.title),
        authors=[normalize.clean(author) for author in said.authors[:_AUTHORS]],
        year=said.year,
        venue=normalize.clean(said.venue),
        likeness=work.likeness,
        evidence=format_evidence(task.kind, wanted, work),
    )
    tx.add(proposal)
    tx.flush()


def format_evidence(kind: str, wanted: WantedWork, work: LikelyMatch) -> str:
    """Return the evidence of a match as a sentence."""
    who = format_service_name(work.said.service or work.said.ref.scheme)
    where = f" ({work.said.venue})" if work.said.venue else ""
    if kind == "discusses":
        known = _describe_similarity(wanted, work.said.title)
        return f"The title names {_format_work(wanted)}. {who} knows {known}{where}."
    by = {"authors": ", by authors that the notes name", "venue": ", at the venue that the notes name"}
    agreeing = next((words for name, words in by.items() if name in work.agrees), "")
    return f"{who} knows {_describe_similarity(wanted, work.said.title)}{agreeing}{where}."


def format_service_name(service: str) -> str:
    """Return the display name of a service."""
    if service == LIBRARY:
        return "This library"
    known = next((known.label for known in registry.all_services() if known.name == service), None)
    return known or service


def _format_work(wanted: WantedWork) -> str:
    where = " ".join(filter(None, (wanted.venue, str(wanted.year or ""))))
    return f"“{wanted.title}”" + (f" of {where}" if where else "")


def _describe_similarity(wanted: WantedWork, title: str) -> str:
    if compare.title_letters(wanted.title) == compare.title_letters(title):
        return "a paper of this very title"
    if wanted.cut or compare.is_title_head(wanted.title, title):
        return "a paper whose title begins so"
    return "a paper of almost this title"


def _find_library_match(tx: Read, said: Metadata) -> LibraryMatch | None:
    """Return a work's best lasting identifier, preferably one that a paper has; None if it has none."""
    known = {source.name for source in registry.all_sources()}
    refs = [ref for ref in dict.fromkeys((said.ref, *said.identifiers)) if ref.scheme in known]
    taken = lookup.find_by_refs(tx, refs)
    first = next((ref for ref in refs if ref in taken), refs[0] if refs else None)
    return LibraryMatch(first, taken.get(first)) if first else None


def _task_filter(task: TitleSearchTask) -> sa.ColumnElement[bool]:
    mine = (
        col(MatchSuggestion.paper_id) == task.paper_id
        if task.paper_id
        else col(MatchSuggestion.lead_id) == task.lead_id
    )
    return sa.and_(mine, col(MatchSuggestion.kind) == task.kind)


def _is_already_proposed(tx: Read, task: TitleSearchTask, here: LibraryMatch) -> bool:
    """Return True if this was suggested before, whatever the decision, or is already stored as a relation."""
    if here.paper_id is not None and here.paper_id == task.paper_id:
        return True
    before = sa.select(col(MatchSuggestion.id)).where(
        _task_filter(task), col(MatchSuggestion.identifier) == str(here.ref)
    )
    known = sa.select(col(Relation.id)).where(
        col(Relation.from_id) == task.paper_id, col(Relation.to_id) == here.paper_id, col(Relation.kind) == "discusses"
    )
    return any(tx.execute(query.limit(1)).first() for query in (before, known))


def _count_open(tx: Read, task: TitleSearchTask) -> int:
    mine = (
        sa.select(sa.func.count())
        .select_from(MatchSuggestion)
        .where(_task_filter(task), col(MatchSuggestion.state) == "open")
    )
    return tx.scalar(mine) or 0


def _delete_open_proposals(tx: Write, task: TitleSearchTask) -> None:
    """Delete open suggestions that a sure match replaces."""
    tx.execute(sa.delete(MatchSuggestion).where(_task_filter(task), col(MatchSuggestion.state) == "open"))
