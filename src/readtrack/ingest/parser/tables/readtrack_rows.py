"""Rows of readtrack's own CSV export, recognized by its column names."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from readtrack.infra.text.normalize import clean, clean_line
from readtrack.infra.text.person_names import read_name
from readtrack.infra.text.titles.dates import iso_day
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.paper_details import KINDS, PUBLICATION_TYPES, parse_details
from readtrack.metadata import sources
from readtrack.metadata.types import WebLink
from readtrack.workspace.export.formats.csv import COLUMNS, parse_progress, split_list

_ADDED_LATER = {"recommendation", "progress", "reason", "publication_type"}  # older exports do not have them
_NEEDED = frozenset(COLUMNS) - _ADDED_LATER


def is_readtrack_header(names: Sequence[str]) -> bool:
    """Return True if these are the columns of readtrack's export, in any order, perhaps with others."""
    return {name.strip() for name in names} >= _NEEDED


def read_readtrack_row(names: Sequence[str], cells: Sequence[str], first: int, last: int) -> ParsedEntry:
    """Return the paper of a row."""
    row = {name.strip(): clean(cell) for name, cell in zip(names, cells, strict=False)}
    values = {name: clean_line(row.get(name, "")) for name in COLUMNS}
    refs = _identifiers(values)
    if not values["title"] and not refs:
        return ParsedEntry(first, last, 1, "snippet", text=" · ".join(filter(None, map(clean_line, cells)))[:1000])
    details, _unreadable_count = parse_details(_details(values))
    return ParsedEntry(
        first,
        last,
        1,
        "paper",
        paper_kind=values["type"] if values["type"] in KINDS else "paper",
        identifiers=refs,
        links=(WebLink(values["url"], "landing"),) if values["url"] else (),
        title=values["title"],
        topics=tuple(split_list(values["topics"])),
        venue=values["venue"],
        publication_type=values["publication_type"] if values["publication_type"] in PUBLICATION_TYPES else "",
        year=int(values["year"]) if re.fullmatch(r"\d{1,4}", values["year"]) else None,
        status=details.reading.status if details.reading else None,
        authors=tuple(filter(None, map(read_name, split_list(values["authors"])))),
        published=iso_day(values["published"]),
        abstract=row.get("abstract", ""),
        language=values["language"],
        citation_key=values["citation_key"],
        details=details,
    )


def _identifiers(values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the identifiers, first that of the paper's own page."""
    names = (values["url"], values["doi"] and f"doi:{values['doi']}", values["arxiv"] and f"arxiv:{values['arxiv']}")
    refs = [sources.parse_ref(name) for name in names if name]
    return tuple(dict.fromkeys(str(ref) for ref in refs if ref))


def _details(values: Mapping[str, str]) -> dict[str, Any]:
    columns = {"status": "status", "depth": "depth", "recommendation": "recommendation", "reason": "reason"}
    columns |= {"started_on": "started", "finished_on": "finished"}
    reading: dict[str, Any] = {name: values[column] for name, column in columns.items() if values[column]}
    reading["progress"] = parse_progress(values["progress"])
    summaries = [
        {"person": person, "tldr": tldr}
        for person, colon, tldr in (text.partition(": ") for text in split_list(values["tldr"]))
        if colon
    ]
    return {"reading": reading if values["status"] else None, "summaries": summaries}
