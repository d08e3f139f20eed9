"""Entries of a block put in order: parts for those that begin on one line, and markup for the lines between them."""

from collections.abc import Iterable
from dataclasses import replace

from readtrack.ingest.parser.entry import Entry


def tiled(entries: Iterable[Entry], first: int, last: int, *, reason: str) -> list[Entry]:
    """`reason`: why nothing is made of the lines between. The entries come in the order of their lines."""
    done: list[Entry] = []
    reached, part = first - 1, 1
    for entry in entries:
        if entry.first <= reached:
            part += 1
            done.append(replace(entry, last=entry.first, part=part))
            continue
        done += _between(reached + 1, entry.first - 1, reason)
        done.append(replace(entry, part=1))
        reached, part = entry.last, 1
    return [*done, *_between(reached + 1, last, reason)]


def _between(first: int, last: int, reason: str) -> list[Entry]:
    return [Entry(first, last, 1, "blank", decision="skip", reason=reason)] if first <= last else []
