"""Undoing of a topic merge: what the merged topic brought moves back, what was added since stays."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    Comment,
    Comparison,
    Entry,
    Lead,
    Notification,
    PaperTopic,
    Question,
    TextReference,
    Topic,
    TopicAlias,
    TopicLink,
)
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.saved_texts import text_saved
from readtrack.infra.text import normalize
from readtrack.library.references.index import latest_reference_id, move_references
from readtrack.library.topics import queries
from readtrack.library.topics.commands import free_slug, list_topic_paper_ids, require_free_names, save_version
from readtrack.library.topics.reading_order import find_positions, set_positions
from readtrack.reading.drafts.commands import DraftSubject, list_draft_ids, reassign_drafts

MOVED: Mapping[str, Any] = {  # Rows that a merge moves by id, with the column of their topic.
    "below": col(Topic.parent_id),
    "comments": col(Comment.topic_id),
    "questions": col(Question.topic_id),
    "notices": col(Notification.topic_id),
    "entries": col(Entry.topic_id),
    "links": col(TopicLink.topic_id),
    "comparisons": col(Comparison.topic_id),
    "references": col(TextReference.topic_id),
    "leads": col(Lead.topic_id),
}


def build_undo_data(tx: Write, merged_topic: Topic, survivor: Topic) -> dict[str, Any]:
    """Return the data to undo the merge. Call this before anything is moved.

    `under`: the other topic's parent if it was below this topic, or "it" if that was this topic.
    """
    moved_ids = {name: _ids(tx, owner, merged_topic.id) for name, owner in MOVED.items()}
    papers, survivor_papers = list_topic_paper_ids(tx, merged_topic), {*list_topic_paper_ids(tx, survivor)}
    shared_papers = [paper_id for paper_id in papers if paper_id in survivor_papers]
    row = merged_topic.model_dump(mode="json")
    name_keys = tx.scalars(sa.select(col(TopicAlias.alias_key)).where(col(TopicAlias.topic_id) == merged_topic.id))
    # Then the merge moves it up.
    is_below = merged_topic.id in {ancestor.id for ancestor in queries.list_ancestors(tx, survivor.id)}
    order, survivor_positions = find_positions(tx, merged_topic), find_positions(tx, survivor)
    survivor_state = {"kept": survivor.id, "text": survivor.markdown, "version": survivor.version + 1}
    return {
        "title": merged_topic.name,
        "was": merged_topic.slug,
        "row": row,
        "names": sorted(name_keys),
        "papers": papers,
        "shared": shared_papers,
        "order": list(order.items()),
        "unplaced": [paper_id for paper_id in shared_papers if paper_id not in survivor_positions],
        **moved_ids,
        **survivor_state,
        "newest_reference": latest_reference_id(tx),
        "drafts": list_draft_ids(tx, DraftSubject("topic", merged_topic.id or 0)),
        "under": ["it" if survivor.parent_id == merged_topic.id else survivor.parent_id] if is_below else [],
    }


def unmerge_topic(tx: Write, me: CurrentUser, undo_data: Mapping[str, Any]) -> Topic:
    """Undo a merge and return the restored topic.

    Raise Conflict if the other topic is gone or the name is taken.
    """
    permissions.require(me, "delete")
    survivor = tx.get(Topic, undo_data["kept"], with_for_update=True, populate_existing=True)
    if survivor is None:
        message = _("The topic no longer exists. Restore it first.")
        raise Conflict(message, code="merged-away")
    row = {**undo_data["row"], "slug": free_slug(tx, undo_data["title"]), "parent_id": None}
    topic = Topic.model_validate({**row, "version": undo_data["row"]["version"] + 1})
    tx.add(topic)
    tx.flush()
    _restore_names(tx, undo_data, topic, survivor)
    _move_back(tx, undo_data, topic, survivor)
    _restore_parents(tx, undo_data, topic, survivor)
    if survivor.version == undo_data["version"]:
        survivor.markdown = undo_data["text"]
    survivor.version, survivor.updated_at = survivor.version + 1, now()
    topic.updated_at = now()
    for changed in (survivor, topic):
        save_version(tx, me, changed)
    events.record_event(tx, me, "topic.parted", data={"slug": topic.slug, "name": topic.name, "from": survivor.slug})
    tx.flush()
    search.update_papers(tx, {*list_topic_paper_ids(tx, survivor), *list_topic_paper_ids(tx, topic)})
    text_saved(tx, "topic", [survivor.id or 0, topic.id or 0])
    return topic


def _restore_names(tx: Write, undo_data: Mapping[str, Any], topic: Topic, survivor: Topic) -> None:
    """Restore the name and the aliases the other topic still has.

    Raise Conflict if the name is taken.
    """
    statement = sa.update(TopicAlias).where(
        col(TopicAlias.topic_id) == survivor.id, sa.not_(col(TopicAlias.is_canonical))
    )
    tx.bulk_execute(statement.where(col(TopicAlias.alias_key).in_(undo_data["names"])).values(topic_id=topic.id))
    require_free_names(tx, [topic.name], topic.id)
    key = normalize.key(topic.name)
    tx.bulk_execute(sa.delete(TopicAlias).where(col(TopicAlias.alias_key) == key))
    tx.add(TopicAlias(topic_id=topic.id or 0, alias=topic.name, alias_key=key, is_canonical=True))
    tx.flush()


def _restore_parents(tx: Write, undo_data: Mapping[str, Any], topic: Topic, survivor: Topic) -> None:
    """Restore the parents of both topics; the other one only if it was not moved since."""
    old_parent_id = undo_data["row"]["parent_id"]
    set_parent(tx, topic, old_parent_id)
    for parent_id in undo_data["under"]:
        if survivor.parent_id == old_parent_id:
            set_parent(tx, survivor, topic.id if parent_id == "it" else parent_id)


def set_parent(tx: Write, topic: Topic, parent_id: int | None) -> None:
    """Set the parent, unless it is gone or below the topic by now."""
    ancestor_ids = {ancestor.id for ancestor in queries.list_ancestors(tx, parent_id)}
    if ancestor_ids and topic.id not in ancestor_ids:
        topic.parent_id = parent_id
        tx.flush()


def _move_back(tx: Write, undo_data: Mapping[str, Any], topic: Topic, survivor: Topic) -> None:
    """Move back what the other topic still has; what was moved elsewhere since stays there."""
    for name, owner in MOVED.items():
        statement = sa.update(owner.class_).where(owner == survivor.id, owner.class_.id.in_(undo_data.get(name, [])))
        tx.bulk_execute(statement.values({owner.key: topic.id}))
    names = [topic.name, *queries.find_aliases(tx, [topic.id or 0]).get(topic.id or 0, ())]
    # Older references were moved by id above.
    newest_reference = undo_data.get("newest_reference", latest_reference_id(tx))
    move_references(tx, names, from_topic_id=survivor.id or 0, to_topic_id=topic.id or 0, after_id=newest_reference)
    reassign_drafts(tx, undo_data.get("drafts", ()), DraftSubject("topic", survivor.id or 0), to_id=topic.id or 0)
    paper_query = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == survivor.id)
    remaining_ids = {*tx.scalars(paper_query.where(col(PaperTopic.paper_id).in_(undo_data["papers"])))}
    unshared_ids = remaining_ids - {*undo_data["shared"]}
    papers = sa.update(PaperTopic).where(
        col(PaperTopic.topic_id) == survivor.id, col(PaperTopic.paper_id).in_(unshared_ids)
    )
    tx.bulk_execute(papers.values(topic_id=topic.id))
    for paper_id in sorted(remaining_ids & {*undo_data["shared"]}):
        tx.add(PaperTopic(paper_id=paper_id, topic_id=topic.id or 0))
    tx.flush()
    order = dict(undo_data.get("order", []))
    set_positions(tx, topic, {paper_id: order.get(paper_id) for paper_id in remaining_ids})
    set_positions(tx, survivor, dict.fromkeys(undo_data.get("unplaced", [])))


def _ids(tx: Write, owner: Any, topic_id: int | None) -> list[int]:  # noqa: ANN401 - a column
    return list(tx.scalars(sa.select(owner.class_.id).where(owner == topic_id).order_by(owner.class_.id)))
