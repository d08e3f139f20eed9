"""Gathers papers for the export formats; what the person may not see is never gathered."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.db import Read
from readtrack.exports import ExportPaper, all_exports
from readtrack.models import Identifier, Link, Paper, Person, Reading, Summary
from readtrack.papers.queries import VISIBLE, found_by
from readtrack.policy import Visitor
from readtrack.readings.queries import SHOWN
from readtrack.topics.queries import topics_of

AT_ONCE = 10_000  # ids in one statement


def exported(tx: Read, me: Visitor, name: str, *, q: str = "", paper_ids: Sequence[int] | None = None) -> str:
    """The papers of a question, or those given, as one text in that format, the oldest first."""
    condition = found_by(tx, me, search.parse(q))
    if paper_ids is not None:
        condition = sa.and_(VISIBLE, col(Paper.id).in_(list(paper_ids)))
    papers = tx.execute(sa.select(Paper.__table__).where(condition).order_by(col(Paper.id))).all()  # type: ignore[attr-defined]
    return all_exports()[name].render(_gathered(tx, me, papers, condition))


def _gathered(
    tx: Read, me: Visitor, papers: Sequence[sa.Row[Any]], condition: sa.ColumnElement[bool]
) -> list[ExportPaper]:
    these = sa.select(col(Paper.id)).where(condition)
    identifiers = _grouped(tx, these, Identifier.scheme, Identifier.value)
    links = _grouped(tx, these, Link.url, Link.role)
    topics = _topics(tx, [paper.id for paper in papers])
    summaries, readings = _summaries(tx, these), _readings(tx, me, these)
    return [
        ExportPaper(
            id=paper.id,
            kind=paper.kind,
            title=paper.title,
            authors=tuple(paper.authors),
            year=paper.year,
            published_on=paper.published_on,
            venue=paper.venue,
            abstract=paper.abstract,
            language=paper.language,
            identifiers=tuple(identifiers.get(paper.id, ())),
            links=tuple(links.get(paper.id, ())),
            topics=tuple(name for _, name in topics.get(paper.id, ())),
            summaries=tuple(summaries.get(paper.id, ())),
            reading=readings.get(paper.id),
            added_on=paper.created_at.date(),
        )
        for paper in papers
    ]


def _topics(tx: Read, ids: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """In parts: a statement takes so many ids and no more."""
    topics: dict[int, list[tuple[str, str]]] = {}
    for start in range(0, len(ids), AT_ONCE):
        topics |= topics_of(tx, ids[start : start + AT_ONCE])
    return topics


def _grouped(tx: Read, these: sa.Select[int | None], one: Any, other: Any) -> dict[int, list[tuple[str, str]]]:  # noqa: ANN401
    groups: dict[int, list[tuple[str, str]]] = {}
    query = (
        sa.select(col(one.class_.paper_id), col(one), col(other))
        .where(col(one.class_.paper_id).in_(these))
        .order_by(col(one.class_.id))
    )
    for paper_id, first, second in tx.execute(query):
        groups.setdefault(paper_id, []).append((first, second))
    return groups


def _summaries(tx: Read, these: sa.Select[Any]) -> dict[int, list[tuple[str, str, str]]]:
    """Shared ones only, even my own private ones stay here: an export travels."""
    query = (
        sa.select(col(Summary.paper_id), col(Person.name), col(Summary.tldr), col(Summary.markdown))
        .join(Person, col(Person.id) == col(Summary.person_id))
        .where(col(Summary.paper_id).in_(these), sa.not_(col(Summary.private)), col(Summary.deleted_at).is_(None))
        .order_by(col(Summary.id))
    )
    found: dict[int, list[tuple[str, str, str]]] = {}
    for paper_id, *summary in tx.execute(query):
        found.setdefault(paper_id, []).append((summary[0], summary[1], summary[2]))
    return found


def _readings(tx: Read, me: Visitor, these: sa.Select[Any]) -> dict[int, dict[str, object]]:
    query = sa.select(*SHOWN).where(
        col(Reading.person_id) == me.id, col(Reading.current), col(Reading.paper_id).in_(these)
    )
    return {row.paper_id: _plain(row) for row in tx.execute(query)}


def _plain(row: sa.Row[Any]) -> dict[str, object]:
    progress = {"unit": row.progress_unit, "at": row.progress_at, "of": row.progress_of} if row.progress_unit else None
    kept = ("status", "depth", "started_on", "finished_on", "reason", "private")
    return {**{name: getattr(row, name) for name in kept}, "progress": progress}
