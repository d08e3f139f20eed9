"""The whole library as JSON: nothing lost, and the shape has a version."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date

from readtrack.exports import Export, ExportPaper

FORMAT = "readtrack-export"
VERSION = 1


def render(papers: Sequence[ExportPaper]) -> str:
    """An object with "format", "version" and "papers"; a reader should refuse a version that it does not know."""
    document = {"format": FORMAT, "version": VERSION, "papers": [_paper(paper) for paper in papers]}
    return json.dumps(document, ensure_ascii=False, indent=2, default=_date) + "\n"


def _paper(paper: ExportPaper) -> dict[str, object]:
    return asdict(paper) | {
        "identifiers": [f"{scheme}:{key}" for scheme, key in paper.identifiers],
        "links": [{"url": url, "role": role} for url, role in paper.links],
        "summaries": [
            {"person": person, "tldr": tldr, "markdown": markdown} for person, tldr, markdown in paper.summaries
        ],
    }


def _date(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON.")


EXPORT = Export("application/json", ".json", render)
