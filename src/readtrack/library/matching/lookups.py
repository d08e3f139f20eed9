"""Queue of title searches: papers without identifier, leads, and works discussed by commentaries."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write, savepoint
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, Identifier, Lead, MatchSuggestion, Paper, TitleSearch
from readtrack.infra.permissions import is_listed
from readtrack.infra.text import normalize
from readtrack.library.matching.scoring import WantedWork
from readtrack.library.papers.lookup import without_identifier
from readtrack.metadata.types import Metadata, Ref

COMMENTARIES = ("article", "video", "slides", "page")
LIBRARY = "library"  # service name of matches found in this library
AGAIN_AFTER = timedelta(days=30)
BROKEN_AGAIN_AFTER = timedelta(days=1)
BATCH_SIZE = 50
_MAX_CANDIDATES = 200  # papers of the library whose titles begin with the same word


class TitleSearchTask(NamedTuple):
    """One title to search for; `work` is None if there is nothing to search for (any more).

    `library_papers`: papers of the library with a similar beginning; `only_here`: no service is asked.
    """

    id: int
    kind: str
    paper_id: int | None
    lead_id: int | None
    work: WantedWork | None
    answered_at: Mapping[str, str]
    only_here: bool = False
    library_papers: Sequence[Metadata] = ()
    broken: bool = False  # the task could not be built, because of an error in the code


def list_due_searches(tx: Write, *, after_id: int) -> list[TitleSearchTask]:
    """Return the next titles to search for, after adding new ones to the queue."""
    if after_id == 0:
        _requeue_old_searches(tx)
    _add_searches(tx)
    query = sa.select(TitleSearch).where(col(TitleSearch.state) == "waiting", col(TitleSearch.id) > after_id)
    rows = tx.scalars(query.order_by(col(TitleSearch.id)).limit(BATCH_SIZE)).all()
    papers = _papers(tx, [row.paper_id for row in rows if row.paper_id])
    leads = _leads(tx, [row.lead_id for row in rows if row.lead_id])
    return [_build_task_or_postpone(tx, row, papers, leads) for row in rows]


def postpone_search(tx: Write, lookup_id: int) -> None:
    """Postpone by a day a search that failed because of a bug."""
    asked_at = now() - AGAIN_AFTER + BROKEN_AGAIN_AFTER
    tx.execute(sa.update(TitleSearch).where(col(TitleSearch.id) == lookup_id).values(state="done", asked_at=asked_at))


def restart_search(tx: Write, *, paper_id: int | None = None, lead_id: int | None = None) -> None:
    """Allow all services to be asked again for a title at once."""
    condition = col(TitleSearch.paper_id) == paper_id if paper_id else col(TitleSearch.lead_id) == lead_id
    tx.execute(sa.update(TitleSearch).where(condition).values(state="waiting", answered_at={}))


def find_searchable_leads(tx: Read, lead_ids: Sequence[int]) -> set[int]:
    """Return the open leads that name a title; the others only describe a paper."""
    return {lead_id for lead_id, lead in _leads(tx, lead_ids).items() if _build_lead_work(lead) is not None}


def has_pending_searches(tx: Read) -> bool:
    """Return True if there is any title to search for."""
    waiting_query = sa.select(col(TitleSearch.id)).where(col(TitleSearch.state) == "waiting")
    return any(tx.execute(query.limit(1)).first() for query in (waiting_query, _new_papers(), _new_leads()))


def _requeue_old_searches(tx: Write) -> None:
    """Requeue searches without a result after a month: the work may have been published since."""
    is_own = sa.or_(
        col(MatchSuggestion.paper_id) == col(TitleSearch.paper_id),
        col(MatchSuggestion.lead_id) == col(TitleSearch.lead_id),
    )
    has_result = sa.exists().where(is_own, col(MatchSuggestion.state) != "rejected")
    statement = sa.update(TitleSearch).where(
        col(TitleSearch.state) == "done", col(TitleSearch.asked_at) < now() - AGAIN_AFTER, ~has_result
    )
    tx.bulk_execute(statement.values(state="waiting", answered_at={}))


def _add_searches(tx: Write) -> None:
    """Add papers and leads that are new, and requeue papers whose title changed."""
    papers = tx.execute(_new_papers().limit(BATCH_SIZE)).all()
    query = sa.select(TitleSearch).where(col(TitleSearch.paper_id).in_([row.id for row in papers]))
    lookups = {lookup.paper_id: lookup for lookup in tx.scalars(query)}
    for row in papers:
        lookup = lookups.get(row.id)
        if lookup is None:
            tx.add(TitleSearch(paper_id=row.id, title=row.title))
        else:
            lookup.title, lookup.state, lookup.answered_at = row.title, "waiting", {}
    leads = tx.execute(_new_leads().limit(BATCH_SIZE)).all()
    tx.add_all(TitleSearch(lead_id=row.id, title=row.text) for row in leads)
    tx.flush()


def _new_papers() -> sa.Select[int | None, str]:
    is_searched = sa.exists().where(
        col(TitleSearch.paper_id) == col(Paper.id), col(TitleSearch.title) == col(Paper.title)
    )
    is_unidentified = sa.and_(col(Paper.kind) == "paper", without_identifier())
    is_eligible = sa.or_(is_unidentified, col(Paper.kind).in_(COMMENTARIES))
    query = sa.select(col(Paper.id), col(Paper.title))
    return query.where(is_listed(Paper), col(Paper.title) != "", is_eligible, ~is_searched).order_by(col(Paper.id))


def _new_leads() -> sa.Select[int | None, str]:
    is_searched = sa.exists().where(col(TitleSearch.lead_id) == col(Lead.id))
    query = sa.select(col(Lead.id), col(Lead.text))
    return query.where(col(Lead.state) == "open", ~is_searched).order_by(col(Lead.id))


def _papers(tx: Read, paper_ids: Sequence[int]) -> dict[int, sa.Row[Any]]:
    unidentified = sa.case((without_identifier(), 1), else_=0).label("bare")
    columns: Sequence[Any] = [
        unidentified,
        *(getattr(Paper, name) for name in ("id", "kind", "title", "authors", "year", "venue")),
    ]
    query: sa.Select[Any] = sa.select(*columns).where(col(Paper.id).in_(paper_ids), is_listed(Paper))
    return {row.id: row for row in tx.execute(query)} if paper_ids else {}


def _leads(tx: Read, lead_ids: Sequence[int]) -> dict[int, sa.Row[Any]]:
    """Return open leads with the metadata of their first entry."""
    columns: Sequence[Any] = [
        *(Lead.id, Lead.text),
        *(getattr(Entry, name) for name in ("title", "authors", "year", "venue")),
    ]
    query: sa.Select[Any] = sa.select(*columns)
    query = query.join(Entry, col(Entry.lead_id) == col(Lead.id), isouter=True)
    query = query.where(col(Lead.id).in_(lead_ids), col(Lead.state) == "open").order_by(col(Entry.id).desc())
    return {row.id: row for row in tx.execute(query)} if lead_ids else {}


def _build_task_or_postpone(
    tx: Write, row: TitleSearch, papers: Mapping[int, Any], leads: Mapping[int, Any]
) -> TitleSearchTask:
    with queue.isolate_errors("failed to search title", lookup=row.id) as outcome, savepoint(tx):
        task = _build_task(tx, row, papers, leads)
    if outcome.problem is None:
        return task
    return TitleSearchTask(row.id or 0, "is", row.paper_id, row.lead_id, None, {}, broken=True)


def _build_task(
    tx: Read, row: TitleSearch, papers: Mapping[int, sa.Row[Any]], leads: Mapping[int, sa.Row[Any]]
) -> TitleSearchTask:
    paper, lead = papers.get(row.paper_id or 0), leads.get(row.lead_id or 0)
    task = TitleSearchTask(row.id or 0, "is", row.paper_id, row.lead_id, None, row.answered_at)
    if lead is not None:
        return _add_library_matches(tx, task._replace(work=_build_lead_work(lead)))
    if paper is not None and paper.kind in COMMENTARIES:
        return _build_commentary_task(tx, task._replace(kind="discusses"), paper.title)
    if paper is not None and paper.kind == "paper" and paper.bare:
        return task._replace(work=WantedWork(paper.title, paper.authors, paper.year, paper.venue))
    return task


def _build_lead_work(lead: sa.Row[Any]) -> WantedWork | None:
    """Return the described work; None if a description does not name a title."""
    from readtrack.infra.text.titles.clean import names_a_paper

    title = lead.title or (lead.text if names_a_paper(lead.text) else "")
    return WantedWork(title, lead.authors or (), lead.year, lead.venue or "") if title else None


def _build_commentary_task(tx: Read, task: TitleSearchTask, title: str) -> TitleSearchTask:
    from readtrack.library.matching.commentary import find_discussed_work

    work = find_discussed_work(title)
    if work is None:
        return task
    wanted_work = WantedWork(
        work.title, (), work.year, work.venue, by_name=work.by_name, is_truncated=work.is_truncated
    )
    return _add_library_matches(tx, task._replace(work=wanted_work, only_here=not work.is_explicit))


def _add_library_matches(tx: Read, task: TitleSearchTask) -> TitleSearchTask:
    return task._replace(library_papers=_find_similar_titles(tx, task.work.title, task.paper_id)) if task.work else task


def _find_similar_titles(tx: Read, title: str, exclude_id: int | None) -> list[Metadata]:
    """Return the library's papers with an identifier and the same first word of the title, as metadata."""
    first_word = next(iter(normalize.key(title).split()), "")
    similar = sa.select(col(Paper.id), col(Paper.title), col(Paper.authors), col(Paper.year), col(Paper.venue)).where(
        col(Paper.title_key).startswith(first_word.rstrip(":："), autoescape=True),
        col(Paper.kind) == "paper",
        is_listed(Paper),
    )
    rows = {
        row.id: row
        for row in tx.execute(similar.order_by(col(Paper.id)).limit(_MAX_CANDIDATES))
        if row.id != exclude_id
    }
    return [
        Metadata(ref, LIBRARY, "published", "paper", row.title, tuple(row.authors), row.year, venue=row.venue)
        for row, ref in _pair_with_refs(tx, rows)
    ]


def _pair_with_refs(tx: Read, rows: Mapping[int, sa.Row[Any]]) -> Iterable[tuple[sa.Row[Any], Ref]]:
    """Pair each row with its paper's first identifier, omitting papers without one."""
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    query = query.where(col(Identifier.paper_id).in_(rows)).order_by(col(Identifier.id).desc())
    refs = {row.paper_id: Ref(row.scheme, row.value) for row in tx.execute(query)} if rows else {}
    return [(row, refs[paper_id]) for paper_id, row in rows.items() if paper_id in refs]
