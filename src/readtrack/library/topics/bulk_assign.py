"""Bulk assignment of papers to topics in a few statements."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.db import Write
from readtrack.infra.models import PaperTopic, Topic
from readtrack.infra.permissions import CurrentUser

BATCH_SIZE = 500  # topics in one statement


def add_papers_to_topics(tx: Write, me: CurrentUser, assignments: Sequence[tuple[int, int]]) -> None:
    """Assign papers added in this transaction to topics.

    `assignments`: pairs of paper id and topic id; repetitions are ignored.
    """
    permissions.require(me, "edit")
    pairs = list(dict.fromkeys(assignments))
    if not pairs:
        return
    topics, slugs = sorted({topic_id for _, topic_id in pairs}), dict[int, str]()
    for start in range(0, len(topics), BATCH_SIZE):
        query = sa.select(col(Topic.id), col(Topic.slug)).where(col(Topic.id).in_(topics[start : start + BATCH_SIZE]))
        slugs.update((row.id, row.slug) for row in tx.rows(query))
    rows = [{"paper_id": paper_id, "topic_id": topic_id, "added_by": me.id} for paper_id, topic_id in pairs]
    tx.connection().execute(sa.insert(PaperTopic.__table__), rows)  # type: ignore[attr-defined]
    event_data = ((paper_id, {"slug": slugs[topic_id]}) for paper_id, topic_id in pairs)
    events.record_events(tx, me, "topic.linked", event_data)
    search.update_papers(tx, {paper_id for paper_id, _ in pairs})
