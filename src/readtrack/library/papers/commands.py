"""Commands for papers: add, delete, restore, refresh metadata.

Many papers are inserted in a fixed number of statements.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, NamedTuple, TypedDict, Unpack

import sqlalchemy as sa
from pydantic import ConfigDict, Field
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.db.locks import lock_name
from readtrack.infra.errors import Conflict, FieldError, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.message_templates import MessageTemplates
from readtrack.infra.models import Identifier, Link, Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize, person_names, urls
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.infra.validation import NOT_BLANK, OneLine, TrimmedModel, at_least_one_of
from readtrack.library.duplicates.stored_keys import mark_uncompared
from readtrack.library.enrichment.choose import SHOWN, user_supplied_fields
from readtrack.library.enrichment.scheduler import enqueue_first_requests, refresh_metadata, resume_requests
from readtrack.library.matching.title_search import enqueue_title_search
from readtrack.library.papers import lookup
from readtrack.library.papers.citation_keys import assign_citation_keys
from readtrack.library.references.index import bind_names
from readtrack.library.topics.commands import get_or_add_topic, link_topic
from readtrack.metadata import sources
from readtrack.metadata.types import PaperDescription, Ref, WebLink
from readtrack.reading.readings.commands import FirstStatus, ReadingUpdate, set_reading

# Core tables: inserting plain rows is several times faster than ORM objects.
_PAPERS: sa.Table = Paper.__table__  # type: ignore[attr-defined]
_IDENTIFIERS: sa.Table = Identifier.__table__  # type: ignore[attr-defined]
_LINKS: sa.Table = Link.__table__  # type: ignore[attr-defined]
_JUNK_MESSAGES = MessageTemplates(urls.JUNK_REASONS)
_BLANK: Mapping[str, Any] = {
    "title": "", "kind": "", "authors": (), "year": None, "published_on": None, "venue": "",
    "publication_type": "", "abstract": "",
}  # fmt: skip
_PUBLICATION = frozenset({"year", "published_on", "venue", "publication_type"})


class PaperFields(TypedDict, total=False):
    """Initial metadata, shown until a service answers."""

    title: str
    kind: str
    authors: Sequence[str]
    year: int | None
    published_on: date | None
    venue: str
    publication_type: str
    abstract: str
    language: str


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
    rows, links = [_to_paper_row(me, paper) for paper in new_papers], [_collect_links(paper) for paper in new_papers]
    ids = tx.insert_rows(_PAPERS, rows)
    added = list(zip(ids, new_papers, strict=True))
    identifiers = (
        {"paper_id": new_id, "scheme": ref.scheme, "value": ref.key}
        for new_id, new_paper in added
        for ref in new_paper.refs
    )
    _insert_rows(tx, _IDENTIFIERS, identifiers)
    _insert_rows(
        tx,
        _LINKS,
        (
            {"paper_id": new_id, "url": url, "role": role}
            for new_id, roles in zip(ids, links, strict=True)
            for url, role in roles.items()
        ),
    )
    assign_citation_keys(
        tx, [new_id for new_id, paper in zip(ids, new_papers, strict=True) if paper.fields.get("authors")]
    )
    descriptions = (
        PaperDescription(paper.refs, row["title"], row["kind"], tuple(roles))
        for paper, row, roles in zip(new_papers, rows, links, strict=True)
    )
    enqueue_first_requests(tx, (pair for pair in zip(ids, descriptions, strict=True) if pair[1].refs))
    search.update_papers(tx, ids)
    bind_names(tx, [new_paper.fields.get("title", "") for new_paper in new_papers])
    events.record_events(tx, me, "paper.added", ((paper_id, _event_data(new_paper)) for paper_id, new_paper in added))
    return ids


def _insert_rows(tx: Write, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
    if row_list := list(rows):
        tx.connection().execute(sa.insert(table), row_list)


def _to_paper_row(me: CurrentUser, paper: NewPaper) -> dict[str, Any]:
    kind = paper.fields.get("kind") or (
        sources.by_name(paper.refs[0].scheme).kind(paper.refs[0].key) if paper.refs else "paper"
    )
    values = {name: to_column_value(name, paper.fields.get(name, default)) for name, default in _BLANK.items()} | {
        "kind": kind
    }
    language = to_column_value("language", paper.fields.get("language", ""))
    key = normalize.key(values["title"])
    return {
        **values,
        "language": language,
        "title_key": key,
        "user_supplied": user_supplied_fields(values),
        "created_by": me.id,
        "updated_by": me.id,
    }


def _collect_links(paper: NewPaper) -> dict[str, str]:
    """Return the roles of the paper's links by URL, without unsafe URLs.

    Links of secondary identifiers come last.
    """
    own_links, *other_links = [sources.by_name(ref.scheme).links(ref.key) for ref in paper.refs] or [()]
    roles: dict[str, str] = {}
    for link in (*own_links, *paper.links, *(link for links in other_links for link in links)):
        if link.url not in roles and urls.safe_url(link.url):
            roles[link.url] = link.role
    return roles


def _event_data(paper: NewPaper) -> dict[str, str]:
    return (
        {"identifier": str(paper.refs[0])} if paper.refs else {"title": normalize.clean(paper.fields.get("title", ""))}
    )


def to_column_value(name: str, value: Any) -> Any:  # noqa: ANN401 - type of the column
    """Return a field's value as both databases accept it."""
    if isinstance(value, str):
        return normalize.clean(value)
    if name == "authors":
        return person_names.clean_names(value or ())
    return "" if value is None and name not in {"year", "published_on"} else value


Title = Annotated[str, Field(min_length=1, max_length=1000), OneLine]
Author = Annotated[str, Field(min_length=1, max_length=300), OneLine]


class PaperCreate(TrimmedModel):
    """A paper given by arXiv id, DOI, link, or title alone."""

    model_config = ConfigDict(json_schema_extra=at_least_one_of("identifier", "title"))

    identifier: Annotated[str, Field(max_length=4000)] | None = None
    title: Title | None = None
    topics: Annotated[list[Annotated[str, NOT_BLANK]], Field(max_length=50)] = Field(default_factory=list)
    status: FirstStatus | None = None


def add_by_text(tx: Write, me: CurrentUser, data: PaperCreate) -> tuple[int, bool]:
    """Add a paper by link, identifier or title. Return its id, and False if it existed.

    Raise Invalid with a hint for the user.
    """
    permissions.require(me, "add")
    ref = _parse_identifier(data)
    if ref is not None:
        paper_id, is_new = add_paper(tx, me, ref, title=data.title or "", text=data.identifier or "")
    else:
        paper_id, is_new = add_title(tx, me, data.title or "")
    for topic in data.topics:
        link_topic(tx, me, paper_id, get_or_add_topic(tx, me, topic))
    if data.status is not None:
        set_reading(tx, me, paper_id, ReadingUpdate(status=data.status))
    return paper_id, is_new


def add_paper(
    tx: Write,
    me: CurrentUser,
    ref: Ref,
    *,
    text: str = "",
    links: tuple[WebLink, ...] = (),
    **fields: Unpack[PaperFields],
) -> tuple[int, bool]:
    """Return the paper with this identifier, added if new; its metadata is fetched after the commit.

    `text`: as the user wrote it; a URL is stored as a link, because it may say more than the canonical form. A deleted
    paper is restored if the user may do so; otherwise raise Conflict.
    """
    permissions.require(me, "add")
    # A concurrent add of the same identifier waits and then finds this paper
    lock_name(tx, f"identifier:{ref.scheme}:{ref.key}")
    known_id = lookup.find_by_ref(tx, ref)
    if known_id is not None:
        return update_known_paper(tx, me, known_id, fields), False
    (paper_id,) = add_papers(tx, me, [NewPaper((ref,), fields, (*_landing_links(text), *links))])
    return paper_id, True


def add_title(tx: Write, me: CurrentUser, title: str) -> tuple[int, bool]:
    """Return the paper without identifier that has exactly this title, added if there is none."""
    permissions.require(me, "add")
    lock_name(tx, f"title:{normalize.key(title)}")
    known_id = lookup.find_by_title(tx, title)
    if known_id is not None:
        return update_known_paper(tx, me, known_id, {"title": title}), False
    paper_id = add_unnamed(tx, me, title=title)
    enqueue_title_search(tx)
    return paper_id, True


def add_unnamed(tx: Write, me: CurrentUser, **fields: Unpack[PaperFields]) -> int:
    """Add a paper without an identifier, even if another has the same title, and return its id."""
    (paper_id,) = add_papers(tx, me, [NewPaper((), fields)])
    return paper_id


def update_known_paper(tx: Write, me: CurrentUser, paper_id: int, fields: PaperFields) -> int:
    """Set what a known paper lacks, and restore it if it is deleted.

    There is no time limit, because an identifier is never given to another paper. Raise Conflict if the user may not
    restore it.
    """
    paper = tx.get_one(Paper, paper_id)
    if paper.deleted_at is not None:
        _refuse_deleted(me, paper)
        _undelete_paper(tx, me, paper)
    title = normalize.clean(fields.get("title", ""))
    if title and not paper.title:
        paper.title, paper.title_key = title, normalize.key(title)
        paper.user_supplied = {**paper.user_supplied, "title": title}
        search.update_papers(tx, [paper_id])
        bind_names(tx, [title])
        mark_uncompared(tx, [paper_id])
    tx.flush()
    fill_blank_fields(tx, me, paper_id, fields)
    return paper_id


def fill_blank_fields(tx: Write, me: CurrentUser, paper_id: int, fields: PaperFields) -> None:
    """Set the given fields where a paper known only by its title has none, except fields that a person edited.

    Others get their metadata from services.
    """
    blank = _find_blank_fields(tx.get_one(Paper, paper_id), fields)
    if not blank or not lookup.list_unidentified(tx, [paper_id]):
        return
    paper = tx.get_one(Paper, paper_id, with_for_update=True, populate_existing=True)
    values = _find_blank_fields(paper, fields)  # as it may have changed until it was locked
    if not values:
        return
    for name, value in values.items():
        setattr(paper, name, value)
    paper.user_supplied = {**paper.user_supplied, **user_supplied_fields(values)}
    paper.version, paper.updated_at, paper.updated_by = paper.version + 1, now(), me.id
    tx.flush()
    search.update_papers(tx, [paper_id])
    events.record_event(tx, me, "paper.edited", paper_id=paper_id, data={"fields": sorted(values)})


def _find_blank_fields(paper: Paper, fields: PaperFields) -> dict[str, Any]:
    """Return the values for blank fields. Where a work appeared is taken whole, or not at all."""
    if paper.deleted_at or paper.merged_into or paper.record_id:
        return {}
    given: dict[str, Any] = {name: to_column_value(name, fields.get(name, _BLANK.get(name, ""))) for name in SHOWN}
    has_other_publication = any(
        name in paper.field_locks or (getattr(paper, name) and getattr(paper, name) != given[name])
        for name in _PUBLICATION
    )
    names = set(SHOWN) - _PUBLICATION if has_other_publication else set(SHOWN)
    return {
        name: given[name]
        for name in sorted(names)
        if given[name] and not getattr(paper, name) and name not in paper.field_locks
    }


def delete_paper(tx: Write, me: CurrentUser, paper_id: int) -> None:
    """Delete a paper. All its data is kept for restoring it."""
    permissions.require(me, "delete")
    paper = get_visible_paper(tx, paper_id)
    paper.deleted_at, paper.version = now(), paper.version + 1
    events.record_event(tx, me, "paper.deleted", paper_id=paper_id)


def restore_paper(tx: Write, me: CurrentUser, paper_id: int) -> Paper:
    """Restore a deleted paper. Raise NotFound if there is none or its thirty days are over."""
    permissions.require(me, "delete")
    paper = tx.get(Paper, paper_id, with_for_update=True)
    if paper is None or (paper.deleted_at and paper.deleted_at < now() - UNDO_PERIOD):
        message = _("Deleted paper {paper_id} not found.").format(paper_id=paper_id)
        raise NotFound(message)
    if paper.merged_into is not None:
        raise permissions.missing_paper_error(tx, paper_id)
    if paper.deleted_at is not None:
        _undelete_paper(tx, me, paper)
    return paper


def refresh_paper(tx: Write, me: CurrentUser, paper_id: int) -> int | None:
    """Refresh the metadata of a paper and return a job's id; None if no service can be asked."""
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    return next(iter(refresh_metadata(tx, [paper_id])), None)


def add_links(tx: Write, paper_id: int, links: tuple[WebLink, ...]) -> None:
    """Add links the paper does not have yet, except unsafe URLs.

    The paper's row is locked, so that concurrent calls do not add duplicates.
    """
    tx.execute(sa.select(col(Paper.id)).where(col(Paper.id) == paper_id).with_for_update())
    known_urls = set(tx.scalars(sa.select(col(Link.url)).where(col(Link.paper_id) == paper_id)))
    new_links: dict[str, WebLink] = {}
    for link in links:
        if link.url not in known_urls and urls.safe_url(link.url):
            new_links.setdefault(link.url, link)
    tx.add_all(Link(paper_id=paper_id, url=url, role=link.role) for url, link in new_links.items())
    if new_links:
        search.update_papers(tx, [paper_id])


def _landing_links(text: str) -> tuple[WebLink, ...]:
    address = urls.safe_url(urls.unwrap(text)) if "://" in text else None
    return (WebLink(address, "landing"),) if address else ()


def _parse_identifier(data: PaperCreate) -> Ref | None:
    if data.identifier:
        ref = sources.parse_ref(data.identifier)
        if reason := _junk_reason(urls.unwrap(data.identifier), ref):
            raise Invalid(reason, [FieldError("/identifier", "junk", reason)])
        if ref is not None:
            return ref
        detail = _("Not an arXiv ID, DOI or link. Check it, or add the paper by title.")
        raise Invalid(detail, [FieldError("/identifier", "unknown-identifier", detail)])
    if not data.title:
        detail = _("Enter an arXiv ID, DOI, link or title.")
        raise Invalid(detail, [FieldError("/identifier", "missing", detail)])
    return None


def _junk_reason(text: str, ref: Ref | None) -> str | None:
    """Return why a URL is refused, or None.

    Bare identifiers ("2305.15778", "doi:10.1145/1") and plain words are not URLs.
    """
    is_bare = "://" not in text and (ref.scheme != "url" if ref else ":" not in text)
    reason = None if is_bare else urls.junk_reason(text)
    return reason and _JUNK_MESSAGES.translate(reason)


def _refuse_deleted(me: CurrentUser, paper: Paper) -> None:
    if not permissions.has_permission(me, "delete"):
        description = f"“{paper.title}”" if paper.title else "This paper"
        message = _("{named} was deleted by an editor. Ask an editor to restore it.").format(named=description)
        raise Conflict(message, code="deleted")


def _undelete_paper(tx: Write, me: CurrentUser, paper: Paper) -> None:
    paper.deleted_at = paper.purged_at = None
    paper.version += 1
    tx.flush()
    resume_requests(tx, [paper.id or 0])
    bind_names(tx, [paper.title])
    events.record_event(tx, me, "paper.restored", paper_id=paper.id)


def get_visible_paper(tx: Write, paper_id: int) -> Paper:
    permissions.require_present(tx, paper_id)
    return tx.get_one(Paper, paper_id, with_for_update=True)
