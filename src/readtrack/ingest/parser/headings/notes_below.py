"""Entries below a paper's heading become notes on it; entries below a date get that reading date."""

from collections.abc import Iterable
from dataclasses import replace

from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import Outline, squeeze_name
from readtrack.ingest.parser.headings.vocabulary import PARTS_OF_NOTES

_NAMED = frozenset({"lead", "topic", "paper"})
_PARTS = frozenset(map(squeeze_name, PARTS_OF_NOTES))
_MAX_CHARS = 100
LINKED = "Linked like a note of its own, without any address; to be found."


def apply_outer_headings(entries: Iterable[ParsedEntry], outline: Outline) -> list[ParsedEntry]:
    """Turn entries without an address below a paper into remarks, and set reading dates.

    Reference lists are left unchanged.
    """
    paper = "" if outline.references else outline.paper
    return [_set_read_on(_remark(entry, paper) if paper else entry, outline.reading_date) for entry in entries]


def _remark(entry: ParsedEntry, paper: str) -> ParsedEntry:
    """Return an entry without an address as a remark.

    Questions of a form, such as "What is it about?", become remarks too.
    """
    is_form_question = entry.kind == "question" and squeeze_name(entry.text) in _PARTS
    if (
        (entry.kind not in _NAMED and not is_form_question)
        or entry.identifiers
        or entry.title == paper
        or entry.reason == LINKED
    ):
        return entry
    reason = f"A note on “{paper[:_MAX_CHARS]}”."
    return ParsedEntry(
        entry.first,
        entry.last,
        entry.part,
        "snippet",
        topics=entry.topics,
        text=entry.text or entry.title,
        reason=reason,
    )


def _set_read_on(entry: ParsedEntry, day: str) -> ParsedEntry:
    if not day or entry.kind != "paper" or entry.read_on:
        return entry
    return replace(entry, read_on=day)
