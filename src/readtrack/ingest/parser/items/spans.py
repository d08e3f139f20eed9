"""Tiling of a block's lines with entries: part numbers, and blank entries for gaps."""

from collections.abc import Iterable
from dataclasses import replace

from readtrack.ingest.parser.entry import ParsedEntry


def tile_entries(entries: Iterable[ParsedEntry], first: int, last: int, *, reason: str) -> list[ParsedEntry]:
    """Cover the lines with entries, which must be in line order.

    `reason`: for the blank entries of the other lines.
    """
    tiles: list[ParsedEntry] = []
    last_line, part = first - 1, 1
    for entry in entries:
        if entry.first <= last_line:
            part += 1
            tiles.append(replace(entry, last=entry.first, part=part))
            continue
        tiles += _blank_entries(last_line + 1, entry.first - 1, reason)
        tiles.append(replace(entry, part=1))
        last_line, part = entry.last, 1
    return [*tiles, *_blank_entries(last_line + 1, last, reason)]


def _blank_entries(first: int, last: int, reason: str) -> list[ParsedEntry]:
    return [ParsedEntry(first, last, 1, "blank", decision="skip", reason=reason)] if first <= last else []
