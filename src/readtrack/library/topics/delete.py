"""Deletion of unused topics and removal of papers from topics; both can be undone for thirty days."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.i18n import ngettext
from readtrack.infra.models import (
    Comment,
    Comparison,
    Entry,
    Lead,
    Paper,
    PaperTopic,
    Question,
    Topic,
    TopicAlias,
    TopicLink,
)
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references.index import delete_topic_references, list_topic_references
from readtrack.library.topics import links, queries
from readtrack.library.topics.commands import get_topic_for_deletion, link_topic, topic_event_data, unlink_topic


def delete_topic(tx: Write, me: CurrentUser, slug: str) -> int:
    """Delete a topic without papers and discussion; return the id of the undo entry.

    Raise Conflict if it is used.
    """
    permissions.require(me, "delete")
    return delete_locked_topic(tx, me, get_topic_for_deletion(tx, slug))


def delete_locked_topic(tx: Write, me: CurrentUser, topic: Topic) -> int:
    """Delete a locked topic without a permission check; return the undo entry's id.

    Raise Conflict if it is used.
    """
    _require_unused(tx, topic)
    events.record_event(
        tx, me, "topic.deleted", data={"slug": topic.slug, "name": topic.name}, before=topic_event_data(topic)
    )
    undo_id = undo_log.record_undo_entry(tx, me, "topic.deleted", _build_undo_data(tx, topic))
    tx.execute(sa.update(Entry).where(col(Entry.topic_id) == topic.id).values(topic_id=None))
    tx.execute(sa.update(Lead).where(col(Lead.topic_id) == topic.id).values(topic_id=None))
    tx.execute(sa.delete(TopicAlias).where(col(TopicAlias.topic_id) == topic.id))
    tx.execute(sa.delete(TopicLink).where(col(TopicLink.topic_id) == topic.id))
    delete_topic_references(tx, topic.id or 0)
    tx.delete(topic)
    tx.flush()
    return undo_id


def _build_undo_data(tx: Write, topic: Topic) -> dict[str, Any]:
    """Return the data to restore the topic: fields, links, references, and ids of entries and leads."""
    topic_id = topic.id or 0
    parent = sa.select(col(Topic.slug)).where(col(Topic.id) == topic.parent_id)
    entry_ids = tx.scalars(sa.select(col(Entry.id)).where(col(Entry.topic_id) == topic_id)).all()
    aliases = queries.find_aliases(tx, [topic_id]).get(topic_id, [])
    fields = {"name": topic.name, "aliases": list(aliases), "parent": tx.scalar(parent), "markdown": topic.markdown}
    return {
        "title": topic.name,
        "was": topic.slug,
        "add": fields,
        "again": {"id": topic_id, "version": topic.version + 1},
        "entries": entry_ids,
        "leads": list(tx.scalars(sa.select(col(Lead.id)).where(col(Lead.topic_id) == topic_id))),
        "links": links.dump_links(tx, topic_id),
        "references": list_topic_references(tx, topic_id),
    }


def _require_unused(tx: Write, topic: Topic) -> None:
    def count(column: Any) -> int:  # noqa: ANN401 - a mapped column
        return tx.scalar(sa.select(sa.func.count()).where(column == topic.id)) or 0

    papers, subtopics = count(col(PaperTopic.topic_id)), count(col(Topic.parent_id))
    comments, questions = count(col(Comment.topic_id)), count(col(Question.topic_id))
    comparisons = count(col(Comparison.topic_id))
    usages = (
        (papers, ngettext("%(num)s paper", "%(num)s papers", papers)),
        (subtopics, ngettext("%(num)s subtopic", "%(num)s subtopics", subtopics)),
        (comments, ngettext("%(num)s comment", "%(num)s comments", comments)),
        (questions, ngettext("%(num)s question", "%(num)s questions", questions)),
        (comparisons, ngettext("%(num)s comparison", "%(num)s comparisons", comparisons)),
    )
    if any(number for number, _text in usages):
        usage = _(", ").join(text % {"num": number} for number, text in usages if number)
        message = _(
            "“{name}” is in use: {told} (including deleted ones). Merge it into another topic or move these first."
        ).format(name=topic.name, told=usage)
        raise Conflict(message, code="topic-in-use")


def remove_from_topic(tx: Write, me: CurrentUser, paper_id: int, slug: str) -> int | None:
    """Remove a paper from a topic and return the undo entry's id; None if it was not in it."""
    link = unlink_topic(tx, me, paper_id, slug)
    if link is None:
        return None
    undo_data = {
        "paper": paper_id,
        "slug": slug,
        "by": link.added_by,
        "at": link.added_at.isoformat(),
        "place": link.position,
    }
    title = tx.scalar(sa.select(col(Paper.title)).where(col(Paper.id) == paper_id))
    name = tx.scalar(sa.select(col(Topic.name)).where(col(Topic.id) == link.topic_id))
    return undo_log.record_undo_entry(tx, me, "topic.unlinked", {"title": f"{name}: {title}", **undo_data})


def restore_to_topic(tx: Write, me: CurrentUser, undo_data: Mapping[str, Any]) -> int:
    """Restore a removed assignment and return the paper's id.

    Raise NotFound, or Conflict if the topic is gone or the paper was assigned again.
    """
    paper_id, topic_id = (
        undo_data["paper"],
        tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == undo_data["slug"])),
    )
    if topic_id is None:
        raise Conflict(_("The topic no longer exists. Restore it first."))
    if tx.get(PaperTopic, (paper_id, topic_id)) is not None:
        raise Conflict(_("Already added."), code="there-already")
    link_topic(tx, me, paper_id, topic_id)
    tx.flush()
    link = tx.get_one(PaperTopic, (paper_id, topic_id))
    link.added_by, link.added_at = undo_data["by"], datetime.fromisoformat(undo_data["at"])
    link.position = undo_data.get("place")
    return int(paper_id)


def delete_created_topics(tx: Write, me: CurrentUser, topic_ids: Iterable[int]) -> None:
    """Delete topics created for an assignment being undone, unless they were used or changed since."""
    permissions.require(me, "edit")
    for topic_id in topic_ids:
        topic = tx.get(Topic, topic_id, with_for_update=True, populate_existing=True)
        if topic is not None and topic.version == 1:
            delete_topic_if_unused(tx, me, topic)


def delete_topic_if_unused(tx: Write, me: CurrentUser, topic: Topic) -> bool:
    """Delete a topic and return True, unless it is used.

    Papers, subtopics, comments, questions, links and entries count as use.
    """
    usages = (sa.exists().where(owner == topic.id) for owner in (col(Entry.topic_id), col(TopicLink.topic_id)))
    if tx.scalar(sa.select(sa.or_(*usages))):
        return False
    try:
        delete_locked_topic(tx, me, topic)
    except Conflict:
        return False
    return True
