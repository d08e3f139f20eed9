"""Queries for a folder's notes: papers with the team's texts, and their topics."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.models import (
    Comparison,
    ComparisonRow,
    PaperTopic,
    Topic,
    TopicAlias,
    TopicLink,
)
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.markdown_folder.file_names import FolderNames, summary_bindings, topic_bindings
from readtrack.ingest.markdown_folder.links import NoteResolver, to_folder_links
from readtrack.ingest.markdown_folder.notes import (
    FolderNote,
    FolderTable,
    NoteLink,
    PaperNote,
    RelatedNote,
    SummaryPart,
    TopicNote,
)
from readtrack.ingest.parser.paper_details import ReadingDetails, parse_details
from readtrack.workspace.export.formats import ExportPaper
from readtrack.workspace.export.stream import gather_papers

BATCH_SIZE = 200  # papers in memory at a time


def topic_notes(tx: Read, names: FolderNames) -> Iterator[tuple[str, FolderNote]]:
    """Yield the topics of the folder with their note names.

    Topics deleted since the names were assigned are left out.
    """
    ids = list(names.topics)
    aliases, links, papers_by_topic = _find_aliases(tx, ids), _find_links(tx, ids), _find_topic_papers(tx, ids, names)
    tables, bindings = _find_tables(tx, ids, names), topic_bindings(tx, names, ids)
    query = sa.select(Topic.__table__).where(in_id_list(col(Topic.id), "ids")).order_by(col(Topic.id))  # type: ignore[attr-defined]
    for row in tx.rows(query, {"ids": ids}):
        yield (
            names.topics[row.id],
            TopicNote(
                name=row.name,
                aliases=tuple(aliases.get(row.id, ())),
                parent=names.topics.get(row.parent_id, ""),
                markdown=to_folder_links(row.markdown, names.build_resolver(bindings.get(row.id, {}))).strip(),
                links=tuple(links.get(row.id, ())),
                order=tuple(name for name, position in papers_by_topic.get(row.id, ()) if position is not None),
                papers=tuple(sorted(name for name, _place in papers_by_topic.get(row.id, ()))),
                tables=tuple(tables.get(row.id, ())),
            ),
        )


def paper_notes(tx: Read, me: CurrentUser, names: FolderNames, ids: Sequence[int]) -> Iterator[tuple[str, FolderNote]]:
    """Yield these papers with their note names."""
    topics, bindings = _find_paper_topics(tx, ids, names), summary_bindings(tx, names, ids)
    for paper in gather_papers(tx, me, ids, discussions=True):
        note = _build_paper_note(paper, names.build_resolver(bindings.get(paper.id, {})))
        yield (
            names.papers[paper.id],
            replace(
                note,
                topics=tuple(topics.get(paper.id, ())),
                relations=tuple(_iter_related_notes(names, paper)),
            ),
        )


def _build_paper_note(paper: ExportPaper, resolve: NoteResolver) -> PaperNote:
    return PaperNote(
        title=paper.title,
        kind=paper.kind,
        authors=paper.authors,
        year=paper.year,
        published=paper.published_on.isoformat() if paper.published_on else "",
        venue=paper.venue,
        publication_type=paper.publication_type,
        language=paper.language,
        identifiers=tuple(f"{scheme}:{key}" for scheme, key in paper.identifiers),
        links=tuple(NoteLink(url, role) for url, role in paper.links),
        abstract=paper.abstract.strip(),
        translated_titles={title.language: title.title for title in paper.titles},
        drafted=tuple(title.language for title in paper.titles if title.machine),
        reading=_find_reading(paper),
        comments=paper.comments,
        questions=paper.questions,
        summaries=tuple(
            SummaryPart(person, tldr, to_folder_links(text, resolve).strip()) for person, tldr, text in paper.summaries
        ),
    )


def _iter_related_notes(names: FolderNames, paper: ExportPaper) -> Iterator[RelatedNote]:
    """Yield the relations, by note name within the folder or else by identifier."""
    for relation in paper.relations:
        name = names.papers.get(relation.paper or 0)
        if target := f"[[{name}]]" if name else relation.identifier:
            yield RelatedNote(relation.kind, target, relation.note)


def _find_reading(paper: ExportPaper) -> ReadingDetails | None:
    """Return the reading unless it is private, because folders are passed on."""
    reading = parse_details({"reading": paper.reading})[0].reading if paper.reading else None
    return None if reading is None or reading.private else reading


def _find_aliases(tx: Read, ids: Sequence[int]) -> dict[int, list[str]]:
    query = sa.select(col(TopicAlias.topic_id), col(TopicAlias.alias)).where(sa.not_(col(TopicAlias.is_canonical)))
    query = query.where(in_id_list(col(TopicAlias.topic_id), "ids")).order_by(col(TopicAlias.id))
    return _group_pairs((row.topic_id, row.alias) for row in tx.rows(query, {"ids": list(ids)}))


def _find_links(tx: Read, ids: Sequence[int]) -> dict[int, list[NoteLink]]:
    columns: Sequence[Any] = (TopicLink.topic_id, TopicLink.url, TopicLink.kind, TopicLink.title, TopicLink.note)
    query = sa.select(*map(col, columns)).where(in_id_list(col(TopicLink.topic_id), "ids")).order_by(col(TopicLink.id))
    return _group_pairs((row[0], NoteLink(*row[1:])) for row in tx.rows(query, {"ids": list(ids)}))


def _find_topic_papers(tx: Read, ids: Sequence[int], names: FolderNames) -> dict[int, list[tuple[str, int | None]]]:
    """Return the papers of each topic in reading order."""
    query = sa.select(col(PaperTopic.topic_id), col(PaperTopic.paper_id), col(PaperTopic.position))
    query = query.where(in_id_list(col(PaperTopic.topic_id), "ids")).order_by(
        col(PaperTopic.position), col(PaperTopic.paper_id)
    )
    rows = tx.rows(query, {"ids": list(ids)})
    return _group_pairs((row[0], (names.papers[row[1]], row[2])) for row in rows if row[1] in names.papers)


def _find_tables(tx: Read, ids: Sequence[int], names: FolderNames) -> dict[int, list[FolderTable]]:
    """Return the comparison tables of these topics, with links in cells converted to the folder's form."""
    fields: Sequence[Any] = (ComparisonRow.comparison_id, ComparisonRow.cells, ComparisonRow.paper_id)
    row_query = sa.select(*map(col, fields)).join(Comparison, col(Comparison.id) == col(ComparisonRow.comparison_id))
    query = row_query.where(in_id_list(col(Comparison.topic_id), "ids"))
    resolve = names.build_resolver({})
    rows = _group_pairs(
        (row[0], (tuple(to_folder_links(cell, resolve) for cell in row[1]), names.papers.get(row[2], "")))
        for row in tx.rows(query.order_by(col(ComparisonRow.position), col(ComparisonRow.id)), {"ids": list(ids)})
    )
    columns = Comparison.__table__  # type: ignore[attr-defined]
    table_query = sa.select(columns).where(in_id_list(col(Comparison.topic_id), "ids")).order_by(col(Comparison.id))
    return _group_pairs(
        (
            table.topic_id,
            FolderTable(
                table.title, tuple(table.columns), tuple(rows.get(table.id, ())), tuple(map(tuple, table.scale))
            ),
        )
        for table in tx.rows(table_query, {"ids": list(ids)})
    )


def _find_paper_topics(tx: Read, ids: Sequence[int], names: FolderNames) -> dict[int, list[str]]:
    query = sa.select(col(PaperTopic.paper_id), col(PaperTopic.topic_id)).where(
        in_id_list(col(PaperTopic.paper_id), "ids")
    )
    rows = tx.rows(query.order_by(col(PaperTopic.topic_id)), {"ids": list(ids)})
    return _group_pairs((row.paper_id, names.topics[row.topic_id]) for row in rows if row.topic_id in names.topics)


def _group_pairs(pairs: Iterable[tuple[int, Any]]) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = {}
    for number, value in pairs:
        groups.setdefault(number, []).append(value)
    return groups
