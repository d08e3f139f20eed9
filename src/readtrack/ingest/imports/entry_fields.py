"""Fields of an entry's paper: metadata, links, topics, twins, and the reading date."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import today
from readtrack.infra.db import Read
from readtrack.infra.models import Entry
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.existing import persistent_identifiers
from readtrack.library.papers.create import PaperFields
from readtrack.metadata.types import WebLink

TODAY_UNKNOWN = date.min  # the date of the import is not used as a reading date
_MOST_LINKS = 200  # per entry: an entry with more links is a page of bookmarks, not a paper
_MOST_TWINS = 20  # per paper: generic titles, such as the name of a form or a site, have thousands of addresses


@dataclass(frozen=True)
class ImportContext:
    """What all entries of an import share.

    `twins` maps an identifier to those of its twins in the note.
    """

    note_id: int
    defaults: Mapping[str, Any]
    twins: Mapping[str, Sequence[str]]


def find_twins(tx: Read, import_id: int) -> dict[str, list[str]]:
    """Return papers of a note with the same title but other identifiers, unless a person separated them."""
    query = sa.select(col(Entry.twin), col(Entry.identifiers)).where(
        col(Entry.revision_id) == import_id,
        queries.IS_ACTIVE,
        col(Entry.twin) != "",
        sa.not_(col(Entry.apart)),
        col(Entry.decision) != "skip",
    )
    twins: dict[str, list[str]] = {}
    for first, identifiers in tx.execute(query.order_by(*queries.ENTRY_ORDER)):
        twins.setdefault(first, []).extend(persistent_identifiers(identifiers))
    return twins


def to_paper_fields(entry: Entry) -> PaperFields:
    """Return the metadata that the notes give for a new paper, blank where they give none."""
    published_on = _parse_date(entry.published)
    year = entry.year or (int(entry.published[:4]) if entry.published[:4].isdigit() else None)
    return {
        "title": entry.title,
        "kind": entry.paper_kind or "paper",
        "authors": entry.authors,
        "year": year,
        "published_on": published_on,
        "venue": entry.venue,
        "abstract": entry.abstract,
    }


def entry_title(entry: Entry) -> str:
    """Return the title of a topic, question or lead."""
    return entry.title or entry.text


def entry_links(entry: Entry) -> tuple[WebLink, ...]:
    return tuple(WebLink(link["url"], link["role"]) for link in entry.links[:_MOST_LINKS])


def entry_topics(entry: Entry, context: ImportContext) -> tuple[str, ...]:
    """Return the topics of the entry's headings and those chosen for the whole import."""
    return (*entry.topics, *context.defaults.get("topics", ()))


def entry_status(entry: Entry, context: ImportContext) -> str | None:
    """Return the status of the entry, or else that of the whole import."""
    return entry.status or context.defaults.get("status")


def entry_twins(entry: Entry, context: ImportContext) -> list[str]:
    """Return the identifiers of the entry's twins in this note, before and after it."""
    first = persistent_identifiers([entry.twin]) if entry.twin and not entry.apart else []
    twins = (name for identifier in (*entry.identifiers, *first) for name in context.twins.get(identifier, ()))
    return [*first, *islice(twins, _MOST_TWINS)]


def reading_date(read_on: str) -> date:
    """Return the reading date if it is complete and not in the future, otherwise TODAY_UNKNOWN."""
    day = _parse_date(read_on)
    return TODAY_UNKNOWN if day is None or day > today() else day


def _parse_date(text: str) -> date | None:
    """Return the date if it is complete, with year, month and day."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None
