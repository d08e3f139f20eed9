"""Works as Crossref's API and its public data files have them, one a line or in a list of items."""

import json

from readtrack.catalogue.dumps import json_pieces
from readtrack.catalogue.dumps.form import Form, Work
from readtrack.sources import crossref, doi
from readtrack.sources.reading import fields


def read(text: bytes) -> Work | None:
    """A work; None for what has a DOI and no title: volumes, components, grants."""
    line = json_pieces.value(text)
    work = fields.mapping(fields.at(line, "message")) or fields.mapping(line)  # a whole answer of the API, or a part
    key = doi.recognise(fields.words(work.get("DOI")))
    if key is None:
        raise ValueError("has no DOI")
    said = crossref.read(key, json.dumps(work))
    return Work(f"doi:{key}", said) if said.title else None


def is_one(line: object) -> bool:
    """Whether a line is a work of Crossref."""
    return bool(fields.words(fields.at(line, "DOI")) or fields.words(fields.at(line, "message", "DOI")))


LINES = Form("crossref", "works of Crossref, one a line", json_pieces.lines, read)
ITEMS = Form("crossref-items", "works of Crossref in a list", json_pieces.items, read)
