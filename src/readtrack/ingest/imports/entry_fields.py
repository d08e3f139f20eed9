"""What an entry tells of its paper: its words, its links, its topics, names of the same work, the day of reading."""

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

TODAY_UNKNOWN = date.min  # the day of an import is never a reading date
_MOST_LINKS = 200  # of one entry: a page of bookmarks is no paper
_MOST_TWINS = 20  # of one paper that are looked for: the name of a form or a site stands under thousands of addresses


@dataclass(frozen=True)
class ImportContext:
    """What all entries of an import share. `twins`: identifier of a paper -> those of its twins in this note."""

    note_id: int
    defaults: Mapping[str, Any]
    twins: Mapping[str, Sequence[str]]


def find_twins(tx: Read, import_id: int) -> dict[str, list[str]]:
    """The papers of a note that have one title under several identifiers, unless a person keeps them apart."""
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
    """What the notes say of a new paper; blank where they say nothing."""
    told = _parse_date(entry.published)
    year = entry.year or (int(entry.published[:4]) if entry.published[:4].isdigit() else None)
    return {
        "title": entry.title,
        "kind": entry.paper_kind or "paper",
        "authors": entry.authors,
        "year": year,
        "published_on": told,
        "venue": entry.venue,
        "abstract": entry.abstract,
    }


def entry_title(entry: Entry) -> str:
    """What a topic, a question or a lead is called."""
    return entry.title or entry.text


def entry_links(entry: Entry) -> tuple[WebLink, ...]:
    return tuple(WebLink(link["url"], link["role"]) for link in entry.links[:_MOST_LINKS])


def entry_topics(entry: Entry, whole: ImportContext) -> tuple[str, ...]:
    """The topics under which its paper is filed: those of its headings, and those of the whole import."""
    return (*entry.topics, *whole.defaults.get("topics", ()))


def entry_status(entry: Entry, whole: ImportContext) -> str | None:
    """Its own, or else that of the whole import."""
    return entry.status or whole.defaults.get("status")


def entry_twins(entry: Entry, whole: ImportContext) -> list[str]:
    """Other names of the same work in this note: what the first line is called, or the later ones."""
    first = persistent_identifiers([entry.twin]) if entry.twin and not entry.apart else []
    others = (name for own in (*entry.identifiers, *first) for name in whole.twins.get(own, ()))
    return [*first, *islice(others, _MOST_TWINS)]


def reading_date(read_on: str) -> date:
    """The day on which somebody read it, as far as it is known: nobody has read tomorrow."""
    day = _parse_date(read_on)
    return TODAY_UNKNOWN if day is None or day > today() else day


def _parse_date(text: str) -> date | None:
    """A whole date; a year or a month alone is none."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None
