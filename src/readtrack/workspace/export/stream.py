"""Loading of papers for export. What the user may not see is never loaded."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Database, Read
from readtrack.infra.models import Identifier, Link, MetadataRecord, Paper, Person, Reading, Summary
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.citation_keys import display_key
from readtrack.library.papers.lists import VISIBLE, visible_papers_filter
from readtrack.library.topics.queries import find_paper_topics
from readtrack.reading.readings.queries import SHOWN
from readtrack.workspace.export.discussions import add_discussions
from readtrack.workspace.export.formats import ExportPaper, all_exports

BATCH_SIZE = 500  # papers in memory at once
CHUNK_CHARS = 65_536  # characters sent at once


def find_ids(tx: Read, me: CurrentUser, q: str) -> list[int]:
    """Return the papers of a query, oldest first. Raise search.QueryError."""
    return list(
        tx.scalars(
            sa.select(col(Paper.id)).where(visible_papers_filter(tx, me, search.parse(q))).order_by(col(Paper.id))
        )
    )


def export_text(tx: Read, me: CurrentUser, name: str, paper_ids: Sequence[int]) -> str:
    """Return a few papers as one string in a format, oldest first."""
    export = all_exports()[name]
    return export.render_document(gather_papers(tx, me, paper_ids, discussions=export.has_discussions))


def stream_export(database: Database, me: CurrentUser, name: str, paper_ids: Sequence[int]) -> Iterator[str]:
    """Yield any number of papers in chunks.

    Each portion is read in its own short transaction, so that a slow client holds none open. Papers deleted meanwhile
    are left out.
    """
    chunk, size = list[str](), 0
    export = all_exports()[name]
    for part in export.render(_stream_papers(database, me, paper_ids, discussions=export.has_discussions)):
        chunk.append(part)
        size += len(part)
        if size >= CHUNK_CHARS:
            yield "".join(chunk)
            chunk, size = [], 0
    yield "".join(chunk)


def _stream_papers(
    database: Database, me: CurrentUser, paper_ids: Sequence[int], *, discussions: bool
) -> Iterator[ExportPaper]:
    for start in range(0, len(paper_ids), BATCH_SIZE):
        with database.read() as tx:
            papers = gather_papers(tx, me, paper_ids[start : start + BATCH_SIZE], discussions=discussions)
        yield from papers


def gather_papers(
    tx: Read, me: CurrentUser, paper_ids: Sequence[int], *, discussions: bool = False
) -> list[ExportPaper]:
    """Load all exported data of papers, oldest first, without deleted ones.

    `discussions`: with translated titles, comments, questions and relations.
    """
    query = sa.select(Paper.__table__).where(VISIBLE, col(Paper.id).in_(paper_ids)).order_by(col(Paper.id))  # type: ignore[attr-defined]
    papers = tx.execute(query).all()
    present_ids = [paper.id for paper in papers]
    identifiers = _group_pairs(tx, present_ids, Identifier.scheme, Identifier.value)
    links = _group_pairs(tx, present_ids, Link.url, Link.role)
    topics = find_paper_topics(tx, present_ids)
    arxiv_classes = _find_arxiv_classes(tx, present_ids)
    summaries, readings = _find_summaries(tx, present_ids), _find_readings(tx, me, present_ids)
    exported = [
        ExportPaper(
            id=paper.id,
            kind=paper.kind,
            title=paper.title,
            authors=tuple(paper.authors),
            year=paper.year,
            published_on=paper.published_on,
            venue=paper.venue,
            publication_type=paper.publication_type,
            abstract=paper.abstract,
            language=paper.language,
            identifiers=tuple(identifiers.get(paper.id, ())),
            links=tuple(links.get(paper.id, ())),
            topics=tuple(name for _, name in topics.get(paper.id, ())),
            summaries=tuple(summaries.get(paper.id, ())),
            reading=readings.get(paper.id),
            added_on=paper.created_at.date(),
            citation_key=display_key(paper.citation_key, paper.id),
            arxiv_class=arxiv_classes.get(paper.id, ""),
        )
        for paper in papers
    ]
    return add_discussions(tx, exported) if discussions else exported


def _group_pairs(tx: Read, ids: Sequence[int], left: Any, right: Any) -> dict[int, list[tuple[str, str]]]:  # noqa: ANN401
    groups: dict[int, list[tuple[str, str]]] = {}
    query = (
        sa.select(col(left.class_.paper_id), col(left), col(right))
        .where(col(left.class_.paper_id).in_(ids))
        .order_by(col(left.class_.id))
    )
    for paper_id, first, second in tx.execute(query):
        groups.setdefault(paper_id, []).append((first, second))
    return groups


def _find_arxiv_classes(tx: Read, paper_ids: Sequence[int]) -> dict[int, str]:
    columns: Sequence[Any] = (MetadataRecord.paper_id, MetadataRecord.arxiv_class)
    query = sa.select(*map(col, columns)).where(
        col(MetadataRecord.paper_id).in_(paper_ids),
        col(MetadataRecord.arxiv_class) != "",
        col(MetadataRecord.state) == "agrees",
    )
    return {row.paper_id: row.arxiv_class for row in tx.execute(query.order_by(col(MetadataRecord.id)))}


def _find_summaries(tx: Read, paper_ids: Sequence[int]) -> dict[int, list[tuple[str, str, str]]]:
    """Return shared summaries only, not even my private ones, because exported files are passed on."""
    query = (
        sa.select(col(Summary.paper_id), col(Person.name), col(Summary.tldr), col(Summary.markdown))
        .join(Person, col(Person.id) == col(Summary.person_id))
        .where(col(Summary.paper_id).in_(paper_ids), sa.not_(col(Summary.private)), col(Summary.deleted_at).is_(None))
        .order_by(col(Summary.created_at), col(Summary.id))
    )
    summaries_by_paper: dict[int, list[tuple[str, str, str]]] = {}
    for paper_id, *summary in tx.execute(query):
        summaries_by_paper.setdefault(paper_id, []).append((summary[0], summary[1], summary[2]))
    return summaries_by_paper


def _find_readings(tx: Read, me: CurrentUser, paper_ids: Sequence[int]) -> dict[int, dict[str, object]]:
    query = sa.select(*SHOWN).where(
        col(Reading.person_id) == me.id, col(Reading.current), col(Reading.paper_id).in_(paper_ids)
    )
    return {row.paper_id: _reading_to_dict(me, row) for row in tx.execute(query)}


def _reading_to_dict(me: CurrentUser, row: sa.Row[Any]) -> dict[str, object]:
    progress = {"unit": row.progress_unit, "at": row.progress_at, "of": row.progress_of} if row.progress_unit else None
    fields = ("status", "depth", "recommendation", "started_on", "finished_on", "reason", "priority", "private")
    values = {name: getattr(row, name) for name in fields}
    return {"person": me.name, **values, "version": row.version_label, "progress": progress}
