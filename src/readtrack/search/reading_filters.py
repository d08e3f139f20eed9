"""Filters on readings, assignments and discussions, as conditions on models.Paper.

They consider only rows the user may see.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.models import (
    AgendaItem,
    Assignment,
    Comment,
    Meeting,
    MetadataRequest,
    Paper,
    Question,
    Reading,
    Summary,
)
from readtrack.reading.readings import completion
from readtrack.reading.readings.queries import is_finished_pass
from readtrack.reading.readings.status_rules import STALE
from readtrack.search import dates
from readtrack.search.ast import AssignmentCondition, FieldFilter, NumberRange, PassFilter, TimeRange, Value
from readtrack.search.context import NO_ONE, Condition, SearchContext
from readtrack.search.paper_filters import LARGEST_NUMBER, any_value, on_days, within_range
from readtrack.search.text_filters import (
    papers_with_readable_summaries,
    papers_with_visible_comments,
    select_papers_mentioning,
)


def pass_condition(wanted: PassFilter, asker: SearchContext) -> Condition:
    """Return the condition for papers with such a pass.

    `status:none` matches papers that are on nobody's list of `by`.
    """
    theirs = _select_passes(wanted, asker)
    absent = [node for node in wanted.filters if node.name == "status" and "none" in node.values]
    conditions = [_pass_filter_condition(node, asker) for node in wanted.filters]
    made = col(Paper.id).in_(theirs.where(*conditions))
    if not absent or len(wanted.filters) > len(absent):
        return made
    return sa.or_(made, col(Paper.id).not_in(theirs))


def _select_passes(wanted: PassFilter, asker: SearchContext) -> sa.Select[Any]:
    seen = (asker.person_condition(wanted.by, col(Reading.person_id)), permissions.shared_or_own(Reading, asker.id))
    which = is_finished_pass() if wanted.finished else col(Reading.current)
    return sa.select(col(Reading.paper_id)).where(*seen, which)


def _pass_filter_condition(node: FieldFilter, asker: SearchContext) -> Condition:
    return _OF_PASS[node.name](node, asker)


def _status(node: FieldFilter, _asker: SearchContext) -> Condition:
    return sa.true() if "any" in node.values else col(Reading.status).in_([*node.values])


def _depth(node: FieldFilter, _asker: SearchContext) -> Condition:
    return col(Reading.depth).in_(["" if value == "none" else value for value in node.values])


def _progress(node: FieldFilter, _asker: SearchContext) -> Condition:
    of = sa.case((col(Reading.progress_unit) == "percent", 100), else_=col(Reading.progress_of))
    percent = sa.case((of > 0, 100 * col(Reading.progress_at) / of))
    return any_value(
        node,
        lambda value: (
            sa.and_(percent.is_not(None), *within_range(percent, value))
            if isinstance(value, NumberRange)
            else _presence_condition(col(Reading.progress_at), value)
        ),
    )


def _read(node: FieldFilter, asker: SearchContext) -> Condition:
    day = col(Reading.finished_on)
    return any_value(
        node,
        lambda value: on_days(day, value, asker) if isinstance(value, TimeRange) else _presence_condition(day, value),
    )


def _stale_condition(_node: FieldFilter, asker: SearchContext) -> Condition:
    return sa.and_(col(Reading.status) == "reading", col(Reading.updated_at) < asker.local_time.now - STALE)


def _presence_condition(column: Any, value: Value) -> Condition:  # noqa: ANN401 - an optional column
    said: Condition = column.is_(None) if value == "none" else column.is_not(None)
    return said


_OF_PASS: Mapping[str, Callable[[FieldFilter, SearchContext], Condition]] = {
    "status": _status,
    "depth": _depth,
    "progress": _progress,
    "read": _read,
    "is": _stale_condition,
}


def assignment_condition(wanted: AssignmentCondition, asker: SearchContext) -> Condition:
    """Return the condition for papers with such an open assignment.

    `assignee:none` matches papers without one.
    """
    asked = sa.select(col(Assignment.paper_id)).where(completion.is_open_for(asker.id))
    none = [node for node in wanted.filters if node.name == "assignee" and "none" in node.values]
    made = col(Paper.id).in_(asked.where(*(_assignment_filter_condition(node, asker) for node in wanted.filters)))
    if not none or len(wanted.filters) > len(none):
        return made
    return sa.or_(made, col(Paper.id).not_in(asked))


def _assignment_filter_condition(node: FieldFilter, asker: SearchContext) -> Condition:
    if node.name == "assignee":
        people = tuple(value for value in node.values if value not in {"any", "none"})
        named = asker.person_condition(people, col(Assignment.person_id)) if people else sa.false()
        return sa.true() if "any" in node.values else named
    if node.name == "due":
        day = col(Assignment.due_on)
        return any_value(
            node,
            lambda value: (
                on_days(day, value, asker, ahead=True)
                if isinstance(value, TimeRange)
                else _presence_condition(day, value)
            ),
        )
    late = col(Assignment.due_on) < asker.local_time.today
    return sa.true() if "assigned" in node.values else late


def _readers(node: FieldFilter, asker: SearchContext) -> Condition:
    return any_value(node, lambda value: _read_by(value, asker))


def _read_by(value: Value, asker: SearchContext) -> Condition:
    """Match papers by their number of finished readers.

    Papers without readers are in no group, so a range from 0 excludes those above it instead.
    """
    assert isinstance(value, NumberRange), "readers are counted"  # noqa: S101 - see qualifiers
    count = sa.func.count(sa.distinct(col(Reading.person_id)))
    grouped = sa.select(col(Reading.paper_id)).where(is_finished_pass(), permissions.shared_or_own(Reading, asker.id))
    grouped = grouped.group_by(col(Reading.paper_id))
    if value.low:
        return col(Paper.id).in_(grouped.having(sa.and_(*within_range(count, value))))
    return sa.true() if value.high is None else col(Paper.id).not_in(grouped.having(count > value.high))


def _unread_by(node: FieldFilter, asker: SearchContext) -> Condition:
    return any_value(
        node, lambda who: col(Paper.id).not_in(_select_passes(PassFilter((who,), (), finished=True), asker))
    )


def _is(node: FieldFilter, asker: SearchContext) -> Condition:
    return any_value(node, lambda value: _IS[str(value)](asker))


def _rejected(asker: SearchContext) -> Condition:
    """Match rejected papers via the partial index on unlisted papers, as they are few."""
    return asker.by_index(sa.and_(permissions.is_unlisted(Paper), col(Paper.triage) == "rejected"))


def _private(asker: SearchContext) -> Condition:
    me = asker.id or NO_ONE
    readings = sa.select(col(Reading.paper_id)).where(col(Reading.person_id) == me, col(Reading.private))
    summaries = papers_with_readable_summaries(asker).where(col(Summary.person_id) == me, col(Summary.private))
    return col(Paper.id).in_(sa.union_all(readings, summaries))


def _failed(_asker: SearchContext) -> Condition:
    """Match papers without a record for which a service refused or found nothing."""
    could_not = sa.or_(col(MetadataRequest.state).in_(("refused", "unknown")), col(MetadataRequest.problem) != "")
    asked = sa.select(col(MetadataRequest.paper_id)).where(could_not, col(MetadataRequest.state) != "earlier")
    return sa.and_(col(Paper.record_id).is_(None), col(Paper.id).in_(asked))


_IS: Mapping[str, Callable[[SearchContext], Condition]] = {
    "inbox": lambda asker: asker.by_index(col(Paper.triage) == sa.literal_column("'inbox'")),  # as it is indexed
    "library": lambda _asker: col(Paper.triage) == "library",
    "rejected": _rejected,
    "assigned": lambda asker: assignment_condition(AssignmentCondition((FieldFilter("is", ("assigned",)),)), asker),
    "overdue": lambda asker: assignment_condition(AssignmentCondition((FieldFilter("is", ("overdue",)),)), asker),
    "mine": lambda asker: sa.func.coalesce(col(Paper.created_by), 0) == (asker.id or NO_ONE),
    "private": _private,
    "stale": lambda asker: pass_condition(PassFilter((), (FieldFilter("is", ("stale",)),)), asker),
    "failed": _failed,
}


def _meeting(node: FieldFilter, asker: SearchContext) -> Condition:
    return any_value(node, lambda value: _on_agenda(str(value), asker))


def _on_agenda(which: str, asker: SearchContext) -> Condition:
    items = sa.select(col(AgendaItem.paper_id)).where(col(AgendaItem.paper_id).is_not(None))
    if which in {"any", "none"}:
        listed = col(Paper.id).in_(items)
        return listed if which == "any" else sa.not_(listed)
    if which == "next":
        return col(Paper.id).in_(items.where(col(AgendaItem.meeting_id) == _next(asker)))
    number = int(which) if which.isdecimal() else 0
    return col(Paper.id).in_(items.where(col(AgendaItem.meeting_id) == min(number, LARGEST_NUMBER)))


def _next(asker: SearchContext) -> Any:  # noqa: ANN401 - a scalar select
    """Return the first planned meeting from today on, including one that has begun."""
    begin = dates.moments(TimeRange("", "today"), asker.local_time).begin
    coming = sa.select(col(Meeting.id)).where(col(Meeting.state) == "planned", col(Meeting.starts_at) >= begin)
    return coming.order_by(col(Meeting.starts_at), col(Meeting.id)).limit(1).scalar_subquery()


def _mentions(node: FieldFilter, asker: SearchContext) -> Condition:
    names = asker.names(node.values)
    return sa.or_(*(col(Paper.id).in_(select_papers_mentioning(name, asker)) for name in names))


def _involves(node: FieldFilter, asker: SearchContext) -> Condition:
    """Match papers people are involved with in any way."""

    def theirs(column: Any) -> Condition:  # noqa: ANN401 - a column of people
        return asker.person_condition(node.values, column)

    traces = [
        sa.select(col(Reading.paper_id)).where(
            theirs(col(Reading.person_id)), permissions.shared_or_own(Reading, asker.id)
        ),
        papers_with_readable_summaries(asker).where(theirs(col(Summary.person_id))),
        papers_with_visible_comments().where(theirs(col(Comment.person_id))),
        _select_papers_with(Question.paper_id).where(
            sa.or_(theirs(col(Question.created_by)), theirs(col(Question.owner_id)))
        ),
        sa.select(col(Assignment.paper_id)).where(theirs(col(Assignment.person_id)), completion.is_active_assignment()),
        _select_papers_with(AgendaItem.paper_id).where(theirs(col(AgendaItem.presenter_id))),
    ]
    maker = col(Paper.created_by)
    return sa.or_(sa.and_(maker.is_not(None), theirs(maker)), col(Paper.id).in_(sa.union_all(*traces)))


def _select_papers_with(column: Any) -> sa.Select[Any]:  # noqa: ANN401 - an optional column of paper IDs
    return sa.select(col(column)).where(col(column).is_not(None))


FILTERS: Mapping[str, Callable[[FieldFilter, SearchContext], Condition]] = {
    "readers": _readers,
    "unread-by": _unread_by,
    "is": _is,
    "meeting": _meeting,
    "mentions": _mentions,
    "involves": _involves,
}
