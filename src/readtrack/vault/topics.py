"""The topics of a folder become topics here."""

from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from readtrack.db import Write
from readtrack.languages import gettext as _
from readtrack.models import PaperTopic, Topic, TopicLink
from readtrack.policy import Visitor
from readtrack.topics.commands import TopicAdd, TopicEdit, add_aliases, add_topic, edit_topic
from readtrack.topics.links import WORDS as KINDS
from readtrack.topics.links import LinkAdd, add_link
from readtrack.topics.queries import aliases_of, find_id
from readtrack.topics.reading_order import append
from readtrack.vault.form import Site, TopicNote

if TYPE_CHECKING:
    from readtrack.vault.commands import Brought, Folder


def bring(tx: Write, me: Visitor, folder: "Folder", name: str, brought: "Brought") -> None:
    """The topic of that note: the one that has its name, or a new one under its parent. Its further names are added."""
    note = folder.topics[name]
    known = find_id(tx, note.name)
    if known is None:
        above = folder.topic_ids.get(note.parent)
        parent = tx.get_one(Topic, above).slug if above else None
        known = add_topic(tx, me, TopicAdd(name=note.name, parent=parent)).id or 0
        brought.topics_added += 1
    else:
        brought.topics_known += 1
    folder.topic_ids[name] = known
    for taken in add_aliases(tx, me, known, note.aliases):
        sentence = _("“{alias}” is a name of the topic “{name}” here, and stays so.")
        brought.leave_out(sentence.format(alias=taken.alias, name=taken.name))


def say(tx: Write, me: Visitor, folder: "Folder", name: str, brought: "Brought") -> None:
    """Its text, when there is none here; its links, and the order in which its papers are read."""
    note = folder.topics[name]
    topic = tx.get_one(Topic, folder.topic_ids[name])
    text = folder.inward(note.markdown)
    if text and not topic.markdown:
        _write(tx, me, topic, text)
    elif text and text != topic.markdown:
        brought.leave_out(_("The topic “{name}” has another text here, which stays.").format(name=topic.name))
    here = {*tx.scalars(sa.select(col(TopicLink.url)).where(col(TopicLink.topic_id) == topic.id))}
    for link in note.links:
        if link.url not in here:
            add_link(tx, me, topic.slug, _link(link))
    _order(tx, folder, note, topic)


def _write(tx: Write, me: Visitor, topic: Topic, text: str) -> None:
    aliases = aliases_of(tx, [topic.id or 0]).get(topic.id or 0, [])
    parent = tx.get(Topic, topic.parent_id) if topic.parent_id else None
    edit = TopicEdit(name=topic.name, aliases=list(aliases), parent=parent.slug if parent else None, markdown=text)
    edit_topic(tx, me, topic.slug, edit, version=topic.version)


def _link(link: Site) -> LinkAdd:
    return LinkAdd.model_validate({**link._asdict(), "kind": link.kind if link.kind in KINDS else None})


def _order(tx: Write, folder: "Folder", note: TopicNote, topic: Topic) -> None:
    filed = {*tx.scalars(sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == topic.id))}
    wanted = [folder.paper_ids[file] for file in note.order if file in folder.paper_ids]
    append(tx, topic, [paper_id for paper_id in wanted if paper_id in filed])
