"""Queries for topics: list, tree, filters of the list, single topics, and topics of papers.

Counts include each paper of a topic and its subtopics once, as the search filter `topic:` does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, PaperTopic, Topic, TopicAlias
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.infra.text import normalize
from readtrack.library.topics.coverage import count_papers

MAX_RECENT_PAPERS = 500  # assignments considered for recent topics
MAX_BEGINNING_CHARS = 200  # characters of a prefix
SHOWN_DEPTH = 3  # levels shown by the index; deeper ones are on their topic's page
MAX_FILTER_CHARS = 200  # characters of a search text


class TopicRow(NamedTuple):
    """A row of a topic list.

    `read`: papers that someone has read; `children`: number of direct subtopics.
    """

    id: int
    slug: str
    name: str
    name_key: str
    parent_id: int | None
    parent: str | None
    parent_name: str | None
    children: int
    papers: int = 0
    read: int = 0


@dataclass(frozen=True)
class TopicNode:
    """A topic of the tree with its subtopics, as far as they are shown."""

    row: TopicRow
    children: list["TopicNode"] = field(default_factory=list)


@dataclass(frozen=True)
class TopicDetail:
    """A topic with everything its page shows. `line`: its ancestors as (slug, name), outermost first."""

    row: TopicRow
    aliases: Sequence[str]
    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    line: Sequence[tuple[str, str]]
    subtopics: Sequence[TopicRow]


class TopicNameConflict(NamedTuple):
    """A name that a topic already has."""

    alias: str
    topic_id: int
    slug: str
    name: str


_TEXTS = (col(Topic.markdown), col(Topic.version), col(Topic.created_at), col(Topic.updated_at))
_own: Any = aliased(TopicAlias)
_parent: Any = aliased(Topic)
_child: Any = aliased(Topic)


_TOPICS_OF = (
    sa.select(col(PaperTopic.paper_id), col(Topic.slug), col(Topic.name))
    .join(Topic, col(Topic.id) == col(PaperTopic.topic_id))
    .join(_own, sa.and_(_own.topic_id == col(Topic.id), _own.is_canonical))
    .where(in_id_list(col(PaperTopic.paper_id), "ids"))
    .order_by(_own.alias_key)
)
_newest = (
    sa.select(col(PaperTopic.topic_id).label("id"))
    .order_by(col(PaperTopic.paper_id).desc())
    .limit(sa.bindparam("recent"))
    .subquery()
)
_used = sa.select(_newest.c.id, sa.func.count().label("papers")).group_by(_newest.c.id).subquery()
_RECENT_TOPICS = (
    sa.select(col(Topic.slug), col(Topic.name))
    .join(_used, _used.c.id == col(Topic.id))
    .order_by(_used.c.papers.desc(), _used.c.id)
    .limit(sa.bindparam("most"))
)


def list_topics(
    tx: Read, me: CurrentUser, page_request: PageRequest, *conditions: sa.ColumnElement[bool]
) -> Page[TopicRow]:
    """Return a page of topics matching all conditions, by name."""
    page = _cut(tx, _rows().where(*conditions), page_request)
    return Page(_add_counts(tx, me.id, page.items), page.next)


def topic_tree(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[TopicNode]:
    """Return a page of top-level topics by name, each with its subtopics."""
    tops = _cut(tx, _rows().where(col(Topic.parent_id).is_(None)), page_request)
    subtopics = tx.execute(_rows().where(col(Topic.id).in_(_below([row.id for row in tops.items])))).all()
    nodes = [TopicNode(row) for row in _add_counts(tx, me.id, [*tops.items, *map(_row, subtopics)])]
    by_id = {node.row.id: node for node in nodes}
    for node in nodes:
        if node.row.parent_id in by_id:
            by_id[node.row.parent_id].children.append(node)
    return Page(nodes[: len(tops.items)], tops.next)


def list_recent_topics(tx: Read, limit: int = 8) -> Sequence[sa.Row[str, str]]:
    """Return slug and name of the topics most used by recent papers, as filters for lists.

    Only the latest MAX_RECENT_PAPERS assignments are counted; counting all took a second at 100,000 papers.
    """
    return tx.rows(_RECENT_TOPICS, {"recent": MAX_RECENT_PAPERS, "most": limit})


def get_topic(tx: Read, me: CurrentUser, slug: str) -> TopicDetail:
    """Return a topic by slug. Raise NotFound."""
    topic = tx.execute(_rows().add_columns(*_TEXTS).where(col(Topic.slug) == slug)).one_or_none()
    if topic is None:
        raise _not_found(slug)
    subtopics = map(_row, tx.execute(_rows().where(col(Topic.parent_id) == topic.id)))
    row, *children = _add_counts(tx, me.id, [_row(topic), *subtopics])
    return TopicDetail(
        row=row,
        aliases=find_aliases(tx, [row.id]).get(row.id, []),
        markdown=topic.markdown,
        version=topic.version,
        created_at=topic.created_at,
        updated_at=topic.updated_at,
        line=[(ancestor.slug, ancestor.name) for ancestor in list_ancestors(tx, topic.parent_id)],
        subtopics=children,
    )


def find_topics_by_id(tx: Read, topic_ids: Sequence[int]) -> dict[int, TopicDetail]:
    """Return topics by id, without counts, ancestors and subtopics; missing ones are left out."""
    aliases = find_aliases(tx, topic_ids)
    return {
        topic.id: TopicDetail(
            row=_row(topic),
            aliases=aliases.get(topic.id, []),
            markdown=topic.markdown,
            version=topic.version,
            created_at=topic.created_at,
            updated_at=topic.updated_at,
            line=(),
            subtopics=(),
        )
        for topic in tx.execute(_rows().add_columns(*_TEXTS).where(col(Topic.id).in_(topic_ids)))
    }


def get_id(tx: Read, slug: str) -> int:
    """Return the id of a topic by slug. Raise NotFound."""
    topic_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == slug))
    if topic_id is None:
        raise _not_found(slug)
    return topic_id


def find_slug(tx: Read, text: str) -> str | None:
    """Return the slug of a topic given by slug, name or alias: `ckpt` leads to `checkpointing`."""
    exact_slug = tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.slug) == text))
    if exact_slug is not None:
        return exact_slug
    key = normalize.key(text)
    alias_query = sa.select(col(Topic.slug)).join(TopicAlias, col(TopicAlias.topic_id) == col(Topic.id))
    alias_query = alias_query.where(col(TopicAlias.alias_key).in_([key, normalize.key(text.replace("-", " "))]))
    return tx.scalar(alias_query.order_by(col(TopicAlias.alias_key) != key).limit(1))


def find_id(tx: Read, name: str) -> int | None:
    """Return the topic with this name or alias."""
    return tx.scalar(sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key) == normalize.key(name)))


def find_name_conflicts(
    tx: Read, names: Iterable[str], *, except_topic_id: int | None = None
) -> list[TopicNameConflict]:
    """Return the names that other topics have."""
    query = (
        sa.select(col(TopicAlias.alias), col(Topic.id), col(Topic.slug), col(Topic.name))
        .join(Topic, col(Topic.id) == col(TopicAlias.topic_id))
        .where(col(TopicAlias.alias_key).in_([normalize.key(name) for name in names]))
        .order_by(col(TopicAlias.id))
    )
    return [TopicNameConflict(*row) for row in tx.execute(query) if row.id != except_topic_id]


def format_name_conflict(conflict: TopicNameConflict) -> str:
    """Return the message for a name that is taken."""
    return _("“{alias}” is already used by the topic “{name}”.").format(alias=conflict.alias, name=conflict.name)


def parent_problem(tx: Read, parent: str, topic_id: int | None) -> str:
    """Return why a topic cannot have this parent, or ""."""
    parent_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == parent))
    if parent_id is None:
        return _("Topic “{slug}” not found.").format(slug=parent)
    if topic_id is not None and topic_id in {row.id for row in list_ancestors(tx, parent_id)}:
        return _("A topic can't be placed under itself or its subtopics.")
    return ""


def list_ancestors(tx: Read, topic_id: int | None) -> list[sa.Row[Any]]:
    """Return the topic and its ancestors, outermost first, as rows of id, slug, name and parent_id."""
    columns = (Topic.id, Topic.slug, Topic.name, Topic.parent_id)
    ancestors = sa.select(*map(col, columns)).where(col(Topic.id) == topic_id).cte("line", recursive=True)
    parents = sa.select(*map(col, columns)).join(ancestors, col(Topic.id) == ancestors.c.parent_id)
    by_id = {row.id: row for row in tx.execute(sa.select(ancestors.union(parents)))}
    rows = []
    while topic_id in by_id:
        row = by_id.pop(topic_id)
        rows.append(row)
        topic_id = row.parent_id
    return rows[::-1]


def find_paper_topics(tx: Read, paper_ids: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """Return the topics of each paper as (slug, name), by name."""
    topics: dict[int, list[tuple[str, str]]] = {}
    for paper_id, slug, name in tx.rows(_TOPICS_OF, {"ids": list(paper_ids)}):
        topics.setdefault(paper_id, []).append((slug, name))
    return topics


def suggest_topics(tx: Read, prefix: str, limit: int = 8) -> list[tuple[str, str]]:
    """Return topics with a name or alias that begins like this, as (slug, name), for autocompletion."""
    key = normalize.key(prefix)
    topic_ids = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).startswith(key, autoescape=True))
    query = sa.select(col(Topic.slug), col(Topic.name)).where(col(Topic.id).in_(topic_ids)).order_by(col(Topic.name))
    return (
        [(slug, name) for slug, name in tx.execute(query.limit(limit))] if 0 < len(key) <= MAX_BEGINNING_CHARS else []
    )


def find_aliases(tx: Read, topic_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the aliases of each topic in the order they were added."""
    query = sa.select(col(TopicAlias.topic_id), col(TopicAlias.alias)).where(
        col(TopicAlias.topic_id).in_(topic_ids), sa.not_(col(TopicAlias.is_canonical))
    )
    aliases: dict[int, list[str]] = {}
    for topic_id, alias in tx.execute(query.order_by(col(TopicAlias.id))):
        aliases.setdefault(topic_id, []).append(alias)
    return aliases


def _rows() -> sa.Select[Any]:
    children = sa.select(sa.func.count()).select_from(_child).where(_child.parent_id == col(Topic.id)).scalar_subquery()
    columns = (col(Topic.id), col(Topic.slug), col(Topic.name), _own.alias_key.label("name_key"), col(Topic.parent_id))
    query: sa.Select[Any] = (
        sa.select(*columns, _parent.slug.label("parent"), _parent.name.label("parent_name"), children.label("children"))
        .join(_own, sa.and_(_own.topic_id == col(Topic.id), _own.is_canonical))
        .join(_parent, _parent.id == col(Topic.parent_id), isouter=True)
        .order_by(_own.alias_key, col(Topic.id))
    )
    return query


def _row(row: sa.Row[Any]) -> TopicRow:
    return TopicRow(*row[: len(TopicRow._fields) - 2])


def _cut(tx: Read, query: sa.Select[Any], page_request: PageRequest) -> Page[TopicRow]:
    if page_request.after is not None:
        query = query.where(sa.tuple_(_own.alias_key, col(Topic.id)) > sa.tuple_(*page_request.after))
    rows, has_more = split_page(tx.execute(query.limit(page_request.limit + 1)).all(), page_request.limit)
    return Page([_row(row) for row in rows], (rows[-1].name_key, rows[-1].id) if has_more else None)


def _below(ids: Sequence[int]) -> sa.Select[Any]:
    """Return the ids of subtopics down to the depth shown by the index."""
    topic_id: Any = col(Topic.id)
    tops = sa.select(topic_id.label("id"), sa.literal(1).label("depth")).where(topic_id.in_(ids))
    descendants = tops.cte("below", recursive=True)
    children = sa.select(topic_id, descendants.c.depth + 1).join(descendants, col(Topic.parent_id) == descendants.c.id)
    descendants = descendants.union_all(children.where(descendants.c.depth < SHOWN_DEPTH))
    return sa.select(descendants.c.id).where(descendants.c.depth > 1)


def _add_counts(tx: Read, person_id: int | None, rows: Sequence[TopicRow]) -> list[TopicRow]:
    numbers = count_papers(tx, person_id, [row.id for row in rows]) if rows else {}
    return [TopicRow(*row[:-2], *numbers.get(row.id, (0, 0))) for row in rows]


def _not_found(slug: str) -> NotFound:
    return NotFound(_("Topic “{slug}” not found.").format(slug=slug))


TopicCondition = Literal["once", "empty", "textless", "outermost"]


@dataclass(frozen=True)
class TopicFilter:
    """The filter of topics.

    `of`: "once" (one paper), "empty" (no papers, subtopics included), "textless", or "outermost" (no parent); `q`: part
    of any name.
    """

    of: TopicCondition | None = None
    q: str = ""

    @property
    def question(self) -> str:
        """The context that a pagination cursor is bound to."""
        return f"topics\0{self.of}\0{self.q}" if self else "topics by name"

    def __bool__(self) -> bool:
        return bool(self.of or self.q.strip())


def find_topics(tx: Read, me: CurrentUser, topic_filter: TopicFilter, page_request: PageRequest) -> Page[TopicRow]:
    """Return a page of matching topics, by name."""
    conditions = [TOPIC_CONDITIONS[topic_filter.of]] if topic_filter.of else []
    key = normalize.key(topic_filter.q[:MAX_FILTER_CHARS])
    if key:
        topic_ids = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).contains(key, autoescape=True))
        conditions.append(col(Topic.id).in_(topic_ids))
    return list_topics(tx, me, page_request, *conditions)


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


TOPIC_CONDITIONS: Mapping[str, sa.ColumnElement[bool]] = {
    "once": _used_once_condition(),
    "empty": _empty_condition(),
    "textless": col(Topic.markdown) == "",
    "outermost": col(Topic.parent_id).is_(None),
}
