"""Lines right below an Org heading: planning line, drawers, and fields such as "Author: …"."""

import re
from dataclasses import dataclass, field

from readtrack.infra.text.titles.dates import iso_day
from readtrack.infra.text.titles.vocabulary import words_of
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.items.find_links import TextLink, find_links

_PLANNED = re.compile(r"(?P<word>CLOSED|SCHEDULED|DEADLINE):\s?(?P<stamp>[<\[][^<>\[\]]{1,60}[>\]])")
_DRAWER = re.compile(r":(?P<name>[A-Za-z][\w-]{0,40}):")
_PROPERTY = re.compile(r":(?P<name>[^\s:][^\s:]{0,60}?)\+?:(?:\s(?P<value>.*))?")
_DONE_AT = re.compile(r"- State \"(?:DONE|READ|FINISHED)\".{0,80}?\[(?P<stamp>[^\[\]]{1,40})\]")
_FIELD = re.compile(
    r"[-+*_]{0,3}\s?(?P<name>[A-Za-z][A-Za-z ]{1,18}?)[*_]{0,2}\s?[:：][*_]{0,2}\s(?P<value>\S.{0,500})"
)
_MAX_LINES = 200
_NAMES = {
    "authors": "author | authors | by",
    "read_on": "date read | read on | read | finished | date finished",
    "published": "year | date | published | publication date",
    "venue": "venue | conference | journal | booktitle | published in | journaltitle",
    "rating": "rating | score | like | stars",
    "title": "title",
    "abstract": "abstract",
}
_FIELD_BY_NAME = {name: field for field, names in _NAMES.items() for name in words_of(names)}
_ADDRESSES = frozenset(
    [
        "url", "urls", "link", "links", "source", "doi", "arxiv", "arxiv id", "arxivid", "eprint", "pdf",
        "paper", "href", "web", "website", "roam refs", "homepage", "ref", "goodreads", "address",
    ]
)  # fmt: skip


@dataclass
class OrgProperties:
    """Properties of a heading.

    `end`: the index after the lines read. `values`: by field. `links`: to the work, in line order.
    """

    end: int
    drawers_end: int = 0  # after the planning line and the drawers, before fields such as "Author: …"
    closed: str = ""
    values: dict[str, str] = field(default_factory=dict)
    links: list[TextLink] = field(default_factory=list)
    citing: str = ""  # the property that cites the work
    has_deadline: bool = False  # as tasks have

    @property
    def describe_a_work(self) -> bool:
        return bool({"authors", "venue", "title", "published"} & self.values.keys())

    def store(self, name: str, value: str) -> bool:
        """Store a known property. Return False for an unknown name."""
        key = name.casefold().replace("_", " ")
        if key in _ADDRESSES and not value.startswith("@"):
            self.links += find_links(value)
        elif not self.citing and ("cite" in value or (key == "roam refs" and value.startswith("@"))):
            self.citing = value
        elif key in _FIELD_BY_NAME:
            self.values.setdefault(_FIELD_BY_NAME[key], value)
        return key in _FIELD_BY_NAME or key in _ADDRESSES


def read_properties(page: NoteDocument, start: int, end: int) -> OrgProperties:
    """Read properties from the line below a heading up to `end`."""
    facts = OrgProperties(start)
    while facts.end < end:
        text = page.text(facts.end)
        if is_planning(text):
            facts.closed = _parse_closed_day(text) or facts.closed
            facts.has_deadline = facts.has_deadline or "DEADLINE:" in text
            facts.end += 1
        elif _DRAWER.fullmatch(text) and (last := end_of_drawer(page, facts.end, end)) is not None:
            _read_drawer(page, facts, last)
        else:
            break
    facts.drawers_end = facts.end
    return facts


def read_fields(page: NoteDocument, facts: OrgProperties, end: int) -> None:
    """Read fields such as "Author: …" that follow directly, up to the first unknown name."""
    while facts.end < end:
        match = _FIELD.fullmatch(page.text(facts.end))
        if match is None or not facts.store(match["name"].strip(), match["value"].rstrip("*_ ")):
            break
        facts.end += 1


def end_of_drawer(page: NoteDocument, start: int, end: int) -> int | None:
    """Return the index of the drawer's :END:, or None if no drawer begins here."""
    if not _DRAWER.fullmatch(page.text(start)):
        return None
    for index in range(start + 1, min(end, start + _MAX_LINES)):
        if page.text(index).upper() == ":END:":
            return index
        if page.text(index).startswith("* ") and not page.lines[index].indent:
            return None
    return None


def is_planning(text: str) -> bool:
    return text.startswith(("CLOSED:", "SCHEDULED:", "DEADLINE:", "CLOCK:"))


def _parse_closed_day(text: str) -> str:
    days = [iso_day(match["stamp"]) for match in _PLANNED.finditer(text) if match["word"] == "CLOSED"]
    return days[0] if days else ""


def _read_drawer(page: NoteDocument, facts: OrgProperties, last: int) -> None:
    properties = page.text(facts.end).upper() == ":PROPERTIES:"
    for index in range(facts.end + 1, last):
        text = page.text(index)
        if properties and (match := _PROPERTY.fullmatch(text)):
            facts.store(match["name"], (match["value"] or "").strip())
        elif not properties and (done_match := _DONE_AT.match(text)):
            facts.closed = facts.closed or iso_day(f"[{done_match['stamp']}]")
    facts.end = last + 1
