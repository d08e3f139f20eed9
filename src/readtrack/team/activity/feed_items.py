"""Feed items: events as sentences in fragments, with repeated actions of one person combined."""

import string
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote

from readtrack.infra.clock import to_local
from readtrack.infra.i18n import gettext as _
from readtrack.team.activity.queries import EventRow
from readtrack.team.activity.verbs import LINKS, get_verb_text

MAX_QUESTION_CHARS = 90  # characters of a question
MAX_NAMED_PAPERS = 3  # papers per item; the rest is counted


class FeedFragment(NamedTuple):
    """A part of a sentence. `title`: it is a paper's title, in `language`."""

    text: str
    href: str = ""
    title: bool = False
    language: str = ""


class FeedItem(NamedTuple):
    """One or several consecutive actions of a person. `last` is the latest event."""

    last: EventRow
    fragments: Sequence[FeedFragment]
    times: int


def build_feed_items(events: Iterable[EventRow], zone: str = "") -> list[FeedItem]:
    """Build items from events in order.

    Consecutive events of a day that differ only in the paper are combined. `zone`: the time zone of the day, "" for
    UTC.
    """
    return [_build_item(group) for group in group_events(events, zone)]


def group_events(events: Iterable[EventRow], zone: str = "") -> list[list[EventRow]]:
    """Group the events that are one item, as `build_feed_items` does."""
    return [list(group) for _, group in groupby(events, lambda event: _grouping_key(event, zone))]


def group_by_day(items: Iterable[FeedItem], zone: str = "") -> list[tuple[date, list[FeedItem]]]:
    """Group the items by the local day of their latest event."""
    return [
        (day, list(group)) for day, group in groupby(items, lambda item: to_local(item.last.created_at, zone).date())
    ]


def _grouping_key(event: EventRow, zone: str) -> tuple[Any, ...]:
    verb_text = get_verb_text(event.verb, event.data)
    own_key = () if verb_text.text.endswith("{paper}") and event.paper_id else (event.id,)
    names = tuple(sorted(event.names.items()))
    return (
        event.person_id,
        verb_text.text,
        names,
        to_local(event.created_at, zone).date(),
        event.private,
        event.by_program,
        *own_key,
    )


def _build_item(events: Sequence[EventRow]) -> FeedItem:
    fragments = list(_format_fragments(_(get_verb_text(events[0].verb, events[0].data).text), events))
    return FeedItem(events[0], fragments, len(events))


def _format_fragments(text: str, events: Sequence[EventRow]) -> Iterator[FeedFragment]:
    for literal, name, format_spec, _conversion in string.Formatter().parse(text):
        if literal:
            yield FeedFragment(literal)
        if name == "paper" or (name == "about" and events[0].paper_id):
            yield from _paper_fragments(events)
        elif name is not None:
            yield _value_fragment(name, format_spec or "", events[0])


def _paper_fragments(events: Sequence[EventRow]) -> Iterator[FeedFragment]:
    """Yield each paper once."""
    papers = list({event.paper_id: event for event in events}.values())
    listed = papers if len(papers) <= MAX_NAMED_PAPERS + 1 else papers[:MAX_NAMED_PAPERS]
    for number, event in enumerate(listed):
        if number:
            yield FeedFragment(_(" and ") if number == len(papers) - 1 else _(", "))
        yield _paper_fragment(event)
    if len(papers) > len(listed):
        yield FeedFragment(_(" and {count} more").format(count=len(papers) - len(listed)))


def _paper_fragment(event: EventRow) -> FeedFragment:
    if not event.title:
        return FeedFragment(_("a paper"))
    return FeedFragment(event.title, f"/papers/{event.paper_id}", title=True, language=event.language)


def _value_fragment(name: str, label: str, event: EventRow) -> FeedFragment:
    data, names = event.data, event.names
    if name == "whom":
        return _link_fragment(
            "/people/{}" if name in names else "", data.get("person"), names.get(name) or _("someone")
        )
    if name == "topic":
        return _link_fragment("/topics/{}", data.get("slug"), names.get("slug") or data.get("name") or data.get("slug"))
    if name == "meeting":
        return _link_fragment(LINKS[name], data.get(name), data.get("title") or _("a meeting"))
    if name == "question" or (name == "about" and data.get("question")):
        return _question_fragment(event)
    if name == "about":
        return FeedFragment(_("the topic {name}").format(name=names["topic"]) if "topic" in names else _("a topic"))
    value = data.get(name)
    return _link_fragment(LINKS.get(name, ""), value, label or (_(str(value)) if name == "role" else value))


def _question_fragment(event: EventRow) -> FeedFragment:
    """Return the question's text, shortened. The question may have been deleted."""
    question_text = event.names.get("question", "")
    if not question_text:
        return FeedFragment(_("a question"))
    excerpt = (
        question_text if len(question_text) <= MAX_QUESTION_CHARS else f"{question_text[:MAX_QUESTION_CHARS].rstrip()}…"
    )
    return _link_fragment(LINKS["question"], event.data["question"], _("“{text}”").format(text=excerpt))


def _link_fragment(form: str, value: object, text: object) -> FeedFragment:
    href = form.format(quote(str(value), safe="")) if form and isinstance(value, (str, int)) else ""
    return FeedFragment("" if text is None else str(text), href)
