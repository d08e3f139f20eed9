"""Raw notes become entries. Pure: no network, no database. One file per shape of note, told apart by content.

lines -> inline -> shapes/*, which ask headings, pieces, tables, org, bibliography, words -> repeats -> aliases.
These are imported by the first note: all they know by heart takes a while.
"""

from collections.abc import Iterable
from typing import Any

from readtrack.ingest.parser.entry import Entry

__all__ = ["Entry", "decode", "parse", "preview_json", "tally"]


def decode(data: bytes) -> str:
    """The text of a file, whatever its encoding."""
    from readtrack.ingest.parser import decode

    return decode.decode(data)


def parse(text: str) -> list[Entry]:
    """Every line in exactly one entry of part 1, in order."""
    from readtrack.ingest.parser import parse_note

    return parse_note.parse(text)


def preview_json(entries: Iterable[Entry], file: str) -> list[dict[str, Any]]:
    """One object per entry, in the order of the lines, as the interface documents it."""
    from readtrack.ingest.parser import preview_json

    return preview_json.preview_json(entries, file)


def tally(entries: Iterable[Entry]) -> dict[str, int]:
    """Lines per entry kind."""
    from readtrack.ingest.parser import preview_json

    return preview_json.tally(entries)
