"""Deletion of unused topics; they can be restored for thirty days."""

from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comment, Comparison, Entry, Lead, PaperTopic, Question, Topic, TopicAlias, TopicLink
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references.index import delete_topic_references, list_topic_references
from readtrack.library.topics import links, queries
from readtrack.library.topics.commands import get_topic_for_deletion, topic_event_data


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
    columns = {
        _("{number} papers"): col(PaperTopic.topic_id),
        _("{number} topics below it"): col(Topic.parent_id),
        _("{number} comments"): col(Comment.topic_id),
        _("{number} questions"): col(Question.topic_id),
        _("{number} comparisons"): col(Comparison.topic_id),
    }
    counts = {
        template: tx.scalar(sa.select(sa.func.count()).where(column == topic.id)) or 0
        for template, column in columns.items()
    }
    if any(counts.values()):
        usage = _(", ").join(template.format(number=number) for template, number in counts.items() if number)
        message = _(
            "“{name}” has {told} (deleted ones included). Nothing was changed: merge it into another topic, "
            "or move them first."
        ).format(name=topic.name, told=usage)
        raise Conflict(message, code="topic-in-use")
