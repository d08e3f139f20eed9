"""Import of a folder's topics."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comparison, PaperTopic, Topic, TopicLink
from readtrack.ingest.markdown_folder.front_matter import FolderTable, NoteLink
from readtrack.ingest.markdown_folder.import_result import FolderImport, ImportStep, MarkdownFolder, is_same_text
from readtrack.library.comparisons.commands import make_comparison
from readtrack.library.comparisons.parse_table import MOST_ROWS
from readtrack.library.comparisons.scale import MOST_SIGNS
from readtrack.library.comparisons.schemas import ComparisonFields, ComparisonRowFields, ScaleSign
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


def _import_topic(to: FolderImport, name: str) -> None:
    """Find the topic of that note by name, or add it under its parent. Add its aliases."""
    note = to.folder.topics[name]
    known = find_id(to.tx, TopicCreate(name=note.name).name)
    above = to.folder.topic_ids.get(note.parent)
    if known is None:
        to.require_quota("topic.added")
    number = known or find_or_add_topic(to.tx, to.me, note.name, parent_id=above)
    taken = add_aliases(to.tx, to.me, number, note.aliases)
    for alias, called in ((one.alias, one.name) for one in taken):
        sentence = _("“{alias}” is a name of the topic “{name}” here, and stays so.")
        to.brought.leave_out(sentence.format(alias=alias, name=called))
    to.report_unplaced_text(name, note)
    to.folder.topic_ids[name] = number
    to.brought.topics_known += known is not None
    to.brought.topics_added += known is None


def _get_topic(to: FolderImport, name: str) -> Topic:
    return to.tx.get_one(Topic, to.folder.topic_ids[name])


def _import_text(to: FolderImport, name: str) -> None:
    topic, text = _get_topic(to, name), to.folder.topics[name].markdown
    if topic.markdown:
        if not is_same_text(text, topic.markdown):
            sentence = _("The topic “{name}” has another text here, which stays.")
            to.brought.leave_out(sentence.format(name=topic.name))
        return
    aliases = find_aliases(to.tx, [topic.id or 0]).get(topic.id or 0, [])
    parent = to.tx.get(Topic, topic.parent_id) if topic.parent_id else None
    edit = TopicUpdate(name=topic.name, aliases=list(aliases), parent=parent.slug if parent else None, markdown=text)
    edit_topic(to.tx, to.me, topic.slug, edit, version=topic.version)


def _import_link(to: FolderImport, name: str, link: NoteLink) -> None:
    topic = _get_topic(to, name)
    here = sa.select(col(TopicLink.id)).where(col(TopicLink.topic_id) == topic.id, col(TopicLink.url) == link.url)
    if to.tx.scalar(here.limit(1)) is None:
        kind = link.kind if link.kind in KINDS else None
        add_link(to.tx, to.me, topic.slug, TopicLinkFields.model_validate({**link._asdict(), "kind": kind}))


def _file_papers(to: FolderImport, name: str, files: Sequence[str]) -> None:
    topic_id = to.folder.topic_ids[name]
    ids = {to.folder.paper_ids[file]: None for file in files}
    here = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == topic_id)
    filed = {*to.tx.scalars(here.where(col(PaperTopic.paper_id).in_(ids)))}
    for paper_id in ids.keys() - filed:
        with to.part(name):
            link_topic(to.tx, to.me, paper_id, topic_id)


def _import_table(to: FolderImport, name: str, table: FolderTable) -> None:
    """Import the table unless the topic has a table of the same title."""
    topic = _get_topic(to, name)
    here = sa.select(col(Comparison.id)).where(col(Comparison.topic_id) == topic.id)
    if to.tx.scalar(here.where(col(Comparison.title) == table.title).limit(1)) is None:
        to.require_quota("comparison.added")
        make_comparison(to.tx, to.me, topic, _to_comparison(to, table))
        to.brought.tables += 1


def _to_comparison(to: FolderImport, table: FolderTable) -> ComparisonFields:
    """Convert the table, at most one row beyond the limit, which is enough for a rejection."""
    rows = [
        ComparisonRowFields(cells=list(cells), paper=to.folder.paper_ids.get(paper))
        for cells, paper in table.rows[: MOST_ROWS + 1]
    ]
    scale = [ScaleSign(sign=sign, meaning=meaning) for sign, meaning in table.scale[: MOST_SIGNS + 1]]
    return ComparisonFields(title=table.title, columns=list(table.columns), rows=rows, scale=scale)


def _import_order(to: FolderImport, name: str) -> None:
    topic, note = _get_topic(to, name), to.folder.topics[name]
    filed = {*to.tx.scalars(sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == topic.id))}
    wanted = [to.folder.paper_ids[file] for file in note.order if file in to.folder.paper_ids]
    append_papers(to.tx, topic, [paper_id for paper_id in wanted if paper_id in filed])
