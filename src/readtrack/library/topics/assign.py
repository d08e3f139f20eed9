"""Removal of papers from topics with undo, and cleanup of topics created for an undone assignment."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions, undo_log
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Entry, Paper, PaperTopic, Topic, TopicLink
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics.commands import link_topic, unlink_topic
from readtrack.library.topics.delete import delete_locked_topic


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
        raise Conflict(_("This topic is gone by now. Nothing was changed; file the paper under another one."))
    if tx.get(PaperTopic, (paper_id, topic_id)) is not None:
        raise Conflict(_("Somebody filed it there again meanwhile. Nothing was changed."), code="there-already")
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
