"""Every version of a topic goes into its history when it comes to be; what is gone for good is forgotten there too."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.models import Topic, TopicVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics.queries import find_aliases


def save_version(tx: Write, me: CurrentUser, topic: Topic) -> None:
    """The topic as it stands now: to be called whenever its version went up, and with a new one."""
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
    """The history of topics that do not come back."""
    gone = sa.delete(TopicVersion).where(col(TopicVersion.topic_id).in_(list(topic_ids)))
    tx.bulk_execute(gone)
