"""Filters of the topic list: by name, and by what needs tidying up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper, PaperTopic, Topic, TopicAlias
from readtrack.infra.pagination import Page, PageRequest
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.infra.text import normalize
from readtrack.library.topics import queries
from readtrack.library.topics.queries import TopicRow

Which = Literal["once", "empty", "textless", "outermost"]
MAX_NAME_CHARS = 200  # characters of a search text


@dataclass(frozen=True)
class TopicFilter:
    """The filter of topics.

    `of`: "once" (one paper), "empty" (no papers, subtopics included), "textless", or "outermost" (no parent); `q`: part
    of any name.
    """

    of: Which | None = None
    q: str = ""

    @property
    def question(self) -> str:
        """The context that a pagination cursor is bound to."""
        return f"topics\0{self.of}\0{self.q}" if self else "topics by name"

    def __bool__(self) -> bool:
        return bool(self.of or self.q.strip())


def find_topics(tx: Read, me: CurrentUser, topic_filter: TopicFilter, page_request: PageRequest) -> Page[TopicRow]:
    """Return a page of matching topics, by name."""
    conditions = [CONDITIONS[topic_filter.of]] if topic_filter.of else []
    key = normalize.key(topic_filter.q[:MAX_NAME_CHARS])
    if key:
        topic_ids = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).contains(key, autoescape=True))
        conditions.append(col(Topic.id).in_(topic_ids))
    return queries.list_topics(tx, me, page_request, *conditions)


def _listed_papers_query(topic_id: Any) -> Any:  # noqa: ANN401 - a column; a statement
    """Return the query for listed papers of the topic itself; callers limit it."""
    query = sa.select(sa.literal(1).label("one")).select_from(PaperTopic)
    query = query.join(Paper, sa.and_(col(Paper.id) == col(PaperTopic.paper_id), is_listed(Paper)))
    return query.where(col(PaperTopic.topic_id) == topic_id)


def _used_once_condition() -> sa.ColumnElement[bool]:
    """Match topics with exactly one paper, reading at most two per topic."""
    bounded = _listed_papers_query(col(Topic.id)).limit(2).correlate(Topic).subquery()
    condition: sa.ColumnElement[bool] = sa.select(sa.func.count()).select_from(bounded).scalar_subquery() == 1
    return condition


def _empty_condition() -> sa.ColumnElement[bool]:
    """Match topics without papers in them or in their subtopics."""
    topic: Any = aliased(Topic)
    used_query = sa.select(topic.id, topic.parent_id).where(_listed_papers_query(topic.id).correlate(topic).exists())
    used_topics = used_query.cte("used", recursive=True)
    ancestor: Any = aliased(Topic)
    used_topics = used_topics.union(
        sa.select(ancestor.id, ancestor.parent_id).where(ancestor.id == used_topics.c.parent_id)
    )
    return col(Topic.id).not_in(sa.select(used_topics.c.id))


CONDITIONS: Mapping[str, sa.ColumnElement[bool]] = {
    "once": _used_once_condition(),
    "empty": _empty_condition(),
    "textless": col(Topic.markdown) == "",
    "outermost": col(Topic.parent_id).is_(None),
}
