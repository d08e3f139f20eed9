"""Zotero's library as RDF: items with tags, notes and the extra field, and the tree of collections."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.person_names import NameParts, join_parts
from readtrack.ingest.parser.bibliography.zotero_item import NOT_ITEMS, ZoteroItem, build_item_entry
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import build_heading_entry, topic_of, topics_of
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.markup import tile_entries
from readtrack.ingest.parser.reasons import LIBRARY_MARKUP
from readtrack.ingest.parser.vocabulary.author_names import clean_names

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_NAMESPACE = "http://www.zotero.org/namespaces/export#"
_HEAD_LINES = 20
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_DOI = re.compile(r"DOI\s(?P<doi>10\.\S{3,200})", re.IGNORECASE)


@dataclass
class _Library:
    """The records of a file by their address in it.

    `uses`: how often each journal or book is named by an item. `notes`: those of items. `collections_of`: the
    collections that have each record in them.
    """

    records: dict[str, Element]
    uses: Counter[str] = field(default_factory=Counter)
    notes: set[str] = field(default_factory=set)
    collections_of: dict[str, list[str]] = field(default_factory=dict)

    def path(self, address: str) -> tuple[str, ...]:
        """Return the names of the collections of a record, each after those above it."""
        names: dict[str, str] = {}
        addresses = [*self.collections_of.get(address, ())]
        while addresses:
            collection = addresses.pop()
            if collection not in names:
                names[collection] = _text(self.records[collection], "title")
                addresses += self.collections_of.get(collection, ())
        return tuple(reversed(names.values()))


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not page.text(start).startswith("<"):
        return None
    head = page.raw_text(start, start + _HEAD_LINES)
    if "<rdf:RDF" not in head or _NAMESPACE not in head:
        return None
    raw_lines = [line.raw for line in page.lines[start:]]
    count = next((index + 1 for index, raw in enumerate(raw_lines) if "</rdf:RDF>" in raw), len(raw_lines))
    root = _parse("\n".join(raw_lines[:count]))
    if root is None:
        return None
    library = _index(root)
    records = [record for record in root if isinstance(record.tag, str)]
    numbers = [page.lines[start + min(record.sourceline or 1, count) - 1].number for record in records]
    first, last = page.numbers(start, start + count)
    entries: list[ParsedEntry] = []
    for record, number, next_number in zip(records, numbers, [*numbers[1:], last + 1], strict=True):
        context = ItemContext(number, max(next_number - 1, number), page.outline.topics)
        if entry := _build_entry(record, library, context):
            entries.append(entry)
    return EntryBlock(count, tile_entries(entries, first, last, reason=LIBRARY_MARKUP))


def _parse(text: str) -> Element | None:
    """Parse the text as far as it is XML. Entities are not expanded."""
    from lxml import etree

    parser = etree.XMLParser(
        recover=True, encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root: Element | None = etree.fromstring(text.encode(errors="replace"), parser)
    except etree.XMLSyntaxError:
        return None
    return root


def _index(root: Element) -> _Library:
    library = _Library({about: record for record in root if (about := record.get(f"{_RDF}about", ""))})
    for address, record in library.records.items():
        library.uses.update(_resources(record, "isPartOf"))
        library.notes.update(_resources(record, "isReferencedBy"))
        if _name(record) == "Collection":
            for part in _resources(record, "hasPart"):
                library.collections_of.setdefault(part, []).append(address)
    return library


def _resources(record: Element, name: str) -> list[str]:
    """Return the addresses of the records that a record refers to by elements of that name."""
    return [address for node in record.iterfind(f"{{*}}{name}") if (address := node.get(f"{_RDF}resource", ""))]


def _build_entry(record: Element, library: _Library, context: ItemContext) -> ParsedEntry | None:
    """Build the entry of an item, a note without one, or a collection. Other records belong to an item."""
    address = record.get(f"{_RDF}about", "")
    if _name(record) == "Collection":
        return _build_topic(_text(record, "title"), library.path(address), context)
    if _name(record) == "Memo" and address not in library.notes:
        note = ZoteroItem("note", notes=(_text(record, "value"),), collections=library.path(address))
        return build_item_entry(note, context)
    item_type = _text(record, "itemType")
    if not item_type or item_type in NOT_ITEMS:
        return None
    return build_item_entry(_to_item(record, item_type, library), context)


def _build_topic(name: str, path: tuple[str, ...], context: ItemContext) -> ParsedEntry:
    topics = tuple(dict.fromkeys([*context.topics, *topics_of(path)]))
    return build_heading_entry(context.first, context.last, name, topic_of(name), topics)


def _to_item(record: Element, item_type: str, library: _Library) -> ZoteroItem:
    container, is_shared = _container(record, library)
    notes = map(library.records.get, _resources(record, "isReferencedBy"))
    return ZoteroItem(
        type=item_type,
        detail=_text(record, "type"),
        title=_text(record, "title"),
        authors=clean_names(_author(person) for person in record.iterfind("{*}authors//{*}Person")),
        venue=_text(container, "title")
        or _text(record, "presentedAt//{*}title")
        or _text(record, "publisher//{*}name"),
        date=_text(record, "date"),
        doi=_doi(record) or ("" if is_shared else _doi(container)),
        url=_text(record, "identifier/{*}URI/{*}value"),
        abstract=_text(record, "abstract"),
        language=_text(record, "language"),
        extra=record.findtext("{*}description", ""),
        tags=tuple(subject.text or "" for subject in record.iterfind("{*}subject") if not len(subject)),
        notes=tuple(_text(note, "value") for note in notes if note is not None),
        collections=library.path(record.get(f"{_RDF}about", "")),
        key=_text(record, "citationKey"),
    )


def _container(record: Element, library: _Library) -> tuple[Element | None, bool]:
    """Return the journal or book of an item, and whether other items are in it, too: its DOI is that of the item."""
    part = record.find("{*}isPartOf")
    if part is None:
        return None, False
    address = part.get(f"{_RDF}resource", "")
    return (part[0], False) if len(part) else (library.records.get(address), library.uses[address] > 1)


def _doi(record: Element | None) -> str:
    texts = () if record is None else (node.text or "" for node in record.iterfind("{*}identifier"))
    return next((match["doi"] for text in texts if (match := _DOI.search(text))), "")


def _author(person: Element) -> str:
    return join_parts(NameParts(_text(person, "surname"), _text(person, "givenName")))


def _text(record: Element | None, path: str) -> str:
    return "" if record is None else clean_line(record.findtext(f"{{*}}{path}", ""))


def _name(record: Element) -> str:
    return record.tag.rpartition("}")[2] if isinstance(record.tag, str) else ""


SHAPE = Shape("zotero_rdf", 14, read)
