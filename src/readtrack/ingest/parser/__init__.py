"""Parser of raw notes: text in, entries out, without network or database.

One module per format, detected by content. Order: lines -> formats/*, which use headings, items, tables, org,
bibliography and vocabulary -> deduplicate -> topic_aliases. The modules are imported when the first note is parsed,
because compiling their patterns is slow.
"""

from collections.abc import Iterable
from typing import Any

from readtrack.ingest.parser.entry import ParsedEntry

__all__ = ["ParsedEntry", "decode", "parse", "preview_json", "tally"]


def decode(data: bytes) -> str:
    """Return the text of a file in any encoding."""
    from readtrack.ingest.parser import encodings

    return encodings.decode(data)


def parse(text: str) -> list[ParsedEntry]:
    """Parse notes into entries in order. Every line is in exactly one entry of part 1."""
    from readtrack.ingest.parser import parse_note

    return parse_note.parse(text)


def preview_json(entries: Iterable[ParsedEntry], file: str) -> list[dict[str, Any]]:
    """Return one documented JSON object per entry, in line order."""
    from readtrack.ingest.parser import preview

    return preview.preview_json(entries, file)


def tally(entries: Iterable[ParsedEntry]) -> dict[str, int]:
    """Count the lines per kind of entry."""
    from readtrack.ingest.parser import preview

    return preview.tally(entries)
