"""Zotero's library as Better BibTeX JSON: items with tags, notes and the extra field, and the tree of collections."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from readtrack.infra.text import person_names
from readtrack.infra.text.person_names import NameParts
from readtrack.ingest.parser.bibliography.zotero_item import NOT_ITEMS, ZoteroItem, build_item_entry
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.json_lists import build_block, objects_in, read_list, text_of, texts_in
from readtrack.ingest.parser.vocabulary.author_names import clean_names

_MARKER = re.compile(r'\s*\{(?s:.{0,2000}?)"label"\s{0,10}:\s{0,10}"BetterBibTeX JSON"')
_ITEMS = re.compile(r'"items"\s{0,20}:\s{0,20}\[(?=\s{0,40}\{)')  # of collections, "items" are numbers
_COLLECTIONS = re.compile(r'"collections"\s{0,20}:\s{0,20}(?=\{)')
_DECODER = json.JSONDecoder()
_HEAD_LINES = 60
_VENUES = (
    "publicationtitle",
    "proceedingstitle",
    "booktitle",
    "conferencename",
    "university",
    "institution",
    "websitetitle",
    "blogtitle",
    "repository",
    "publisher",
)

CollectionPaths = Mapping[str, tuple[str, ...]]  # by key of a collection and by ID of an item


def begins_library(sample: str) -> bool:
    """Return True if a text that begins like this is Better BibTeX JSON."""
    return _MARKER.match(sample) is not None


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not page.text(start).startswith("{"):
        return None
    if not begins_library(page.raw_text(start, start + _HEAD_LINES)):
        return None
    text = page.raw_text(start)
    items = read_list(text, _find_items(text), _is_item)
    if items is None:
        return None
    paths = _read_collection_paths(text)
    topics = page.outline.topics
    return build_block(
        page,
        start,
        items,
        lambda item, line: build_item_entry(_to_item(item.fields, paths), ItemContext(line, line, topics)),
    )


def _find_items(text: str) -> int:
    match = _ITEMS.search(text)
    return match.end() if match else 0


def _is_item(fields: Mapping[str, Any]) -> bool:
    return fields.get("itemtype") not in NOT_ITEMS and bool(fields.get("title") or fields.get("note"))


def _to_item(fields: Mapping[str, Any], paths: CollectionPaths) -> ZoteroItem:
    notes = [fields.get("note"), *_notes(fields.get("notes"))]
    collections = [str(fields.get("itemid", "")), *texts_in(fields.get("collections"))]
    return ZoteroItem(
        type=text_of(fields.get("itemtype")),
        detail=text_of(fields.get("thesistype") or fields.get("type")),
        title=text_of(fields.get("title")),
        authors=clean_names(_author_names(fields.get("creators"))),
        venue=next(filter(None, (text_of(fields.get(name)) for name in _VENUES)), ""),
        date=text_of(fields.get("date")),
        doi=text_of(fields.get("doi")),
        archive_id=text_of(fields.get("archiveid")),
        url=text_of(fields.get("url")),
        abstract=text_of(fields.get("abstractnote")),
        language=text_of(fields.get("language")),
        extra=extra if isinstance(extra := fields.get("extra"), str) else "",
        tags=tuple(tag["tag"] for tag in objects_in(fields.get("tags")) if _is_manual(tag)),
        notes=tuple(note for note in notes if isinstance(note, str)),
        collections=tuple(dict.fromkeys(name for key in collections for name in paths.get(key, ()))),
        key=text_of(fields.get("citationkey") or fields.get("citekey")),
    )


def _author_names(creators: object) -> Iterator[str]:
    for creator in objects_in(creators):
        if creator.get("creatorType", "author") in {"author", "presenter", "programmer", "director", "podcaster"}:
            family, given = text_of(creator.get("lastName")), text_of(creator.get("firstName"))
            whole = text_of(creator.get("name"))
            yield person_names.undivided(whole) if whole else person_names.join_parts(NameParts(family, given))


def _is_manual(tag: Mapping[str, Any]) -> bool:
    return isinstance(tag.get("tag"), str) and tag.get("type") != 1


def _read_collection_paths(text: str) -> CollectionPaths:
    """Return the names from the top down to each collection, by its key and by the IDs of its items."""
    match = _COLLECTIONS.search(text)
    try:
        value, _ = _DECODER.raw_decode(text, match.end()) if match else ({}, 0)
    except (ValueError, RecursionError):
        return {}
    collections = {key: content for key, content in value.items() if isinstance(content, dict)}
    paths: dict[str, tuple[str, ...]] = {}
    for key, collection in collections.items():
        path = _path(collections, key)
        paths[key] = path
        for item_id in collection["items"] if isinstance(collection.get("items"), list) else ():
            paths[str(item_id)] = tuple(dict.fromkeys([*paths.get(str(item_id), ()), *path]))
    return paths


def _path(collections: Mapping[str, Mapping[str, Any]], key: object) -> tuple[str, ...]:
    names: dict[object, str] = {}
    while isinstance(key, str) and key in collections and key not in names:
        names[key] = text_of(collections[key].get("name"))
        key = collections[key].get("parent")
    return tuple(reversed(names.values()))


def _notes(value: object) -> list[object]:
    """Return the notes: objects in recent versions, plain texts in older ones."""
    return [*texts_in(value), *(item.get("note") for item in objects_in(value))]


SHAPE = Shape("zotero_json", 6, read)
