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
LONGEST = 200  # characters of a search text


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


def find_topics(tx: Read, me: CurrentUser, wanted: TopicFilter, cut: PageRequest) -> Page[TopicRow]:
    """Return a page of matching topics, by name."""
    conditions = [CONDITIONS[wanted.of]] if wanted.of else []
    key = normalize.key(wanted.q[:LONGEST])
    if key:
        named = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).contains(key, autoescape=True))
        conditions.append(col(Topic.id).in_(named))
    return queries.list_topics(tx, me, cut, *conditions)


def _listed_papers_query(topic_id: Any) -> Any:  # noqa: ANN401 - a column; a statement
    """Return the query for listed papers of the topic itself; callers limit it."""
    filed = sa.select(sa.literal(1).label("one")).select_from(PaperTopic)
    filed = filed.join(Paper, sa.and_(col(Paper.id) == col(PaperTopic.paper_id), is_listed(Paper)))
    return filed.where(col(PaperTopic.topic_id) == topic_id)


def _used_once_condition() -> sa.ColumnElement[bool]:
    """Match topics with exactly one paper, reading at most two per topic."""
    some = _listed_papers_query(col(Topic.id)).limit(2).correlate(Topic).subquery()
    counted: sa.ColumnElement[bool] = sa.select(sa.func.count()).select_from(some).scalar_subquery() == 1
    return counted


def _empty_condition() -> sa.ColumnElement[bool]:
    """Match topics without papers in them or in their subtopics."""
    other: Any = aliased(Topic)
    used = sa.select(other.id, other.parent_id).where(_listed_papers_query(other.id).correlate(other).exists())
    line = used.cte("used", recursive=True)
    above: Any = aliased(Topic)
    line = line.union(sa.select(above.id, above.parent_id).where(above.id == line.c.parent_id))
    return col(Topic.id).not_in(sa.select(line.c.id))


CONDITIONS: Mapping[str, sa.ColumnElement[bool]] = {
    "once": _used_once_condition(),
    "empty": _empty_condition(),
    "textless": col(Topic.markdown) == "",
    "outermost": col(Topic.parent_id).is_(None),
}
