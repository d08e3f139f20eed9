"""Counts of papers and read papers per topic, including subtopics, each paper once.

A paper may be in several topics of a branch, so counts cannot be summed. The papers of each topic are fetched as one
aggregated value and branches are combined here; in SQL, the join of topics and papers below them had a million rows for
100,000 papers.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import aggregate_ids, in_id_list
from readtrack.infra.models import Paper, PaperTopic, Reading, Topic
from readtrack.infra.permissions import is_unlisted, shared_or_own
from readtrack.reading.readings.queries import is_finished_pass

# Papers of a branch up to which readings are looked up by paper; beyond, all finished readings are scanned.
SMALL_BRANCH_PAPERS = 1_000


def count_papers(tx: Read, me: int | None, topic_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return, by topic, the number of listed papers, and of those that someone has read.

    Subtopics are included, and private readings count only for their owner. This takes three statements.
    """
    children = _find_descendants(tx, topic_ids)
    own_papers = {row.topic_id: row.papers for row in tx.rows(_FILED, {"ids": list(children)})}
    branches: dict[int, Collection[int]] = {}  # a set is only needed for unions, as a paper is in a topic once
    for topic_id in _deepest_first(children):
        paper_ids = own_papers.get(topic_id) or ()
        branches[topic_id] = (
            {*paper_ids}.union(*(branches[child] for child in children[topic_id])) if children[topic_id] else paper_ids
        )
    read_papers = _find_read_papers(tx, me, branches)
    return {
        topic_id: (len(branches[topic_id]), len(read_papers.intersection(branches[topic_id])))
        for topic_id in topic_ids
        if topic_id in branches
    }


def _find_descendants(tx: Read, topic_ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the direct subtopics of each topic, including all levels below."""
    rows = tx.rows(_BELOW, {"ids": topic_ids})
    children_by_id: dict[int, list[int]] = {row.id: [] for row in rows}
    for row in rows:
        if row.parent_id in children_by_id:
            children_by_id[row.parent_id].append(row.id)
    return children_by_id


def _deepest_first(children_by_id: Mapping[int, Sequence[int]]) -> list[int]:
    child_ids = {child for children in children_by_id.values() for child in children}
    order = [topic_id for topic_id in children_by_id if topic_id not in child_ids]
    for topic_id in order:  # the list grows while it is iterated
        order.extend(children_by_id[topic_id])
    return order[::-1]


def _find_read_papers(tx: Read, me: int | None, branches: Mapping[int, Collection[int]]) -> set[int]:
    """Return the papers of the branches that someone has read; the result may contain others."""
    if max(map(len, branches.values()), default=0) > SMALL_BRANCH_PAPERS:
        return {*(tx.rows(_READ, {"me": me})[0].papers or ())}
    ids = {*chain.from_iterable(branches.values())}
    return {*(tx.rows(_READ_OF_THESE, {"me": me, "ids": list(ids)})[0].papers or ())}


_number: Any = col(Topic.id)
_topics = sa.select(_number, col(Topic.parent_id)).where(in_id_list(_number, "ids")).cte("below", recursive=True)
_below = _topics.union(sa.select(_number, col(Topic.parent_id)).join(_topics, col(Topic.parent_id) == _topics.c.id))
_BELOW = sa.select(_below.c.id, _below.c.parent_id)
_unshown = sa.select(col(Paper.id)).where(is_unlisted(Paper))
_FILED = (
    sa.select(col(PaperTopic.topic_id), aggregate_ids(col(PaperTopic.paper_id)).label("papers"))
    .where(in_id_list(col(PaperTopic.topic_id), "ids"), col(PaperTopic.paper_id).not_in(_unshown))
    .group_by(col(PaperTopic.topic_id))
)
_READ = sa.select(aggregate_ids(col(Reading.paper_id)).label("papers")).where(
    is_finished_pass(),
    shared_or_own(Reading, sa.bindparam("me", type_=sa.Integer)),  # type: ignore[arg-type]
)
_READ_OF_THESE = _READ.where(in_id_list(col(Reading.paper_id), "ids"))
