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
MOST_NAMED = 3  # papers per item; the rest is counted


class FeedFragment(NamedTuple):
    """A part of a sentence. `title`: it is a paper's title, in `language`."""

    text: str
    href: str = ""
    title: bool = False
    language: str = ""


class FeedItem(NamedTuple):
    """One or several consecutive actions of a person. `last` is the latest event."""

    last: EventRow
    pieces: Sequence[FeedFragment]
    times: int


def build_feed_items(events: Iterable[EventRow], zone: str = "") -> list[FeedItem]:
    """Build items from events in order.

    Consecutive events of a day that differ only in the paper are combined. `zone`: the time zone of the day, "" for
    UTC.
    """
    return [_build_item(list(several)) for _, several in groupby(events, lambda event: _grouping_key(event, zone))]


def group_by_day(shown: Iterable[FeedItem], zone: str = "") -> list[tuple[date, list[FeedItem]]]:
    """Group the items by the local day of their latest event."""
    return [
        (day, list(several))
        for day, several in groupby(shown, lambda line: to_local(line.last.created_at, zone).date())
    ]


def _grouping_key(event: EventRow, zone: str) -> tuple[Any, ...]:
    words = get_verb_text(event.verb, event.data)
    alone = () if words.text.endswith("{paper}") and event.paper_id else (event.id,)
    said = tuple(sorted(event.names.items()))
    return (
        event.person_id,
        words.text,
        said,
        to_local(event.created_at, zone).date(),
        event.private,
        event.by_program,
        *alone,
    )


def _build_item(events: Sequence[EventRow]) -> FeedItem:
    said = list(_format_fragments(_(get_verb_text(events[0].verb, events[0].data).text), events))
    return FeedItem(events[0], said, len(events))


def _format_fragments(text: str, events: Sequence[EventRow]) -> Iterator[FeedFragment]:
    for literal, name, shown_as, _conversion in string.Formatter().parse(text):
        if literal:
            yield FeedFragment(literal)
        if name == "paper" or (name == "about" and events[0].paper_id):
            yield from _paper_fragments(events)
        elif name is not None:
            yield _value_fragment(name, shown_as or "", events[0])


def _paper_fragments(events: Sequence[EventRow]) -> Iterator[FeedFragment]:
    """Yield each paper once."""
    papers = list({event.paper_id: event for event in events}.values())
    named = papers if len(papers) <= MOST_NAMED + 1 else papers[:MOST_NAMED]
    for number, event in enumerate(named):
        if number:
            yield FeedFragment(_(" and ") if number == len(papers) - 1 else _(", "))
        yield _paper_fragment(event)
    if len(papers) > len(named):
        yield FeedFragment(_(" and {count} more").format(count=len(papers) - len(named)))


def _paper_fragment(event: EventRow) -> FeedFragment:
    if not event.title:
        return FeedFragment(_("paper {number}").format(number=event.paper_id) if event.paper_id else _("a paper"))
    return FeedFragment(event.title, f"/papers/{event.paper_id}", title=True, language=event.language)


def _value_fragment(name: str, shown_as: str, event: EventRow) -> FeedFragment:
    data, names = event.data, event.names
    if name == "whom":
        return _link_fragment(
            "/people/{}" if name in names else "", data.get("person"), names.get(name) or _("somebody")
        )
    if name == "topic":
        return _link_fragment("/topics/{}", data.get("slug"), data.get("name") or data.get("slug"))
    if name == "meeting":
        return _link_fragment(LINKS[name], data.get(name), data.get("title") or _("a meeting"))
    if name == "question" or (name == "about" and data.get("question")):
        return _question_fragment(event)
    if name == "about":
        return FeedFragment(_("the topic {name}").format(name=names["topic"]) if "topic" in names else _("a topic"))
    said = data.get(name)
    return _link_fragment(LINKS.get(name, ""), said, shown_as or (_(str(said)) if name == "role" else said))


def _question_fragment(event: EventRow) -> FeedFragment:
    """Return the question's text, shortened. The question may have been deleted."""
    said = event.names.get("question", "")
    if not said:
        return FeedFragment(_("a question"))
    short = said if len(said) <= MAX_QUESTION_CHARS else f"{said[:MAX_QUESTION_CHARS].rstrip()}…"
    return _link_fragment(LINKS["question"], event.data["question"], f"“{short}”")


def _link_fragment(form: str, value: object, text: object) -> FeedFragment:
    href = form.format(quote(str(value), safe="")) if form and isinstance(value, (str, int)) else ""
    return FeedFragment("" if text is None else str(text), href)
