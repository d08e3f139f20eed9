"""References that run together on one line, as they are copied from a PDF: `[1] A. Author, Title, 2015.[2] B. …`."""

import re
from dataclasses import replace
from itertools import pairwise

from readtrack.infra.text.titles.dates import YEAR
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.references import read_reference
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.items.unlinked import read_wordless

_MARK = re.compile(r"(?:^(?:References\s?)?|(?<=[.\])\d/])\s?)\[(?P<number>\d{1,3})\]\s?(?=[^\W\d_])")
_BEGINNINGS = ("[", "References[", "References [")
_MIN_CHARS = 30  # of a reference


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read a line of references, unless the last one goes on below."""
    bodies, below = _split(page.text(start)), page.text(start + 1)
    if len(bodies) == 1 or not all(map(_is_reference, bodies)) or (below and not below.startswith("[")):
        return None
    context = page.context(start, start + 1)
    entries = [entry for body in bodies for entry in _read_one(body, context)]
    return EntryBlock(1, [replace(entry, part=part) for part, entry in enumerate(entries, 1)])


def _split(text: str) -> list[str]:
    """Split a line before `[n]` with consecutive numbers. Others are the year or venue of a work, or no reference."""
    marks = list(_MARK.finditer(text)) if text.startswith(_BEGINNINGS) else []
    numbers = [int(mark["number"]) for mark in marks]
    if not marks or marks[0].start() or any(after != before + 1 for before, after in pairwise(numbers)):
        return [text]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]


def _is_reference(body: str) -> bool:
    is_cited = YEAR.search(body) is not None and bool(parse_citation(body).authors)
    return len(body) >= _MIN_CHARS and (is_cited or bool(find_links(body)))


def _read_one(body: str, context: ItemContext) -> list[ParsedEntry]:
    if find_links(body):
        return read_reference(body, context)
    return [read_wordless(body, context, references=True, among_papers=True)]


SHAPE = Shape("joined_references", 41, read)
