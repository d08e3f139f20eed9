"""readtrack's own JSON export: each record is a paper with a reading, texts and relations."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from readtrack.infra.text.normalize import clean
from readtrack.infra.text.person_names import NameParts, PersonName
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.json_lists import Item, JsonList, build_block, objects_in, read_list, text_of, texts_in
from readtrack.ingest.parser.paper_details import KINDS, LINK_ROLES, PUBLICATION_TYPES, parse_details
from readtrack.ingest.parser.reasons import EXPORT_WITHOUT_PAPERS, NAMELESS_RECORD
from readtrack.metadata import sources
from readtrack.metadata.types import WebLink
from readtrack.workspace.export.formats.json import FORMAT, FORMAT_VERSION

UNREADABLE_PARTS = "{count} parts of this record can't be read."
_MARKER = re.compile(rf'\s*\{{\s*"format"\s*:\s*"{FORMAT}"')
_VERSION = re.compile(r'"version"\s*:\s*(\d{1,9})\b')
_PAPERS = re.compile(r'"papers"\s*:\s*\[')
_NAME_PARTS = [field.name for field in dataclasses.fields(NameParts)]
_HEAD_CHARS = 2_000  # of a reformatted file, before the first paper


def begins_export(sample: str) -> bool:
    """Return True if a text that begins like this is a JSON export of readtrack."""
    return _MARKER.match(sample) is not None


def is_newer_export(sample: str) -> bool:
    """Return True for an export of a later version of the format, which may mean something else by its fields."""
    head = sample[: find_papers(sample) or _HEAD_CHARS]
    version = _VERSION.search(head) if begins_export(sample) else None
    return version is not None and int(version[1]) > FORMAT_VERSION


def find_papers(text: str) -> int:
    """Return the offset after the bracket that opens the list of papers, 0 if there is none."""
    match = _PAPERS.search(text[:_HEAD_CHARS])
    return match.end() if match else 0


def is_paper(fields: Mapping[str, Any]) -> bool:
    return bool(fields.keys() & {"title", "identifiers"})


def build_paper_entry(item: Item, line: int) -> ParsedEntry:
    """Build the entry of a record that begins on that line."""
    fields = item.fields
    details, unreadable_count = parse_details(fields)
    title, identifiers = text_of(fields.get("title")), _identifiers(fields)
    if not title and not identifiers:
        return ParsedEntry(line, line, 1, "snippet", decision="review", reason=NAMELESS_RECORD)
    return ParsedEntry(
        line,
        line,
        1,
        "paper",
        paper_kind=kind if (kind := text_of(fields.get("kind"))) in KINDS else "paper",
        identifiers=identifiers,
        links=tuple(_links(fields)),
        title=title,
        topics=_texts(fields, "topics"),
        venue=text_of(fields.get("venue")),
        publication_type=name if (name := text_of(fields.get("publication_type"))) in PUBLICATION_TYPES else "",
        year=year if isinstance(year := fields.get("year"), int) and 0 < year < 10_000 else None,
        status=details.reading.status if details.reading else None,
        authors=_authors(fields),
        published=text_of(fields.get("published_on")),
        abstract=clean(abstract) if isinstance(abstract := fields.get("abstract"), str) else "",
        language=text_of(fields.get("language")),
        citation_key=text_of(fields.get("citation_key")),
        details=details,
        reason=UNREADABLE_PARTS.format(count=unreadable_count) if unreadable_count else "",
    )


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not page.text(start).startswith("{") or not begins_export(page.raw_text(start, start + 3)):
        return None
    text = page.raw_text(start)
    items = read_list(text, find_papers(text), is_paper)
    if items is not None:
        return build_block(page, start, items, build_paper_entry)
    return skip_lines(page, start, len(page.lines), EXPORT_WITHOUT_PAPERS)


def _identifiers(fields: Mapping[str, Any]) -> tuple[str, ...]:
    refs = map(sources.parse_ref, _texts(fields, "identifiers"))
    return tuple(dict.fromkeys(str(ref) for ref in refs if ref))


def _authors(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names, with their parts where the export has them."""
    parts_by_name = fields.get("author_parts")
    known = parts_by_name if isinstance(parts_by_name, dict) else {}
    return tuple(_author(name, known.get(name)) for name in _texts(fields, "authors"))


def _author(name: str, parts: object) -> str:
    values = {part: text_of(parts.get(part)) for part in _NAME_PARTS} if isinstance(parts, dict) else {}
    return PersonName(name, NameParts(**values)) if values.get("family") else name


def _links(fields: Mapping[str, Any]) -> list[WebLink]:
    pairs = [(text_of(link.get("url")), text_of(link.get("role"))) for link in objects_in(fields.get("links"))]
    return [WebLink(url, role if role in LINK_ROLES else "landing") for url, role in pairs if url]


def _texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(filter(None, map(text_of, texts_in(fields.get(name)))))


LIST = JsonList(find_papers, is_paper, build_paper_entry)
SHAPE = Shape("exported_papers", 7, read)
