"""Coverage of the library by readings, and lists of papers worth a look.

It is loaded separately from the page because it counts all readings. The lists consider only the latest ones.
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
from readtrack.workspace.statistics.queries import (
    Kind,
    Rows,
    StatisticsScope,
    latest_first,
    paper_filters,
    reader_filter,
    reading_filters,
)

MAX_RECENT = 500  # finished readings or comments considered by the lists
MAX_LISTED = 5
MAX_TOPICS = 8
LATELY_FILED = 500  # latest assignments that determine the topics shown


class LibraryCoverage(NamedTuple):
    """The number of papers, of those read by someone, and of those read by two or more."""

    papers: int
    read: int
    shared: int


class TopicCoverage(NamedTuple):
    """The coverage of a topic and its subtopics."""

    slug: str
    name: str
    papers: int
    read: int


class CoveragePaper(NamedTuple):
    """A paper of a list. `label`: its identifier if it has no title."""

    id: int
    title: str
    language: str
    label: str = ""


class CoverageReport(NamedTuple):
    """Coverage, and papers read by one person only, discussed but unread, or read but without a summary."""

    coverage: LibraryCoverage
    topics: list[TopicCoverage]
    only_one: list[CoveragePaper]
    discussed: list[CoveragePaper]
    unsummarised: list[CoveragePaper]


def get_coverage_report(tx: Read, scope: StatisticsScope) -> CoverageReport:
    """Return the report, with one statement for each part."""
    kind, parameters = scope.kind, scope.bound
    lists = [
        [CoveragePaper._make((*row, "")) for row in tx.rows(build_query(kind), parameters)]
        for build_query in (_single_reader_query, _discussed_unread_query, _unsummarized_query)
    ]
    labels = labels_of(tx, [row.id for rows in lists for row in rows if not row.title])
    labeled_lists = [[row._replace(label=labels.get(row.id, "")) for row in rows] for rows in lists]
    papers = tx.scalar(_paper_count_query(kind), parameters) or 0
    read_counts = tx.rows(_read_count_query(kind), parameters)[0]
    topics = [TopicCoverage._make(row) for row in tx.rows(_topic_coverage_query(kind), parameters)]
    return CoverageReport(LibraryCoverage._make((papers, *read_counts)), topics, *labeled_lists)


_reader: Any = aliased(Reading)


def _read_filter(kind: Kind, paper_id: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a column with papers
    return sa.exists().where(_reader.paper_id == paper_id, _reader.status == "read", reader_filter(kind, _reader))


@cache
def _paper_count_query(kind: Kind) -> Rows:
    """Count all papers minus the few unlisted ones, to avoid checking each paper."""
    if kind[1]:
        return sa.select(sa.func.count(col(Paper.id))).where(*paper_filters(kind, col(Paper.id)))
    total = sa.select(sa.func.count()).select_from(Paper).scalar_subquery()
    hidden = sa.select(sa.func.count()).select_from(Paper).where(is_unlisted(Paper)).scalar_subquery()
    return sa.select(total - hidden)


@cache
def _read_count_query(kind: Kind) -> Rows:
    paper, person = col(Reading.paper_id), col(Reading.person_id)
    has_several = (sa.func.min(person) != sa.func.max(person)).label("several")
    papers = sa.select(has_several).where(is_finished_pass(), *reading_filters(kind)).group_by(paper).subquery()
    return sa.select(
        sa.func.count(), sa.func.coalesce(sa.func.sum(sa.case((papers.c.several, 1), else_=0)), 0)
    ).select_from(papers)


@cache
def _topic_coverage_query(kind: Kind) -> Rows:
    """Query the coverage of the topics that recent papers were most often assigned to."""
    recent_query: Rows = sa.select(col(PaperTopic.topic_id).label("id"), col(PaperTopic.paper_id))
    if kind[1]:
        recent_query = recent_query.where(*paper_filters(kind, col(PaperTopic.paper_id)))
    recent_filings = (
        recent_query.order_by(col(PaperTopic.paper_id).desc(), col(PaperTopic.topic_id).desc())
        .limit(LATELY_FILED)
        .subquery()
    )
    tops = (
        sa.select(recent_filings.c.id)
        .group_by(recent_filings.c.id)
        .order_by(sa.func.count().desc(), recent_filings.c.id)
        .limit(MAX_TOPICS)
    )
    top_ids = tops.subquery()
    top = sa.select(top_ids.c.id.label("top"), top_ids.c.id).cte("within", recursive=True)
    subtree = top.union(sa.select(top.c.top, col(Topic.id)).join(top, col(Topic.parent_id) == top.c.id))
    paper = col(PaperTopic.paper_id)
    filed_query = sa.select(subtree.c.top, paper.label("paper")).join(
        PaperTopic, col(PaperTopic.topic_id) == subtree.c.id + 0
    )
    filed_papers = filed_query.where(*paper_filters(kind, paper)).distinct().subquery()
    is_read = sa.case((_read_filter(kind, filed_papers.c.paper), 1), else_=0)
    sums = sa.select(filed_papers.c.top, sa.func.count().label("papers"), sa.func.sum(is_read).label("read"))
    counts = sums.group_by(filed_papers.c.top).subquery()
    return (
        sa.select(col(Topic.slug), col(Topic.name), counts.c.papers, counts.c.read)
        .join(counts, counts.c.top == col(Topic.id))
        .order_by(counts.c.papers.desc(), col(Topic.slug))
    )


def _recent_filings(kind: Kind) -> sa.Subquery:
    paper, day = col(Reading.paper_id), col(Reading.finished_on)
    query: Rows = sa.select(paper, day.label("at")).where(is_finished_pass(), day.is_not(None), *reading_filters(kind))
    return query.order_by(*latest_first()).limit(MAX_RECENT).subquery()


def _paper_list_query(recent: sa.Subquery, condition: sa.ColumnElement[bool]) -> Rows:
    """Query the matching papers, latest first.

    The `+ 0` prevents SQLite from using an index on papers, so that it looks up the few rows instead of scanning the
    library.
    """
    columns = (col(Paper.id), col(Paper.title), col(Paper.language))
    query = sa.select(*columns).join(recent, recent.c.paper_id + 0 == col(Paper.id)).where(condition).group_by(*columns)
    return query.order_by(sa.func.max(recent.c.at).desc(), col(Paper.id).desc()).limit(MAX_LISTED)


@cache
def _single_reader_query(kind: Kind) -> Rows:
    """Query papers that nobody else has read, as far as shared readings show."""
    conditions = (_reader.paper_id == col(Paper.id), _reader.status == "read", sa.not_(_reader.private))
    if kind[0]:
        return _paper_list_query(
            _recent_filings(kind), ~sa.exists().where(*conditions, _reader.person_id != sa.bindparam("person"))
        )
    readers = sa.select(sa.func.count(_reader.person_id.distinct())).where(*conditions).scalar_subquery()
    return _paper_list_query(_recent_filings(kind), readers == 1)


@cache
def _discussed_unread_query(kind: Kind) -> Rows:
    """Query papers with recent comments that no counted reader has read."""
    comment_id, paper = col(Comment.id), col(Comment.paper_id)
    conditions = (paper.is_not(None), col(Comment.deleted_at).is_(None), col(Comment.hidden_at).is_(None))
    posts = (
        sa.select(paper, comment_id.label("at"))
        .where(*conditions)
        .order_by(comment_id.desc())
        .limit(MAX_RECENT)
        .subquery()
    )
    return _paper_list_query(posts, sa.and_(*paper_filters(kind, col(Paper.id)), ~_read_filter(kind, col(Paper.id))))


@cache
def _unsummarized_query(kind: Kind) -> Rows:
    """Query papers without a summary visible to the reader of the page."""
    is_shared = sa.not_(col(Summary.private))
    is_visible = sa.or_(is_shared, col(Summary.person_id) == sa.bindparam("person")) if kind[0] else is_shared
    has_summary = sa.exists().where(
        col(Summary.paper_id) == col(Paper.id), col(Summary.deleted_at).is_(None), is_visible
    )
    return _paper_list_query(_recent_filings(kind), ~has_summary)
