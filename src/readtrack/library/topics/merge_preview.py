"""Preview of merging two topics."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict
from readtrack.infra.models import Comment, Comparison, Entry, Paper, PaperTopic, Question, Topic, TopicLink
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.library.topics import queries
from readtrack.library.topics.merge import combine_texts
from readtrack.library.topics.queries import TopicDetail

# Rows that move, besides papers, names, subtopics and text.
COUNTED: Mapping[str, Any] = {
    "questions": col(Question.topic_id),
    "comments": col(Comment.topic_id),
    "links": col(TopicLink.topic_id),
    "comparisons": col(Comparison.topic_id),
    "lines": col(Entry.topic_id),
}


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
    papers, shared_count, ordered_count = _papers(tx, merged_topic.row.id, survivor.row.id)
    return MergePreview(
        source=merged_topic,
        target=survivor,
        papers=papers,
        shared=shared_count,
        ordered=ordered_count,
        names=[merged_topic.row.name, *merged_topic.aliases],
        counts=_counts(tx, merged_topic.row.id),
        problem=_problem(tx, merged_topic.row.id, survivor.row.id),
    )


def _papers(tx: Read, gone_id: int, kept_id: int) -> tuple[int, int, int]:
    survivor_papers = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == kept_id)
    is_shared = sa.case((col(PaperTopic.paper_id).in_(survivor_papers), 1), else_=0)
    counts = (sa.func.count(), sa.func.coalesce(sa.func.sum(is_shared), 0), sa.func.count(col(PaperTopic.position)))
    query = sa.select(*counts).select_from(PaperTopic).join(Paper, col(Paper.id) == col(PaperTopic.paper_id))
    paper_count, shared_count, ordered_count = tx.execute(
        query.where(col(PaperTopic.topic_id) == gone_id, is_listed(Paper))
    ).one()
    return paper_count - shared_count, shared_count, ordered_count


def _counts(tx: Read, topic_id: int) -> dict[str, int]:
    count_columns = [
        sa.select(sa.func.count()).where(owner == topic_id).scalar_subquery().label(name)
        for name, owner in COUNTED.items()
    ]
    return dict(zip(COUNTED, tx.execute(sa.select(*count_columns)).one(), strict=True))


def _problem(tx: Read, gone_id: int, kept_id: int) -> str:
    merged_topic, survivor = tx.get_one(Topic, gone_id), tx.get_one(Topic, kept_id)
    try:
        combine_texts(tx, merged_topic, survivor)
    except Conflict as error:
        return error.message
    return ""
