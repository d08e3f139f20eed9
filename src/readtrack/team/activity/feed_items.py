"""Events as people read them: sentences in pieces, and what one person did many times over as one line. Pure."""

import string
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote

from readtrack.infra.clock import local
from readtrack.infra.i18n import gettext as _
from readtrack.team.activity.queries import EventRow
from readtrack.team.activity.verbs import LINKS, words_of

LONGEST = 90  # characters of a question
MOST_NAMED = 3  # papers of one line; the rest is a number


class Piece(NamedTuple):
    """Some of a sentence; `title` says that it is a paper's, in `language`."""

    text: str
    href: str = ""
    title: bool = False
    language: str = ""


class Line(NamedTuple):
    """What one person did, once or several times in a row. `last` is the latest of it."""

    last: EventRow
    pieces: Sequence[Piece]
    times: int


def lines(events: Iterable[EventRow], zone: str = "") -> list[Line]:
    """The events in their order; those that differ only in their paper, one after the other on one day, as one.

    `zone`: where the day begins and ends, blank for UTC.
    """
    return [_line(list(several)) for _, several in groupby(events, lambda event: _alike(event, zone))]


def by_day(shown: Iterable[Line], zone: str = "") -> list[tuple[date, list[Line]]]:
    """The lines under the day, there, of the latest of each."""
    return [(day, list(several)) for day, several in groupby(shown, lambda line: local(line.last.at, zone).date())]


def _alike(event: EventRow, zone: str) -> tuple[Any, ...]:
    words = words_of(event.verb, event.data)
    alone = () if words.text.endswith("{paper}") and event.paper_id else (event.id,)
    said = tuple(sorted(event.names.items()))
    return event.person_id, words.text, said, local(event.at, zone).date(), event.private, event.by_program, *alone


def _line(events: Sequence[EventRow]) -> Line:
    said = list(_said(_(words_of(events[0].verb, events[0].data).text), events))
    return Line(events[0], said, len(events))


def _said(text: str, events: Sequence[EventRow]) -> Iterator[Piece]:
    for literal, name, shown_as, _conversion in string.Formatter().parse(text):
        if literal:
            yield Piece(literal)
        if name == "paper" or (name == "about" and events[0].paper_id):
            yield from _papers(events)
        elif name is not None:
            yield _named(name, shown_as or "", events[0])


def _papers(events: Sequence[EventRow]) -> Iterator[Piece]:
    """Each paper once, whatever was done to it how often."""
    papers = list({event.paper_id: event for event in events}.values())
    named = papers if len(papers) <= MOST_NAMED + 1 else papers[:MOST_NAMED]
    for number, event in enumerate(named):
        if number:
            yield Piece(_(" and ") if number == len(papers) - 1 else _(", "))
        yield _paper(event)
    if len(papers) > len(named):
        yield Piece(_(" and {count} more").format(count=len(papers) - len(named)))


def _paper(event: EventRow) -> Piece:
    if not event.title:
        return Piece(_("paper {number}").format(number=event.paper_id) if event.paper_id else _("a paper"))
    return Piece(event.title, f"/papers/{event.paper_id}", title=True, language=event.language)


def _named(name: str, shown_as: str, event: EventRow) -> Piece:
    data, names = event.data, event.names
    if name == "whom":
        return _link("/people/{}" if name in names else "", data.get("person"), names.get(name) or _("somebody"))
    if name == "topic":
        return _link("/topics/{}", data.get("slug"), data.get("name") or data.get("slug"))
    if name == "meeting":
        return _link(LINKS[name], data.get(name), data.get("title") or _("a meeting"))
    if name == "question" or (name == "about" and data.get("question")):
        return _question(event)
    if name == "about":
        return Piece(_("the topic {name}").format(name=names["topic"]) if "topic" in names else _("a topic"))
    said = data.get(name)
    return _link(LINKS.get(name, ""), said, shown_as or (_(str(said)) if name == "role" else said))


def _question(event: EventRow) -> Piece:
    """In its own words, as far as they fit; it may be gone."""
    said = event.names.get("question", "")
    if not said:
        return Piece(_("a question"))
    short = said if len(said) <= LONGEST else f"{said[:LONGEST].rstrip()}…"
    return _link(LINKS["question"], event.data["question"], f"“{short}”")


def _link(form: str, value: object, text: object) -> Piece:
    href = form.format(quote(str(value), safe="")) if form and isinstance(value, (str, int)) else ""
    return Piece("" if text is None else str(text), href)
