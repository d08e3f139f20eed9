"""Format of DBLP's XML dump.

Records are extracted and parsed one by one, so that an invalid one affects no other. The DTD is never fetched or
trusted. The entities it declares are the named HTML characters.
"""

import html
import html.entities
import json
import re
from collections.abc import Iterator, Mapping
from io import BufferedIOBase

from lxml import etree
from lxml.etree import _Element as Element

from readtrack.infra.errors import Invalid
from readtrack.metadata.catalog.dumps.types import MAX_RECORD_BYTES, DumpChunk, DumpForm, DumpWork
from readtrack.metadata.services import dblp

_CHUNK_BYTES = 1 << 18
_TYPES = {  # Record type -> type in DBLP's API.
    "article": "Journal Articles",
    "inproceedings": "Conference and Workshop Papers",
    "incollection": "Parts in Books or Collections",
    "book": "Books and Theses",
    "phdthesis": "Books and Theses",
    "mastersthesis": "Books and Theses",
}
_OPENED = re.compile(
    rb"<(article|inproceedings|incollection|book|phdthesis|mastersthesis|proceedings|www|data|person)\s"
)
_MAX_OPENING_BYTES = 20  # Maximum bytes of an opening tag that a chunk boundary may split.
_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}encoding=["']([\w-]{1,40})["']""")
_OWN_ENTITIES = re.compile(rb"<!ENTITY|<!DOCTYPE[^>]{0,1000}\[", re.IGNORECASE)
_ENTITY = re.compile(r"&(\w{1,40});")
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_CUT = "is truncated"
_HOSTILE = "The file declares its own XML entities, which DBLP files never do. Download it from dblp.org."


def iter_chunks(stream: BufferedIOBase) -> Iterator[DumpChunk]:
    """Yield each record as UTF-8."""
    rest, line = stream.read1(_CHUNK_BYTES), 1
    encoding = _encoding(rest)
    while rest:
        position = 0
        for start, end, reason in _records(rest):
            line += rest.count(b"\n", position, start)
            yield DumpChunk(line, b"" if reason else _as_utf8(rest[start:end], encoding), reason)
            line += rest.count(b"\n", start, end)
            position = end
        chunk = stream.read1(_CHUNK_BYTES)
        if not chunk and _OPENED.search(rest, position):
            yield DumpChunk(line, b"", _CUT)
        line += rest.count(b"\n", position, _incomplete_from(rest, position))
        rest = rest[_incomplete_from(rest, position) :] + chunk if chunk else b""


def check_head(head: bytes) -> None:
    """Raise Invalid if the head of the file declares entities.

    The parser ignores such declarations anyway; this check reports them at once.
    """
    first = _OPENED.search(head)
    if _OWN_ENTITIES.search(head, 0, first.start() if first else len(head)):
        raise Invalid(_HOSTILE)


def _encoding(head: bytes) -> str:
    match = _ENCODING.search(head, 0, 1000)
    return "iso-8859-1" if match and match[1].lower() == b"iso-8859-1" else "utf-8"


def _records(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each complete record, and of invalid ones with the reason.

    A record is invalid if another one interrupts it, or if it is too long.
    """
    opening = _OPENED.search(text)
    while opening:
        closing_tag = b"</" + opening[1] + b">"
        end = text.find(closing_tag, opening.end())
        next_opening = _OPENED.search(text, opening.end(), end if end >= 0 else len(text))
        if next_opening:
            yield opening.start(), next_opening.start(), _CUT
        elif end >= 0:
            yield opening.start(), end + len(closing_tag), ""
            next_opening = _OPENED.search(text, end)
        elif len(text) - opening.start() > MAX_RECORD_BYTES:
            yield opening.start(), len(text), f"is longer than {MAX_RECORD_BYTES // 1_000_000} MB"
        opening = next_opening


def _incomplete_from(text: bytes, position: int) -> int:
    """Return the position of the part that the next chunk may complete."""
    opening = _OPENED.search(text, position)
    return opening.start() if opening else max(position, len(text) - _MAX_OPENING_BYTES)


def _as_utf8(text: bytes, encoding: str) -> bytes:
    return text if text.isascii() else text.decode(encoding, errors="replace").encode()


def read(text: bytes) -> DumpWork | None:
    """Read a record. Return None for volumes and home pages of people."""
    record = _parsed(text.decode(errors="replace"))
    key = record.get("key", "")
    if record.tag not in _TYPES:
        return None
    info = _as_api(record, key)
    if not key or not info["title"]:
        raise ValueError(f"has no {'title' if key else 'key'}")
    return DumpWork(f"dblp:{key}", dblp.read(key, json.dumps({"info": info})))


def _parsed(text: str) -> Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(_ENTITY.sub(_character, text), parser)
    except etree.XMLSyntaxError as error:
        message = f"is not valid XML ({error.msg})"
        raise ValueError(message) from error


def _character(entity: re.Match[str]) -> str:
    if entity[1] in _OF_XML:
        return entity[0]
    if entity[1] not in html.entities.name2codepoint:
        message = f"has the unknown entity {entity[0]}"
        raise ValueError(message)
    return chr(html.entities.name2codepoint[entity[1]])


def _as_api(record: Element, key: str) -> Mapping[str, object]:
    """Convert a record to the shape of DBLP's search API, so that the service can read it.

    Texts are HTML there.
    """
    return {
        "key": key,
        "type": _TYPES[str(record.tag)],
        "authors": {"author": [{"text": html.escape(_text(author))} for author in record.iterfind("author")]},
        "title": html.escape(_first(record, "title")),
        "venue": html.escape(_first(record, "booktitle") or _first(record, "journal")),
        "volume": _first(record, "volume"),
        "year": _first(record, "year"),
        "ee": [_text(address) for address in record.iterfind("ee")],
    }


def _first(record: Element, name: str) -> str:
    element = record.find(name)
    return "" if element is None else _text(element)


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


FORM = DumpForm("dblp", "DBLP XML", iter_chunks, read)
