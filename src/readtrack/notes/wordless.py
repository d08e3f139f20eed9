"""A text without any address: a question, a subject, a paper named only by its title, a remark, or nothing."""

import re

from readtrack.notes.entry import Entry
from readtrack.notes.making import Place
from readtrack.notes.titles import clean_title, names_a_paper
from readtrack.notes.venues import take_tag
from readtrack.notes.wording import is_question, subject

_ANCHOR = re.compile(r"\[[^\[\]]{0,300}\]\(\s?#[^()\s]{0,300}\)")
_PICTURE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,1000}\)")
_LOCAL = re.compile(r"\[([^\[\]]{0,300})\]\(\s?[^()\s]{0,500}\s?\)")
_WIKI = re.compile(r"\[\[([^\[\]|]{1,300})(?:\|[^\[\]]{0,300})?\]\]")
_LETTER = re.compile(r"[^\W_]")
_MAX_TITLE = 300


def read_wordless(text: str, place: Place, *, references: bool = False) -> Entry:
    """`references`: under a heading that lists works, a plain line names or describes one."""
    plain = _without_markup(text) if "[" in text else text
    if not _LETTER.search(plain):
        return _nothing(text, place)
    if is_question(plain):
        return _entry("question", place, title=clean_title(plain), text=plain)
    named = _named(plain, place, references=references)
    if named:
        return named
    if references and len(plain) > 1:
        return _entry("lead", place, text=plain, reason="Described, not named: no title and no address; to be found.")
    name = subject(plain)
    return _entry("topic", place, title=name, text=plain) if name else _entry("snippet", place, text=plain)


def _without_markup(text: str) -> str:
    """Links that lead nowhere on the web leave their text; pictures and anchors leave nothing."""
    plain = _ANCHOR.sub("", _PICTURE.sub("", text))
    return _WIKI.sub(r"\1", _LOCAL.sub(r"\1", plain)).strip()


def _nothing(text: str, place: Place) -> Entry:
    if _ANCHOR.search(text):
        return Entry(
            place.first,
            place.last,
            1,
            "junk",
            decision="skip",
            reason="A line of a table of contents; nothing is made of it.",
        )
    return Entry(place.first, place.last, 1, "blank", decision="skip", reason="Nothing stands here but a mark.")


def _named(plain: str, place: Place, *, references: bool) -> Entry | None:
    """A title with a venue tag is a paper that nobody linked."""
    if len(plain) > _MAX_TITLE:
        return None
    title, venue, year = take_tag(plain)
    title = clean_title(title) if venue or references else ""
    if title and (venue or names_a_paper(title)):
        return _entry(
            "lead", place, title=title, venue=venue, year=year, reason="Named without any address; to be found."
        )
    return None


def _entry(
    kind: str,
    place: Place,
    *,
    title: str = "",
    text: str = "",
    venue: str = "",
    year: int | None = None,
    reason: str = "",
) -> Entry:
    return Entry(
        place.first,
        place.last,
        1,
        kind,
        title=title,
        topics=place.topics,
        venue=venue,
        year=year,
        status=place.status if kind == "lead" else None,
        text=text,
        reason=reason or (f"Nested under “{place.within[:100]}”." if place.within else ""),
    )
