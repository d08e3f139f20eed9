"""Reading coverage of a topic: papers by people, limited to readings the current user may see."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import in_id_list
from readtrack.infra.models import Paper, PaperTopic, Person, Reading, Summary, Topic
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed, shared_or_own
from readtrack.reading.readings.queries import is_finished_pass

PAPERS, PEOPLE = 30, 20  # shown on the topic's page
MOST_PEOPLE = 200  # in the full table
LAST_POSITION = 2**31 - 1  # position of papers without one in the reading order
STATES = ("read", "reading", "paused", "to_read", "dropped")  # by precedence, if a person has several passes


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
    tx: Read, me: CurrentUser, topic_id: int, page_request: PageRequest, *, people: int = MOST_PEOPLE
) -> Page[CoverageTable]:
    """Return a page of the table as a single item, in two statements.

    Papers are in the topic's reading order, then newest first.
    """
    rows, has_more = split_page(_papers(tx, topic_id, page_request), page_request.limit)
    states, names = _states(tx, me, [row.id for row in rows])
    read_counts = {person_id: sum(of.get(person_id) == "read" for of in states.values()) for person_id in names}
    ranked_people = sorted(names.items(), key=lambda person: (-read_counts[person[0]], person[1]))
    papers = [CoveredPaper(row.id, row.title, row.language, states.get(row.id, {})) for row in rows]
    table = CoverageTable(papers, ranked_people[:people], max(len(ranked_people) - people, 0))
    return Page([table], (rows[-1].place, rows[-1].id) if has_more else None)


def count_summaries(tx: Read, me: CurrentUser, topic_id: int) -> int:
    """Return the number of visible summaries on papers of the topic and its subtopics."""
    return tx.rows(_SUMMARIES, {"topic_id": topic_id, "me": me.id})[0][0]


def _papers(tx: Read, topic_id: int, page_request: PageRequest) -> Sequence[sa.Row[Any]]:
    query, parameters = _WITHIN, {"topic_id": topic_id, "many": page_request.limit + 1}
    if page_request.after is not None:
        query, parameters = _FURTHER, {**parameters, "place": page_request.after[0], "last_id": page_request.after[1]}
    return tx.rows(query, parameters)


def _states(tx: Read, me: CurrentUser, paper_ids: Sequence[int]) -> tuple[dict[int, dict[int, str]], dict[int, str]]:
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


_WITHIN = _papers_within()
_FURTHER = _after(_WITHIN)
_me: Any = sa.bindparam("me")
_filed = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id).in_(sa.select(_within().c.id)))
_SUMMARIES = (
    sa.select(sa.func.count())
    .select_from(Summary)
    .join(Paper, sa.and_(col(Paper.id) == col(Summary.paper_id), is_listed(Paper)))
    .where(col(Summary.paper_id).in_(_filed), col(Summary.deleted_at).is_(None), shared_or_own(Summary, _me))
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
