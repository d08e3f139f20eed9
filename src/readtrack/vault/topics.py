"""The topics of a folder become topics here."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.comparisons.commands import make_comparison
from readtrack.comparisons.inputs import ComparisonIn, RowIn, SignIn
from readtrack.languages import gettext as _
from readtrack.models import Comparison, PaperTopic, Topic, TopicLink
from readtrack.topics.commands import TopicAdd, TopicEdit, add_aliases, edit_topic, find_or_add_topic, link_topic
from readtrack.topics.links import WORDS as KINDS
from readtrack.topics.links import LinkAdd, add_link
from readtrack.topics.queries import aliases_of, find_id
from readtrack.topics.reading_order import append
from readtrack.vault.bringing import Bringing, same
from readtrack.vault.form import Site, Table, TopicNote


def bring(to: Bringing, name: str) -> None:
    """The topic of that note: the one that has its name, or a new one under its parent. Its further names are added."""
    note = to.folder.topics[name]
    known = find_id(to.tx, TopicAdd(name=note.name).name)
    above = to.folder.topic_ids.get(note.parent)
    number = known or find_or_add_topic(to.tx, to.me, note.name, parent_id=above)
    taken = add_aliases(to.tx, to.me, number, note.aliases)
    for alias, called in ((one.alias, one.name) for one in taken):
        sentence = _("“{alias}” is a name of the topic “{name}” here, and stays so.")
        to.brought.leave_out(sentence.format(alias=alias, name=called))
    to.leave_loose(name, note)
    to.folder.topic_ids[name] = number
    to.brought.topics_known += known is not None
    to.brought.topics_added += known is None


def say(to: Bringing, name: str) -> None:
    """Its text, when there is none here; its links, its papers, its tables, and the order in which they are read."""
    note, topic = to.folder.topics[name], to.tx.get_one(Topic, to.folder.topic_ids[name])
    if note.markdown and not topic.markdown:
        with to.part(name):
            _write(to, topic, note.markdown)
    elif note.markdown and not same(note.markdown, topic.markdown):
        sentence = _("The topic “{name}” has another text here, which stays.")
        to.brought.leave_out(sentence.format(name=topic.name))
    here = {*to.tx.scalars(sa.select(col(TopicLink.url)).where(col(TopicLink.topic_id) == topic.id))}
    for link in note.links:
        if link.url not in here:
            with to.part(name):
                add_link(to.tx, to.me, topic.slug, _link(link))
    for file in note.papers:
        if file in to.folder.paper_ids:
            link_topic(to.tx, to.me, to.folder.paper_ids[file], topic.slug)
    _compare(to, name, note, topic)
    _order(to, note, topic)


def _write(to: Bringing, topic: Topic, text: str) -> None:
    aliases = aliases_of(to.tx, [topic.id or 0]).get(topic.id or 0, [])
    parent = to.tx.get(Topic, topic.parent_id) if topic.parent_id else None
    edit = TopicEdit(name=topic.name, aliases=list(aliases), parent=parent.slug if parent else None, markdown=text)
    edit_topic(to.tx, to.me, topic.slug, edit, version=topic.version)


def _link(link: Site) -> LinkAdd:
    return LinkAdd.model_validate({**link._asdict(), "kind": link.kind if link.kind in KINDS else None})


def _compare(to: Bringing, name: str, note: TopicNote, topic: Topic) -> None:
    """Its tables, but for those that have a title that one has here."""
    here = {*to.tx.scalars(sa.select(col(Comparison.title)).where(col(Comparison.topic_id) == topic.id))}
    for table in note.tables:
        if table.title not in here:
            with to.part(name):
                make_comparison(to.tx, to.me, topic, _table(to, table))
                to.brought.tables += 1


def _table(to: Bringing, table: Table) -> ComparisonIn:
    rows = [RowIn(cells=list(cells), paper=to.folder.paper_ids.get(paper)) for cells, paper in table.rows]
    scale = [SignIn(sign=sign, meaning=meaning) for sign, meaning in table.scale]
    return ComparisonIn(title=table.title, columns=list(table.columns), rows=rows, scale=scale)


def _order(to: Bringing, note: TopicNote, topic: Topic) -> None:
    filed = {*to.tx.scalars(sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == topic.id))}
    wanted = [to.folder.paper_ids[file] for file in note.order if file in to.folder.paper_ids]
    append(to.tx, topic, [paper_id for paper_id in wanted if paper_id in filed])
