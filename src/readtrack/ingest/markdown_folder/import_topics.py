"""Import of a folder's topics."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comparison, PaperTopic, Topic, TopicLink
from readtrack.ingest.apply_details import is_same_text
from readtrack.ingest.markdown_folder.import_result import FolderImport, ImportStep, MarkdownFolder
from readtrack.ingest.markdown_folder.notes import FolderTable, NoteLink
from readtrack.library.comparisons.commands import ComparisonFields, ComparisonRowFields, ScaleSign, make_comparison
from readtrack.library.comparisons.parse_table import MAX_ROWS
from readtrack.library.comparisons.scale import MAX_SIGNS
from readtrack.library.topics.commands import (
    TopicCreate,
    TopicUpdate,
    add_aliases,
    edit_topic,
    find_or_add_topic,
    link_topic,
)
from readtrack.library.topics.links import WORDS as KINDS
from readtrack.library.topics.links import TopicLinkFields, add_link
from readtrack.library.topics.queries import find_aliases, find_id
from readtrack.library.topics.reading_order import append_papers

FILED_AT_ONCE = 20  # papers of a topic filed in one step


def import_steps(name: str) -> Iterator[ImportStep]:
    """Yield the step that creates the topic of a note."""
    yield name, partial(_import_topic, name=name)


def content_steps(folder: MarkdownFolder, name: str) -> Iterator[ImportStep]:
    """Yield the steps for the text (if the topic has none yet), links, papers, tables and reading order."""
    note = folder.topics[name]
    if note.markdown:
        yield name, partial(_import_text, name=name)
    for link in note.links:
        yield name, partial(_import_link, name=name, link=link)
    files = iter(dict.fromkeys(file for file in note.papers if file in folder.paper_ids))
    while portion := list(islice(files, FILED_AT_ONCE)):
        yield name, partial(_file_papers, name=name, files=portion)
    for table in note.tables:
        yield name, partial(_import_table, name=name, table=table)
    if note.order:
        yield name, partial(_import_order, name=name)


def _import_topic(folder_import: FolderImport, name: str) -> None:
    """Find the topic of that note by name, or add it under its parent. Add its aliases."""
    note = folder_import.folder.topics[name]
    existing_id = find_id(folder_import.tx, TopicCreate(name=note.name).name)
    parent_id = folder_import.folder.topic_ids.get(note.parent)
    if existing_id is None:
        folder_import.require_quota("topic.added")
    topic_id = existing_id or find_or_add_topic(folder_import.tx, folder_import.me, note.name, parent_id=parent_id)
    conflicts = add_aliases(folder_import.tx, folder_import.me, topic_id, note.aliases)
    for alias, topic_name in ((conflict.alias, conflict.name) for conflict in conflicts):
        sentence = _("“{alias}” is already a name of the topic “{name}”.")
        folder_import.result.leave_out(sentence.format(alias=alias, name=topic_name))
    folder_import.report_unplaced_text(name, note)
    folder_import.folder.topic_ids[name] = topic_id
    folder_import.result.topics_known += existing_id is not None
    folder_import.result.topics_added += existing_id is None


def _get_topic(folder_import: FolderImport, name: str) -> Topic:
    return folder_import.tx.get_one(Topic, folder_import.folder.topic_ids[name])


def _import_text(folder_import: FolderImport, name: str) -> None:
    topic, text = _get_topic(folder_import, name), folder_import.folder.topics[name].markdown
    if topic.markdown:
        if not is_same_text(text, topic.markdown):
            sentence = _("Kept the existing text of the topic “{name}”.")
            folder_import.result.leave_out(sentence.format(name=topic.name))
        return
    aliases = find_aliases(folder_import.tx, [topic.id or 0]).get(topic.id or 0, [])
    parent = folder_import.tx.get(Topic, topic.parent_id) if topic.parent_id else None
    edit = TopicUpdate(name=topic.name, aliases=list(aliases), parent=parent.slug if parent else None, markdown=text)
    edit_topic(folder_import.tx, folder_import.me, topic.slug, edit, version=topic.version)


def _import_link(folder_import: FolderImport, name: str, link: NoteLink) -> None:
    topic = _get_topic(folder_import, name)
    query = sa.select(col(TopicLink.id)).where(col(TopicLink.topic_id) == topic.id, col(TopicLink.url) == link.url)
    if folder_import.tx.scalar(query.limit(1)) is None:
        kind = link.kind if link.kind in KINDS else None
        add_link(
            folder_import.tx,
            folder_import.me,
            topic.slug,
            TopicLinkFields.model_validate({**link._asdict(), "kind": kind}),
        )


def _file_papers(folder_import: FolderImport, name: str, files: Sequence[str]) -> None:
    topic_id = folder_import.folder.topic_ids[name]
    ids = {folder_import.folder.paper_ids[file]: None for file in files}
    query = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == topic_id)
    filed_ids = {*folder_import.tx.scalars(query.where(col(PaperTopic.paper_id).in_(ids)))}
    for paper_id in ids.keys() - filed_ids:
        with folder_import.part(name):
            link_topic(folder_import.tx, folder_import.me, paper_id, topic_id)


def _import_table(folder_import: FolderImport, name: str, table: FolderTable) -> None:
    """Import the table unless the topic has a table of the same title."""
    topic = _get_topic(folder_import, name)
    query = sa.select(col(Comparison.id)).where(col(Comparison.topic_id) == topic.id)
    if folder_import.tx.scalar(query.where(col(Comparison.title) == table.title).limit(1)) is None:
        folder_import.require_quota("comparison.added")
        make_comparison(folder_import.tx, folder_import.me, topic, _to_comparison(folder_import, table))
        folder_import.result.tables += 1


def _to_comparison(folder_import: FolderImport, table: FolderTable) -> ComparisonFields:
    """Convert the table, at most one row beyond the limit, which is enough for a rejection."""
    rows = [
        ComparisonRowFields(cells=list(cells), paper=folder_import.folder.paper_ids.get(paper))
        for cells, paper in table.rows[: MAX_ROWS + 1]
    ]
    scale = [ScaleSign(sign=sign, meaning=meaning) for sign, meaning in table.scale[: MAX_SIGNS + 1]]
    return ComparisonFields(title=table.title, columns=list(table.columns), rows=rows, scale=scale)


def _import_order(folder_import: FolderImport, name: str) -> None:
    topic, note = _get_topic(folder_import, name), folder_import.folder.topics[name]
    filed_ids = {
        *folder_import.tx.scalars(sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == topic.id))
    }
    ordered_ids = [
        folder_import.folder.paper_ids[file] for file in note.order if file in folder_import.folder.paper_ids
    ]
    append_papers(folder_import.tx, topic, [paper_id for paper_id in ordered_ids if paper_id in filed_ids])
