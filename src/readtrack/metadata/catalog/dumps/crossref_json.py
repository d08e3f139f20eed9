"""Formats of Crossref works from its API and public data files: one per line or in a list of items."""

import json

from readtrack.metadata.catalog.dumps import json_stream
from readtrack.metadata.catalog.dumps.types import DumpForm, DumpWork
from readtrack.metadata.parsing import json_fields
from readtrack.metadata.services import crossref
from readtrack.metadata.sites import doi


def read(text: bytes) -> DumpWork | None:
    """Read a work. Return None for a DOI without a title: volumes, components, grants."""
    line = json_stream.parse_value(text)
    # A complete API response, or only the work.
    work = json_fields.as_mapping(json_fields.value_at(line, "message")) or json_fields.as_mapping(line)
    key = doi.recognize(json_fields.short_text(work.get("DOI")))
    if key is None:
        raise ValueError("has no DOI")
    record = crossref.read(key, json.dumps(work))
    return DumpWork(f"doi:{key}", record) if record.title else None


def is_one(line: object) -> bool:
    """Return True if a line is a Crossref work."""
    return bool(
        json_fields.short_text(json_fields.value_at(line, "DOI"))
        or json_fields.short_text(json_fields.value_at(line, "message", "DOI"))
    )


LINES = DumpForm("crossref", "Crossref works (JSON lines)", json_stream.iter_lines, read)
ITEMS = DumpForm("crossref-items", "Crossref works (JSON list)", json_stream.iter_items, read)
