"""Papers on several lines: `Title: …` with `Link: …` below, or a title above its venue."""

import re

from readtrack.infra.text.titles.clean import clean_title, names_a_paper
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.headings.heading_papers import entry_of
from readtrack.ingest.parser.headings.labels import parse_label
from readtrack.ingest.parser.headings.lines_below import PaperDetails, read_details
from readtrack.ingest.parser.items.build_entry import ItemContext

_MOST, _MOST_REMARKS = 16, 60
_BEGINS_BLOCK = ("#", "|", "**", "__", "```", "~~~", "<")
_BEGINS_OTHER = ("#", ">", "|", "-", "*", "+", "<", "```", "!", "[")
_ENDS = re.compile(r"[.。!！;；,，:：]$")
_FIRST_KEYS = frozenset({"title", "paper", "link", "authors"})


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    return _fields(page, at) or _read_title_block(page, at)


def _fields(page: NoteDocument, at: int) -> EntryBlock | None:
    """Read consecutive fields that include a title."""
    said = parse_label(page.text(at))
    if said is None or said.key not in _FIRST_KEYS:
        return None
    told = read_details(page, at, len(page.lines))
    title = told.title or (page.outline.paper if told.own else "")
    if not title or told.weight < 2 or not (told.own or told.authors or told.venue):
        return None
    return _block(page, at, title, told)


def _read_title_block(page: NoteDocument, at: int) -> EntryBlock | None:
    """Read a title with a quotation, fields or names about the paper right below."""
    text = page.text(at)
    if not _may_be_title(page, at):
        return None
    told = read_details(page, at + 1, min(len(page.lines), at + _MOST))
    if told.end == at + 1 or not (told.authors or told.venue or (told.title and told.own)):
        return None
    return _block(page, at, text, told)


def _may_be_title(page: NoteDocument, at: int) -> bool:
    text, below = page.text(at), page.text(at + 1) or page.text(at + 2)
    if not text or text.startswith(_BEGINS_OTHER) or is_bullet(text) or _ENDS.search(text) or page.links_at(at):
        return False
    if not (below.startswith(">") or parse_label(below) or (page.text(at + 1) and not page.links_at(at + 1))):
        return False
    return parse_label(text) is None and names_a_paper(clean_title(text))


def _block(page: NoteDocument, at: int, title: str, told: PaperDetails) -> EntryBlock:
    """Build the entry. Lines that follow directly and have no address are remarks on the paper."""
    while told.end - at < _MOST_REMARKS and _is_remark(page, told.end):
        told.text.append(page.text(told.end))
        told.end += 1
    place = ItemContext(page.lines[at].number, page.lines[told.end - 1].number, page.outline.topics)
    return EntryBlock(told.end - at, [entry_of(title, [], told, place)])


def _is_remark(page: NoteDocument, at: int) -> bool:
    text = page.text(at)
    if not text or text.startswith(_BEGINS_BLOCK) or page.links_at(at) or at in page.asides:
        return False
    said = parse_label(text)
    return said is None or said.key not in _FIRST_KEYS


SHAPE = Shape("told_papers", 45, read)
