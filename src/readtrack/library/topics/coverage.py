"""How much of topics is read: a table of papers by people, and counts of papers and read papers per topic.

Readings are limited to those the current user may see. Counts include subtopics, each paper once. A paper may be in
several topics of a branch, so counts cannot be summed. The papers of each topic are fetched as one aggregated value and
branches are combined here; in SQL, the join of topics and papers below them had a million rows for 100,000 papers.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import aggregate_ids, in_id_list
from readtrack.infra.models import Paper, PaperTopic, Person, Reading, Summary, Topic
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed, is_unlisted, shared_or_own
from readtrack.reading.readings.queries import is_finished_pass

PAPERS, PEOPLE = 30, 20  # shown on the topic's page
MAX_PEOPLE = 200  # in the full table
LAST_POSITION = 2**31 - 1  # position of papers without one in the reading order
STATES = ("read", "reading", "paused", "to_read", "dropped")  # by precedence, if a person has several passes
# Papers of a branch up to which readings are looked up by paper; beyond, all finished readings are scanned.
SMALL_BRANCH_PAPERS = 1_000
_READ = sa.select(aggregate_ids(col(Reading.paper_id)).label("papers")).where(
    is_finished_pass(),
    shared_or_own(Reading, sa.bindparam("me", type_=sa.Integer)),  # type: ignore[arg-type]
)
_READ_OF_THESE = _READ.where(in_id_list(col(Reading.paper_id), "ids"))


class CoveredPaper(NamedTuple):
    """A paper with its readers: reading state by person id."""

    id: int
    title: str
    language: str
    states: Mapping[int, str]


class CoverageTable(NamedTuple):
    """A table of papers by people.

    `people`: (id, name), those who read most first; `other_count`: number of people left out.
    """

    papers: Sequence[CoveredPaper]
    people: Sequence[tuple[int, str]]
    other_count: int


def cursor_context(slug: str) -> str:
    """Return the context that a pagination cursor is bound to."""
    return f"coverage\0{slug}"


def get_coverage(
    tx: Read, me: CurrentUser, topic_id: int, page_request: PageRequest, *, people: int = MAX_PEOPLE
) -> Page[CoverageTable]:
    """Return a page of the table as a single item, in two statements.

    Papers are in the topic's reading order, then newest first.
    """
    rows, has_more = split_page(_list_papers(tx, topic_id, page_request), page_request.limit)
    states, names = _find_states(tx, me, [row.id for row in rows])
    read_counts = {person_id: sum(of.get(person_id) == "read" for of in states.values()) for person_id in names}
    ranked_people = sorted(names.items(), key=lambda person: (-read_counts[person[0]], person[1]))
    papers = [CoveredPaper(row.id, row.title, row.language, states.get(row.id, {})) for row in rows]
    table = CoverageTable(papers, ranked_people[:people], max(len(ranked_people) - people, 0))
    return Page([table], (rows[-1].place, rows[-1].id) if has_more else None)


def count_summaries(tx: Read, me: CurrentUser, topic_id: int) -> int:
    """Return the number of visible summaries on papers of the topic and its subtopics."""
    return tx.rows(_SUMMARIES, {"topic_id": topic_id, "me": me.id})[0][0]


def _list_papers(tx: Read, topic_id: int, page_request: PageRequest) -> Sequence[sa.Row[Any]]:
    query, parameters = _PAPERS_WITHIN, {"topic_id": topic_id, "many": page_request.limit + 1}
    if page_request.after is not None:
        query, parameters = (
            _FURTHER_PAPERS,
            {**parameters, "place": page_request.after[0], "last_id": page_request.after[1]},
        )
    return tx.rows(query, parameters)


def _find_states(
    tx: Read, me: CurrentUser, paper_ids: Sequence[int]
) -> tuple[dict[int, dict[int, str]], dict[int, str]]:
    """Return the reading states by paper and person, and the people's names."""
    states: dict[int, dict[int, str]] = {}
    names: dict[int, str] = {}
    for paper_id, person_id, name, status in tx.rows(_READINGS, {"ids": paper_ids, "me": me.id}):
        names[person_id] = name
        paper_states = states.setdefault(paper_id, {})
        paper_states[person_id] = min(paper_states.get(person_id, status), status, key=STATES.index)
    return states, names


def _within() -> sa.CTE:
    """Return the topic and its subtopics as a recursive CTE."""
    number: Any = col(Topic.id)
    top = sa.select(number.label("id")).where(number == sa.bindparam("topic_id")).cte("within", recursive=True)
    return top.union(sa.select(number).join(top, col(Topic.parent_id) == top.c.id))


def _papers_within() -> sa.Select[Any]:
    """Return the query for papers of the topic and its subtopics, without repetition."""
    subtree = _within()
    own_place = sa.case((col(PaperTopic.topic_id) == sa.bindparam("topic_id"), col(PaperTopic.position)))
    position = sa.func.coalesce(sa.func.min(own_place), LAST_POSITION).label("place")
    paper_rows = (
        sa.select(col(PaperTopic.paper_id).label("id"), position)
        .join(subtree, subtree.c.id == col(PaperTopic.topic_id))
        .group_by(col(PaperTopic.paper_id))
        .subquery()
    )
    columns_query = sa.select(col(Paper.id), col(Paper.title), col(Paper.language), paper_rows.c.place)
    query: sa.Select[Any] = columns_query.join(paper_rows, paper_rows.c.id == col(Paper.id)).where(is_listed(Paper))
    return query.order_by(paper_rows.c.place, col(Paper.id).desc()).limit(sa.bindparam("many"))


def _after(query: sa.Select[Any]) -> sa.Select[Any]:
    position = query.selected_columns["place"]
    is_later_paper = sa.and_(position == sa.bindparam("place"), col(Paper.id) < sa.bindparam("last_id"))
    return query.where(sa.or_(position > sa.bindparam("place"), is_later_paper))


_PAPERS_WITHIN = _papers_within()
_FURTHER_PAPERS = _after(_PAPERS_WITHIN)
_me: Any = sa.bindparam("me")
_papers_in_subtree = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id).in_(sa.select(_within().c.id)))
_SUMMARIES = (
    sa.select(sa.func.count())
    .select_from(Summary)
    .join(Paper, sa.and_(col(Paper.id) == col(Summary.paper_id), is_listed(Paper)))
    .where(
        col(Summary.paper_id).in_(_papers_in_subtree), col(Summary.deleted_at).is_(None), shared_or_own(Summary, _me)
    )
)
_READINGS = (
    sa.select(col(Reading.paper_id), col(Reading.person_id), col(Person.name), col(Reading.status))
    .join(Person, col(Person.id) == col(Reading.person_id))
    .where(
        in_id_list(col(Reading.paper_id), "ids"),
        shared_or_own(Reading, _me),
        sa.or_(is_finished_pass(), col(Reading.current)),
    )
)


def count_papers(tx: Read, me: int | None, topic_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return, by topic, the number of listed papers, and of those that someone has read.

    Subtopics are included, and private readings count only for their owner. This takes three statements.
    """
    children = _find_descendants(tx, topic_ids)
    own_papers = {row.topic_id: row.papers for row in tx.rows(_PAPERS_BY_TOPIC, {"ids": list(children)})}
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
    rows = tx.rows(_SUBTREES, {"ids": topic_ids})
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


_topic_id: Any = col(Topic.id)
_given_topics = (
    sa.select(_topic_id, col(Topic.parent_id)).where(in_id_list(_topic_id, "ids")).cte("below", recursive=True)
)
_subtrees = _given_topics.union(
    sa.select(_topic_id, col(Topic.parent_id)).join(_given_topics, col(Topic.parent_id) == _given_topics.c.id)
)
_SUBTREES = sa.select(_subtrees.c.id, _subtrees.c.parent_id)
_unlisted_papers = sa.select(col(Paper.id)).where(is_unlisted(Paper))
_PAPERS_BY_TOPIC = (
    sa.select(col(PaperTopic.topic_id), aggregate_ids(col(PaperTopic.paper_id)).label("papers"))
    .where(in_id_list(col(PaperTopic.topic_id), "ids"), col(PaperTopic.paper_id).not_in(_unlisted_papers))
    .group_by(col(PaperTopic.topic_id))
)
