"""Storage of topic versions."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.models import Topic, TopicVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics.queries import find_aliases


def save_version(tx: Write, me: CurrentUser, topic: Topic) -> None:
    """Save the current state as a version.

    Call this for new topics and whenever the version increases.
    """
    tx.flush()
    topic_id = topic.id or 0
    tx.add(
        TopicVersion(
            topic_id=topic_id,
            number=topic.version,
            name=topic.name,
            aliases=list(find_aliases(tx, [topic_id]).get(topic_id, [])),
            markdown=topic.markdown,
            parent_id=topic.parent_id,
            saved_by=me.id,
            saved_at=topic.updated_at,
        )
    )


def delete_versions(tx: Write, topic_ids: Iterable[int]) -> None:
    """Delete the history of topics that are gone for good."""
    statement = sa.delete(TopicVersion).where(col(TopicVersion.topic_id).in_(list(topic_ids)))
    tx.bulk_execute(statement)
