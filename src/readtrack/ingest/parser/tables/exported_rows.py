"""Rows of exported tables by field name: a paper, an article, a repository, …, with its details."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from readtrack.infra.text import urls
from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.clean import clean_title, names_a_paper
from readtrack.infra.text.titles.dates import YEAR, iso_date_in_year_field, iso_day
from readtrack.infra.text.titles.marks import status_of
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.bibliography.publication_types import (
    parse_publication_type,
    with_publication_type,
)
from readtrack.ingest.parser.bibliography.reading_marks import ReadingMarks, take_reading_marks
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import names_rest, topic_of
from readtrack.ingest.parser.items.build_entry import (
    ItemContext,
    ItemText,
    build_entry,
    omitted_link_reason,
)
from readtrack.ingest.parser.items.find_links import TextLink, find_links
from readtrack.ingest.parser.markup import strip_tags
from readtrack.ingest.parser.reasons import NO_PAPER, UNLINKED
from readtrack.ingest.parser.tables.columns import is_far_from_arxiv_month
from readtrack.ingest.parser.vocabulary.author_names import parse_author_field
from readtrack.ingest.parser.vocabulary.venues import match_venue, split_venue

_OWN, _BESIDE = ("arxiv", "doi", "url", "title", "extra", "venue"), ("code", "video", "slides")
_AT_LAST = ("venue", "publisher", "link", "notes", "reference")
_BARE_ARXIV = re.compile(r"\d{4}\.\d{4,5}(?:v\d{1,2})?")
_BETWEEN_TOPICS = ";；|｜、\n"
_PATHS = re.compile(r"\s?[/>]\s?")
_WEB_TYPES = re.compile(
    r"web ?page|blog ?post|forum ?post|video ?recording|podcast|computer ?program|software|article|link|image|tweet|"
    r"document|presentation|web|video",
    re.IGNORECASE,
)
_WORK_TYPES = re.compile(
    r"journal ?article|conference ?(?:paper|proceedings)?|preprint|book(?: ?section)?|(?:phd ?)?thesis|"
    r"(?:tech ?)?report|manuscript|journal|(?:in)?proceedings|(?:working ?)?paper|论文|論文|generic|inbook|"
    r"incollection|review",
    re.IGNORECASE,
)
_OF_PAPERS = ("venue", "doi", "abstract", "year")  # fields that tables of bookmarks do not have
_OF_RECORDS = (*_OF_PAPERS, "authors", "date", "arxiv")  # a row with one of these is more than a bookmark
_UNSURE = frozenset({"page", "article"})  # kinds derived only from the address of a publisher's page
_NO_VENUE = re.compile(r"[\w-]+(?:\.[\w-]+)+|arXiv:\S+", re.IGNORECASE)  # a host or an identifier
_POCKET = {"unread": "to_read", "archive": "read", "archived": "read"}
_MAX_NOTE_CHARS, _MAX_ABSTRACT_CHARS = 4_000, 20_000


@dataclass(frozen=True)
class FieldRow:
    """A row of an exported table. `cells`: the cells by field, without unknown columns."""

    first: int
    last: int
    topics: tuple[str, ...]
    cells: Mapping[str, str]


def read_field_row(row: FieldRow) -> ParsedEntry:
    row = _with_parts_of_reference(row)
    headings = tuple(name for name in _labels(row) if not _topic(row, name))
    entry = replace(_read(row), headings=headings)
    entry = with_publication_type(entry, parse_publication_type(row.cells.get("type", "")))
    key = clean_line(row.cells.get("citation_key", ""))
    return replace(entry, citation_key=key) if key and entry.kind == "paper" else entry


def _with_parts_of_reference(row: FieldRow) -> FieldRow:
    """Return the row with what its whole reference tells and no other column: `Silva, A. (2020). The Title. Venue`."""
    reference = clean_line(row.cells.get("reference", ""))
    if not reference:
        return row
    links = find_links(reference)
    citation = parse_citation(reference[: links[0].start] if links else reference)
    venue, year = find_venue(citation.remainder)
    parts = {
        "title": citation.title,
        "authors": "; ".join(citation.authors),
        "venue": venue,
        "year": str(year or ""),
        "url": " ".join(link.address for link in links),
    }
    return replace(row, cells={**parts, **{field: cell for field, cell in row.cells.items() if cell}})


def _read(row: FieldRow) -> ParsedEntry:
    item_text = _to_item_text(row.cells)
    context = ItemContext(row.first, row.last, _topics(row), item_text.status)
    own_links, extra_links = _links(row.cells)
    internal_hosts = [host for link in (*own_links, *extra_links) if (host := urls.internal_host(link.address))]
    if internal_hosts and (any(map(row.cells.get, _OF_RECORDS)) or names_a_paper(clean_title(item_text.title))):
        own_links, extra_links = _without_internal(own_links), _without_internal(extra_links)
        entry = _build_entry(row, item_text, context, own_links, extra_links)
        return replace(entry, reason=omitted_link_reason(internal_hosts[0]))
    return _build_entry(row, item_text, context, own_links, extra_links)


def _build_entry(
    row: FieldRow,
    item_text: ItemText,
    context: ItemContext,
    own_links: Sequence[TextLink],
    extra_links: Sequence[TextLink],
) -> ParsedEntry:
    if own_links:
        is_published = any(map(row.cells.get, ("year", "venue", "doi")))
        item_text = item_text if is_published else _without_other_day(item_text, own_links)
        return build_entry(_override_kind(own_links[0], row.cells), item_text, context, [*own_links[1:], *extra_links])
    if extra_links:
        return build_entry(extra_links[0], item_text, context, extra_links[1:])
    return _unlinked(row, item_text, context)


def _without_other_day(item_text: ItemText, links: Sequence[TextLink]) -> ItemText:
    """Return the text without a day that is far from the preprint's: that of reading it, or of adding the row."""
    day = iso_day(item_text.published)
    if not day or not any(is_far_from_arxiv_month(day, link) for link in links):
        return item_text
    return replace(item_text, published="", year=None if item_text.year == int(day[:4]) else item_text.year)


def _without_internal(links: Sequence[TextLink]) -> list[TextLink]:
    return [link for link in links if not urls.internal_host(link.address)]


def _links(fields: Mapping[str, str]) -> tuple[list[TextLink], list[TextLink]]:
    """Return the links of the thing itself, most reliable first, and supplementary links."""
    own_links = {link.ref: link for field in _OWN for link in _find(fields.get(field, ""), field)}
    if not own_links:  # an address then counts whatever its column is called
        own_links = {
            link.ref: link
            for field in _AT_LAST
            for link in find_links(clean_line(fields.get(field, "")))[:1]
            if link.address
        }
    extra_links = {link.ref: link for field in _BESIDE for link in _find(fields.get(field, ""), field)}
    ordered = sorted(own_links.values(), key=lambda link: link.ref.scheme == "url")
    return ordered, [link for ref, link in extra_links.items() if ref not in own_links]


def _find(cell: str, field: str) -> Iterator[TextLink]:
    """Yield the links in a cell.

    Titles count only as links; `extra` and venues only with an arXiv id or DOI.
    """
    text = clean_line(cell)
    if field == "arxiv" and _BARE_ARXIV.fullmatch(text):
        text = f"arXiv:{text}"
    if field == "title" and "](" not in text and not text.startswith(("http://", "https://")):
        return
    if field in {"extra", "venue"} and "arxiv" not in text.casefold() and "doi" not in text.casefold():
        return
    links = find_links(text)
    yield from links[:1] if field in {"extra", "doi", "venue"} else links[:5]


def _override_kind(link: TextLink, fields: Mapping[str, str]) -> TextLink:
    """Make a web page a paper if the table has a venue for it or calls it a paper."""
    kind = fields.get("type", "").strip()
    if link.paper_kind not in _UNSURE or _WEB_TYPES.fullmatch(kind):
        return link
    paper_fields = [field for field in _OF_PAPERS if fields.get(field)]
    work = _WORK_TYPES.fullmatch(kind) or (paper_fields and (link.paper_kind != "article" or paper_fields != ["year"]))
    return replace(link, paper_kind="paper") if work else link


def _to_item_text(fields: Mapping[str, str]) -> ItemText:
    venue, venue_year = split_venue(_venue(fields))
    marks = _marks(fields)
    published = _published(fields.get("date", "")) or _published(fields.get("year", ""))
    return ItemText(
        title=_title(fields.get("title", "")),
        text=_notes(fields.get("notes", "")),
        venue=venue[:200],
        year=venue_year or _year(fields.get("year", "")) or _year(published),
        status=_status(fields) or marks.status,
        authors=parse_author_field(fields.get("authors", "")),
        published=published,
        read_on=_parse_read_on(fields) or marks.read_on,
        rating=clean_line(fields.get("rating", ""))[:40] or marks.rating,
        abstract=clean_line(fields.get("abstract", ""))[:_MAX_ABSTRACT_CHARS],
    )


def _venue(fields: Mapping[str, str]) -> str:
    """Return the venue.

    Some tables have it in the publisher column, and the host name instead of the publisher.
    """
    names = (clean_line(fields.get(field, "")) for field in ("venue", "publisher"))
    named = next((name for name in names if name and "://" not in name and not _NO_VENUE.fullmatch(name)), "")
    return named or next(filter(None, (_tagged_venue(fields.get(field, "")) for field in ("date", "year"))), "")


def _tagged_venue(cell: str) -> str:
    """Return the cell if it is a venue with its year, in a column "Published" or "Year"."""
    text = clean_line(cell)
    return text if match_venue(text) else ""


def _title(cell: str) -> str:
    """Return the cell, or its link text if it is one link."""
    text = clean_line(cell)
    links = find_links(text) if "](" in text else []
    return links[0].label or text if len(links) == 1 else text


def _status(fields: Mapping[str, str]) -> str | None:
    word = clean_line(fields.get("status", ""))
    if _parse_read_on(fields):
        return "read"
    return _POCKET.get(word.casefold()) or status_of(word) or status_of(clean_line(fields.get("read_on", "")))


def _notes(cell: str) -> str:
    """Return the notes of a row. Zotero writes them as HTML."""
    return clean_line(strip_tags(cell) if cell.lstrip().startswith("<") else cell)[:_MAX_NOTE_CHARS]


def _marks(fields: Mapping[str, str]) -> ReadingMarks:
    """Return the marks among the tags and in Zotero's extra field."""
    return take_reading_marks(split_topic_names(fields.get("tags", "")), fields.get("extra", ""))


def _parse_read_on(fields: Mapping[str, str]) -> str:
    """Return the reading date from its own column or from the status."""
    return iso_day(clean_line(fields.get("read_on", ""))) or iso_day(clean_line(fields.get("status", "")))


def _published(cell: str) -> str:
    return iso_date_in_year_field(clean_line(cell))


def _year(cell: str) -> int | None:
    match = YEAR.search(cell[:40])
    return int(match[0]) if match else None


def _topics(row: FieldRow) -> tuple[str, ...]:
    topics = (_topic(row, name)[:100] for name in _labels(row))
    return tuple(dict.fromkeys([*row.topics, *(topic for topic in topics if topic and not status_of(topic))]))


def _topic(row: FieldRow, name: str) -> str:
    """Return the topic of a label. "Other" heads the rest of a list, but as a tag somebody chose it."""
    is_tag = names_rest(name) and name in split_topic_names(row.cells.get("tags", ""))
    return name if is_tag else topic_of(name)


def _labels(row: FieldRow) -> list[str]:
    """Return the topics, tags, and folders of a path.

    A column of one topic a row may have commas in it, a column of tags lists them. Only folders have paths.
    """
    topics = split_topic_names(row.cells.get("topics", ""), _BETWEEN_TOPICS)
    folders = split_topic_names(row.cells.get("folders", ""))
    parts = [part.strip() for folder in folders for part in _PATHS.split(folder)]
    return [*topics, *filter(None, parts), *split_topic_names(row.cells.get("tags", ""))]


def _unlinked(row: FieldRow, item_text: ItemText, context: ItemContext) -> ParsedEntry:
    title = clean_title(item_text.title)
    if not title:
        text = " · ".join(clean_line(cell)[:1000] for cell in row.cells.values())
        return ParsedEntry(row.first, row.last, 1, "snippet", topics=context.topics, text=text)
    paper = not _WEB_TYPES.fullmatch(row.cells.get("type", "").strip())
    return ParsedEntry(
        row.first,
        row.last,
        1,
        "paper" if paper else "lead",
        paper_kind="paper" if paper else "",
        title=title,
        topics=context.topics,
        venue=item_text.venue,
        year=item_text.year,
        status=item_text.status,
        text=item_text.text,
        authors=item_text.authors,
        published=item_text.published,
        read_on=item_text.read_on,
        rating=item_text.rating,
        abstract=item_text.abstract,
        reason=UNLINKED if paper else NO_PAPER,
    )
