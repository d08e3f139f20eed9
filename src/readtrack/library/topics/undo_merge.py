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
from readtrack.library.topics.commands import free_slug, list_topic_paper_ids, require_free_names
from readtrack.library.topics.reading_order import find_positions, set_positions
from readtrack.library.topics.versions.store import save_version
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.reading.drafts.reassign import list_draft_ids, reassign_drafts

MOVED: Mapping[str, Any] = {  # what a merge moved by its ids: the column that says to which topic it belongs
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


def build_undo_data(tx: Write, gone: Topic, kept: Topic) -> dict[str, Any]:
    """Return the data to undo the merge. Call this before anything is moved.

    `under`: the other topic's parent if it was below this topic, or "it" if that was this topic.
    """
    mine = {name: _ids(tx, owner, gone.id) for name, owner in MOVED.items()}
    papers, there = list_topic_paper_ids(tx, gone), {*list_topic_paper_ids(tx, kept)}
    shared = [paper_id for paper_id in papers if paper_id in there]
    row = gone.model_dump(mode="json")
    called = tx.scalars(sa.select(col(TopicAlias.alias_key)).where(col(TopicAlias.topic_id) == gone.id))
    lower = gone.id in {above.id for above in queries.list_ancestors(tx, kept.id)}  # then the merge moves it up
    order, there_in_order = find_positions(tx, gone), find_positions(tx, kept)
    before = {"kept": kept.id, "text": kept.markdown, "version": kept.version + 1}
    return {
        "title": gone.name,
        "was": gone.slug,
        "row": row,
        "names": sorted(called),
        "papers": papers,
        "shared": shared,
        "order": list(order.items()),
        "unplaced": [paper_id for paper_id in shared if paper_id not in there_in_order],
        **mine,
        **before,
        "newest_reference": latest_reference_id(tx),
        "drafts": list_draft_ids(tx, DraftSubject("topic", gone.id or 0)),
        "under": ["it" if kept.parent_id == gone.id else kept.parent_id] if lower else [],
    }


def unmerge_topic(tx: Write, me: CurrentUser, merged: Mapping[str, Any]) -> Topic:
    """Undo a merge and return the restored topic.

    Raise Conflict if the other topic is gone or the name is taken.
    """
    permissions.require(me, "delete")
    kept = tx.get(Topic, merged["kept"], with_for_update=True, populate_existing=True)
    if kept is None:
        message = _("The topic that it was merged into is gone. Nothing was changed; bring that one back first.")
        raise Conflict(message, code="merged-away")
    row = {**merged["row"], "slug": free_slug(tx, merged["title"]), "parent_id": None}
    topic = Topic.model_validate({**row, "version": merged["row"]["version"] + 1})
    tx.add(topic)
    tx.flush()
    _restore_names(tx, merged, topic, kept)
    _move_back(tx, merged, topic, kept)
    _restore_parents(tx, merged, topic, kept)
    if kept.version == merged["version"]:
        kept.markdown = merged["text"]
    kept.version, kept.updated_at = kept.version + 1, now()
    topic.updated_at = now()
    for one in (kept, topic):
        save_version(tx, me, one)
    events.record_event(tx, me, "topic.parted", data={"slug": topic.slug, "name": topic.name, "from": kept.slug})
    tx.flush()
    search.update_papers(tx, {*list_topic_paper_ids(tx, kept), *list_topic_paper_ids(tx, topic)})
    text_saved(tx, "topic", [kept.id or 0, topic.id or 0])
    return topic


def _restore_names(tx: Write, merged: Mapping[str, Any], topic: Topic, kept: Topic) -> None:
    """Restore the name and the aliases the other topic still has.

    Raise Conflict if the name is taken.
    """
    theirs = sa.update(TopicAlias).where(col(TopicAlias.topic_id) == kept.id, sa.not_(col(TopicAlias.is_canonical)))
    tx.bulk_execute(theirs.where(col(TopicAlias.alias_key).in_(merged["names"])).values(topic_id=topic.id))
    require_free_names(tx, [topic.name], topic.id)
    key = normalize.key(topic.name)
    tx.bulk_execute(sa.delete(TopicAlias).where(col(TopicAlias.alias_key) == key))
    tx.add(TopicAlias(topic_id=topic.id or 0, alias=topic.name, alias_key=key, is_canonical=True))
    tx.flush()


def _restore_parents(tx: Write, merged: Mapping[str, Any], topic: Topic, kept: Topic) -> None:
    """Restore the parents of both topics; the other one only if it was not moved since."""
    was = merged["row"]["parent_id"]
    set_parent(tx, topic, was)
    for above in merged["under"]:
        if kept.parent_id == was:
            set_parent(tx, kept, topic.id if above == "it" else above)


def set_parent(tx: Write, topic: Topic, parent_id: int | None) -> None:
    """Set the parent, unless it is gone or below the topic by now."""
    line = {above.id for above in queries.list_ancestors(tx, parent_id)}
    if line and topic.id not in line:
        topic.parent_id = parent_id
        tx.flush()


def _move_back(tx: Write, merged: Mapping[str, Any], topic: Topic, kept: Topic) -> None:
    """Move back what the other topic still has; what was moved elsewhere since stays there."""
    for name, owner in MOVED.items():
        theirs = sa.update(owner.class_).where(owner == kept.id, owner.class_.id.in_(merged.get(name, [])))
        tx.bulk_execute(theirs.values({owner.key: topic.id}))
    called = [topic.name, *queries.find_aliases(tx, [topic.id or 0]).get(topic.id or 0, ())]
    since = merged.get("newest_reference", latest_reference_id(tx))  # older references were moved by id above
    move_references(tx, called, was=kept.id or 0, to=topic.id or 0, since=since)
    reassign_drafts(tx, merged.get("drafts", ()), DraftSubject("topic", kept.id or 0), to=topic.id or 0)
    there = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == kept.id)
    still = {*tx.scalars(there.where(col(PaperTopic.paper_id).in_(merged["papers"])))}
    alone = still - {*merged["shared"]}
    papers = sa.update(PaperTopic).where(col(PaperTopic.topic_id) == kept.id, col(PaperTopic.paper_id).in_(alone))
    tx.bulk_execute(papers.values(topic_id=topic.id))
    for paper_id in sorted(still & {*merged["shared"]}):
        tx.add(PaperTopic(paper_id=paper_id, topic_id=topic.id or 0))
    tx.flush()
    order = dict(merged.get("order", []))
    set_positions(tx, topic, {paper_id: order.get(paper_id) for paper_id in still})
    set_positions(tx, kept, dict.fromkeys(merged.get("unplaced", [])))


def _ids(tx: Write, owner: Any, topic_id: int | None) -> list[int]:  # noqa: ANN401 - a column
    return list(tx.scalars(sa.select(owner.class_.id).where(owner == topic_id).order_by(owner.class_.id)))
