"""Takes a topic out of the one that it was merged into: what it brought goes back, what came since stays there."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events, policy, search
from readtrack.clock import now
from readtrack.db import Write
from readtrack.errors import Conflict
from readtrack.languages import gettext as _
from readtrack.models import Comment, Entry, Notice, PaperTopic, Question, Topic, TopicAlias
from readtrack.policy import Visitor
from readtrack.topics.commands import filed_under, free_slug

MOVED: Mapping[str, Any] = {  # what a merge moved by its ids: the column that says to which topic it belongs
    "aliases": col(TopicAlias.topic_id),
    "below": col(Topic.parent_id),
    "comments": col(Comment.topic_id),
    "questions": col(Question.topic_id),
    "notices": col(Notice.topic_id),
    "entries": col(Entry.topic_id),
}


def brought(tx: Write, gone: Topic, kept: Topic) -> dict[str, Any]:
    """What it takes to part them again; asked before anything is moved."""
    mine = {name: _ids(tx, owner, gone.id) for name, owner in MOVED.items()}
    papers, there = filed_under(tx, gone), {*filed_under(tx, kept)}
    shared = [paper_id for paper_id in papers if paper_id in there]
    row = gone.model_dump(mode="json", exclude={"id"})
    before = {"kept": kept.id, "text": kept.markdown, "version": kept.version + 1}
    return {"title": gone.name, "was": gone.slug, "row": row, "papers": papers, "shared": shared, **mine, **before}


def part_topics(tx: Write, me: Visitor, merged: Mapping[str, Any]) -> Topic:
    """The topic that is back. Raises Conflict when the other one is gone, or has another's name by now."""
    policy.require(me, "delete")
    kept = tx.get(Topic, merged["kept"], with_for_update=True, populate_existing=True)
    if kept is None:
        message = _("The topic that it was merged into is gone. Nothing was changed; bring that one back first.")
        raise Conflict(message, code="merged-away")
    topic = Topic.model_validate({**merged["row"], "slug": free_slug(tx, merged["title"])})
    topic.parent_id = topic.parent_id if topic.parent_id and tx.get(Topic, topic.parent_id) else None
    topic.version += 1
    tx.add(topic)
    tx.flush()
    _move_back(tx, merged, topic, kept)
    if kept.version == merged["version"]:
        kept.markdown = merged["text"]
    kept.version, kept.updated_at = kept.version + 1, now()
    events.record(tx, me, "topic.parted", data={"slug": topic.slug, "name": topic.name, "from": kept.slug})
    tx.flush()
    search.update_papers(tx, {*filed_under(tx, kept), *filed_under(tx, topic)})
    return topic


def _move_back(tx: Write, merged: Mapping[str, Any], topic: Topic, kept: Topic) -> None:
    """What is with the other one still; what somebody moved elsewhere since stays there."""
    for name, owner in MOVED.items():
        theirs = sa.update(owner.class_).where(owner == kept.id, owner.class_.id.in_(merged[name]))
        _run(tx, theirs.values({owner.key: topic.id}))
    own = sa.update(TopicAlias).where(col(TopicAlias.topic_id) == topic.id, col(TopicAlias.alias) == topic.name)
    _run(tx, own.values(own=True))
    there = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == kept.id)
    still = {*tx.scalars(there.where(col(PaperTopic.paper_id).in_(merged["papers"])))}
    alone = still - {*merged["shared"]}
    papers = sa.update(PaperTopic).where(col(PaperTopic.topic_id) == kept.id, col(PaperTopic.paper_id).in_(alone))
    _run(tx, papers.values(topic_id=topic.id))
    for paper_id in sorted(still & {*merged["shared"]}):
        tx.add(PaperTopic(paper_id=paper_id, topic_id=topic.id or 0))


def _ids(tx: Write, owner: Any, topic_id: int | None) -> list[int]:  # noqa: ANN401 - a column
    return list(tx.scalars(sa.select(owner.class_.id).where(owner == topic_id).order_by(owner.class_.id)))


def _run(tx: Write, statement: sa.Update) -> None:
    tx.execute(statement.execution_options(synchronize_session=False))
