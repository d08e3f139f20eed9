"""JSON export of papers with my reading and the team's texts, in a versioned format that readtrack imports."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import date, datetime

from readtrack.infra.text.person_names import PersonName
from readtrack.workspace.export.formats import Export, ExportPaper

FORMAT = "readtrack-export"
FORMAT_VERSION = 2


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield an object with "format", "version" and "papers"; readers should reject unknown versions."""
    yield f'{{"format": "{FORMAT}", "version": {FORMAT_VERSION}, "papers": ['
    for number, paper in enumerate(papers):
        yield (",\n" if number else "\n") + json.dumps(_paper(paper), ensure_ascii=False, default=_date)
    yield "\n]}\n"


def _paper(paper: ExportPaper) -> dict[str, object]:
    return asdict(paper) | {
        "author_parts": {name: asdict(name.parts) for name in paper.authors if isinstance(name, PersonName)},
        "identifiers": [f"{scheme}:{key}" for scheme, key in paper.identifiers],
        "links": [{"url": url, "role": role} for url, role in paper.links],
        "summaries": [
            {"person": person, "tldr": tldr, "markdown": markdown} for person, tldr, markdown in paper.summaries
        ],
    }


def _date(value: object) -> str:
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON.")


EXPORT = Export("application/json", ".json", render, has_discussions=True)
