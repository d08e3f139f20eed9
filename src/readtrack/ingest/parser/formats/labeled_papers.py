"""Papers on several lines: `Title: …` with `Link: …` below, or a title above its venue."""

import re
from dataclasses import replace

from readtrack.infra.text.titles.clean import clean_title, names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.headings.heading_papers import entry_of
from readtrack.ingest.parser.headings.lines_below import PaperDetails, parse_label, read_details
from readtrack.ingest.parser.items.link_roles import OWN, role_from_label
from readtrack.ingest.parser.items.phrases import merge_links
from readtrack.ingest.parser.items.unlinked import begins_with_authors
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.lists.nested_details import read_place
from readtrack.ingest.parser.vocabulary.venues import Venue

_MAX_LINES, _MAX_BLOCK_LINES, _MIN_CJK_LETTERS = 16, 60, 8
_BEGINS_BLOCK = ("#", "|", "**", "__", "```", "~~~", "<")
_BEGINS_OTHER = ("#", ">", "|", "-", "*", "+", "<", "```", "!", "[")
_ENDS = re.compile(r"[.。．!！;；,，:：]$")
_COUNTS = re.compile(
    r"[■□◆◇●○▼▽★☆◎▶【\[(（=\s-]{0,5}(?:papers?|articles?|论文|論文|文献|文章|no\.?|#)?\s?[#＃№.]{0,2}\s?"
    r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})[】\])）.:：=\s-]{0,5}",
    re.IGNORECASE,
)
# In arXiv's mails, above the fields of papers that were listed elsewhere or are new versions.
_CROSS_LISTED = re.compile(r"arXiv:\s?\S{9,20}\s\(\*?cross-listing\*?\)", re.IGNORECASE)
_ARXIV, _REPLACED = re.compile(r"arXiv:\s?\S{9,20}", re.IGNORECASE), "replaced with revised version"
_FIRST_KEYS = frozenset({"title", "paper", "link", "authors", "venue", "date"})


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    return (
        _read_mailed_fields(page, start)
        or _read_fields(page, start)
        or _read_numbered_fields(page, start)
        or _read_title_block(page, start)
        or _read_above_place(page, start)
    )


def _read_numbered_fields(page: NoteDocument, index: int) -> EntryBlock | None:
    """Read fields directly below a line that only counts them: `■ 論文1`, `Paper 3:`."""
    block = _read_fields(page, index + 1) if _COUNTS.fullmatch(page.text(index)) else None
    if block is None:
        return None
    first, *others = block.entries
    return EntryBlock(block.count + 1, [replace(first, first=page.lines[index].number), *others])


def _read_mailed_fields(page: NoteDocument, index: int) -> EntryBlock | None:
    """Read fields below `arXiv:2111.00002 (*cross-listing*)`, or below an identifier that says it was replaced."""
    text, below = page.text(index), page.text(index + 1)
    if not _CROSS_LISTED.fullmatch(text) and not (_ARXIV.fullmatch(text) and below.startswith(_REPLACED)):
        return None
    start = index + 2 if below.startswith(_REPLACED) else index + 1
    start += not page.text(start)
    block = _read_fields(page, start)
    if block is None:
        return None
    first, *others = block.entries
    first = replace(merge_links(first, page.links_at(index)), first=page.lines[index].number)
    return EntryBlock(start - index + block.count, [first, *others])


def _read_fields(page: NoteDocument, index: int) -> EntryBlock | None:
    """Read consecutive fields that include a title."""
    label = parse_label(page.text(index))
    if label is None or label.key not in _FIRST_KEYS:
        return None
    details = read_details(page, index, len(page.lines))
    title = details.title or (page.outline.paper if details.own else "")
    is_above_code = bool(details.links) and all(link.paper_kind == "code" for link in details.links)
    is_above_code = is_above_code and label.key == "title" and not is_bullet(page.text(index))
    is_told = details.own or details.authors or details.venue or details.status or details.rating
    if not title or details.weight < 2 or not (is_told or (is_above_code and names_a_paper(title))):
        return None
    return _build_block(page, index, title, details)


def _read_title_block(page: NoteDocument, index: int) -> EntryBlock | None:
    """Read a title with a quotation, fields or names about the paper right below.

    Names are not about a reference, which has its own.
    """
    text = page.text(index)
    if not _may_be_title(page, index):
        return None
    is_above_field = parse_label(page.text(index + 1)) is not None
    if not is_above_field and begins_with_authors(text, parse_citation(text)):
        return None
    details = read_details(page, index + 1, min(len(page.lines), index + _MAX_LINES))
    if details.end == index + 1 or not (details.authors or details.venue or (details.title and details.own)):
        return None
    return _build_block(page, index, text, details)


def _read_above_place(page: NoteDocument, index: int) -> EntryBlock | None:
    """Read a title above `ICRA 2017 [[Article](address)]`, or above its translation and a link to the paper."""
    text, below = page.text(index), page.text(index + 1)
    is_translated = CJK.search(below) is not None and not CJK.search(text) and not page.links_at(index + 1)
    last = index + 2 if is_translated else index + 1
    links = page.links_at(last)
    if not links or role_from_label(links[0].label or "") != OWN or not _is_title_alone(page, index):
        return None
    place = page.text(last)[: links[0].start].rstrip(" [(（【")
    venue = read_place(place) if place or not is_translated else Venue("")
    if venue is None:
        return None
    details = PaperDetails(last + 1, venue=venue.venue, year=venue.year, text=[below] if is_translated else [])
    return EntryBlock(last + 1 - index, [entry_of(text, links, details, page.context(index, last + 1))])


def _is_title_alone(page: NoteDocument, index: int) -> bool:
    text = page.text(index)
    if not text or text.startswith(_BEGINS_OTHER) or page.links_at(index) or parse_label(text):
        return False
    title = clean_title(text)
    return names_a_paper(title) or (len(CJK.findall(title)) >= _MIN_CJK_LETTERS and not _ENDS.search(title))


def _may_be_title(page: NoteDocument, index: int) -> bool:
    text, below = page.text(index), page.text(index + 1) or page.text(index + 2)
    if not text or text.startswith(_BEGINS_OTHER) or is_bullet(text) or _ENDS.search(text) or page.links_at(index):
        return False
    if text.lower().endswith(".pdf"):
        return False
    if not (below.startswith(">") or parse_label(below) or (page.text(index + 1) and not page.links_at(index + 1))):
        return False
    return parse_label(text) is None and names_a_paper(clean_title(text))


def _build_block(page: NoteDocument, index: int, title: str, details: PaperDetails) -> EntryBlock:
    """Build the entry. Lines that follow directly and have no address are remarks on the paper."""
    while details.end - index < _MAX_BLOCK_LINES and _is_remark(page, details.end):
        if any(map(str.isalnum, page.text(details.end))):
            details.text.append(page.text(details.end))
        details.end += 1
    return EntryBlock(details.end - index, [entry_of(title, [], details, page.context(index, details.end))])


def _is_remark(page: NoteDocument, index: int) -> bool:
    text = page.text(index)
    if not text or text.startswith(_BEGINS_BLOCK) or page.links_at(index) or index in page.ignored_lines:
        return False
    label = parse_label(text)
    return label is None or label.key not in _FIRST_KEYS


SHAPE = Shape("labeled_papers", 45, read)
