"""RIS ("TY - JOUR") and EndNote ("%0 Journal Article") records of reference managers, in files or within notes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from readtrack.infra.text.person_names import read_inverted, undivided
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.bibliography.publication_types import parse_publication_type
from readtrack.ingest.parser.bibliography.work import (
    WEB_ADDRESS,
    BibliographyWork,
    entry_of,
    format_published,
    to_doi_address,
)
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.lines import TextLine
from readtrack.ingest.parser.reasons import NO_END
from readtrack.ingest.parser.vocabulary.author_names import clean_names, to_given_first
from readtrack.workspace.export.formats import PROVIDER, PUBLISHED_ALONE

_RIS = re.compile(r"(?P<tag>[A-Z][A-Z0-9])\s{0,4}-(?:\s{1,4}(?P<value>.*))?")
_ENDNOTE = re.compile(r"%(?P<tag>[0-9A-Z@?!#$&\]~<>()\[^|*+,:=;'/\-])(?:\s(?P<value>.*))?")
_RIS_TYPE = re.compile(r"TY\s{0,4}-(?:\s|$)")
_ENDNOTE_TYPE = re.compile(r"%0\s\w")
_TAGS = frozenset(
    [
        "A1", "A2", "A3", "A4", "AB", "AD", "AN", "AU", "AV", "BT", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8",
        "CA", "CN", "CP", "CT", "CY", "DA", "DB", "DO", "DP", "DS", "ED", "EP", "ET", "ID", "IS", "J1", "J2", "JA",
        "JF", "JO", "KW", "L1", "L2", "L3", "L4", "LA", "LK", "M1", "M2", "M3", "N1", "N2", "NV", "OP", "PB", "PP",
        "PY", "RI", "RN", "RP", "SE", "SN", "SP", "ST", "SV", "T1", "T2", "TA", "TI", "TT", "U1", "U2", "U3", "U4",
        "U5", "UR", "VL", "VO", "Y1", "Y2",
    ]
)  # fmt: skip
_MAX_LINES = 3000
_WEB = frozenset({"ELEC", "WEB", "BLOG", "ICOMM", "GEN", "VIDEO", "SLIDE", "COMP", "ADVS", "MPCT", "SOUND", "MULTI"})
_KINDS = {"COMP": "code", "VIDEO": "video", "SLIDE": "slides", "ADVS": "video", "MPCT": "video"}
_ENDNOTE_WEB = frozenset({"web page", "blog", "electronic source", "computer program", "online multimedia", "generic"})
_ENDNOTE_KINDS = {"computer program": "code", "online multimedia": "video"}
_ARXIV = re.compile(r"arxiv\s?[:：]\s?\S{4,40}|abs/\d{4}\.\d{4,5}", re.IGNORECASE)
_TITLES = ("TI", "T1", "CT", "BT", "ST")
_VENUES = ("JF", "T2", "JO", "C3", "BT", "JA", "J2", "J1", "PB")  # full names before abbreviations
_DATES = ("DA", "PY", "Y1")
_MIN_TAGS = 2
_MAX_KEYWORD_CHARS = 60
_KEYWORD = "K"  # EndNote's tag


@dataclass
class TaggedRecord:
    """A record of `count` lines.

    `values`: by tag, in order. `closed`: it has the end that its format requires.
    """

    count: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)
    closed: bool = False
    last_tag: str = ""

    def add(self, tag: str, value: str) -> None:
        self.values.setdefault(tag, []).append(value.strip())
        self.last_tag = tag

    def continue_value(self, text: str) -> None:
        """Add a line without a tag to the value above it."""
        self.values[self.last_tag][-1] += f" {text}"

    def first(self, *tags: str) -> str:
        return next((value for tag in tags for value in self.values.get(tag, ()) if value), "")

    def every(self, *tags: str) -> list[str]:
        return [value for tag in tags for value in self.values.get(tag, ()) if value]


def begins_ris(text: str) -> bool:
    return text.startswith("TY") and _RIS_TYPE.match(text) is not None


def is_headless_ris(lines: Sequence[TextLine], start: int) -> bool:
    """Return True for three tagged lines in a row whose TY line is missing or misspelt."""
    tags = [match["tag"] for line in lines[start : start + 3] if (match := _RIS.fullmatch(line.text))]
    return len(tags) == 3 and set(tags) <= _TAGS


def begins_endnote(text: str) -> bool:
    return text.startswith("%0 ") and _ENDNOTE_TYPE.match(text) is not None


def read_ris(lines: Sequence[TextLine], start: int) -> TaggedRecord:
    """Parse up to ER.

    Without ER, the record ends before the next TY, or at an untagged line after a blank line.
    """
    record = TaggedRecord()
    has_blank = False
    for index in range(start, min(start + _MAX_LINES, len(lines))):
        text = lines[index].text
        match = _match_tag(lines[index])
        if index > start and begins_ris(text):
            break
        if match and match["tag"] == "ER":
            record.count, record.closed = index - start + 1, True
            break
        if match:
            record.add(match["tag"], match["value"] or "")
        elif text and has_blank:
            break
        elif text:
            record.continue_value(text)
        has_blank = has_blank or not text
        record.count = index - start + 1 if text else record.count
    return record


def _match_tag(line: TextLine) -> re.Match[str] | None:
    """Match a tag and its two spaces. Other spacing needs a known tag, because a wrapped line may contain a dash."""
    match = _RIS.fullmatch(line.text)
    is_tag = match is not None and (line.raw.lstrip()[2:5] == "  -" or match["tag"] in {*_TAGS, "TY", "ER"})
    return match if is_tag else None


def read_endnote(lines: Sequence[TextLine], start: int) -> TaggedRecord:
    """Parse up to a blank line or the next %0."""
    record = TaggedRecord(closed=True)
    for index in range(start, min(start + _MAX_LINES, len(lines))):
        text = lines[index].text
        match = _ENDNOTE.fullmatch(text)
        if not text or (index > start and begins_endnote(text)):
            break
        if match:
            record.add(match["tag"], match["value"] or "")
        elif record.last_tag == _KEYWORD:
            record.add(_KEYWORD, text)  # one keyword per line
        else:
            record.continue_value(text)
        record.count = index - start + 1
    return record


def work_of_ris(record: TaggedRecord) -> BibliographyWork:
    kind, title = record.first("TY").upper(), record.first(*_TITLES)
    is_own = record.first("DP") == PROVIDER
    publication_type = parse_publication_type(kind, record.first("M3"))
    venue_tags = ("PB", *_VENUES) if publication_type in PUBLISHED_ALONE else _VENUES
    venue = next((name for name in record.every(*venue_tags) if name != title), "")
    return BibliographyWork(
        title=title,
        item_text=ItemText(
            text=" · ".join([*record.every("N1", "RN"), *record.every("AB", "N2")[1:]]),
            venue=venue,
            authors=clean_names(map(_own_name if is_own else to_given_first, record.every("AU", "A1"))),
            published=_parse_published(record),
            abstract=record.first("AB", "N2"),
        ),
        addresses=_addresses(
            record.every("DO"), record.every("UR", "M3", "L2", "LK"), record.every("JO", "JF", "T2", "AN", "C7", "VL")
        ),
        others=tuple(value for value in record.every("L1", "L4") if WEB_ADDRESS.search(value)),
        topics=tuple(record.every("KW")) if is_own else _topics(record.every("KW")),
        kind=_KINDS.get(kind, ""),
        publication_type=publication_type,
        language=record.first("LA"),
        on_the_web=kind in _WEB,
        error="" if record.closed else NO_END,
        key=record.first("ID"),
    )


def _own_name(name: str) -> str:
    """Return a name of readtrack's own export, which divides all names that can be."""
    return read_inverted(name) if "," in name else undivided(name)


def work_of_endnote(record: TaggedRecord) -> BibliographyWork:
    kind = record.first("0").casefold()
    publication_type = parse_publication_type(kind, record.first("9"))
    venue = record.first(*("IJBS" if publication_type in PUBLISHED_ALONE else "JBSI"))
    return BibliographyWork(
        title=record.first("T"),
        item_text=ItemText(
            text=" · ".join(record.every("Z", "O")),
            venue=venue,
            authors=clean_names(to_given_first(name) for name in record.every("A")),
            published=format_published(record.first("8")) or format_published(record.first("D")),
            abstract=record.first("X"),
        ),
        addresses=_addresses(record.every("R"), record.every("U"), record.every("J", "V", "M")),
        others=tuple(value for value in record.every(">") if WEB_ADDRESS.search(value)),
        topics=_topics(record.every("K")),
        kind=_ENDNOTE_KINDS.get(kind, ""),
        publication_type=publication_type,
        on_the_web=kind in _ENDNOTE_WEB,
        key=record.first("F"),
    )


def _parse_published(record: TaggedRecord) -> str:
    """Return the most precise date of the record.

    Dates may have gaps, as in 2023/05/16/ or 2023///May.
    """
    dates = [_date(value) for value in record.every(*_DATES)]
    return max(dates, key=len, default="") or _date(record.first("Y2"))


def _date(value: str) -> str:
    parts = [part.strip() for part in value.split("/")]
    year, month, day, *_ = [*parts, "", "", ""]
    if len(parts) > 1 and len(year) == 4:
        return format_published(year, month, day)
    return format_published(value)


def _addresses(dois: list[str], urls: list[str], other_values: list[str]) -> tuple[str, ...]:
    arxiv = [match[0].replace("abs/", "arXiv:") for value in other_values if (match := _ARXIV.search(value))]
    return tuple(
        dict.fromkeys([*map(to_doi_address, dois), *arxiv, *(value for value in urls if WEB_ADDRESS.search(value))])
    )


def _topics(values: list[str]) -> tuple[str, ...]:
    """Return the keywords, one a line. Only programs that write them all on one line put commas between them."""
    one_by_one = len(values) > 1
    names = [
        name
        for value in values
        for name in (split_topic_names(value, ";；|") if one_by_one else split_topic_names(value))
    ]
    return tuple(
        dict.fromkeys(name for name in names if len(name) <= _MAX_KEYWORD_CHARS and any(map(str.isalpha, name)))
    )


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if begins_ris(text) or (text[2:3] in {" ", "-"} and is_headless_ris(page.lines, start)):
        record, to_work = read_ris(page.lines, start), work_of_ris
    elif begins_endnote(text):
        record, to_work = read_endnote(page.lines, start), work_of_endnote
    else:
        return None
    if len(record.values) < _MIN_TAGS:
        return None
    return EntryBlock(record.count, [entry_of(to_work(record), page.context(start, start + record.count))])


SHAPE = Shape("ris", 9, read)
