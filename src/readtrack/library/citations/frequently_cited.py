"""Works that papers of the library cite often but that are not in it themselves."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.models import Citation, CitedWork, Identifier, Paper
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.library.papers.lists import visible_papers_filter
from readtrack.library.topics.queries import find_slug
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

MAX_WORKS = 100  # works shown
# Candidates read from the database; some turn out to be duplicates, or present under another identifier.
_MAX_CANDIDATES = 300
_MAX_PAPERS = 500  # newest papers of a topic that are considered
_MIN_CITING_PAPERS = 2  # minimum number of citing papers
_SHOWN_CITING_PAPERS = 3  # citing papers listed for each work
_SAMPLE_SIZE = 20  # newest citing papers checked for each work; beyond that, the stored count is used


class MissingWork(NamedTuple):
    """A work that is missing from the library.

    `papers`: number of papers of the library that cite it; `citing_papers`: the newest of them.
    """

    id: int
    identifier: str
    label: str
    url: str
    title: str
    year: int | None
    papers: int
    citing_papers: Sequence[sa.Row[Any]]


class _WorkGroup(NamedTuple):
    """One work with all its identifiers from the citation lists."""

    row: sa.Row[Any]
    citing: frozenset[int]
    papers: int


def list_missing_works(tx: Read, me: CurrentUser, topic: str = "", *, dismissed: bool = False) -> list[MissingWork]:
    """Return works cited by at least two papers and not dismissed, the most cited first.

    With `topic`, count only the papers of that topic. With `dismissed`, return the dismissed works instead.
    """
    permissions.require(me, "see")
    papers = _list_topic_papers(tx, me, topic) if topic else None
    rows = tx.execute(
        _frequent_works_query(dismissed=dismissed) if papers is None or dismissed else _works_cited_by_query(papers)
    ).all()
    works = _group_work_names(tx, rows, papers)
    works = [work for work in works if work.papers >= (1 if dismissed else _MIN_CITING_PAPERS)]
    works.sort(key=lambda work: (-work.papers, work.row.id))
    titles = _find_titles(tx, {paper for work in works[:MAX_WORKS] for paper in _newest_papers(work.citing)})
    return [_build_missing_work(work, titles) for work in works[:MAX_WORKS]]


def _build_missing_work(work: _WorkGroup, titles: Mapping[int, sa.Row[Any]]) -> MissingWork:
    row, ref = work.row, Ref(work.row.scheme, work.row.value)
    citing_papers = [titles[paper] for paper in _newest_papers(work.citing) if paper in titles]
    label = sources.by_name(ref.scheme).label(ref.key)
    return MissingWork(row.id, str(ref), label, sources.url(ref), row.title, row.year, work.papers, citing_papers)


def _newest_papers(papers: Iterable[int]) -> list[int]:
    return sorted(papers, reverse=True)[:_SHOWN_CITING_PAPERS]


def _missing_works_query() -> sa.Select[Any]:
    """Return the query for cited works whose identifier no paper of the library has."""
    in_library = sa.exists().where(
        col(Identifier.scheme) == col(CitedWork.scheme), col(Identifier.value) == col(CitedWork.value)
    )
    columns: Sequence[Any] = [getattr(CitedWork, name) for name in ("id", "scheme", "value", "title", "year", "papers")]
    query: sa.Select[Any] = sa.select(*columns)
    return query.where(~in_library)


def _frequent_works_query(*, dismissed: bool) -> sa.Select[Any]:
    """Query by the stored citation counts, so that the cost does not grow with the library."""
    dismissal_condition = (
        col(CitedWork.dismissed_at).is_not(None) if dismissed else col(CitedWork.dismissed_at).is_(None)
    )
    query = _missing_works_query().where(
        col(CitedWork.papers) >= (0 if dismissed else _MIN_CITING_PAPERS), dismissal_condition
    )
    return query.order_by(col(CitedWork.papers).desc(), col(CitedWork.id).desc()).limit(_MAX_CANDIDATES)


def _works_cited_by_query(papers: sa.Select[Any]) -> sa.Select[Any]:
    """Query works by the number of citations within these papers."""
    paper_count = sa.func.count(sa.distinct(col(Citation.paper_id)))
    counts = sa.select(col(Citation.work_id), paper_count.label("papers")).where(col(Citation.paper_id).in_(papers))
    frequent = counts.group_by(col(Citation.work_id)).having(paper_count >= _MIN_CITING_PAPERS).subquery()
    query = (
        _missing_works_query()
        .join(frequent, frequent.c.work_id == col(CitedWork.id))
        .where(col(CitedWork.dismissed_at).is_(None))
    )
    return query.order_by(frequent.c.papers.desc(), col(CitedWork.id).desc()).limit(_MAX_CANDIDATES)


def _list_topic_papers(tx: Read, me: CurrentUser, topic: str) -> sa.Select[Any]:
    """Return the query for a topic's newest papers, subtopics included; empty for an unknown topic."""
    slug = find_slug(tx, topic)
    in_topic = visible_papers_filter(tx, me, search.parse(f'topic:"{slug}"')) if slug else sa.false()
    newest: sa.Select[Any] = sa.select(col(Paper.id)).where(in_topic).order_by(col(Paper.id).desc()).limit(_MAX_PAPERS)
    return newest


def _group_work_names(tx: Read, rows: Sequence[sa.Row[Any]], papers: sa.Select[Any] | None) -> list[_WorkGroup]:
    """Group the identifiers of each work, and drop works that are in the library under another identifier.

    Identifiers at the same position of a citation list belong to the same work.
    """
    ids = [row.id for row in rows]
    alternatives, in_library = _find_alternative_names(tx, ids)
    citing = _find_citing_papers(tx, {*ids, *(name for names in alternatives.values() for name in names)}, papers)
    works: list[_WorkGroup] = []
    grouped: set[int] = set()
    for row in rows:
        names = {row.id, *alternatives.get(row.id, ())}
        if names & in_library or names & grouped:
            continue
        grouped |= names
        citing_papers = frozenset[int]().union(*(citing.get(name, ()) for name in names))
        stored_count = row.papers if papers is None and row.papers > _SAMPLE_SIZE else 0
        works.append(_WorkGroup(row, citing_papers, max(len(citing_papers), stored_count)))
    return works


def _find_alternative_names(tx: Read, ids: Sequence[int]) -> tuple[dict[int, set[int]], set[int]]:
    """Return the other identifiers of each work, and the set of those that papers of the library have."""
    other_citation, cited_work = aliased(Citation), aliased(CitedWork)
    same_entry = sa.and_(
        *(
            getattr(other_citation, column) == getattr(Citation, column)
            for column in ("paper_id", "service", "key", "position")
        ),
        col(other_citation.work_id) != col(Citation.work_id),
    )
    in_library = sa.exists().where(
        col(Identifier.scheme) == col(cited_work.scheme), col(Identifier.value) == col(cited_work.value)
    )
    columns: Sequence[Any] = (
        col(Citation.work_id),
        col(other_citation.work_id).label("other"),
        in_library.label("known"),
    )
    query: sa.Select[Any] = (
        sa.select(*columns)
        .select_from(CitedWork)
        .join(Citation, _recent_citations_filter())
        .join(other_citation, same_entry)
    )
    query = (
        query.join(cited_work, col(cited_work.id) == col(other_citation.work_id))
        .where(col(CitedWork.id).in_(ids))
        .distinct()
    )
    alternatives: dict[int, set[int]] = {}
    present_ids: set[int] = set()
    for row in tx.execute(query) if ids else ():
        alternatives.setdefault(row.work_id, set()).add(row.other)
        present_ids |= {row.other} if row.known else set()
    return alternatives, present_ids


def _recent_citations_filter() -> sa.ColumnElement[bool]:
    """Limit the citations of a work to those by its newest citing papers."""
    recent = aliased(Citation)
    last = sa.select(col(recent.paper_id)).where(col(recent.work_id) == col(CitedWork.id))
    last = last.order_by(col(recent.paper_id).desc()).offset(_SAMPLE_SIZE - 1).limit(1).correlate(CitedWork)
    oldest_id = sa.func.coalesce(last.scalar_subquery(), 0)
    return sa.and_(col(Citation.work_id) == col(CitedWork.id), col(Citation.paper_id) >= oldest_id)


def _find_citing_papers(tx: Read, work_ids: Iterable[int], papers: sa.Select[Any] | None) -> dict[int, set[int]]:
    """Return the present papers that cite each work: among `papers`, or the newest of the library."""
    columns: Sequence[Any] = (col(Citation.work_id), col(Citation.paper_id))
    query: sa.Select[Any] = sa.select(*columns)
    if papers is None:
        query = (
            query.select_from(CitedWork)
            .join(Citation, _recent_citations_filter())
            .where(col(CitedWork.id).in_(sorted(work_ids)))
        )
    else:
        paper_ids = papers.subquery()
        query = query.select_from(paper_ids).join(Citation, col(Citation.paper_id) == paper_ids.c.id)
        query = query.where(col(Citation.work_id).in_(sorted(work_ids)))
    query = query.join(Paper, col(Paper.id) == col(Citation.paper_id)).where(is_present(Paper))
    citing: dict[int, set[int]] = {}
    for work_id, paper_id in tx.execute(query):
        citing.setdefault(work_id, set()).add(paper_id)
    return citing


def _find_titles(tx: Read, paper_ids: Iterable[int]) -> dict[int, sa.Row[Any]]:
    query = sa.select(col(Paper.id), col(Paper.title), col(Paper.language)).where(col(Paper.id).in_(sorted(paper_ids)))
    return {row.id: row for row in tx.execute(query)}
