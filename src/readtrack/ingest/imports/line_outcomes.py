"""The lines of a note, each with the entries it became."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

LINE_END = re.compile(r"\r\n|\r|\n")  # the only line ends: docs/model.md, law 1


@dataclass
class NoteLine:
    """One line: its number, its text, and the entries that begin on it."""

    number: int
    text: str
    outcome: str = "blank"
    entries: list[Any] = field(default_factory=list)


def build_note_lines(text: str, entries: Iterable[Any]) -> Sequence[NoteLine]:
    """Return all lines of a note with the entries that begin on them.

    The kind of a line is that of its first entry.
    """
    lines = [NoteLine(number, line) for number, line in enumerate(split_lines(text), 1)]
    for entry in entries:
        for number in range(entry.first_line, min(entry.last_line, len(lines)) + 1):
            line = lines[number - 1]
            if entry.part == 1:
                line.outcome = entry.kind
            if number == entry.first_line:
                line.entries.append(entry)
    return lines


def split_lines(text: str) -> list[str]:
    """Return the lines of a note. A line end at the end of the text does not begin another line."""
    texts = LINE_END.split(text)
    if texts and not texts[-1]:
        texts.pop()
    return texts
