"""Details of a paper below its heading: venue, authors, date, addresses and fields."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from readtrack.infra.text.titles.clean import clean_title
from readtrack.infra.text.titles.dates import iso_day, take_date
from readtrack.infra.text.titles.marks import status_of
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.headings.labels import LabeledValue, has_label, parse_label
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.items.link_roles import STRONG, is_own, role_from_label
from readtrack.ingest.parser.vocabulary.person_names import names_in
from readtrack.ingest.parser.vocabulary.trailing_names import part_rest
from readtrack.ingest.parser.vocabulary.venues import take_tag

_QUOTE = re.compile(r"^(?:>\s?)+")
_BULLET = re.compile(r"^(?:[-*+•・]|\d{1,2}[.)])\s+")
_LETTER = re.compile(r"[^\W\d_]")
_VENUE_WORDS = re.compile(
    r"\b(?:proc(?:eedings)?|conference|symposium|workshop|journal|transactions|press)\b", re.IGNORECASE
)
_APPEARED = re.compile(
    r"(?:published|appeared|accepted|presented|to appear)\s(?:in|at|by|to)\s+|in\s(?=[A-Z])|"
    r"(?:发表|發表|收录|录用|中稿)(?:于|於|在)\s?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_SPLIT = re.compile(r"\s?[,，、;；|/]\s?|\s·\s")
_MOST_LINES, _MOST_QUOTED, _LONGEST = 16, 6, 600
_LONGEST_VENUE, _LONGEST_RATING = 120, 40


@dataclass
class PaperDetails:
    """Details of a paper.

    `end`: the index after its lines. `weight`: how many of the lines describe the paper.
    """

    end: int
    weight: int = 0
    found: list[TextLink] = field(default_factory=list)
    bare: list[TextLink] = field(default_factory=list)  # those of them without any words
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

    @property
    def own(self) -> list[TextLink]:
        return [each for each in self.found if is_own(each)]


def read_details(page: NoteDocument, start: int, stop: int) -> PaperDetails:
    """Read lines up to the first that does not describe the paper.

    A single blank line is skipped.
    """
    told = PaperDetails(start)
    at = start
    while at < min(stop, start + _MOST_LINES):
        text = page.text(at)
        if not text:
            at += 1
            if not page.text(at):
                break
            continue
        count = _read_quotation(page, at, stop, told) if text.startswith(">") else int(_read_line(page, at, told))
        if not count:
            break
        at += count
        told.end = at
    return told


def _read_quotation(page: NoteDocument, at: int, stop: int, told: PaperDetails) -> int:
    """Read a short quotation with a venue, address or field as details.

    Other quotations are ignored.
    """
    end = at
    while end < stop and page.text(end).startswith(">"):
        end += 1
    if end - at > _MOST_QUOTED:
        return 0
    trial = PaperDetails(told.end)
    lines = [words for index in range(at, end) if (words := _QUOTE.sub("", page.text(index)).strip())]
    taken = [_read_detail(words, trial) for words in lines]
    if not trial.weight or sum(taken) * 2 < len(lines):
        return 0
    for words in lines:
        if not _read_detail(words, told):
            told.text.append(words)
    return end - at


def _read_line(page: NoteDocument, at: int, told: PaperDetails) -> bool:
    text = page.text(at)
    return len(text) <= _LONGEST and _read_detail(_BULLET.sub("", text), told, bulleted=_BULLET.match(text) is not None)


def _read_detail(words: str, told: PaperDetails, *, bulleted: bool = False) -> bool:
    """Read a line into the details and return True if it describes the paper."""
    said, found = parse_label(words), find_links(words)
    if said:
        if told.title and (said.key == "title" or (said.key == "paper" and not find_links(said.value))):
            return False  # the next paper begins
        told.weight += 1
        _read_field(said, find_links(said.value), told)
        return True
    if told.weight > 1 and has_label(words) and not any(each.ref.scheme in STRONG for each in found):
        told.found += found
        told.text.append(words)
        return True  # an unknown field among the paper's fields
    if found:
        listed = bulleted and all(each.label is None for each in found)  # a list of addresses, each an entry of its own
        return not listed and _addresses(words, found, told)
    if bulleted or words.startswith(("#", "|", "```", "![")):
        return False
    return _read_publication(words, told)


def _read_field(said: LabeledValue, found: list[TextLink], told: PaperDetails) -> None:
    plain = _strip_marks(said.value)
    if said.key in {"title", "paper", "link"} and found:
        label = next((each.label for each in found if each.label and not role_from_label(each.label)), "")
        told.title = told.title or label or clean_title(_words_without_links(said.value, found))
        told.found += found
    elif said.key in _NOTERS:
        _NOTERS[said.key](plain, told)
    else:
        told.found += found
        told.text += [] if found else [said.value]


def _note_title(plain: str, told: PaperDetails) -> None:
    told.title = told.title or clean_title(plain)


def _note_authors(plain: str, told: PaperDetails) -> None:
    told.authors = told.authors or names_in(plain) or tuple(_split_pieces(plain))


def _note_venue(plain: str, told: PaperDetails) -> None:
    if not _LETTER.search(plain):
        return
    first = plain.partition(" / ")[0]
    tag = take_tag(first)
    year = _YEAR.search(plain)
    told.venue = told.venue or tag.venue or first[:_LONGEST_VENUE]
    told.year = told.year or tag.year or (int(year[0]) if year else None)


def _note_date(plain: str, told: PaperDetails) -> None:
    told.published = told.published or take_date(plain).iso
    year = _YEAR.search(plain)
    told.year = told.year or (int(year[0]) if year else None)


def _note_read_on(plain: str, told: PaperDetails) -> None:
    told.read_on = told.read_on or iso_day(plain)


def _note_status(plain: str, told: PaperDetails) -> None:
    told.status = told.status or status_of(plain)


def _note_rating(plain: str, told: PaperDetails) -> None:
    told.rating = told.rating or plain[:_LONGEST_RATING]


def _note_topics(plain: str, told: PaperDetails) -> None:
    told.topics = told.topics or tuple(piece.strip("#`[]") for piece in _split_pieces(plain))


def _note_abstract(plain: str, told: PaperDetails) -> None:
    told.abstract = told.abstract or plain


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


def _addresses(words: str, found: list[TextLink], told: PaperDetails) -> bool:
    """Read a line of bare addresses or labelled links, possibly with venue and date."""
    if not all(each.label is None or role_from_label(each.label) for each in found):
        return False
    rest = _words_without_links(words, found)
    if _LETTER.search(rest) and not _read_publication(rest, told, sure=False) and not role_from_label(rest):
        return False
    told.weight += 1
    told.found += found
    told.bare += [each for each in found if each.label is None]
    return True


def _read_publication(words: str, told: PaperDetails, *, sure: bool = True) -> bool:
    """Read venue, date and authors, also several on one line."""
    plain = _strip_marks(_APPEARED.sub("", words, count=1) if _APPEARED.match(words) else words)
    tag = take_tag(plain)
    if tag.venue and not _LETTER.search(tag.rest):
        told.venue, told.year = told.venue or tag.venue, told.year or tag.year
        told.weight += 1
        return True
    dated = take_date(plain)
    if dated.iso and not _LETTER.search(dated.rest):
        told.published = told.published or dated.iso
        told.weight += sure
        return True
    authors = names_in(plain)
    behind = part_rest(plain) if not authors else None
    if behind and len(behind.authors) > 1 and len(behind.rest) <= _LONGEST_VENUE and not behind.rest.endswith("."):
        authors = behind.authors
        _note_venue(behind.rest, told)
    if authors:
        told.authors = told.authors or authors
        told.weight += 1
        return True
    if len(plain) <= _LONGEST_VENUE and _VENUE_WORDS.search(plain) and _YEAR.search(plain):
        _note_venue(plain, told)
        told.weight += 1
        return True
    return False


def _words_without_links(text: str, found: list[TextLink]) -> str:
    return " ".join(split_around_links(text, found)).strip(" []()|/,;·•<>*_-–—:：")


def _strip_marks(text: str) -> str:
    return text.strip(' *_`()（）[]【】<>"“”').strip()


def _split_pieces(text: str) -> list[str]:
    return [piece.strip(" *_") for piece in _SPLIT.split(text.replace(" and ", ", ")) if piece.strip(" *_")]
