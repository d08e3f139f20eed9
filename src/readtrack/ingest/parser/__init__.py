"""Raw notes become entries. Pure: no network, no database. One file per shape of note, told apart by content.

lines -> inline -> formats/*, which use headings, items, tables, org, bibliography, vocabulary -> deduplicate ->
topic_aliases. All are imported by the first note, as compiling their patterns takes a while.
"""

from collections.abc import Iterable
from typing import Any

from readtrack.ingest.parser.entry import ParsedEntry

__all__ = ["ParsedEntry", "decode", "parse", "preview_json", "tally"]


def decode(data: bytes) -> str:
    """The text of a file, whatever its encoding."""
    from readtrack.ingest.parser import encodings

    return encodings.decode(data)


def parse(text: str) -> list[ParsedEntry]:
    """Every line in exactly one entry of part 1, in order."""
    from readtrack.ingest.parser import parse_note

    return parse_note.parse(text)


def preview_json(entries: Iterable[ParsedEntry], file: str) -> list[dict[str, Any]]:
    """One object per entry, in the order of the lines, as the interface documents it."""
    from readtrack.ingest.parser import preview

    return preview.preview_json(entries, file)


def tally(entries: Iterable[ParsedEntry]) -> dict[str, int]:
    """Lines per entry kind."""
    from readtrack.ingest.parser import preview

    return preview.tally(entries)
