"""Merging of topics, and its preview: papers, subtopics, names, text, links and discussions move to the other topic."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    Comment,
    Comparison,
    Entry,
    Lead,
    Notification,
    Paper,
    PaperTopic,
    Question,
    ReadMarker,
    TextReference,
    Topic,
    TopicAlias,
    TopicLink,
)
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.infra.saved_texts import text_saved
from readtrack.library.topics import queries
from readtrack.library.topics.commands import (
    MAX_ALIASES,
    get_topic_for_deletion,
    get_topic_for_update,
    list_topic_paper_ids,
    save_version,
)
from readtrack.library.topics.queries import TopicDetail
from readtrack.library.topics.reading_order import append_papers, find_positions
from readtrack.library.topics.undo_merge import build_undo_data
from readtrack.markdown import MAX_BYTES
from readtrack.reading.drafts.commands import DraftSubject, move_drafts

# Rows that move, besides papers, names, subtopics and text.
COUNTED: Mapping[str, Any] = {
    "questions": col(Question.topic_id),
    "comments": col(Comment.topic_id),
    "links": col(TopicLink.topic_id),
    "comparisons": col(Comparison.topic_id),
    "lines": col(Entry.topic_id),
}


def merge_topics(tx: Write, me: CurrentUser, slug: str, into_slug: str) -> tuple[Topic, int]:
    """Merge a topic into another; return that topic and the id of the undo entry.

    The names become aliases. Raise Conflict if text or aliases exceed the limits.
    """
    permissions.require(me, "delete")
    if slug == into_slug:
        message = _("Choose a different topic.")
        raise Invalid(message)
    merged_topic, survivor = get_topic_for_deletion(tx, slug), get_topic_for_update(tx, into_slug)
    text = combine_texts(tx, merged_topic, survivor)
    papers = list_topic_paper_ids(tx, merged_topic)
    undo_id = undo_log.record_undo_entry(tx, me, "topic.merged", build_undo_data(tx, merged_topic, survivor))
    _move_papers(tx, merged_topic, survivor)
    _move_subtopics(tx, merged_topic, survivor)
    _move_discussions(tx, merged_topic, survivor)
    _move_knowledge(tx, merged_topic, survivor)
    move_drafts(tx, DraftSubject("topic", merged_topic.id or 0), survivor.id or 0)
    tx.execute(sa.update(Entry).where(col(Entry.topic_id) == merged_topic.id).values(topic_id=survivor.id))
    tx.execute(
        sa.update(TopicAlias)
        .where(col(TopicAlias.topic_id) == merged_topic.id)
        .values(topic_id=survivor.id, is_canonical=False)
    )
    data = {"slug": slug, "into": into_slug, "name": merged_topic.name}
    old_values = {"markdown": merged_topic.markdown, "papers": papers}
    events.record_event(tx, me, "topic.merged", data=data, before=old_values)
    survivor.markdown, survivor.version, survivor.updated_at = text, survivor.version + 1, now()
    tx.delete(merged_topic)
    save_version(tx, me, survivor)
    search.update_papers(tx, list_topic_paper_ids(tx, survivor))
    text_saved(tx, "topic", [merged_topic.id or 0, survivor.id or 0])
    return survivor, undo_id


def combine_texts(tx: Read, merged_topic: Topic, survivor: Topic) -> str:
    """Return both texts combined. Raise Conflict if texts or aliases exceed the limits of a topic."""
    _refuse_crowd(tx, merged_topic, survivor)
    text = "\n\n".join(markdown for markdown in (survivor.markdown, merged_topic.markdown) if markdown)
    if len(text.encode()) > MAX_BYTES:
        message = _("The text has {count:,} bytes; the maximum is {max_bytes:,}. Shorten or split it.").format(
            count=len(text.encode()), max_bytes=MAX_BYTES
        )
        raise Conflict(message, code="text-too-long")
    return text


def _refuse_crowd(tx: Read, merged_topic: Topic, survivor: Topic) -> None:
    in_either = col(TopicAlias.topic_id).in_([merged_topic.id, survivor.id])
    alias_count = (tx.scalar(sa.select(sa.func.count()).select_from(TopicAlias).where(in_either)) or 0) - 1
    if alias_count > MAX_ALIASES:
        message = _("The topic would have {aliases} aliases; the maximum is {most}. Remove some first.").format(
            aliases=alias_count, most=MAX_ALIASES
        )
        raise Conflict(message, code="too-many-aliases")


def _move_papers(tx: Write, merged_topic: Topic, survivor: Topic) -> None:
    """Move papers; those in a reading order are appended to the other topic's."""
    ordered_ids = list(find_positions(tx, merged_topic))
    survivor_papers = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == survivor.id)
    is_own = col(PaperTopic.topic_id) == merged_topic.id
    tx.execute(sa.delete(PaperTopic).where(is_own, col(PaperTopic.paper_id).in_(survivor_papers)))
    tx.execute(sa.update(PaperTopic).where(is_own).values(topic_id=survivor.id, position=None))
    append_papers(tx, survivor, ordered_ids)


def _move_subtopics(tx: Write, merged_topic: Topic, survivor: Topic) -> None:
    """Move subtopics.

    If the target is one of them, it takes the merged topic's place, to avoid a cycle.
    """
    if merged_topic.id in {row.id for row in queries.list_ancestors(tx, survivor.id)}:
        survivor.parent_id = merged_topic.parent_id
        tx.flush()
    tx.execute(sa.update(Topic).where(col(Topic.parent_id) == merged_topic.id).values(parent_id=survivor.id))


def _move_discussions(tx: Write, merged_topic: Topic, survivor: Topic) -> None:
    """Move comments, questions and the notifications about them."""
    for table in (Comment, Question, Notification):
        tx.execute(sa.update(table).where(col(table.topic_id) == merged_topic.id).values(topic_id=survivor.id))
    _merge_read_markers(tx, merged_topic, survivor)


def _move_knowledge(tx: Write, merged_topic: Topic, survivor: Topic) -> None:
    for table in (TopicLink, Comparison, TextReference, Lead):
        tx.execute(sa.update(table).where(col(table.topic_id) == merged_topic.id).values(topic_id=survivor.id))


def _merge_read_markers(tx: Write, merged_topic: Topic, survivor: Topic) -> None:
    """Keep the earlier of a person's two read markers, so that no unread comment becomes read."""
    conditions = (col(ReadMarker.subject) == "topic", col(ReadMarker.subject_id).in_([merged_topic.id, survivor.id]))
    markers: dict[int, list[int]] = {}
    for person_id, comment_id in tx.execute(
        sa.select(col(ReadMarker.person_id), col(ReadMarker.comment_id)).where(*conditions)
    ):
        markers.setdefault(person_id, []).append(comment_id)
    tx.execute(sa.delete(ReadMarker).where(*conditions))
    for person_id, comment_ids in markers.items():
        if len(comment_ids) > 1:
            tx.add(
                ReadMarker(
                    person_id=person_id, subject="topic", subject_id=survivor.id or 0, comment_id=min(comment_ids)
                )
            )


class MergePreview(NamedTuple):
    """The effect of a merge.

    `papers`: number that move; `shared`: number in both topics; `ordered`: moving papers with a place in the reading
    order; `counts`: by the names of COUNTED; `problem`: why the merge is impossible, or "".
    """

    source: TopicDetail
    target: TopicDetail
    papers: int
    shared: int
    ordered: int
    names: Sequence[str]
    counts: Mapping[str, int]
    problem: str


def preview_merge(tx: Read, me: CurrentUser, slug: str, into_slug: str) -> MergePreview:
    """Return the preview for two slugs. Raise NotFound."""
    permissions.require(me, "delete")
    merged_topic, survivor = queries.get_topic(tx, me, slug), queries.get_topic(tx, me, into_slug)
    papers, shared_count, ordered_count = _count_papers(tx, merged_topic.row.id, survivor.row.id)
    return MergePreview(
        source=merged_topic,
        target=survivor,
        papers=papers,
        shared=shared_count,
        ordered=ordered_count,
        names=[merged_topic.row.name, *merged_topic.aliases],
        counts=_count_rows(tx, merged_topic.row.id),
        problem=_find_problem(tx, merged_topic.row.id, survivor.row.id),
    )


def _count_papers(tx: Read, gone_id: int, kept_id: int) -> tuple[int, int, int]:
    survivor_papers = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == kept_id)
    is_shared = sa.case((col(PaperTopic.paper_id).in_(survivor_papers), 1), else_=0)
    counts = (sa.func.count(), sa.func.coalesce(sa.func.sum(is_shared), 0), sa.func.count(col(PaperTopic.position)))
    query = sa.select(*counts).select_from(PaperTopic).join(Paper, col(Paper.id) == col(PaperTopic.paper_id))
    paper_count, shared_count, ordered_count = tx.execute(
        query.where(col(PaperTopic.topic_id) == gone_id, is_listed(Paper))
    ).one()
    return paper_count - shared_count, shared_count, ordered_count


def _count_rows(tx: Read, topic_id: int) -> dict[str, int]:
    count_columns = [
        sa.select(sa.func.count()).where(owner == topic_id).scalar_subquery().label(name)
        for name, owner in COUNTED.items()
    ]
    return dict(zip(COUNTED, tx.execute(sa.select(*count_columns)).one(), strict=True))


def _find_problem(tx: Read, gone_id: int, kept_id: int) -> str:
    merged_topic, survivor = tx.get_one(Topic, gone_id), tx.get_one(Topic, kept_id)
    try:
        combine_texts(tx, merged_topic, survivor)
    except Conflict as error:
        return error.message
    return ""
