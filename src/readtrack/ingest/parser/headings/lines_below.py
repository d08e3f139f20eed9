"""Details of a paper below its heading: venue, authors, date, addresses, and labelled lines.

Examples of labels: `Title: …`, `**Authors**: …`, `- Link: …`, `doi:: …`, `論文：…`, `| …`.
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from readtrack.infra.text.titles.clean import clean_title
from readtrack.infra.text.titles.compare import title_letters
from readtrack.infra.text.titles.dates import iso_date_in_year_field, iso_day, take_date
from readtrack.infra.text.titles.marks import status_at_start, status_of
from readtrack.infra.text.titles.vocabulary import CJK, LETTER
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.headings.vocabulary import key_of
from readtrack.ingest.parser.items.find_links import TextLink, find_links, is_bare, split_around_links
from readtrack.ingest.parser.items.link_roles import STRONG, is_own, role_from_label
from readtrack.ingest.parser.vocabulary.author_names import (
    CitationParts,
    is_name,
    names_in,
    parse_initialled_names,
    part_rest,
)
from readtrack.ingest.parser.vocabulary.venues import Venue, match_venue, take_tag

_LABELED_LINE = re.compile(
    r"(?:[-*+•・>]\s{1,3}|\d{1,2}[.)]\s)?(?:\[[ xX]\]\s)?[*_`]{0,3}[\[【]?"
    r"(?P<name>[^\s:：*_`\[\]【】][^:：*_`\[\]【】]{0,40}?)[\]】]?"
    r"(?:[*_`]{0,3}\s?(?:::|[:：])[*_`]{0,3}|(?<=[】\]])(?!\()[*_`]{0,3})\s?(?P<value>\S.*)"
)
# Labels in capitals without a colon: `TITLE Attention Is All You Need`.
_PATH_FIRST = ("~/", "/", "`~/", "`/", "`./")  # of files on the writer's machine
_CAPITAL_LABEL = re.compile(
    r"(?P<name>TITLE|AUTHORS?|YEAR|VENUE|JOURNAL|CONFERENCE|BOOKTITLE|PUBLISHED|ABSTRACT|KEYWORDS|URL|LINK|DOI)\t?\s+"
    r"(?P<value>(?=.*[a-z0-9]|.{1,12}$)\S.*)"
)
_FIELD_ABOVE_LIST = re.compile(r"(?P<name>[^\W\d_][^:：]{0,30})[:：]")
_LISTED_FIELDS = frozenset({"topics", "authors"})
_QUOTE = re.compile(r"^(?:>\s?)+")
BULLET = re.compile(r"^(?:[-*+•・]|\d{1,2}[.)])\s+")
_ANCHORED = re.compile(r"\[(?P<text>[^\n]{3,300})\]\(#[^()\s]{1,200}\)")  # `[[Author et al., Venue, 2011]](#reference)`
_QUOTED_VENUE = re.compile(
    r"(?P<name>[^\W\d_][\w&+-]{1,20}(?:\s[^\W\d_][\w&+-]{1,20}){0,2})[\s,]\s?(?P<year>(?:19|20)\d\d)"
)
_SHOUTED_STATUS = re.compile(r"(?:[A-Z]{3,9}|[\u3040-\u9fff]{2,4})\s?[!！]{0,5}")
_WORD = re.compile(r"[^\W\d_]{4}|[\u3040-\u9fff]{2}")  # not the size of a file
VENUE_WORDS = re.compile(
    r"\b(?:proc(?:eedings)?|conference|symposium|workshop|journal|transactions|press|advances in|annals of)\b",
    re.IGNORECASE,
)
_APPEARED = re.compile(
    r"(?:published|appeared|accepted|presented|to appear)\s(?:in|at|by|to|for)\s+|in\s(?=[A-Z])|"
    r"(?:发表|發表|收录|录用|中稿)(?:于|於|在)\s?",
    re.IGNORECASE,
)
_NTH = re.compile(r"(?:the\s)?\d{1,2}(?:st|nd|rd|th)\s", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_YEAR_LAST = re.compile(r"[\s,，]{1,2}[(（\[]?(?:19|20)\d\d[)）\]]?$")
_SPLIT = re.compile(r"\s?[,，、;；|/]\s?|\s·\s")
_ARXIV_SUBJECTS = re.compile(r"(?:[a-z-]{2,8}\.[A-Z]{2}[\s,;]{0,2}){1,20}")  # codes, not words
_BETWEEN_TOPICS = re.compile(r"\s[/·]\s")
_MAX_LINES, _MAX_QUOTED, _MAX_LINE_CHARS = 16, 6, 600
_OTHER_SHAPES = ("#", "|", "```", "![")
MAX_VENUE_CHARS, _MAX_RATING_CHARS = 120, 40
_MIN_TITLE_WORDS = 3
_ADDRESS = re.compile(r"\]\([^()\s]{1,2000}\)")
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_PUBLISHED = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,4}\s?[(,:]\s?\d{1,5}\s?[-–‐]\s?\d"
)  # its year, or volume and pages
_DIGIT = re.compile(r"\d")
_STATED = re.compile(  # a venue or archive with its year as the text of a link
    r"(?=\S+(?:\s\S+){0,9}$)(?:(?:Findings of\s)?[A-Za-z][^\d():]{1,60}?,?\s(?:\d{1,2}\s[A-Z][a-z]{2,8}\.?\s)?"
    r"['’]?(?:20\d\d|19\d\d|\d\d)(?:\s[A-Za-z]{3,15}){0,3}|"
    r".{0,40}\b(?:Workshop|Symposium|Conference)\b.{0,60}(?:19|20)\d\d)"
)


class LabeledValue(NamedTuple):
    """A labelled value.

    `key` is title, link, authors, venue, date, read_on, status, rating, topics, abstract or extra.
    """

    key: str
    value: str


@lru_cache(maxsize=256)  # The same line is inspected by several formats.
def parse_label(text: str) -> LabeledValue | None:
    """Return the key and value of a labelled line, or None if the label is unknown."""
    match = _CAPITAL_LABEL.match(text[:4000]) if text[:2].isupper() else None
    if match is None:
        if ":" not in text and "：" not in text and "】" not in text:
            return None
        match = _LABELED_LINE.match(text[:4000])
    if not match:
        return None
    key = key_of(match["name"])
    if not key or (key == "venue" and match["value"].startswith(_PATH_FIRST)):
        return None
    return LabeledValue(key, (match["value"] + text[4000:]).strip())


def find_labeled_address(text: str, keys: Container[str]) -> str:
    """Return the address of `Link: https://…`, "" unless a label with one of the keys and an address are all."""
    label = parse_label(text)
    return label.value if label and label.key in keys and is_bare(label.value, find_links(label.value)) else ""


def has_label(text: str) -> bool:
    """Return True for a line with any label, such as `Surfaced via: …`."""
    return (":" in text or "：" in text) and _LABELED_LINE.match(text[:200]) is not None


@dataclass
class PaperDetails:
    """Details of a paper.

    `end`: the index after its lines. `weight`: how many of the lines describe the paper. `above`: the heading.
    """

    end: int
    weight: int = 0
    above: str = ""
    links: list[TextLink] = field(default_factory=list)
    bare_links: list[TextLink] = field(default_factory=list)  # those of them without any words
    title: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    published: str = ""
    read_on: str = ""
    status: str | None = None
    rating: str = ""
    topics: tuple[str, ...] = ()
    abstract: str = ""
    text: list[str] = field(default_factory=list)
    is_presented: bool = False  # a day is that of a meeting
    cited: CitationParts | None = None  # a whole reference in the field for the title

    def fill_from_citation(self) -> None:
        """Take what no field tells from the reference in that for the title."""
        if self.cited is None:
            return
        venue, year = find_venue(self.cited.remainder)
        self.authors = self.authors or self.cited.authors
        if not self.venue or self.venue in venue:
            self.venue, self.year = self.venue or venue, self.year or year

    @property
    def own(self) -> list[TextLink]:
        return [link for link in self.links if is_own(link)]


def read_details(page: NoteDocument, start: int, stop: int) -> PaperDetails:
    """Read lines up to the first that does not describe the paper.

    A single blank line is skipped.
    """
    details = PaperDetails(start, above=_heading_above(page, start))
    index = start
    while index < min(stop, start + _MAX_LINES):
        text = page.text(index)
        if not text:
            index += 1
            if not page.text(index) or _begins_next(page.text(index), details):
                break
            continue
        count = (
            _read_quotation(page, index, stop, details)
            if text.startswith(">")
            else _read_line(page, index, stop, details)
        )
        if not count:
            break
        index += count
        details.end = index
    if details.is_presented and iso_day(details.published):
        details.published = ""
    details.fill_from_citation()
    return details


def _heading_above(page: NoteDocument, start: int) -> str:
    """Return the line of the heading, also above its underline, without addresses."""
    line = page.text(start - 1) if LETTER.search(page.text(start - 1)) else page.text(start - 2)
    return _ADDRESS.sub("", line)


def read_scattered_details(page: NoteDocument, start: int, stop: int) -> PaperDetails:
    """Read the lines up to the last that describes the paper, with remarks between them, such as what it is about."""
    details = PaperDetails(start)
    remarks: list[str] = []
    for index in range(start, min(stop, start + _MAX_LINES)):
        text = BULLET.sub("", page.text(index))
        if text.startswith((">", *_OTHER_SHAPES)):
            break
        if not text or len(text) > _MAX_LINE_CHARS or not _read_detail(text, details):
            remarks += [text] if text else []
            continue
        details.links += [link for remark in remarks for link in find_links(remark)]
        details.text += remarks
        details.end, remarks = index + 1, []
    details.fill_from_citation()
    return details


def _begins_next(text: str, details: PaperDetails) -> bool:
    """Return True for the first field of the next paper, below a blank line after one with title and that field."""
    pair = parse_label(text) if details.title else None
    known_fields = {"authors": details.authors, "venue": details.venue, "date": details.published or details.year}
    known_fields |= {"title": details.title, "paper": bool(details.own), "link": bool(details.own)}
    return pair is not None and bool(known_fields.get(pair.key))


def _read_quotation(page: NoteDocument, start: int, stop: int, details: PaperDetails) -> int:
    """Read a short quotation with a venue, address or field as details.

    The first words of it before a year are a venue, known or not. Other quotations are ignored.
    """
    end = start
    while end < stop and page.text(end).startswith(">"):
        end += 1
    if end - start > _MAX_QUOTED:
        return 0
    is_title_above = len(_LONG_WORD.findall(details.above)) > 1
    trial = PaperDetails(details.end, above=details.above if is_title_above else "")
    lines = [line for index in range(start, end) if (line := _QUOTE.sub("", page.text(index)).strip())]
    flags = [_read_detail(line, trial) for line in lines]
    is_venue = bool(flags) and not flags[0] and not details.venue and _read_odd_venue(lines[0], details)
    if not is_venue and (not trial.weight or sum(flags) * 2 < len(flags)):
        return 0
    for line in lines[1:] if is_venue else lines:
        if not _read_detail(line, details):
            details.text.append(line)
    return end - start


def _read_odd_venue(line: str, details: PaperDetails) -> bool:
    """Read a venue that is not known, such as `infocomm 2018`, and return True if the line is one."""
    match = _QUOTED_VENUE.fullmatch(line)
    if match is None or is_name(match["name"]):
        return False
    details.venue, details.year = match["name"], details.year or int(match["year"])
    details.weight += 1
    return True


def _read_line(page: NoteDocument, index: int, stop: int, details: PaperDetails) -> int:
    """Read a line, with the deeper lines on which the value of its field goes on. Return their number."""
    if count := _read_list(page, index, stop, details):
        return count
    text, end = page.text(index), index + 1
    while end < stop and parse_label(text) and _goes_on(page, index, end):
        text = f"{text} {page.text(end)}"
        end += 1
    is_read = len(text) <= _MAX_LINE_CHARS and _read_detail(
        BULLET.sub("", text), details, bulleted=BULLET.match(text) is not None
    )
    return end - index if is_read else 0


def _read_list(page: NoteDocument, start: int, stop: int, details: PaperDetails) -> int:
    """Read topics or authors that are items below their label, as in YAML: `tags:`, `- caches`. Return the lines."""
    field = _FIELD_ABOVE_LIST.fullmatch(page.text(start))
    key = key_of(field["name"]) if field and field["name"].islower() else ""
    items: list[str] = []
    while key in _LISTED_FIELDS and start + len(items) + 1 < stop:
        item = page.text(start + len(items) + 1)
        mark = BULLET.match(item)
        if mark is None or has_label(item) or find_links(item):
            break
        items.append(item[mark.end() :].strip("\"'"))
    if not items:
        return 0
    _NOTERS[key](", ".join(items), details)
    details.weight += 1
    return len(items) + 1


def _goes_on(page: NoteDocument, start: int, index: int) -> bool:
    text = page.text(index)
    is_deeper = page.lines[index].indent > page.lines[start].indent
    return bool(text) and is_deeper and not (BULLET.match(text) or has_label(text) or page.links_at(index))


def _read_detail(line: str, details: PaperDetails, *, bulleted: bool = False) -> bool:
    """Read a line into the details and return True if it describes the paper."""
    line = anchored["text"] if (anchored := _ANCHORED.fullmatch(line)) else line
    pair, links = parse_label(line), find_links(line)
    if pair:
        if details.title and (pair.key == "title" or (pair.key == "paper" and not find_links(pair.value))):
            return False  # the next paper begins
        if pair.key == "presenter":  # may stand above several papers
            details.is_presented = True
            details.text.append(line)
        else:
            details.weight += 1
            _read_field(pair, find_links(pair.value) or (links if pair.key == "link" else []), details)
        return True
    if details.weight > 1 and has_label(line) and not any(link.ref.scheme in STRONG for link in links):
        details.links += links
        details.text.append(line)
        return True  # an unknown field among the paper's fields
    if links:
        # A list of addresses, each an entry of its own.
        is_list = bulleted and all(link.label is None for link in links)
        is_read = _read_whole_reference(line, links, details)
        return is_read or (not is_list and _addresses(line, links, details))
    if bulleted or line.startswith(_OTHER_SHAPES):
        return False
    return _read_publication(line, details)


def _read_field(pair: LabeledValue, links: list[TextLink], details: PaperDetails) -> None:
    value = _strip_marks(pair.value)
    if pair.key == "venue" and "," in value and (cited := find_venue(value))[0]:  # *Journal*, vol. 5, pp. 1-9, 2024
        details.venue, details.year = details.venue or cited[0], details.year or cited[1]
    if pair.key in {"title", "paper", "link"} and links:
        label = next((link.label for link in links if link.label and not role_from_label(link.label)), "")
        details.title = details.title or label or clean_title(_words_without_links(pair.value, links))
        details.links += links
    elif pair.key in _NOTERS:
        _NOTERS[pair.key](pair.value if pair.key == "topics" else value, details)  # topics in quotes may hold commas
        details.links += links if pair.key == "venue" else []
    elif not links and match_dated_venue(place := _APPEARED.sub("", pair.value, count=1)):
        _note_venue(place, details)  # Comments: Accepted to HotStorage 2024
    elif not links and pair.key == "link" and take_tag(value).venue:
        _note_venue(value, details)  # Source: 35th Conference on Neural Information Processing Systems (NeurIPS 2021)
    else:
        details.links += links
        details.text += [] if links else [pair.value]


def _note_title(text: str, details: PaperDetails) -> None:
    """Note the title; a whole reference may stand there: `Title: The Title. A. Author et al. Cell 180, 2020`."""
    cited = parse_citation(text) if not CJK.search(text) else CitationParts("")
    if _PUBLISHED.search(cited.remainder) and (cited.authors or find_venue(cited.remainder)[0]):
        details.cited = cited
    details.title = clean_title(details.cited.title if details.cited else text)


def _note_authors(text: str, details: PaperDetails) -> None:
    details.authors = details.authors or names_in(text) or parse_initialled_names(text) or tuple(_split_pieces(text))


def _note_venue(text: str, details: PaperDetails) -> None:
    if not LETTER.search(text):
        return
    first = text.partition(" / ")[0]
    tag = take_tag(first)
    year = _YEAR.search(text)
    details.venue = details.venue or tag.venue or _YEAR_LAST.sub("", first)[:MAX_VENUE_CHARS]
    details.year = details.year or tag.year or (int(year[0]) if year else None)


def _note_date(text: str, details: PaperDetails) -> None:
    details.published = details.published or iso_date_in_year_field(text) or take_date(text).iso
    if iso_day(details.published):  # a venue tells the year better: the day may be that of a meeting
        return
    year = _YEAR.search(text) or _YEAR.match(details.published)
    details.year = details.year or (int(year[0]) if year else None)


def _note_read_on(text: str, details: PaperDetails) -> None:
    details.read_on = details.read_on or iso_day(text)


def _note_status(text: str, details: PaperDetails) -> None:
    details.status = details.status or status_at_start(text)


def _note_rating(text: str, details: PaperDetails) -> None:
    details.rating = details.rating or text[:_MAX_RATING_CHARS]


def _note_topics(text: str, details: PaperDetails) -> None:
    text = text.strip(" *_`()（）[]【】<>")
    if not _ARXIV_SUBJECTS.fullmatch(text):
        details.topics = details.topics or tuple(split_topic_names(_BETWEEN_TOPICS.sub(", ", text)))


def _note_abstract(text: str, details: PaperDetails) -> None:
    details.abstract = details.abstract or text


_NOTERS: dict[str, Callable[[str, PaperDetails], None]] = {
    "title": _note_title,
    "paper": _note_title,
    "authors": _note_authors,
    "venue": _note_venue,
    "date": _note_date,
    "read_on": _note_read_on,
    "status": _note_status,
    "rating": _note_rating,
    "topics": _note_topics,
    "abstract": _note_abstract,
}


def _addresses(line: str, links: list[TextLink], details: PaperDetails) -> bool:
    """Read a line of bare addresses or labelled links, possibly with venue and date: `[VIS 2024](…) • [code](…)`."""
    if stated := _STATED.fullmatch(links[0].label or ""):
        _note_venue(stated[0], details)
        links = [replace(links[0], label="paper"), *links[1:]]
    if not all(link.label is None or role_from_label(link.label) for link in links):
        return False
    rest = _words_without_links(line, links)
    if _WORD.search(rest) and not _read_publication(rest, details, is_certain=False) and not role_from_label(rest):
        return False
    details.weight += 1
    details.links += links
    details.bare_links += [link for link in links if link.label is None]
    return True


def _read_publication(line: str, details: PaperDetails, *, is_certain: bool = True) -> bool:
    """Read venue, date and authors, also several on one line."""
    if _SHOUTED_STATUS.fullmatch(line) and (status := status_of(line)):
        details.status = details.status or status
        return True
    text = _strip_marks(_APPEARED.sub("", line, count=1) if _APPEARED.match(line) else line)
    tag = take_tag(text)
    if tag.venue and not LETTER.search(tag.remainder):
        details.venue, details.year = details.venue or tag.venue, details.year or tag.year
        details.weight += 1
        return True
    date = take_date(text)
    if date.iso and not LETTER.search(date.remainder):
        details.published = details.published or date.iso
        details.weight += is_certain
        return True
    if _DIGIT.search(text) and (cited := parse_citation(text)).authors and _is_reference(text, cited):
        return _read_reference(cited, details)
    if not line.endswith(("。", "．")) and _read_authors(text, details):
        return True
    is_dated = bool(tag.year or _YEAR.search(text) or _NTH.match(text))
    is_venue = len(text) <= MAX_VENUE_CHARS and is_dated and VENUE_WORDS.search(text) is not None
    if is_venue:
        _note_venue(text, details)
        details.weight += 1
    return is_venue


def _read_authors(text: str, details: PaperDetails) -> bool:
    """Read names, also with the venue behind them."""
    authors = names_in(text)
    cited = None if authors else part_rest(text)
    if (
        cited
        and (len(cited.authors) > 1 or "et al" in text)
        and len(cited.remainder) <= MAX_VENUE_CHARS
        and not cited.remainder.endswith(".")
    ):
        authors = cited.authors
        _note_venue(cited.remainder, details)
    details.authors = details.authors or authors
    details.weight += bool(authors)
    return bool(authors)


def _is_reference(text: str, cited: CitationParts) -> bool:
    """Return True for `Author, A. (2017). The Title. Journal, 30, 1-12.`, of which the title is no proceedings."""
    is_title = len(cited.title.split()) >= _MIN_TITLE_WORDS and not VENUE_WORDS.search(cited.title)
    return is_title and f"{cited.title}." in text and bool(find_venue(cited.remainder)[0])


def _read_whole_reference(line: str, links: list[TextLink], details: PaperDetails) -> bool:
    """Read a reference to the paper itself that ends with its identifier."""
    text = _strip_marks(line)
    cited = parse_citation(text)
    is_same = title_letters(cited.title) in title_letters(details.above)
    if not (is_same and cited.authors and _is_reference(text, cited) and _read_reference(cited, details)):
        return False
    details.links += links
    return True


def _read_reference(cited: CitationParts, details: PaperDetails) -> bool:
    """Read the reference to the paper itself and return True, False for one to another work."""
    is_short_name = len(_LONG_WORD.findall(details.above)) == 1  # `# ResNet`
    if not is_short_name and title_letters(cited.title) not in title_letters(details.above):
        return False
    venue, year = find_venue(cited.remainder)
    details.authors = details.authors or cited.authors
    details.venue, details.year = details.venue or venue, details.year or year
    details.weight += 1
    return True


def _words_without_links(text: str, links: list[TextLink]) -> str:
    return " ".join(split_around_links(text, links)).strip(" []()|/,;·•<>*_-–—:：")


def _strip_marks(text: str) -> str:
    stripped = text.strip(' *_`()（）[]【】<>"“”').strip()
    for opening, closing in ("()", "（）", "[]"):  # `The Title (ICLR 2022)`
        if stripped.count(opening) > stripped.count(closing) and f"{stripped}{closing}" in text:
            return f"{stripped}{closing}"
    return stripped


def _split_pieces(text: str) -> list[str]:
    return [part.strip(" *_") for part in _SPLIT.split(text.replace(" and ", ", ")) if part.strip(" *_")]


def match_dated_venue(text: str) -> Venue | None:
    venue = match_venue(text)
    return venue if venue and venue.year else None
