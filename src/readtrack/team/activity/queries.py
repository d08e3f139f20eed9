"""Queries on events: the team's feed, the log for programs, and the audit trail for admins.

Feed and log contain only public verbs, and private events only of the current user.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read, committed_in_order
from readtrack.infra.models import Event, Paper, Person, Question, Token, Topic
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present, shared_or_own
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.history import MY_QUEUE
from readtrack.team.activity.verbs import VERBS, access_verbs, hidden_verbs, public_verbs


class EventRow(NamedTuple):
    """An event.

    `id`: the sort key for cursors, never shown, because it counts private events too. `title`: the paper's title or
    identifier, "" if there is no paper. `names`: current names for ids in the data: `whom` an assignment is for, a
    `question`, a `topic`, the topic with a `slug`.
    """

    id: int
    created_at: datetime
    verb: str
    person_id: int | None
    person: str
    by_program: bool
    paper_id: int | None
    title: str
    language: str
    data: dict[str, Any]
    private: bool
    names: Mapping[str, str] = MappingProxyType({})

    def to_json(self) -> dict[str, Any]:
        """Return the event as programs get it."""
        return {
            "at": self.created_at,
            "verb": self.verb,
            "by_program": self.by_program,
            "title": self.title,
            "data": self.data,
            "private": self.private,
            "person": {"id": self.person_id, "name": self.person} if self.person_id else None,
            "paper": self.paper_id,
        }


class AuditRow(NamedTuple):
    """An event with details for admins: token, network address, values before and after."""

    event: EventRow
    token: str
    address: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True)
class EventFilter:
    """A filter of events. None and "" match all. `of` is a group of the feed, or a verb."""

    of: str = ""
    person: int | None = None
    paper: int | None = None

    @property
    def question(self) -> str:
        """The query identity for which a cursor is valid."""
        return f"events\0{self.of}\0{self.person}\0{self.paper}"

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return the conditions except those on verbs."""
        person = [] if self.person is None else [col(Event.person_id) == self.person]
        paper = [] if self.paper is None else [col(Event.paper_id) == self.paper]
        return [*person, *paper]


_SHOWN: Sequence[Any] = (
    col(Event.id),
    col(Event.created_at),
    col(Event.verb),
    col(Event.person_id),
    sa.func.coalesce(col(Person.name), "").label("person"),
    col(Event.token_id).is_not(None).label("by_program"),
    col(Event.paper_id),
    sa.func.coalesce(col(Paper.title), "").label("title"),
    sa.func.coalesce(col(Paper.language), "").label("language"),
    col(Event.data),
    col(Event.private),
)
_WITH_NAMES = (
    sa.select(*_SHOWN)
    .join(Person, col(Person.id) == col(Event.person_id), isouter=True)
    .join(Paper, sa.and_(col(Paper.id) == col(Event.paper_id), is_present(Paper)), isouter=True)
)
_AUDITED: Sequence[Any] = (col(Token.name).label("token"), col(Event.address), col(Event.before), col(Event.after))
# Events of deleted papers are hidden, except the deletion itself, which only shows the number.
_HERE = sa.or_(col(Event.paper_id).is_(None), col(Paper.id).is_not(None), col(Event.verb) == "paper.deleted")


def list_activity(tx: Read, me: CurrentUser, event_filter: EventFilter, page_request: PageRequest) -> Page[EventRow]:
    """Return the team's activity, newest first.

    Events of sources and of the user's queue are included only if the filter names them.
    """
    permissions.require(me, "see")
    query = _WITH_NAMES.where(*_feed_filters(me, event_filter), *event_filter.conditions())
    if event_filter.of != "sources":
        query = query.where(col(Event.person_id).is_not(None))
    if event_filter.of != MY_QUEUE:
        query = query.where(col(Event.verb) != MY_QUEUE)
    if page_request.after is not None:
        query = query.where(col(Event.id) < page_request.after[1])
    rows, has_more = split_page(
        tx.execute(query.order_by(col(Event.id).desc()).limit(page_request.limit + 1)).all(), page_request.limit
    )
    return Page(_build_rows(tx, rows), (rows[-1].id, rows[-1].id) if has_more else None)


def list_since(
    tx: Read, me: CurrentUser, event_filter: EventFilter, *, after_id: int, limit: int
) -> tuple[list[EventRow], bool]:
    """Return the events after that id in order, and whether there are more. No event is skipped."""
    permissions.require(me, "see")
    query = _WITH_NAMES.add_columns(committed_in_order(tx, "event").label("settled"))
    query = query.where(*_feed_filters(me, event_filter), *event_filter.conditions(), col(Event.id) > after_id)
    candidates = tx.execute(query.order_by(col(Event.id)).limit(limit + 1)).all()
    # Stop at the first event whose transaction may still be open. An event just changed by an erasure waits too.
    rows, has_more = split_page(list(takewhile(lambda row: row.settled, candidates)), limit)
    return _build_rows(tx, rows), has_more


def list_settled_ids(tx: Read, *, after_id: int, limit: int) -> list[int]:
    """Return the ids of the next events of anyone, up to the first before which another may still appear."""
    columns = (col(Event.id), committed_in_order(tx, "event").label("settled"))
    query = sa.select(*columns).where(col(Event.id) > after_id).order_by(col(Event.id)).limit(limit)
    return [row.id for row in takewhile(lambda row: row.settled, tx.execute(query))]


def find_events(tx: Read, me: CurrentUser | None, event_ids: Collection[int]) -> list[EventRow]:
    """Return those of the events that the user may see, in order; without a user, those that the whole team may."""
    is_visible = (col(Event.verb).in_(public_verbs()), shared_or_own(Event, me.id if me else None), _HERE)
    query = _WITH_NAMES.where(col(Event.id).in_(event_ids), *is_visible)
    return _build_rows(tx, tx.execute(query.order_by(col(Event.id))).all())


def list_recent_events(tx: Read, me: CurrentUser, *, since: datetime, limit: int) -> list[EventRow]:
    """Return events of others since then, newest first."""
    return _build_rows(tx, tx.rows(_recent_events_query(), {"me": me.id, "since": since, "most": limit}))


def list_audit(tx: Read, me: CurrentUser, event_filter: EventFilter, page_request: PageRequest) -> Page[AuditRow]:
    """Return all events except private ones of others, newest first.

    Raise NotAllowed unless the user is an admin.
    """
    permissions.require(me, "manage-people")
    is_visible = sa.or_(shared_or_own(Event, me.id), col(Event.verb).in_(access_verbs()))
    query = _WITH_NAMES.add_columns(*_AUDITED).join(Token, col(Token.id) == col(Event.token_id), isouter=True)
    query = query.where(is_visible, *event_filter.conditions(), *_verb_filters(event_filter.of))
    if page_request.after is not None:
        query = query.where(col(Event.id) < page_request.after[1])
    rows, has_more = split_page(
        tx.execute(query.order_by(col(Event.id).desc()).limit(page_request.limit + 1)).all(), page_request.limit
    )
    audited = [
        AuditRow(event, row.token or "", *row[-len(_AUDITED) + 1 :])
        for event, row in zip(_build_rows(tx, rows), rows, strict=True)
    ]
    return Page(audited, (rows[-1].id, rows[-1].id) if has_more else None)


def find_name(tx: Read, person_id: int) -> str:
    """Return the person's name, "" if there is none."""
    return tx.scalar(sa.select(col(Person.name)).where(col(Person.id) == person_id)) or ""


@cache
def _recent_events_query() -> sa.Select[*tuple[Any, ...]]:
    user_id: Any = sa.bindparam("me", type_=sa.Integer)
    conditions = (col(Event.person_id) != user_id, col(Event.created_at) >= sa.bindparam("since", type_=Moment()))
    query = _WITH_NAMES.where(col(Event.verb).in_(public_verbs()), shared_or_own(Event, user_id), _HERE, *conditions)
    return query.order_by(col(Event.created_at).desc(), col(Event.id).desc()).limit(sa.bindparam("most"))


def _feed_filters(me: CurrentUser, event_filter: EventFilter) -> tuple[sa.ColumnElement[bool], ...]:
    verbs = (
        public_verbs()
        if not event_filter.of
        else [event_filter.of]
        if event_filter.of in VERBS
        else public_verbs(event_filter.of)
    )
    return col(Event.verb).in_(set(verbs) & set(public_verbs())), shared_or_own(Event, me.id), _HERE


def _verb_filters(group: str) -> list[sa.ColumnElement[bool]]:
    """Return the condition on verbs.

    In the audit trail, `access` means the verbs hidden from the feed.
    """
    if not group:
        return []
    verbs = hidden_verbs() if group == "access" else public_verbs(group) or [group]
    return [col(Event.verb).in_(verbs)]


def _build_rows(tx: Read, rows: Sequence[sa.Row[Any]]) -> list[EventRow]:
    """Build the rows with current names. A paper without a title is named by its identifier."""
    events = [EventRow(*tuple(row)[: len(_SHOWN)]) for row in rows]
    labels = labels_of(tx, [event.paper_id for event in events if event.paper_id and not event.title])
    names_by_field = {
        field: _find_names(tx, key_column, name_column, {_named_by(event, field) for event in events})
        for field, key_column, name_column in _CALLED
    }
    return [
        event._replace(
            title=event.title or labels.get(event.paper_id or 0, ""),
            names={
                field: names[key]
                for field, names in names_by_field.items()
                if (key := _named_by(event, field)) in names
            },
        )
        for event in events
    ]


_CALLED: Sequence[tuple[str, Any, Any]] = (
    ("whom", Person.id, Person.name),
    ("question", Question.id, Question.text),
    ("topic", Topic.id, Topic.name),
    ("slug", Topic.slug, Topic.name),
)


def _named_by(event: EventRow, field: str) -> int | str | None:
    """Return the id or slug of that kind in the event's data, None if there is none."""
    if field == "whom":
        field = "person" if event.verb.startswith("assignment.") else ""
    key = event.data.get(field)
    return key if isinstance(key, str if field == "slug" else int) else None


def _find_names(tx: Read, key_column: Any, name_column: Any, keys: Collection[int | str | None]) -> dict[Any, str]:  # noqa: ANN401 - columns
    wanted_keys = set(keys) - {None}
    if not wanted_keys:
        return {}
    return dict(tx.execute(sa.select(key_column, name_column).where(key_column.in_(wanted_keys))).all())
