"""Which events a webhook sends: those that its owner may see now, of the chosen kinds, about the chosen papers."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import Paper, Person, Webhook
from readtrack.infra.permissions import CurrentUser, has_permission, is_present
from readtrack.library.topics.queries import find_slug
from readtrack.reading.readings.history import MY_QUEUE
from readtrack.team.activity.queries import EventRow, find_events
from readtrack.team.activity.verbs import GROUPS, public_verbs
from readtrack.workspace.saved_searches.queries import find_view


def find_sender(tx: Read, webhook: Webhook) -> CurrentUser | None:
    """Return the owner with their present rights; None if they may not send to this webhook any more."""
    person = tx.get(Person, webhook.person_id)
    return build_sender(person, webhook) if person else None


def build_sender(person: Person, webhook: Webhook) -> CurrentUser | None:
    """Return the owner as find_sender does."""
    if person.disabled_at is not None:
        return None
    sender = CurrentUser(person.id or 0, person.name, person.role, language=person.language, time_zone=person.time_zone)
    action = "send-team-webhooks" if webhook.team else "send-webhooks"
    return sender if has_permission(sender, action) else None


def find_visible_events(tx: Read, webhook: Webhook, sender: CurrentUser, event_ids: Collection[int]) -> list[EventRow]:
    """Return those of the events that the webhook may send now; private ones never to a webhook of the team."""
    return find_events(tx, None if webhook.team else sender, event_ids)


def select_events(tx: Read, webhook: Webhook, sender: CurrentUser, events: Sequence[EventRow]) -> Sequence[EventRow]:
    """Return the events that match the filters of the webhook."""
    of_kind = [event for event in events if _is_of_kind(event, webhook.events)]
    for query in _paper_queries(tx, webhook, sender):
        paper_ids = _find_matches(tx, None if webhook.team else sender, query, of_kind)
        of_kind = [event for event in of_kind if event.paper_id in paper_ids or _is_about_topic(event, webhook)]
    return of_kind


def _is_of_kind(event: EventRow, names: Collection[str]) -> bool:
    """Return True for a chosen verb or group. Without a choice, for what the activity feed shows."""
    if not names:
        return event.person_id is not None and event.verb != MY_QUEUE
    return any(event.verb == name or (name in GROUPS and event.verb in public_verbs(name)) for name in names)


def _is_about_topic(event: EventRow, webhook: Webhook) -> bool:
    """Return True for events of the chosen topic itself, which are about no paper."""
    is_topic = bool(webhook.topic) and event.data.get("slug") == webhook.topic
    return is_topic and event.paper_id is None and webhook.view_id is None


def _paper_queries(tx: Read, webhook: Webhook, sender: CurrentUser) -> list[str | None]:
    """Return the searches that a paper must match; None for a topic or saved search that is gone."""
    queries: list[str | None] = []
    if webhook.topic:
        slug = find_slug(tx, webhook.topic)
        queries.append(slug and f'topic:"{slug}"')
    if webhook.view_id is not None:
        view = find_view(tx, sender, webhook.view_id)
        queries.append(view.q if view and (view.shared or not webhook.team) else None)
    return queries


def _find_matches(tx: Read, reader: CurrentUser | None, query: str | None, events: Sequence[EventRow]) -> set[int]:
    paper_ids = {event.paper_id for event in events if event.paper_id}
    if query is None or not paper_ids:
        return set()
    try:
        matches = search.paper_filter(tx, search.parse(query), reader)
    except search.QueryError:  # For example after a topic was renamed.
        return set()
    return set(tx.scalars(sa.select(col(Paper.id)).where(col(Paper.id).in_(paper_ids), is_present(Paper), matches)))
