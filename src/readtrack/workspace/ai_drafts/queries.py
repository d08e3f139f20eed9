"""Queries for the facts that prompts contain."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper, PaperTopic, Topic
from readtrack.infra.permissions import require_present
from readtrack.workspace.ai_drafts.prompts import MOST_TOPICS, PromptFacts


def get_prompt_facts(tx: Read, paper_id: int) -> PromptFacts:
    """Return the public facts of a paper. Raise NotFound."""
    require_present(tx, paper_id)
    columns = col(Paper.title), col(Paper.authors), col(Paper.venue), col(Paper.abstract)
    return PromptFacts(*tx.execute(sa.select(*columns).where(col(Paper.id) == paper_id)).one())


def find_topic_names(tx: Read) -> dict[str, str]:
    """Return the topics with the most papers as name -> slug."""
    count_query = sa.select(col(PaperTopic.topic_id), sa.func.count().label("papers")).group_by(
        col(PaperTopic.topic_id)
    )
    paper_counts = count_query.subquery()
    query = sa.select(col(Topic.name), col(Topic.slug)).join(
        paper_counts, paper_counts.c.topic_id == col(Topic.id), isouter=True
    )
    rows = tx.execute(
        query.order_by(sa.func.coalesce(paper_counts.c.papers, 0).desc(), col(Topic.id)).limit(MOST_TOPICS)
    )
    return {row.name: row.slug for row in rows}
