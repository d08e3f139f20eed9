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

FEW = 1_000  # papers of a branch up to which readings are looked up by paper; beyond, all finished readings are scanned


def count_papers(tx: Read, me: int | None, topic_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return, by topic, the number of listed papers, and of those that someone has read.

    Subtopics are included, and private readings count only for their owner. This takes three statements.
    """
    lower = _find_descendants(tx, topic_ids)
    filed = {row.topic_id: row.papers for row in tx.rows(_FILED, {"ids": list(lower)})}
    branches: dict[int, Collection[int]] = {}  # a set is only needed for unions, as a paper is in a topic once
    for one in _deepest_first(lower):
        own = filed.get(one) or ()
        branches[one] = {*own}.union(*(branches[child] for child in lower[one])) if lower[one] else own
    read = _find_read_papers(tx, me, branches)
    return {one: (len(branches[one]), len(read.intersection(branches[one]))) for one in topic_ids if one in branches}


def _find_descendants(tx: Read, topic_ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the direct subtopics of each topic, including all levels below."""
    rows = tx.rows(_BELOW, {"ids": topic_ids})
    lower: dict[int, list[int]] = {row.id: [] for row in rows}
    for row in rows:
        if row.parent_id in lower:
            lower[row.parent_id].append(row.id)
    return lower


def _deepest_first(lower: Mapping[int, Sequence[int]]) -> list[int]:
    inner = {child for children in lower.values() for child in children}
    order = [one for one in lower if one not in inner]
    for one in order:  # the list grows while it is iterated
        order.extend(lower[one])
    return order[::-1]


def _find_read_papers(tx: Read, me: int | None, branches: Mapping[int, Collection[int]]) -> set[int]:
    """Return the papers of the branches that someone has read; the result may contain others."""
    if max(map(len, branches.values()), default=0) > FEW:
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
