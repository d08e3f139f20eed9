"""How much of the library has been read, and the papers that deserve a look: asked for beside the page, as whole
readings are counted here. The lists look at the latest so and so many only.
"""

from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Comment, Paper, PaperTopic, Reading, Summary, Topic
from readtrack.infra.permissions import is_unlisted
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.queries import is_finished_pass
from readtrack.workspace.statistics.scopes import (
    Kind,
    Rows,
    StatisticsScope,
    latest_first,
    paper_filters,
    reader_filter,
    reading_filters,
)

LATEST = 500  # finished readings, or comments, that the lists look at
MOST_LISTED = 5
MOST_TOPICS = 8
LATELY_FILED = 500  # papers filed under topics, which tell the topics that matter now


class LibraryCoverage(NamedTuple):
    """Of so many papers, how many somebody has read, and how many two or more have."""

    papers: int
    read: int
    shared: int


class TopicCoverage(NamedTuple):
    """The same of one topic with those below it."""

    slug: str
    name: str
    papers: int
    read: int


class CoveragePaper(NamedTuple):
    """A paper of one of the lists; `label` is what it is called while it has no title."""

    id: int
    title: str
    language: str
    label: str = ""


class CoverageReport(NamedTuple):
    """How the library stands, and what is known to one person, discussed unread, and read without any summary."""

    coverage: LibraryCoverage
    topics: list[TopicCoverage]
    only_one: list[CoveragePaper]
    discussed: list[CoveragePaper]
    unsummarised: list[CoveragePaper]


def get_coverage_report(tx: Read, scope: StatisticsScope) -> CoverageReport:
    """All of it, each part in a statement of its own."""
    kind, bound = scope.kind, scope.bound
    lists = [
        [CoveragePaper._make((*row, "")) for row in tx.rows(made(kind), bound)]
        for made in (_single_reader_query, _discussed_unread_query, _unsummarized_query)
    ]
    labels = labels_of(tx, [row.id for rows in lists for row in rows if not row.title])
    named = [[row._replace(label=labels.get(row.id, "")) for row in rows] for rows in lists]
    papers = tx.scalar(_paper_count_query(kind), bound) or 0
    read = tx.rows(_read_count_query(kind), bound)[0]
    topics = [TopicCoverage._make(row) for row in tx.rows(_topic_coverage_query(kind), bound)]
    return CoverageReport(LibraryCoverage._make((papers, *read)), topics, *named)


_reader: Any = aliased(Reading)


def _read_filter(kind: Kind, paper_id: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a column with papers
    return sa.exists().where(_reader.paper_id == paper_id, _reader.status == "read", reader_filter(kind, _reader))


@cache
def _paper_count_query(kind: Kind) -> Rows:
    """All but those that lists do not show, which are few: no paper is looked at to count it."""
    if kind[1]:
        return sa.select(sa.func.count(col(Paper.id))).where(*paper_filters(kind, col(Paper.id)))
    every = sa.select(sa.func.count()).select_from(Paper).scalar_subquery()
    hidden = sa.select(sa.func.count()).select_from(Paper).where(is_unlisted(Paper)).scalar_subquery()
    return sa.select(every - hidden)


@cache
def _read_count_query(kind: Kind) -> Rows:
    paper, person = col(Reading.paper_id), col(Reading.person_id)
    several = (sa.func.min(person) != sa.func.max(person)).label("several")
    each = sa.select(several).where(is_finished_pass(), *reading_filters(kind)).group_by(paper).subquery()
    return sa.select(
        sa.func.count(), sa.func.coalesce(sa.func.sum(sa.case((each.c.several, 1), else_=0)), 0)
    ).select_from(each)


@cache
def _topic_coverage_query(kind: Kind) -> Rows:
    """Of the topics that papers were lately filed under, those with the most of these."""
    lately: Rows = sa.select(col(PaperTopic.topic_id).label("id"), col(PaperTopic.paper_id))
    if kind[1]:
        lately = lately.where(*paper_filters(kind, col(PaperTopic.paper_id)))
    filed = (
        lately.order_by(col(PaperTopic.paper_id).desc(), col(PaperTopic.topic_id).desc()).limit(LATELY_FILED).subquery()
    )
    tops = sa.select(filed.c.id).group_by(filed.c.id).order_by(sa.func.count().desc(), filed.c.id).limit(MOST_TOPICS)
    chosen = tops.subquery()
    top = sa.select(chosen.c.id.label("top"), chosen.c.id).cte("within", recursive=True)
    within = top.union(sa.select(top.c.top, col(Topic.id)).join(top, col(Topic.parent_id) == top.c.id))
    paper = col(PaperTopic.paper_id)
    there = sa.select(within.c.top, paper.label("paper")).join(PaperTopic, col(PaperTopic.topic_id) == within.c.id + 0)
    each = there.where(*paper_filters(kind, paper)).distinct().subquery()
    is_read = sa.case((_read_filter(kind, each.c.paper), 1), else_=0)
    sums = sa.select(each.c.top, sa.func.count().label("papers"), sa.func.sum(is_read).label("read"))
    counts = sums.group_by(each.c.top).subquery()
    return (
        sa.select(col(Topic.slug), col(Topic.name), counts.c.papers, counts.c.read)
        .join(counts, counts.c.top == col(Topic.id))
        .order_by(counts.c.papers.desc(), col(Topic.slug))
    )


def _recent_filings(kind: Kind) -> sa.Subquery:
    paper, day = col(Reading.paper_id), col(Reading.finished_on)
    latest: Rows = sa.select(paper, day.label("at")).where(is_finished_pass(), day.is_not(None), *reading_filters(kind))
    return latest.order_by(*latest_first()).limit(LATEST).subquery()


def _paper_list_query(of: sa.Subquery, condition: sa.ColumnElement[bool]) -> Rows:
    """The papers of it for which that holds, the latest first: each of the few is looked up, no library gone through
    (the sum, which no index is made for, keeps SQLite from that).
    """
    shown = (col(Paper.id), col(Paper.title), col(Paper.language))
    query = sa.select(*shown).join(of, of.c.paper_id + 0 == col(Paper.id)).where(condition).group_by(*shown)
    return query.order_by(sa.func.max(of.c.at).desc(), col(Paper.id).desc()).limit(MOST_LISTED)


@cache
def _single_reader_query(kind: Kind) -> Rows:
    """Nobody else has read them, as far as it is shared."""
    shared = (_reader.paper_id == col(Paper.id), _reader.status == "read", sa.not_(_reader.private))
    if kind[0]:
        return _paper_list_query(
            _recent_filings(kind), ~sa.exists().where(*shared, _reader.person_id != sa.bindparam("person"))
        )
    readers = sa.select(sa.func.count(_reader.person_id.distinct())).where(*shared).scalar_subquery()
    return _paper_list_query(_recent_filings(kind), readers == 1)


@cache
def _discussed_unread_query(kind: Kind) -> Rows:
    """Posts about them are among the latest, and none of the readers that count has read them."""
    at, paper = col(Comment.id), col(Comment.paper_id)
    seen = (paper.is_not(None), col(Comment.deleted_at).is_(None), col(Comment.hidden_at).is_(None))
    posts = sa.select(paper, at.label("at")).where(*seen).order_by(at.desc()).limit(LATEST).subquery()
    return _paper_list_query(posts, sa.and_(*paper_filters(kind, col(Paper.id)), ~_read_filter(kind, col(Paper.id))))


@cache
def _unsummarized_query(kind: Kind) -> Rows:
    """Nobody has written about them what the reader of this page may see."""
    shared = sa.not_(col(Summary.private))
    seen = sa.or_(shared, col(Summary.person_id) == sa.bindparam("person")) if kind[0] else shared
    written = sa.exists().where(col(Summary.paper_id) == col(Paper.id), col(Summary.deleted_at).is_(None), seen)
    return _paper_list_query(_recent_filings(kind), ~written)
