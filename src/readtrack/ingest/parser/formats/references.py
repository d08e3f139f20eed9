"""Reference lists, numbered, as footnotes, or annotated with one line per work.

Examples: `[1] A. Author, Title, Venue, 2020.`, `[^1]: …`.
"""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.find_links import is_bare
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.unlinked import read_wordless
from readtrack.ingest.parser.vocabulary.citations import parse_citation
from readtrack.ingest.parser.vocabulary.venues import take_tag

_MARK = re.compile(
    r"(?:[-*+]\s)?\[(?:(?P<foot>\^[^\[\]\s]{1,40})|(?P<number>\d{1,3})|[A-Z][A-Za-z+]{1,12}\d{2,4}[a-z]?)\](?(foot):|[:.]?)\s{1,3}"
    r"(?P<body>\S.*)"
)
_MAX_LINES = 6
_WRAPPED_AT = 40


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    mark = _match_mark(page.text(start))
    if mark is not None:
        return _read_numbered(page, start, mark["body"])
    if not page.outline.references or page.links_at(start) or not page.text(start) or is_bullet(page.text(start)):
        return None
    context = _place(page, start, start + 1)
    return EntryBlock(1, read_piece(page.text(start), context, in_list=True, references=True))


def _match_mark(text: str) -> re.Match[str] | None:
    """Match a number, footnote mark or citation key in brackets.

    The tag of a venue in brackets does not count.
    """
    if not text.startswith(("[", "- [", "* [", "+ [")):
        return None
    mark = _MARK.match(text)
    return mark if mark and not take_tag(text).venue else None


def _read_numbered(page: NoteDocument, start: int, body: str) -> EntryBlock | None:
    """Read one reference, wrapped or not.

    Without an address it must be in a reference list or have authors.
    """
    end = start + 1
    while end < start + _MAX_LINES and (_goes_on(page, end) or _is_address_of(page, start, end)):
        end += 1
    text = " ".join([body, *(page.text(index) for index in range(start + 1, end))])
    context = _place(page, start, end)
    if any(page.links_at(index) for index in range(start, end)):
        return EntryBlock(end - start, read_piece(text, context, in_list=True, references=True))
    citation = parse_citation(text)
    if not citation.authors and not page.outline.references:
        return None
    return EntryBlock(end - start, [read_wordless(text, context, references=True, among_papers=bool(citation.authors))])


def _goes_on(page: NoteDocument, index: int) -> bool:
    text = page.text(index)
    if not text or len(page.text(index - 1)) < _WRAPPED_AT or text.startswith(("[", "#", "|", ">", "```", "**", "<")):
        return False
    return not is_bullet(text)


def _is_address_of(page: NoteDocument, start: int, index: int) -> bool:
    """Return True for an address alone on its line, below a reference without one."""
    return is_bare(page.text(index).rstrip(".,;"), page.links_at(index)) and not any(
        map(page.links_at, range(start, index))
    )


def _place(page: NoteDocument, start: int, end: int) -> ItemContext:
    return ItemContext(page.lines[start].number, page.lines[end - 1].number, page.outline.topics)


SHAPE = Shape("references", 47, read)
