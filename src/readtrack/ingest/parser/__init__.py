"""Parser of raw notes: text in, entries out, without network or database.

One module per format, detected by content. Order: lines -> preprocess -> formats/*, which use headings, items, lists,
tables, org, bibliography, citations and vocabulary -> leftover_details -> deduplicate -> topic_aliases. The modules are
imported when the first note is parsed, because compiling their patterns is slow.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from readtrack.ingest.parser.entry import ParsedEntry

if TYPE_CHECKING:
    from readtrack.ingest.parser.column_fields import FileColumns

__all__ = ["ParsedEntry", "decode", "parse", "preview_json", "tally"]


def decode(data: bytes) -> str:
    """Return the text of a file in any encoding."""
    from readtrack.ingest.parser import encodings

    return encodings.decode(data)


def parse(text: str, columns: "FileColumns | None" = None) -> list[ParsedEntry]:
    """Parse notes into entries in order. Every line is in exactly one entry of part 1.

    `columns`: of a delimited file whose columns a person chose.
    """
    from readtrack.ingest.parser import parse_note

    return parse_note.parse(text, columns)


def preview_json(entries: Iterable[ParsedEntry], file: str) -> list[dict[str, Any]]:
    """Return one documented JSON object per entry, in line order."""
    from readtrack.ingest.parser import preview

    return preview.preview_json(entries, file)


def tally(entries: Iterable[ParsedEntry]) -> dict[str, int]:
    """Count the lines per kind of entry."""
    from readtrack.ingest.parser import preview

    return preview.tally(entries)
