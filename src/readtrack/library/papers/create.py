"""Bulk insertion of papers in a fixed number of statements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, TypedDict

import sqlalchemy as sa

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.db import Write
from readtrack.infra.models import Identifier, Link, Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize, urls
from readtrack.library.enrichment.choose import user_supplied_fields
from readtrack.library.enrichment.scheduler import enqueue_requests
from readtrack.library.references.index import bind_names
from readtrack.metadata import registry
from readtrack.metadata.types import Ref, WebLink

# Core tables: inserting plain rows is several times faster than ORM objects.
_PAPERS: sa.Table = Paper.__table__  # type: ignore[attr-defined]
_IDENTIFIERS: sa.Table = Identifier.__table__  # type: ignore[attr-defined]
_LINKS: sa.Table = Link.__table__  # type: ignore[attr-defined]
_ADD = sa.insert(_PAPERS).returning(_PAPERS.c.id, sort_by_parameter_order=True)
_BLANK: Mapping[str, Any] = {
    "title": "", "kind": "", "authors": (), "year": None, "published_on": None, "venue": "", "abstract": "",
}  # fmt: skip


class PaperFields(TypedDict, total=False):
    """Initial metadata, shown until a service answers."""

    title: str
    kind: str
    authors: Sequence[str]
    year: int | None
    published_on: date | None
    venue: str
    abstract: str


class NewPaper(NamedTuple):
    """A paper to insert. `refs`: its identifiers, the main one first; empty for a title alone."""

    refs: tuple[Ref, ...]
    said: PaperFields
    links: tuple[WebLink, ...] = ()


def add_papers(tx: Write, me: CurrentUser, wanted: Sequence[NewPaper]) -> list[int]:
    """Insert papers and return their ids.

    The caller must ensure that no identifier exists or is repeated. If another transaction adds one of the identifiers
    concurrently, the insert fails as a whole with IntegrityError.
    """
    permissions.require(me, "add")
    if not wanted:
        return []
    tx.flush()
    ids = list(tx.connection().execute(_ADD, [_row(me, new) for new in wanted]).scalars())
    here = list(zip(ids, wanted, strict=True))
    named = ({"paper_id": at, "scheme": ref.scheme, "value": ref.key} for at, new in here for ref in new.refs)
    _insert(tx, _IDENTIFIERS, named)
    _insert(tx, _LINKS, ({"paper_id": at, "url": url, "role": role} for at, new in here for url, role in _links(new)))
    enqueue_requests(tx, [paper_id for paper_id, new in here if new.refs])
    search.update_papers(tx, ids)
    bind_names(tx, [new.said.get("title", "") for new in wanted])
    events.record_events(tx, me, "paper.added", ((paper_id, _event_data(new)) for paper_id, new in here))
    return ids


def _insert(tx: Write, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
    if kept := list(rows):
        tx.connection().execute(sa.insert(table), kept)


def _row(me: CurrentUser, new: NewPaper) -> dict[str, Any]:
    kind = new.said.get("kind") or (registry.by_name(new.refs[0].scheme).kind(new.refs[0].key) if new.refs else "paper")
    values = {name: to_column_value(name, new.said.get(name, blank)) for name, blank in _BLANK.items()} | {"kind": kind}
    key = normalize.key(values["title"])
    return {
        **values,
        "title_key": key,
        "user_supplied": user_supplied_fields(values),
        "created_by": me.id,
        "updated_by": me.id,
    }


def _links(new: NewPaper) -> Iterator[tuple[str, str]]:
    """Yield the paper's links without repetition, except unsafe URLs.

    Links of secondary identifiers come last.
    """
    first, *others = [registry.by_name(ref.scheme).links(ref.key) for ref in new.refs] or [()]
    every: dict[str, str] = {}
    for link in (*first, *new.links, *(link for links in others for link in links)):
        if link.url not in every and urls.safe_url(link.url):
            every[link.url] = link.role
    yield from every.items()


def _event_data(new: NewPaper) -> dict[str, str]:
    return {"identifier": str(new.refs[0])} if new.refs else {"title": normalize.clean(new.said.get("title", ""))}


def to_column_value(name: str, value: Any) -> Any:  # noqa: ANN401 - type of the column
    """Return a field's value as both databases accept it."""
    if isinstance(value, str):
        return normalize.clean(value)
    if name == "authors":
        return [normalize.clean(author) for author in value or ()]
    return "" if value is None and name not in {"year", "published_on"} else value
