"""Properties of Logseq and Obsidian: `key:: value`, one a line, at the top of a page or below a list item.

Known ones are facts on a paper, as in front matter. Others, such as `collapsed:: true`, say nothing about it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.fields import build_details, names_paper, title_of
from readtrack.ingest.parser.headings.heading_papers import entry_of
from readtrack.ingest.parser.headings.yaml_items import normalize_key, parse_values
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.reasons import PROPERTIES

_PROPERTY = re.compile(
    r"(?P<bullet>[-*+]\s+)?(?P<name>[^\W\d_][\w.-]{0,40}(?:\s[\w.-]{1,20}){0,2})::(?:\s+(?P<value>.*))?"
)


@dataclass
class Properties:
    """A run of properties, and the index after its lines."""

    end: int
    fields: dict[str, list[str]] = field(default_factory=dict)


def is_property(text: str) -> bool:
    return "::" in text and _PROPERTY.fullmatch(text) is not None


def read_properties(page: NoteDocument, start: int, indent: int = 0) -> Properties:
    """Read the properties from an index on that are at least that far in.

    A bullet before a known name begins the properties of another item.
    """
    run = Properties(start)
    while run.end < len(page.lines):
        match = _PROPERTY.fullmatch(page.text(run.end))
        if not match or page.lines[run.end].indent < indent:
            break
        name = normalize_key(match["name"])
        if match["bullet"] and name in run.fields:
            break
        run.fields[name] = parse_values((match["value"] or "").strip(), name)
        run.end += 1
    return run


def properties_entry(page: NoteDocument, start: int, run: Properties, topics: tuple[str, ...]) -> ParsedEntry:
    """Return the paper that properties name, or nothing with the reason."""
    first, last = page.lines[start].number, page.lines[run.end - 1].number
    if names_work(run.fields):
        return entry_of(title_of(run.fields), [], build_details(run.fields), ItemContext(first, last, topics))
    return ParsedEntry(first, last, 1, "junk", decision="skip", reason=PROPERTIES)


def names_work(field_values: Mapping[str, list[str]]) -> bool:
    """Return True if the properties have an identifier or address of a paper, or a title with authors."""
    return names_paper(field_values) or bool(
        title_of(field_values) and (build_details(field_values).authors or field_values.get("item type"))
    )


def with_properties(entry: ParsedEntry, run: Properties, last: int) -> ParsedEntry:
    """Return the entry of an item with the properties below it."""
    title = title_of(run.fields, entry.title or entry.text)
    if entry.kind == "paper":
        return _with_details(replace(entry, last=last), run)
    if not names_work(run.fields) or not title:
        return replace(entry, last=last)
    context = ItemContext(entry.first, last, entry.topics, entry.status)
    return replace(entry_of(title, [], build_details(run.fields), context), part=entry.part)


def _with_details(entry: ParsedEntry, run: Properties) -> ParsedEntry:
    """Fill in what the item itself does not state."""
    details = build_details(run.fields)
    context = ItemContext(entry.first, entry.last, entry.topics, entry.status)
    stated = entry_of(title_of(run.fields, entry.title), [], details, context)
    is_same = not entry.identifiers or not stated.identifiers or set(entry.identifiers) & set(stated.identifiers)
    return replace(
        entry,
        title=title_of(run.fields) or entry.title,
        identifiers=tuple(dict.fromkeys([*entry.identifiers, *(stated.identifiers if is_same else ())])),
        links=tuple(dict.fromkeys([*entry.links, *stated.links])),
        topics=stated.topics,
        venue=entry.venue or stated.venue,
        year=entry.year or stated.year,
        authors=entry.authors or stated.authors,
        published=entry.published or stated.published,
        read_on=entry.read_on or stated.read_on,
        status=entry.status or stated.status,
        rating=entry.rating or stated.rating,
        abstract=entry.abstract or stated.abstract,
        reason="" if stated.identifiers and not entry.identifiers else entry.reason,
    )
