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
from readtrack.metadata import sources
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
    fields: PaperFields
    links: tuple[WebLink, ...] = ()


def add_papers(tx: Write, me: CurrentUser, new_papers: Sequence[NewPaper]) -> list[int]:
    """Insert papers and return their ids.

    The caller must ensure that no identifier exists or is repeated. If another transaction adds one of the identifiers
    concurrently, the insert fails as a whole with IntegrityError.
    """
    permissions.require(me, "add")
    if not new_papers:
        return []
    tx.flush()
    ids = list(tx.connection().execute(_ADD, [_row(me, new_paper) for new_paper in new_papers]).scalars())
    added = list(zip(ids, new_papers, strict=True))
    identifiers = (
        {"paper_id": new_id, "scheme": ref.scheme, "value": ref.key}
        for new_id, new_paper in added
        for ref in new_paper.refs
    )
    _insert(tx, _IDENTIFIERS, identifiers)
    _insert(
        tx,
        _LINKS,
        (
            {"paper_id": new_id, "url": url, "role": role}
            for new_id, new_paper in added
            for url, role in _links(new_paper)
        ),
    )
    enqueue_requests(tx, [paper_id for paper_id, new_paper in added if new_paper.refs])
    search.update_papers(tx, ids)
    bind_names(tx, [new_paper.fields.get("title", "") for new_paper in new_papers])
    events.record_events(tx, me, "paper.added", ((paper_id, _event_data(new_paper)) for paper_id, new_paper in added))
    return ids


def _insert(tx: Write, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
    if row_list := list(rows):
        tx.connection().execute(sa.insert(table), row_list)


def _row(me: CurrentUser, paper: NewPaper) -> dict[str, Any]:
    kind = paper.fields.get("kind") or (
        sources.by_name(paper.refs[0].scheme).kind(paper.refs[0].key) if paper.refs else "paper"
    )
    values = {name: to_column_value(name, paper.fields.get(name, default)) for name, default in _BLANK.items()} | {
        "kind": kind
    }
    key = normalize.key(values["title"])
    return {
        **values,
        "title_key": key,
        "user_supplied": user_supplied_fields(values),
        "created_by": me.id,
        "updated_by": me.id,
    }


def _links(paper: NewPaper) -> Iterator[tuple[str, str]]:
    """Yield the paper's links without repetition, except unsafe URLs.

    Links of secondary identifiers come last.
    """
    own_links, *other_links = [sources.by_name(ref.scheme).links(ref.key) for ref in paper.refs] or [()]
    roles: dict[str, str] = {}
    for link in (*own_links, *paper.links, *(link for links in other_links for link in links)):
        if link.url not in roles and urls.safe_url(link.url):
            roles[link.url] = link.role
    yield from roles.items()


def _event_data(paper: NewPaper) -> dict[str, str]:
    return (
        {"identifier": str(paper.refs[0])} if paper.refs else {"title": normalize.clean(paper.fields.get("title", ""))}
    )


def to_column_value(name: str, value: Any) -> Any:  # noqa: ANN401 - type of the column
    """Return a field's value as both databases accept it."""
    if isinstance(value, str):
        return normalize.clean(value)
    if name == "authors":
        return [normalize.clean(author) for author in value or ()]
    return "" if value is None and name not in {"year", "published_on"} else value
