"""CSL-JSON and other collections of works in JSON: a list, one item, or an object with a list, {"items": […]}.

Each item has its lines; a broken rest is flagged for review. Items that are not CSL are read like the rows of a table.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from readtrack.infra.text import person_names
from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.person_names import NameParts, PersonName, name_parts
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.bibliography.publication_types import parse_publication_type
from readtrack.ingest.parser.bibliography.reading_marks import take_reading_marks
from readtrack.ingest.parser.bibliography.work import (
    BibliographyWork,
    entry_of,
    format_iso_date,
    format_published,
    to_doi_address,
)
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, join_texts
from readtrack.ingest.parser.json_lists import (
    Item,
    Items,
    JsonList,
    build_block,
    iter_items,
    read_list,
    read_value,
)
from readtrack.ingest.parser.tables.exported_columns import field_of
from readtrack.ingest.parser.tables.exported_rows import FieldRow, read_field_row
from readtrack.ingest.parser.vocabulary.author_names import clean_names, join_parts
from readtrack.workspace.export.formats import PROVIDER, PUBLISHED_ALONE, split_paragraphs

_DECODER = json.JSONDecoder()
_OPENS_ITEM = re.compile(r"[\s,]*\{")
_MEMBER = re.compile(r"[\s,]*\"(?:[^\"\\]|\\.){0,100}\"\s*:\s*")
_ONLY_IN_CSL = frozenset({"issued", "container-title", "citation-key", "accessed", "collection-title", "event-title"})
_PLAIN_TYPES = frozenset({"article", "book", "chapter", "manuscript", "patent", "report", "standard", "thesis"})
# What any other collection may have too, but nothing that only another collection has.
_PLAIN_FIELDS = frozenset(
    {"id", "type", "title", "author", "publisher", "number", "archive", "archive_location", "doi", "url", "keyword"}
    | {"language", "abstract", "note", "custom", "genre"}
)
_SUFFIX = re.compile(r"[ _-]?(?:path|list|names?)$")
_KINDS = {
    "software": "code",
    "motion_picture": "video",
    "broadcast": "video",
    "speech": "slides",
    "presentation": "slides",
}
_WEB = frozenset(
    {"webpage", "post", "post-weblog", "software", "motion_picture", "broadcast", "speech", "document", "dataset"}
)
_URL_FIELD = re.compile(r"(?:^|[_-])(?:url|link|pdf)$")
_TAG = re.compile(r"</?(?:i|b|sup|sub|span|sc|scp|jats:[a-z]{1,10}|p)(?:\s[^<>]{0,100})?>")
_TAG_FIELDS = ("keyword", "keywords", "categories", "tags", "labelsnamed")
_NAME_PARTS = (("family", "last"), ("given", "first"))  # of CSL and of Paperpile
_TELLING = frozenset({"type", "author", "authors", "doi", "url", "issued", "container-title", "year", "journal"})
_OPENINGS = ('[{"', "[ {", '{"', '{ "')  # or alone on a line: `[`, `{`, `[{`
_TRIED = "csl_json"
_NEAR_CHARS, _FEW = 40, 10


def read_items(text: str) -> Items | None:
    """Return the works in a text that begins with [ or {, or None if it is not CSL-JSON."""
    bracket = text.lstrip()[:1]
    if bracket == "{" and (single := read_value(text, 0)) and is_work(single.fields):
        return Items([single], single.end)
    return read_list(text, start_of_items(text), is_work)


def may_be_list(sample: str) -> bool:
    """Return True if a text that begins like this may be a list of works."""
    start = start_of_items(sample)
    return _has_works(sample) and (sample.lstrip().startswith("[") or start > 0) and sample[start:].lstrip()[:1] == "{"


def start_of_items(text: str) -> int:
    """Return the offset after the bracket that opens the list, 0 if there is none."""
    return text.index("[") + 1 if text.lstrip().startswith("[") else _start_of_list(text) or 0


def build_item_entry(item: Item, line: int) -> ParsedEntry:
    """Build the entry of an item that begins on that line."""
    return _build_entry(item, line, ())


def _build_entry(item: Item, line: int, topics: tuple[str, ...]) -> ParsedEntry:
    if _is_csl(item.fields):
        return entry_of(work_of(item.fields), ItemContext(line, line, topics))
    return read_field_row(FieldRow(line, line, topics, _cells_of(item.fields)))


def _is_csl(fields: Mapping[str, Any]) -> bool:
    kind = _text(fields.get("type")).lower()
    has_name_parts = any(
        isinstance(name, dict) and name.keys() & {"family", "last"} for name in _list(fields.get("author"))
    )
    is_plain = kind in _PLAIN_TYPES and fields.keys() <= _PLAIN_FIELDS
    return is_plain or has_name_parts or "-" in kind or kind in _WEB or bool(fields.keys() & _ONLY_IN_CSL)


def _cells_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the values by the column that a table would have for them: `{"links": {"pdf": …}}` is a url."""
    cells: dict[str, str] = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            cells = {**_cells_of(value), **cells}
            continue
        field = field_of(name) or field_of(_SUFFIX.sub("", name))
        texts = filter(None, map(_name, _list(value)))
        text = ("\n" if field == "topics" else "; ").join(texts) if isinstance(value, list) else _text(value)
        is_address = "://" in text[:10]
        if is_address and (field == "title" or (not field and _URL_FIELD.search(name))):
            field = "url"
        if field == "url" and cells.get(field):
            cells[field] += f" {text}"
        elif field and text:
            cells.setdefault(field, text)
    return cells


def _start_of_list(text: str) -> int | None:
    """Return the offset after the bracket of an object's first list of works: `{"papers": [`, which may be cut off."""
    position = text.index("{") + 1
    while member := _MEMBER.match(text, position):
        position = member.end()
        if text.startswith("[", position):
            first_items = [*islice(iter_items(text, position + 1), _FEW)]
            is_open = not first_items and _OPENS_ITEM.match(text, position + 1, position + _NEAR_CHARS)
            if is_open or any(is_work(item.fields) for item in first_items):
                return position + 1
        try:
            _, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return None
    return None


def is_work(fields: Mapping[str, Any]) -> bool:
    """Return True for an item with a title, and for one of CSL that tells an address or authors only."""
    telling = fields.keys() & _TELLING
    return (
        bool(telling) if _text(fields.get("title")) else bool(telling - {"type"}) and "id" in fields and _is_csl(fields)
    )


def work_of(fields: Mapping[str, Any]) -> BibliographyWork:
    kind = _text(fields.get("type")).lower()
    publication_type = parse_publication_type(kind, _text(fields.get("genre")))
    marks = take_reading_marks(_tags(fields), _raw_text(fields.get("note")))
    doi, url = _text(fields.get("doi")), _text(fields.get("url"))
    arxiv = next(
        (
            _text(fields[name])
            for name in ("number", "archive_location", "arxiv", "note")
            if "arxiv:" in _text(fields.get(name)).lower()
        ),
        "",
    )
    return BibliographyWork(
        title=_text(fields.get("title")),
        item_text=ItemText(
            text=join_texts(*marks.extra, _text(fields.get("annote")), _text(fields.get("notes"))),
            venue=_text(fields.get("container-title"))
            or _text(fields.get("journal"))
            or _text(fields.get("event-title"))
            or (_text(fields.get("publisher")) if publication_type in PUBLISHED_ALONE else ""),
            authors=clean_names(_own_spelling(fields, name) for name in _authors(fields)),
            published=_date(fields.get("issued") or fields.get("published"))
            or format_published(_text(fields.get("year"))),
            abstract="\n\n".join(map(_text, split_paragraphs(_raw_text(fields.get("abstract"))))),
            status=_status(_text(fields.get("status"))) or marks.status,
            rating=marks.rating,
            read_on=marks.read_on,
        ),
        addresses=tuple(text for text in (to_doi_address(doi), arxiv, url) if text),
        topics=tuple(dict.fromkeys([*_own_topics(fields), *_folders(fields), *marks.topics])),
        kind=_KINDS.get(kind, ""),
        publication_type=publication_type,
        language=_text(fields.get("language")),
        on_the_web=kind in _WEB,
        has_credits=kind in {"", "document"} and bool(fields.get("author") and fields.get("issued")),
        key=_text(fields.get("id")),
    )


def _text(value: object) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return clean_line(_TAG.sub("", str(value)))


def _raw_text(value: object) -> str:
    return _TAG.sub("", value) if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value] if value else []


def _name(value: object) -> str:
    """Return given and family name, or the literal name.

    CJK names are family name first, without a space.
    """
    if not isinstance(value, dict):
        return _text(value)
    family, given = (_text(value.get(csl) or value.get(paperpile)) for csl, paperpile in _NAME_PARTS)
    particle = _text(value.get("non-dropping-particle") or value.get("dropping-particle"))
    if family and given:
        return join_parts(NameParts(family, given, particle, _text(value.get("suffix"))))
    return person_names.undivided(
        " ".join(filter(None, (particle, family or given))) or _text(value.get("literal") or value.get("name"))
    )


def _authors(fields: Mapping[str, Any]) -> Iterator[str]:
    return map(_name, _list(fields.get("author") or fields.get("authors")))


def _own_spelling(fields: Mapping[str, Any], name: str) -> str:
    """Return a name as it is shown in the library that exported it."""
    parts = name_parts(name)
    spaced = f"{parts.family} {parts.given}"
    return PersonName(spaced, parts) if spaced in _list(_custom(fields).get("spaced")) else name


def _date(value: object) -> str:
    """Return the date from {"date-parts": [[2023, 5, 16]]}, {"raw": …}, {"literal": …} or a string."""
    if not isinstance(value, dict):
        return format_published(_text(value))
    if value.get("year") and value.get("month"):
        month, day = _text(value.get("month")), _text(value.get("day"))
        return format_published(_text(value.get("year")), month, day)
    parts = _list(value.get("date-parts"))
    first = [_text(part) for part in _list(parts[0])] if parts else []
    if first and first[0].isdecimal() and len(first[0]) == 4:
        year, month, day, *_ = [*first, "", "", ""]
        return format_iso_date(
            year, month if month.isdecimal() else "", day if month.isdecimal() and day.isdecimal() else ""
        )
    return format_published(_text(value.get("raw") or value.get("literal") or value.get("year")))


def _status(status: str) -> str | None:
    return {"read": "read", "unread": "to_read", "reading": "reading", "to read": "to_read"}.get(status.casefold())


def _custom(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return custom if isinstance(custom := fields.get("custom"), dict) else {}


def _own_topics(fields: Mapping[str, Any]) -> list[str]:
    """Return the topics in readtrack's own export, where every keyword is one."""
    is_own = _custom(fields).get("source") == PROVIDER
    return split_topic_names(str(fields.get("keyword", ""))) if is_own else []


def _tags(fields: Mapping[str, Any]) -> list[str]:
    if _own_topics(fields):
        return []
    value = next(filter(None, map(fields.get, _TAG_FIELDS)), "")
    names = value if isinstance(value, list) else split_topic_names(_text(value))
    return [name for name in map(_text, names) if len(name) <= 60]


def _folders(fields: Mapping[str, Any]) -> list[str]:
    """Return the names of folders, and of those that they are in: `Training/Fault tolerance`."""
    paths = map(_text, _list(fields.get("foldersnamed")))
    return [name.strip() for path in paths for name in path.split("/") if 1 < len(name.strip()) <= 60]


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _may_begin_list(page, start) or page.format_states.get(_TRIED):
        return None
    items = read_items(page.raw_text(start))
    if items is None:
        page.format_states[_TRIED] = True  # retrying at every bracket of a long file would take quadratic time
        return None
    topics = page.outline.topics
    return build_block(page, start, items, lambda item, line: _build_entry(item, line, topics))


def _may_begin_list(page: NoteDocument, index: int) -> bool:
    """Return True for brackets, alone or with a quoted name, and a title or an address nearby."""
    text = page.text(index)
    if not text.startswith(_OPENINGS) and text not in {"[", "{", "[{"}:
        return False
    return any(_has_works(line.raw) for line in page.lines[index : index + _NEAR_CHARS])


def _has_works(text: str) -> bool:
    """Return True for a name that is in all works, or in those of CSL that have no title."""
    return any(name in text for name in ('"title"', '"URL"', '"DOI"'))


LIST = JsonList(start_of_items, is_work, build_item_entry)
SHAPE = Shape("csl_json", 9, read)
