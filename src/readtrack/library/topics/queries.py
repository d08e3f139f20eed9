"""Questions about topics: the list, the tree, one topic, and which topics papers have.

The numbers of a topic count each paper under it or under a topic below it once, as the search `topic:` finds them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import in_id_list
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PaperTopic, Topic, TopicAlias
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.library.topics.counts import count_papers

LATELY = 500  # papers filed under a topic
LONGEST_BEGINNING = 200  # characters of a name that is completed
SHOWN_DEPTH = 3  # levels that the index shows; deeper ones are found on their topic's page


class TopicRow(NamedTuple):
    """One line of a list of topics. `read`: papers that somebody has read; `children`: topics right below."""

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
    """A topic of the tree, with those below it as far as they are shown."""

    row: TopicRow
    below: list["TopicNode"] = field(default_factory=list)


@dataclass(frozen=True)
class TopicDetail:
    """One topic with what stands round it. `line`: the topics above it as (slug, name), the outermost first."""

    row: TopicRow
    aliases: Sequence[str]
    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    line: Sequence[tuple[str, str]]
    below: Sequence[TopicRow]


class TopicNameConflict(NamedTuple):
    """A name that a topic has already."""

    alias: str
    topic_id: int
    slug: str
    name: str


_own: Any = aliased(TopicAlias)
_parent: Any = aliased(Topic)
_child: Any = aliased(Topic)


# Statements of every list of papers are made once: making one takes longer than its answer.
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
    .limit(sa.bindparam("lately"))
    .subquery()
)
_used = sa.select(_newest.c.id, sa.func.count().label("papers")).group_by(_newest.c.id).subquery()
_LATELY = (
    sa.select(col(Topic.slug), col(Topic.name))
    .join(_used, _used.c.id == col(Topic.id))
    .order_by(_used.c.papers.desc(), _used.c.id)
    .limit(sa.bindparam("most"))
)


def list_topics(tx: Read, me: CurrentUser, cut: PageRequest, *which: sa.ColumnElement[bool]) -> Page[TopicRow]:
    """Topics by name: all of them, or those for which all of that holds."""
    found = _cut(tx, _rows().where(*which), cut)
    return Page(_add_counts(tx, me.id, found.items), found.next)


def topic_tree(tx: Read, me: CurrentUser, cut: PageRequest) -> Page[TopicNode]:
    """The outermost topics by name, each with those below it."""
    tops = _cut(tx, _rows().where(col(Topic.parent_id).is_(None)), cut)
    lower = tx.execute(_rows().where(col(Topic.id).in_(_below([row.id for row in tops.items])))).all()
    nodes = [TopicNode(row) for row in _add_counts(tx, me.id, [*tops.items, *map(_row, lower)])]
    by_id = {node.row.id: node for node in nodes}
    for node in nodes:
        if node.row.parent_id in by_id:
            by_id[node.row.parent_id].below.append(node)
    return Page(nodes[: len(tops.items)], tops.next)


def list_recent_topics(tx: Read, most: int = 8) -> Sequence[sa.Row[str, str]]:
    """Slug and name of the topics that the newest papers are filed under: what a list offers to narrow it down.

    Looks at LATELY filings, however many there are: counting all of them took a second at 100,000 papers.
    """
    return tx.rows(_LATELY, {"lately": LATELY, "most": most})


def get_topic(tx: Read, me: CurrentUser, slug: str) -> TopicDetail:
    """One topic by its slug. Raises NotFound."""
    texts = (col(Topic.markdown), col(Topic.version), col(Topic.created_at), col(Topic.updated_at))
    found = tx.execute(_rows().add_columns(*texts).where(col(Topic.slug) == slug)).one_or_none()
    if found is None:
        raise _not_found(slug)
    below = map(_row, tx.execute(_rows().where(col(Topic.parent_id) == found.id)))
    row, *children = _add_counts(tx, me.id, [_row(found), *below])
    return TopicDetail(
        row=row,
        aliases=find_aliases(tx, [row.id]).get(row.id, []),
        markdown=found.markdown,
        version=found.version,
        created_at=found.created_at,
        updated_at=found.updated_at,
        line=[(above.slug, above.name) for above in list_ancestors(tx, found.parent_id)],
        below=children,
    )


def get_id(tx: Read, slug: str) -> int:
    """The number of the topic that has this slug. Raises NotFound."""
    topic_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == slug))
    if topic_id is None:
        raise _not_found(slug)
    return topic_id


def find_slug(tx: Read, text: str) -> str | None:
    """The slug of the topic that has this slug or, failing that, this name: `ckpt` leads to `checkpointing`."""
    mine = tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.slug) == text))
    if mine is not None:
        return mine
    wanted = normalize.key(text)
    spaced = sa.select(col(Topic.slug)).join(TopicAlias, col(TopicAlias.topic_id) == col(Topic.id))
    spaced = spaced.where(col(TopicAlias.alias_key).in_([wanted, normalize.key(text.replace("-", " "))]))
    return tx.scalar(spaced.order_by(col(TopicAlias.alias_key) != wanted).limit(1))


def find_id(tx: Read, name: str) -> int | None:
    """The topic that has this name, its own or an alias."""
    return tx.scalar(sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key) == normalize.key(name)))


def find_name_conflicts(
    tx: Read, wanted: Iterable[str], *, by_others_than: int | None = None
) -> list[TopicNameConflict]:
    """Which of these names another topic has."""
    query = (
        sa.select(col(TopicAlias.alias), col(Topic.id), col(Topic.slug), col(Topic.name))
        .join(Topic, col(Topic.id) == col(TopicAlias.topic_id))
        .where(col(TopicAlias.alias_key).in_([normalize.key(name) for name in wanted]))
        .order_by(col(TopicAlias.id))
    )
    return [TopicNameConflict(*row) for row in tx.execute(query) if row.id != by_others_than]


def format_name_conflict(taken: TopicNameConflict) -> str:
    """Why a name cannot be given, for a person."""
    return _("“{alias}” is already a name of the topic “{name}”.").format(alias=taken.alias, name=taken.name)


def parent_problem(tx: Read, parent: str, topic_id: int | None) -> str:
    """Why a topic cannot lie under that one, for a person; "" when it can."""
    parent_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == parent))
    if parent_id is None:
        return _("There is no topic “{parent}” to put it under.").format(parent=parent)
    if topic_id is not None and topic_id in {row.id for row in list_ancestors(tx, parent_id)}:
        return _("A topic cannot lie under itself, nor under a topic below it.")
    return ""


def list_ancestors(tx: Read, topic_id: int | None) -> list[sa.Row[Any]]:
    """The topic and those above it, the outermost first: id, slug, name, parent_id."""
    columns = (Topic.id, Topic.slug, Topic.name, Topic.parent_id)
    line = sa.select(*map(col, columns)).where(col(Topic.id) == topic_id).cte("line", recursive=True)
    above = sa.select(*map(col, columns)).join(line, col(Topic.id) == line.c.parent_id)
    by_id = {row.id: row for row in tx.execute(sa.select(line.union(above)))}
    found = []
    while topic_id in by_id:
        row = by_id.pop(topic_id)
        found.append(row)
        topic_id = row.parent_id
    return found[::-1]


def find_paper_topics(tx: Read, paper_ids: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """The topics of each of these papers as (slug, name), by name."""
    topics: dict[int, list[tuple[str, str]]] = {}
    for paper_id, slug, name in tx.rows(_TOPICS_OF, {"ids": list(paper_ids)}):
        topics.setdefault(paper_id, []).append((slug, name))
    return topics


def suggest_topics(tx: Read, beginning: str, most: int = 8) -> list[tuple[str, str]]:
    """Topics one of whose names begins so, as (slug, name): for a field that completes what is typed."""
    key = normalize.key(beginning)
    begun = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).startswith(key, autoescape=True))
    query = sa.select(col(Topic.slug), col(Topic.name)).where(col(Topic.id).in_(begun)).order_by(col(Topic.name))
    return [(slug, name) for slug, name in tx.execute(query.limit(most))] if 0 < len(key) <= LONGEST_BEGINNING else []


def find_aliases(tx: Read, topic_ids: Sequence[int]) -> dict[int, list[str]]:
    """The further names of each of these topics, as they were given."""
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


def _cut(tx: Read, query: sa.Select[Any], cut: PageRequest) -> Page[TopicRow]:
    if cut.after is not None:
        query = query.where(sa.tuple_(_own.alias_key, col(Topic.id)) > sa.tuple_(*cut.after))
    rows, more = split_page(tx.execute(query.limit(cut.limit + 1)).all(), cut.limit)
    return Page([_row(row) for row in rows], (rows[-1].name_key, rows[-1].id) if more else None)


def _below(ids: Sequence[int]) -> sa.Select[Any]:
    """The ids below these topics, as deep as the index shows."""
    topic_id: Any = col(Topic.id)
    tops = sa.select(topic_id.label("id"), sa.literal(1).label("depth")).where(topic_id.in_(ids))
    below = tops.cte("below", recursive=True)
    lower = sa.select(topic_id, below.c.depth + 1).join(below, col(Topic.parent_id) == below.c.id)
    below = below.union_all(lower.where(below.c.depth < SHOWN_DEPTH))
    return sa.select(below.c.id).where(below.c.depth > 1)


def _add_counts(tx: Read, person_id: int | None, rows: Sequence[TopicRow]) -> list[TopicRow]:
    """The same rows with their numbers."""
    numbers = count_papers(tx, person_id, [row.id for row in rows]) if rows else {}
    return [TopicRow(*row[:-2], *numbers.get(row.id, (0, 0))) for row in rows]


def _not_found(slug: str) -> NotFound:
    return NotFound(_("There is no topic “{slug}”. Look at the list of topics, or add it there.").format(slug=slug))
