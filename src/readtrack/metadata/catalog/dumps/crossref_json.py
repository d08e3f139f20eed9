"""Works as Crossref's API and its public data files have them, one a line or in a list of items."""

import json

from readtrack.metadata.catalog.dumps import json_stream
from readtrack.metadata.catalog.dumps.types import Form, Work
from readtrack.metadata.parsing import json_fields
from readtrack.metadata.services import crossref
from readtrack.metadata.sites import doi


def read(text: bytes) -> Work | None:
    """A work; None for what has a DOI and no title: volumes, components, grants."""
    line = json_stream.value(text)
    work = json_fields.mapping(json_fields.at(line, "message")) or json_fields.mapping(
        line
    )  # a whole answer of the API, or a part
    key = doi.recognise(json_fields.words(work.get("DOI")))
    if key is None:
        raise ValueError("has no DOI")
    said = crossref.read(key, json.dumps(work))
    return Work(f"doi:{key}", said) if said.title else None


def is_one(line: object) -> bool:
    """Whether a line is a work of Crossref."""
    return bool(
        json_fields.words(json_fields.at(line, "DOI")) or json_fields.words(json_fields.at(line, "message", "DOI"))
    )


LINES = Form("crossref", "works of Crossref, one a line", json_stream.lines, read)
ITEMS = Form("crossref-items", "works of Crossref in a list", json_stream.items, read)
