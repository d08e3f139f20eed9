"""Parsing of a whole note: formats are tried in order, and the first that matches reads the lines."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import structlog

from readtrack.infra.text.titles.dates import YEAR, iso_day
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser import deduplicate, leftover_details, lines, topic_aliases
from readtrack.ingest.parser.column_fields import FileColumns
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.file_columns import MAPPED_SHAPES
from readtrack.ingest.parser.formats import all_shapes
from readtrack.ingest.parser.headings.classify import sections_of
from readtrack.ingest.parser.headings.heading_papers import apply_outer_headings
from readtrack.ingest.parser.headings.introduction import status_of_introduction
from readtrack.ingest.parser.headings.outline import year_named
from readtrack.ingest.parser.html_blocks import renumber_entries, split_html_blocks
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.preprocess import CROSSED_OUT, preprocess_lines
from readtrack.ingest.parser.reasons import UNLINKED, UNREAD
from readtrack.ingest.parser.vocabulary.author_names import turn_inverted
from readtrack.ingest.parser.vocabulary.proceedings_addresses import venue_of_links

_LOWER_FIRST = re.compile(r"[a-z]+(?!\w)")
_LISTS = frozenset({"bullets", "title_lists"})
_WORDS = _LISTS | {"prose", "references"}
# Formats between the quoted titles of a digest, prose only as a title in Japanese or Chinese.
# What has another form is not about the paper above.
_IN_DIGESTS = frozenset({"blanks", "bullets", "prose", "titled_addresses"})
_MIN_YEARS = 5  # between the first and the last
_NAME = re.compile(r"(?:[A-Z\d]|[a-z]{1,4}[A-Z])(?!.*\.\w{1,5}$).*")  # no name of a file
_LONG_LINE_CHARS = 2000
_LONG = 80  # columns
_SENTENCE_ENDS = (".", "。", "．", "!", "！", "?", "？", "…", "）", ")")
_RECORDS = frozenset(
    {"bibtex", "ris", "field_tags"}
)  # blank lines below a record belong to it: as entries they would be half of all
# Formats of records with fields: words in another field, such as a remark or an author, are never a venue.
_FIELD_FORMATS = frozenset(
    {"bibtex", "ris", "field_tags", "csl_json", "zotero_json", "zotero_rdf", "bookmark_json", "bookmarks", "opml"}
    | {"pubmed_text", "exported_papers", "delimited", "front", "yaml_lists", "properties"}
)
log = structlog.get_logger()


def parse(text: str, columns: FileColumns | None = None) -> list[ParsedEntry]:
    """Parse notes into entries in order. Every line is in exactly one entry of part 1.

    `columns`: of a delimited file whose lines are all read by them.
    """
    blocks = split_html_blocks(text) if columns is None else None
    if blocks is not None:
        return renumber_entries(_parse_lines(blocks[0], None), blocks[1], text)
    return _parse_lines(text, columns)


def _parse_lines(text: str, columns: FileColumns | None) -> list[ParsedEntry]:
    page = open_document(text, columns=columns)
    entries = read_entries(page)
    fill_details = partial(leftover_details.fill_details, worded_lines=frozenset(page.worded_lines))
    for complete in (fill_details, deduplicate.mark_duplicates, topic_aliases.mark_aliases):
        entries = _try_to_complete(entries, complete)
    return entries


def open_document(text: str, first: int = 1, columns: FileColumns | None = None) -> NoteDocument:
    """Return the preprocessed lines of a text. `first`: the number of its first line."""
    if columns is not None:  # rows stay as they are
        return NoteDocument(lines.split(text, first), columns=columns)
    preprocessed = preprocess_lines(lines.split(text, first))
    return NoteDocument(
        preprocessed.lines,
        ignored_lines=preprocessed.ignored_lines,
        continued_lines=preprocessed.continued_lines,
        introduced_status=status_of_introduction(preprocessed.lines),
    )


def read_entries(page: NoteDocument) -> list[ParsedEntry]:
    """Read all lines of a document, without looking for duplicates."""
    entries: list[ParsedEntry] = []
    index = 0
    while index < len(page.lines):
        block = _read(page, index)
        if entries and page.previous in _RECORDS and not any(map(page.text, range(index, index + block.count))):
            raw = "\n".join(entry.raw for entry in (entries[-1], *block.entries))
            entries[-1] = replace(entries[-1], last=block.entries[-1].last, raw=raw)
        else:
            entries += block.entries
        index += block.count
    return entries


def _read(page: NoteDocument, index: int) -> EntryBlock:
    """Read the next lines with the first format that matches and does not fail."""
    if page.outline.open and page.text(index):
        page.outline.leave_indented(page.lines[index].indent)
    for shape in MAPPED_SHAPES if page.columns else all_shapes():
        try:
            if block := shape.read(page, index):
                return _accept_block(page, index, shape, block)
        except Exception:
            log.exception("failed to parse line", shape=shape.name, line=page.lines[index].number)
    return _build_unread_block(page, index)


def _accept_block(page: NoteDocument, index: int, shape: Shape, block: EntryBlock) -> EntryBlock:
    """Return the block of a format, completed from what is around it."""
    _close(page, shape.name, index)
    if not page.columns and shape.name not in _FIELD_FORMATS:
        page.worded_lines.update(entry.first for entry in block.entries)
    return _complete_block(page, _with_carried(page, index, block))


def _close(page: NoteDocument, shape: str, index: int) -> None:
    """Close lists that end at a block of that format. A sentence right below an item belongs to it, as in Markdown."""
    if shape != "blanks":
        page.previous = shape
    is_translation = CJK.search(page.text(index)) is not None and not page.text(index).endswith((":", "："))
    if shape not in _IN_DIGESTS or (shape == "prose" and not is_translation):
        page.quoted_paper = ""
    above = page.lines[index - 1] if index else None
    if shape == "prose" and above and above.text and _is_sentence(page.text(index)):
        if is_bullet(above.text):  # nothing more is below it, but the items around it stay open
            page.close_items(above.indent)
    elif shape not in {"blanks", "bullets", "labeled_items", "properties", "wiki_links"}:
        page.close_items()


def _is_sentence(text: str) -> bool:
    """Return True for words that go on with an item above; a few without an end may head what follows."""
    return len(text) + len(CJK.findall(text)) >= _LONG or text.rstrip("*_`").endswith(_SENTENCE_ENDS)


def _complete_block(page: NoteDocument, block: EntryBlock) -> EntryBlock:
    """Return the block with its entries completed from the headings above."""
    unfiled = page.outline.unfiled
    entries = apply_outer_headings(page, block.entries)
    if year := page.outline.year:
        entries = [_with_year_of_heading(page, entry, year) for entry in entries]
    if page.outline.status == "read" and page.previous in _WORDS:
        entries = [_with_day_of_reading(entry) for entry in entries]
    if page.previous in _LISTS:
        entries = [_with_status_of_strike(page, entry) for entry in entries]
    if page.outline.status and page.previous in _LISTS:
        entries = [_read_below_status(page, entry) for entry in entries]
    return EntryBlock(block.count, [_complete_entry(page, entry, unfiled) for entry in entries])


def _with_year_of_heading(page: NoteDocument, entry: ParsedEntry, year: int) -> ParsedEntry:
    """Return a paper with the year of the heading above, unless its own lines tell one, or it was read in that year."""
    is_dated = entry.year or entry.published or entry.read_on or entry.status == "read"
    is_published = entry.venue not in {"", "arXiv"} or _sorts_topics_by_year(page)
    if entry.kind != "paper" or not is_published or is_dated:
        return entry
    start = entry.first - page.lines[0].number
    own_lines = page.lines[start : start + entry.last - entry.first + 1]
    return entry if any(YEAR.search(line.text) for line in own_lines) else replace(entry, year=year)


@once_per_note
def _sorts_topics_by_year(page: NoteDocument) -> bool:
    """Return True for years far apart inside several topics: papers are sorted so by when they appeared."""
    inner = [section for section in sections_of(page).values() if section.parent is not None]
    dated = [(int(year[0]), section.parent) for section in inner if (year := year_named(section.name))]
    years, topics = {year for year, _ in dated}, {topic for _, topic in dated}
    return len(topics) > 1 and max(years) - min(years) >= _MIN_YEARS


def _with_day_of_reading(entry: ParsedEntry) -> ParsedEntry:
    """Return a paper below "Read" with the day beside it as that of reading, not of publication."""
    day = iso_day(entry.published) if not entry.read_on else ""
    if not day:
        return entry
    is_of_day = entry.year == int(day[:4]) and not entry.venue
    return replace(entry, read_on=day, published="", year=None if is_of_day else entry.year)


def _with_status_of_strike(page: NoteDocument, entry: ParsedEntry) -> ParsedEntry:
    """Return a crossed-out paper below `Papers`, `To read` or the like as read, beside an open box as dropped."""
    raw = page.lines[entry.first - page.lines[0].number].raw
    item = CROSSED_OUT.match(raw) if "~~" in raw else None
    is_stated = entry.status not in {None, "to_read"}
    if item is None or item["remark"] or is_stated or entry.kind not in {"paper", "lead"}:
        return entry
    box = item["box"] or item["inner_box"] or ""
    if box.startswith(("[ ]", "[]")):
        return replace(entry, status="dropped")
    is_title = not _LOWER_FIRST.match(item["words"])  # `~~not interesting: [OPT](…)~~`
    is_plan = is_title and (page.outline.lists_works or page.status == "to_read")
    return replace(entry, status="read") if is_plan else entry


def _read_below_status(page: NoteDocument, entry: ParsedEntry) -> ParsedEntry:
    """Return a name in a list below a status as what may be a paper, unless it heads items of its own."""
    below = entry.last - page.lines[0].number + 1
    heads_items = (
        below < len(page.lines) and page.text(below) and page.lines[below].indent > page.lines[below - 1].indent
    )
    is_outer = not page.lines[below - 1].indent
    is_name = (page.outline.names_works and is_outer) or _NAME.fullmatch(entry.title)
    if entry.kind != "topic" or heads_items or not is_name:
        return entry
    return replace(entry, kind="lead", text="", reason=UNLINKED)


def _build_unread_block(page: NoteDocument, index: int) -> EntryBlock:
    """Build an entry for a line that no format could read: it stays in the notes for review."""
    line = page.lines[index]
    entry = ParsedEntry(
        line.number, line.number, 1, "snippet", text=line.text, decision="review", reason=UNREAD, raw=line.raw
    )
    return EntryBlock(1, [entry])


def _try_to_complete(
    entries: list[ParsedEntry], complete: Callable[[list[ParsedEntry]], list[ParsedEntry]]
) -> list[ParsedEntry]:
    """Return the entries with details or marks that need all of them, or unchanged if that fails."""
    try:
        return complete(entries)
    except Exception:
        log.exception("failed to complete entries")
        return entries


def _with_carried(page: NoteDocument, start: int, block: EntryBlock) -> EntryBlock:
    """Extend the block by lines whose text was joined to its last line."""
    count = block.count
    while start + count in page.continued_lines:
        count += 1
    if count == block.count:
        return block
    last_index = max(index for index, entry in enumerate(block.entries) if entry.part == 1)
    entries = [*block.entries]
    entries[last_index] = replace(entries[last_index], last=page.lines[start + count - 1].number)
    return EntryBlock(count, entries)


def _complete_entry(page: NoteDocument, entry: ParsedEntry, unfiled: tuple[str, ...]) -> ParsedEntry:
    """Return the entry with its lines verbatim and the headings that name no topic.

    Thousands of entries may begin on one very long line: only the first of them stores it.
    """
    start, end = entry.first - page.lines[0].number, entry.last - page.lines[0].number + 1
    is_long = entry.part > 1 and len(page.lines[start].raw) > _LONG_LINE_CHARS
    raw = "" if is_long else page.raw_text(start, end)
    # Copied without __init__, which takes six times as long and would run for every entry.
    result = object.__new__(ParsedEntry)
    fields = _heading_fields(entry, page, unfiled)
    if entry.kind == "paper" and entry.paper_kind == "paper" and not page.columns:
        fields |= _fields_of_address(entry)
    is_record = page.columns is not None or page.previous in _FIELD_FORMATS
    if entry.authors and not is_record:
        fields["authors"] = turn_inverted(entry.authors)
    if entry.year and not is_record and iso_day(entry.published) and int(entry.published[:4]) != entry.year:
        fields["published"] = ""  # the day of a meeting, or of the note
    vars(result).update(vars(entry), raw=raw, **fields)
    return result


def _fields_of_address(entry: ParsedEntry) -> dict[str, object]:
    """Return the venue and year that an address names, if the notes say neither or only one of them."""
    if entry.venue and entry.year:
        return {}
    venue, year = venue_of_links(entry.links)
    if not venue or (entry.venue and venue.casefold() not in entry.venue.casefold()):
        return {}
    if year and iso_day(entry.published) and int(entry.published[:4]) > year:  # the day of reading, or of the note
        return {"venue": venue, "year": year, "published": ""}
    return {"venue": entry.venue or venue, "year": entry.year or year}


def _heading_fields(entry: ParsedEntry, page: NoteDocument, unfiled: tuple[str, ...]) -> dict[str, object]:
    """Return the fields that open headings set. The note's title is not a parent topic."""
    if entry.kind == "topic":
        title = page.outline.title
        return {"topics": tuple(name for name in entry.topics if name != title)} if title else {}
    if entry.kind not in {"paper", "lead"}:
        return {}
    headings = (*unfiled, *entry.headings) if entry.kind == "paper" else ()
    return {"headings": headings, "status": entry.status or page.status}
