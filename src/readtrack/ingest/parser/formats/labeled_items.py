"""Items above the fields of one paper: `[1] The Title`, then `  - Authors: …` and `  - Venue: …`."""

import re

from readtrack.infra.text.titles.clean import clean_title
from readtrack.infra.text.titles.marks import take_status
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, OpenItem, Shape
from readtrack.ingest.parser.headings.heading_papers import entry_of
from readtrack.ingest.parser.headings.lines_below import (
    has_label,
    parse_label,
    read_scattered_details,
)
from readtrack.ingest.parser.headings.outline import is_part_of_notes, no_topic_reason
from readtrack.ingest.parser.headings.properties import is_property
from readtrack.ingest.parser.headings.venue_names import venue_named
from readtrack.ingest.parser.headings.venues_below_addresses import is_address_line
from readtrack.ingest.parser.lists.list_items import is_bullet, place_item, without_bullet

_ENDS = re.compile(r"[.。．!！;；,，:：]$")
_FACT_KEYS = frozenset({"link", "authors", "venue", "date"})
_SOURCE_KEYS = frozenset({"authors", "venue"})
_TITLE_KEYS = frozenset({"title", "paper"})
_WHO_OR_WHERE = re.compile(r"\W*(?:who|where|by)\b", re.IGNORECASE)  # of a meeting
_NUMBERED = re.compile(r"[\[(（]?\d{1,3}[.)\]）、]")
_NAME = "labeled_items"
_MIN_FIELDS, _MIN_WORDS = 2, 3


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read an item without an address and the fields directly below it: `[1] The Title`, `  - Authors: …`.

    Nothing else is below it: an item above papers with fields, or above notes, is read otherwise.
    """
    text, line = page.text(start), page.lines[start]
    if page.outline.paper or not is_bullet(text) or page.links_at(start):
        return None
    end = start + 1
    while page.is_deeper(end, start) or _is_field_of_numbered(text, page.text(end)):
        end += 1
    marks = take_status(without_bullet(text))
    if not (_are_fields(page, start + 1, end) and _is_title_of_item(marks.remainder)):
        return None
    end += is_address_line(page, end)
    details = read_scattered_details(page, start + 1, end)
    page.close_items(line.indent)
    context = place_item(page, line.number, page.lines[details.end - 1].number, marks.status)
    entry = entry_of(marks.remainder.strip(" *_"), [], details, context)
    page.nest(OpenItem(line.indent, "", entry.title, is_linked_paper=bool(entry.identifiers)))
    return EntryBlock(details.end - start, [entry])


def _is_title_of_item(text: str) -> bool:
    """Return True for words that may be a title, and are neither a reference nor the name of a section."""
    title = clean_title(text)
    length = len(title.split()) + len(CJK.findall(title)) // 2
    is_other = no_topic_reason(title) or is_part_of_notes(title) or venue_named(title) or parse_label(text)
    return length >= _MIN_WORDS and not (is_other or "[[" in text or _ENDS.search(text) or parse_citation(text).authors)


def _are_fields(page: NoteDocument, start: int, end: int) -> bool:
    """Return True if each line is a field, as far in as the first, among them the authors or the venue of a paper."""
    texts = [page.text(index) for index in range(start, end)]
    is_even = len({page.lines[index].indent for index in range(start, end)}) == 1
    if not is_even or not all(map(has_label, texts)) or is_property(texts[0]):
        return False
    labels = [label for text in texts if not _WHO_OR_WHERE.match(text) and (label := parse_label(text))]
    keys = {label.key for label in labels}
    return len(keys & _FACT_KEYS) >= _MIN_FIELDS and bool(keys & _SOURCE_KEYS) and not keys & _TITLE_KEYS


def _is_field_of_numbered(item: str, text: str) -> bool:
    """Return True for a field with a dash below a numbered item, which may be as far in."""
    return _NUMBERED.match(item) is not None and text.startswith(("-", "*", "•")) and has_label(text)


SHAPE = Shape(_NAME, 45, read)
