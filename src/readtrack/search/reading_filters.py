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
from readtrack.reading.readings.status_transitions import STALE_AFTER
from readtrack.search import dates
from readtrack.search.ast import AssignmentCondition, FieldFilter, NumberRange, PassFilter, TimeRange, Value
from readtrack.search.context import NO_ONE, Condition, SearchContext
from readtrack.search.paper_filters import LARGEST_NUMBER, any_value, on_days, within_range
from readtrack.search.text_filters import (
    papers_with_readable_summaries,
    papers_with_visible_comments,
    select_papers_mentioning,
)


def pass_condition(pass_filter: PassFilter, context: SearchContext) -> Condition:
    """Return the condition for papers with such a pass.

    `status:none` matches papers that are on nobody's list of `by`.
    """
    passes = _select_passes(pass_filter, context)
    none_filters = [node for node in pass_filter.filters if node.name == "status" and "none" in node.values]
    conditions = [_pass_filter_condition(node, context) for node in pass_filter.filters]
    has_pass = col(Paper.id).in_(passes.where(*conditions))
    if not none_filters or len(pass_filter.filters) > len(none_filters):
        return has_pass
    return sa.or_(has_pass, col(Paper.id).not_in(passes))


def _select_passes(pass_filter: PassFilter, context: SearchContext) -> sa.Select[Any]:
    conditions = (
        context.person_condition(pass_filter.people, col(Reading.person_id)),
        permissions.shared_or_own(Reading, context.id),
    )
    pass_condition = is_finished_pass() if pass_filter.finished else col(Reading.current)
    return sa.select(col(Reading.paper_id)).where(*conditions, pass_condition)


def _pass_filter_condition(node: FieldFilter, context: SearchContext) -> Condition:
    return _OF_PASS[node.name](node, context)


def _status(node: FieldFilter, _context: SearchContext) -> Condition:
    return sa.true() if "any" in node.values else col(Reading.status).in_([*node.values])


def _depth(node: FieldFilter, _context: SearchContext) -> Condition:
    return col(Reading.depth).in_(["" if value == "none" else value for value in node.values])


def _progress(node: FieldFilter, _context: SearchContext) -> Condition:
    total = sa.case((col(Reading.progress_unit) == "percent", 100), else_=col(Reading.progress_of))
    percent = sa.case((total > 0, 100 * col(Reading.progress_at) / total))
    return any_value(
        node,
        lambda value: (
            sa.and_(percent.is_not(None), *within_range(percent, value))
            if isinstance(value, NumberRange)
            else _presence_condition(col(Reading.progress_at), value)
        ),
    )


def _read(node: FieldFilter, context: SearchContext) -> Condition:
    day = col(Reading.finished_on)
    return any_value(
        node,
        lambda value: on_days(day, value, context) if isinstance(value, TimeRange) else _presence_condition(day, value),
    )


def _stale_condition(_node: FieldFilter, context: SearchContext) -> Condition:
    return sa.and_(col(Reading.status) == "reading", col(Reading.updated_at) < context.local_time.now - STALE_AFTER)


def _presence_condition(column: Any, value: Value) -> Condition:  # noqa: ANN401 - an optional column
    condition: Condition = column.is_(None) if value == "none" else column.is_not(None)
    return condition


_OF_PASS: Mapping[str, Callable[[FieldFilter, SearchContext], Condition]] = {
    "status": _status,
    "depth": _depth,
    "progress": _progress,
    "read": _read,
    "is": _stale_condition,
}


def assignment_condition(condition: AssignmentCondition, context: SearchContext) -> Condition:
    """Return the condition for papers with such an open assignment.

    `assignee:none` matches papers without one.
    """
    assigned = sa.select(col(Assignment.paper_id)).where(completion.is_open_for(context.id))
    none_filters = [node for node in condition.filters if node.name == "assignee" and "none" in node.values]
    is_assigned = col(Paper.id).in_(
        assigned.where(*(_assignment_filter_condition(node, context) for node in condition.filters))
    )
    if not none_filters or len(condition.filters) > len(none_filters):
        return is_assigned
    return sa.or_(is_assigned, col(Paper.id).not_in(assigned))


def _assignment_filter_condition(node: FieldFilter, context: SearchContext) -> Condition:
    if node.name == "assignee":
        people = tuple(value for value in node.values if value not in {"any", "none"})
        is_assignee = context.person_condition(people, col(Assignment.person_id)) if people else sa.false()
        return sa.true() if "any" in node.values else is_assignee
    if node.name == "due":
        day = col(Assignment.due_on)
        return any_value(
            node,
            lambda value: (
                on_days(day, value, context, ahead=True)
                if isinstance(value, TimeRange)
                else _presence_condition(day, value)
            ),
        )
    is_overdue = col(Assignment.due_on) < context.local_time.today
    return sa.true() if "assigned" in node.values else is_overdue


def _readers(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(node, lambda value: _read_by(value, context))


def _read_by(value: Value, context: SearchContext) -> Condition:
    """Match papers by their number of finished readers.

    Papers without readers are in no group, so a range from 0 excludes those above it instead.
    """
    assert isinstance(value, NumberRange), "readers are counted"  # noqa: S101 - see qualifiers
    count = sa.func.count(sa.distinct(col(Reading.person_id)))
    query = sa.select(col(Reading.paper_id)).where(is_finished_pass(), permissions.shared_or_own(Reading, context.id))
    query = query.group_by(col(Reading.paper_id))
    if value.low:
        return col(Paper.id).in_(query.having(sa.and_(*within_range(count, value))))
    return sa.true() if value.high is None else col(Paper.id).not_in(query.having(count > value.high))


def _unread_by(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(
        node, lambda who: col(Paper.id).not_in(_select_passes(PassFilter((who,), (), finished=True), context))
    )


def _is(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(node, lambda value: _IS[str(value)](context))


def _rejected(context: SearchContext) -> Condition:
    """Match rejected papers via the partial index on unlisted papers, as they are few."""
    return context.by_index(sa.and_(permissions.is_unlisted(Paper), col(Paper.triage) == "rejected"))


def _private(context: SearchContext) -> Condition:
    me = context.id or NO_ONE
    readings = sa.select(col(Reading.paper_id)).where(col(Reading.person_id) == me, col(Reading.private))
    summaries = papers_with_readable_summaries(context).where(col(Summary.person_id) == me, col(Summary.private))
    return col(Paper.id).in_(sa.union_all(readings, summaries))


def _failed(_context: SearchContext) -> Condition:
    """Match papers without a record for which a service refused or found nothing."""
    is_failed = sa.or_(col(MetadataRequest.state).in_(("refused", "unknown")), col(MetadataRequest.problem) != "")
    failed_papers = sa.select(col(MetadataRequest.paper_id)).where(is_failed, col(MetadataRequest.state) != "earlier")
    return sa.and_(col(Paper.record_id).is_(None), col(Paper.id).in_(failed_papers))


_IS: Mapping[str, Callable[[SearchContext], Condition]] = {
    # In the form of the partial index.
    "inbox": lambda asker: asker.by_index(col(Paper.triage) == sa.literal_column("'inbox'")),
    "library": lambda _asker: col(Paper.triage) == "library",
    "rejected": _rejected,
    "assigned": lambda asker: assignment_condition(AssignmentCondition((FieldFilter("is", ("assigned",)),)), asker),
    "overdue": lambda asker: assignment_condition(AssignmentCondition((FieldFilter("is", ("overdue",)),)), asker),
    "mine": lambda asker: sa.func.coalesce(col(Paper.created_by), 0) == (asker.id or NO_ONE),
    "private": _private,
    "stale": lambda asker: pass_condition(PassFilter((), (FieldFilter("is", ("stale",)),)), asker),
    "failed": _failed,
}


def _meeting(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(node, lambda value: _on_agenda(str(value), context))


def _on_agenda(value: str, context: SearchContext) -> Condition:
    items = sa.select(col(AgendaItem.paper_id)).where(col(AgendaItem.paper_id).is_not(None))
    if value in {"any", "none"}:
        is_on_agenda = col(Paper.id).in_(items)
        return is_on_agenda if value == "any" else sa.not_(is_on_agenda)
    if value == "next":
        return col(Paper.id).in_(items.where(col(AgendaItem.meeting_id) == _next(context)))
    number = int(value) if value.isdecimal() else 0
    return col(Paper.id).in_(items.where(col(AgendaItem.meeting_id) == min(number, LARGEST_NUMBER)))


def _next(context: SearchContext) -> Any:  # noqa: ANN401 - a scalar select
    """Return the first planned meeting from today on, including one that has begun."""
    start = dates.moments(TimeRange("", "today"), context.local_time).begin
    query = sa.select(col(Meeting.id)).where(col(Meeting.state) == "planned", col(Meeting.starts_at) >= start)
    return query.order_by(col(Meeting.starts_at), col(Meeting.id)).limit(1).scalar_subquery()


def _mentions(node: FieldFilter, context: SearchContext) -> Condition:
    names = context.names(node.values)
    return sa.or_(*(col(Paper.id).in_(select_papers_mentioning(name, context)) for name in names))


def _involves(node: FieldFilter, context: SearchContext) -> Condition:
    """Match papers people are involved with in any way."""

    def theirs(column: Any) -> Condition:  # noqa: ANN401 - a column of people
        return context.person_condition(node.values, column)

    involvements = [
        sa.select(col(Reading.paper_id)).where(
            theirs(col(Reading.person_id)), permissions.shared_or_own(Reading, context.id)
        ),
        papers_with_readable_summaries(context).where(theirs(col(Summary.person_id))),
        papers_with_visible_comments().where(theirs(col(Comment.person_id))),
        _select_papers_with(Question.paper_id).where(
            sa.or_(theirs(col(Question.created_by)), theirs(col(Question.owner_id)))
        ),
        sa.select(col(Assignment.paper_id)).where(theirs(col(Assignment.person_id)), completion.is_active_assignment()),
        _select_papers_with(AgendaItem.paper_id).where(theirs(col(AgendaItem.presenter_id))),
    ]
    creator = col(Paper.created_by)
    return sa.or_(sa.and_(creator.is_not(None), theirs(creator)), col(Paper.id).in_(sa.union_all(*involvements)))


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
