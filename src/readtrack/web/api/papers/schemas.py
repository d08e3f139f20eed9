"""Schemas of papers, the same for all endpoints, and their conversion to JSON."""

from datetime import date, datetime
from typing import Any

from pydantic import BaseModel

from readtrack.library.papers.detail import PaperDetail
from readtrack.library.papers.lists import PaperRow


class PaperRead(BaseModel):
    """A paper in a list. `waiting`: short text while metadata is pending."""

    id: int
    kind: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    language: str
    triage: str
    identifiers: list[str]
    url: str
    waiting: str
    version: int
    added_at: datetime
    updated_at: datetime


class PaperDetailRead(PaperRead):
    """A paper with all its data.

    `origins`: field -> record it comes from; `locked`: fields edited or chosen by a person.
    """

    abstract: str
    published_on: date | None
    links: list[dict[str, str]]
    versions: list[dict[str, Any]]
    problems: list[str]
    origins: dict[str, dict[str, Any]]
    locked: dict[str, dict[str, Any]]


def paper_json(row: PaperRow, include: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a list row as JSON."""
    data = {name: getattr(row, name) for name in PaperRead.model_fields}
    if "reading" in include:
        data["reading"] = row.my._asdict() if row.my else None
    if "topics" in include:
        data["topics"] = paper_topics_json(row)
    return data


def paper_topics_json(row: PaperRow) -> list[dict[str, str]]:
    """Return the topics of a row as JSON."""
    return [{"slug": slug, "name": name} for slug, name in row.topics]


def paper_detail_json(paper: PaperDetail, include: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a paper with all its data as JSON."""
    return {
        **paper_json(paper.row, include),
        "abstract": paper.abstract,
        "published_on": paper.published_on,
        "links": [{"url": link.url, "role": link.role} for link in paper.links],
        "versions": [{"label": version.label, "dated": version.dated} for version in paper.versions],
        "problems": [*paper.problems, *paper.pending_steps],
        "origins": {
            name: {"record": origin.record_id, "service": origin.service, "at": origin.checked_at}
            for name, origin in paper.field_sources.items()
        },
        "locked": paper.field_locks,
    }
