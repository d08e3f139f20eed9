"""Reference lists, numbered, as footnotes, or annotated with one line per work.

Examples: `[1] A. Author, Title, Venue, 2020.`, `[^1]: …`.
"""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.unlinked import read_wordless
from readtrack.ingest.parser.vocabulary.citations import parse_citation
from readtrack.ingest.parser.vocabulary.venues import take_tag

_MARK = re.compile(
    r"(?:[-*+]\s)?\[(?:(?P<foot>\^[^\[\]\s]{1,40})|(?P<number>\d{1,3})|[A-Z][A-Za-z+]{1,12}\d{2,4}[a-z]?)\](?(foot):|[:.]?)\s{1,3}"
    r"(?P<body>\S.*)"
)
_MOST_LINES = 6
_WRAPPED_AT = 40


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    mark = _match_mark(page.text(at))
    if mark is not None:
        return _read_numbered(page, at, mark["body"])
    if not page.outline.references or page.links_at(at) or not page.text(at) or is_bullet(page.text(at)):
        return None
    place = _place(page, at, at + 1)
    return EntryBlock(1, read_piece(page.text(at), place, listed=True, references=True))


def _match_mark(text: str) -> re.Match[str] | None:
    """Match a number, footnote mark or citation key in brackets.

    The tag of a venue in brackets does not count.
    """
    if not text.startswith(("[", "- [", "* [", "+ [")):
        return None
    mark = _MARK.match(text)
    return mark if mark and not take_tag(text).venue else None


def _read_numbered(page: NoteDocument, at: int, body: str) -> EntryBlock | None:
    """Read one reference, wrapped or not.

    Without an address it must be in a reference list or have authors.
    """
    end = at + 1
    while end < at + _MOST_LINES and _goes_on(page, end):
        end += 1
    text = " ".join([body, *(page.text(index) for index in range(at + 1, end))])
    place = _place(page, at, end)
    if any(page.links_at(index) for index in range(at, end)):
        return EntryBlock(end - at, read_piece(text, place, listed=True, references=True))
    cited = parse_citation(text)
    if not cited.authors and not page.outline.references:
        return None
    return EntryBlock(end - at, [read_wordless(text, place, references=True, among_papers=bool(cited.authors))])


def _goes_on(page: NoteDocument, at: int) -> bool:
    text = page.text(at)
    if not text or len(page.text(at - 1)) < _WRAPPED_AT or text.startswith(("[", "#", "|", ">", "```", "**", "<")):
        return False
    return not is_bullet(text)


def _place(page: NoteDocument, at: int, end: int) -> ItemContext:
    return ItemContext(page.lines[at].number, page.lines[end - 1].number, page.outline.topics)


SHAPE = Shape("references", 47, read)
