"""Papers as blocks of one fact a line: year, authors, title, journal and address in any order.

Also a title over several lines above its address, and an address above its title. Blocks end at blank lines, or at the
address if several follow each other directly.
"""

import re
from dataclasses import dataclass, field
from enum import Enum

from readtrack.infra.text.titles.clean import is_broken_off, looks_like_title, names_a_paper
from readtrack.infra.text.titles.dates import iso_day, take_date
from readtrack.infra.text.titles.vocabulary import LETTER
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.build_entry import ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink, is_bare
from readtrack.ingest.parser.items.link_groups import find_titled_link
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.vocabulary.author_names import is_name, is_venue_like, names_in, part_rest
from readtrack.ingest.parser.vocabulary.venues import tag_in, take_tag

_QUOTE = re.compile(r"^(?:(?:>\s?)+|[■□◆◇●▼★☆◎▶]\s?)")
_OTHER_SHAPES = ("#", "|", "```", "~~~", "<", "![", "**", "__")
_YEAR = re.compile(r"[(\[]?(?P<year>(?:19|20)\d\d)[)\]]?[.,]?")
_VENUE_WORDS = re.compile(
    r"\b(?:Proceedings|Transactions|Journal|Conference|Symposium|Workshop|Advances in|Letters|Annals|Communications of|"
    r"Annual Review|Magazine|Reviews?)\b"
)
_SENTENCE = re.compile(r"[。．！!;；:：]$|[a-z0-9)]\.$")
_WRAPPED_AT, _MAX_LONGER = 36, 10  # characters
_MIN_LINES, _MAX_LINES, _MAX_LINE_CHARS, _MAX_VENUE_WORDS, _SEVERAL = 2, 12, 300, 5, 2


class _Kind(Enum):
    ADDRESS = "address"
    FACTS = "facts"
    WORDS = "words"


@dataclass
class _Record:
    """The facts of one paper. `words`: lines that may be its title, with continuations joined."""

    links: list[TextLink] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    published: str = ""
    is_wrapped: bool = False

    @property
    def has_facts(self) -> bool:
        return bool(self.authors or self.venue or self.year)

    def add_facts(self, other: "_Record") -> None:
        """Add the facts of a further line. The first of its kind counts."""
        self.authors = self.authors or other.authors
        self.venue = self.venue or other.venue
        self.year = self.year or other.year
        self.published = self.published or other.published


@dataclass
class _Scan:
    """What is known of the lines of a note: their kinds by index, and the end of the current paragraph.

    `searched`: lines of which none is only an address.
    """

    kinds: dict[int, _Kind | None] = field(default_factory=dict)
    paragraph_end: int = 0
    searched: range = range(0)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _may_hold_record(page, start):
        return None
    kind = _kind_of(page, start)
    if kind is None or _kind_of(page, start + 1) is None:
        return None
    end = _find_end(page, start, is_address_first=kind is _Kind.ADDRESS)
    if end - start < _MIN_LINES or end - start > _MAX_LINES:
        return None
    record = _read_record(page, start, end)
    title = _find_title(record)
    if not record.links or not title or not _is_certain(record, title, is_address_first=kind is _Kind.ADDRESS):
        return None
    main_link = find_titled_link(record.links)
    extras = [link for link in record.links if link.ref != main_link.ref]
    item_text = ItemText(
        title, venue=record.venue, year=record.year, authors=record.authors, published=record.published
    )
    return EntryBlock(end - start, [build_entry(main_link, item_text, page.context(start, end), extras)])


def _text(page: NoteDocument, index: int) -> str:
    text = page.text(index)
    return _QUOTE.sub("", text).strip()


def _may_hold_record(page: NoteDocument, start: int) -> bool:
    """Return True if an address alone on its line is near. A fast check before the lines are classified."""
    scan, stop = _scan_of(page), start + _MAX_LINES
    end = scan.searched.stop if start in scan.searched else start
    while end < stop and (text := page.text(end)) and not ("/" in text and is_bare(text, page.links_at(end))):
        end += 1
    scan.searched = range(start, end)
    return end < stop and bool(page.text(end)) and (end > start or bool(page.text(end + 1)))


def _kind_of(page: NoteDocument, index: int) -> _Kind | None:
    """Return what a line consists of, or None if it belongs to another format."""
    kinds = _scan_of(page).kinds
    if index not in kinds:
        kinds[index] = _classify(page, index)
    return kinds[index]


@once_per_note
def _scan_of(_page: NoteDocument) -> _Scan:
    """Return what is known of the lines, to which the functions below add."""
    return _Scan()


def _classify(page: NoteDocument, index: int) -> _Kind | None:
    text = _text(page, index)
    if not text or len(text) > _MAX_LINE_CHARS or text.startswith(_OTHER_SHAPES) or is_bullet(text):
        return None
    links = page.links_at(index)
    if links:
        return _Kind.ADDRESS if is_bare(page.text(index), links) else None
    if parse_label(text) or index in page.ignored_lines:
        return None
    return _Kind.FACTS if _read_facts(text) else _Kind.WORDS


def _read_facts(text: str) -> _Record | None:
    """Return the year, month, venue or authors that a line consists of, None for other words."""
    if year := _YEAR.fullmatch(text):
        return _Record(year=int(year["year"]))
    if month := _parse_month(text):
        return _Record(published=month, year=int(month[:4]))
    if venue := _parse_venue(text):
        return _Record(venue=venue[0], year=venue[1])
    if byline := _parse_byline(text):
        return byline
    names = names_in(text)
    return _Record(authors=names) if names else None


def _parse_month(text: str) -> str:
    """Return the date of `May 2017`; whole days are those of a diary."""
    date = take_date(text)
    return date.iso if date.iso and not LETTER.search(date.remainder) and not iso_day(date.iso) else ""


def _parse_venue(text: str) -> tuple[str, int | None] | None:
    """Return the venue and year of a line that has nothing else."""
    tag = take_tag(text)
    if not tag.venue or LETTER.search(tag.remainder):
        tag = tag_in(text) or tag
    return (tag.venue, tag.year) if tag.venue and not LETTER.search(tag.remainder) else None


def _parse_byline(text: str) -> _Record | None:
    """Return the authors, and the venue and year behind them: `Lovelace et al., VLDB 2020`."""
    parts = part_rest(text)
    venue = _parse_venue(parts.remainder) if parts.authors and parts.remainder else None
    return _Record(authors=parts.authors, venue=venue[0], year=venue[1]) if venue else None


def _find_end(page: NoteDocument, start: int, *, is_address_first: bool) -> int:
    """Return the index after the record, `start` if there is none."""
    kinds: list[_Kind] = []
    while len(kinds) <= _MAX_LINES and (kind := _kind_of(page, start + len(kinds))) is not None:
        kinds.append(kind)
    first = next((index for index, kind in enumerate(kinds) if kind is _Kind.ADDRESS), len(kinds))
    run = next((index for index in range(first, len(kinds)) if kinds[index] is not _Kind.ADDRESS), len(kinds))
    later = next((index for index in range(run, len(kinds)) if kinds[index] is _Kind.ADDRESS), None)
    if is_address_first:
        return start if _ends_in_address(page, start) else start + (later or len(kinds))
    if first == len(kinds) or later is not None:
        return start + run if first < len(kinds) else start
    words_below = next((index for index in range(run, len(kinds)) if kinds[index] is _Kind.WORDS), len(kinds))
    return start + words_below


def _ends_in_address(page: NoteDocument, start: int) -> bool:
    """Return True if the paragraph ends in an address, so that its addresses are below their titles."""
    scan = _scan_of(page)
    if scan.paragraph_end <= start:
        scan.paragraph_end = start
        while page.text(scan.paragraph_end):
            scan.paragraph_end += 1
    return _kind_of(page, scan.paragraph_end - 1) is _Kind.ADDRESS


def _read_record(page: NoteDocument, start: int, end: int) -> _Record:
    record = _Record()
    above = ""
    for index in range(start, end):
        text, kind = _text(page, index), _kind_of(page, index)
        if kind is _Kind.WORDS and above and (page.is_deeper(index, start) or _goes_on(above, text)):
            record.words[-1] = f"{record.words[-1]} {text}"
            record.is_wrapped = True
        elif kind is _Kind.WORDS:
            record.words.append(text)
        elif kind is _Kind.ADDRESS:
            record.links += page.links_at(index)
        elif facts := _read_facts(text):
            record.add_facts(facts)
        above = text if kind is _Kind.WORDS else ""
    if len(record.words) == _SEVERAL and not record.has_facts and _is_wrapped(*record.words):
        record.words, record.is_wrapped = [" ".join(record.words)], True
    return record


def _goes_on(above: str, below: str) -> bool:
    """Return True if a line is the rest of the one above, not a line of its own."""
    return below[0].islower() or is_broken_off(above) or above.endswith((",", ":", "-", "–"))


def _is_wrapped(above: str, below: str) -> bool:
    """Return True for a long line in title case and a rest of it that does not begin in lower case."""
    is_long = len(above) >= _WRAPPED_AT and len(below) <= len(above) + _MAX_LONGER
    is_open = not above.endswith((".", "?", "!")) and not _names_venue(below)
    return is_long and is_open and looks_like_title(above) and looks_like_title(f"{above} {below}")


def _find_title(record: _Record) -> str:
    """Return the title, "" if several lines may be it. Others are taken as the journal or the only author."""
    if len(record.words) < _SEVERAL:
        return record.words[0] if record.words else ""
    titles = [*record.words] if record.has_facts else []
    longest = max(titles, key=lambda words: len(words.split()), default="")
    for is_other in (_names_venue, is_name, lambda words: words != longest and _is_short(words)):
        if len(titles) > 1:
            titles = [words for words in titles if not is_other(words)]
    if len(titles) != 1:
        return ""
    for words in record.words:
        if words == titles[0]:
            continue
        if is_name(words) and not record.authors:
            record.authors = (words,)
        else:
            record.venue = record.venue or words
    return titles[0]


def _names_venue(words: str) -> bool:
    return _VENUE_WORDS.search(words) is not None or is_venue_like(words)


def _is_short(words: str) -> bool:
    """Return True for words that may be the name of a journal next to a longer title."""
    return len(words.split()) <= _MAX_VENUE_WORDS and ":" not in words and LETTER.search(words) is not None


def _is_certain(record: _Record, title: str, *, is_address_first: bool) -> bool:
    if record.has_facts:
        return bool(LETTER.search(title))
    if _SENTENCE.search(title):
        return False
    if is_address_first:
        return bool(take_tag(title).venue) or names_a_paper(title)
    return record.is_wrapped and not title[0].islower()


SHAPE = Shape("fact_lines", 44, read)
