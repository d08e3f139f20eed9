"""Manual corrections of metadata: an edited field is locked against services until it is released."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import FieldError, Invalid, StaleVersion
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, PaperKind, PublicationType
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize, person_names
from readtrack.infra.text.person_names import is_same_value
from readtrack.infra.validation import Markdown, NeverNull, OneLine, TrimmedModel, require_match
from readtrack.library.enrichment.records import reverify_records
from readtrack.library.papers import citation_keys
from readtrack.library.papers.citation_keys import MAX_KEY_CHARS, assign_citation_keys, require_unused_key
from readtrack.library.papers.commands import Title, get_visible_paper, to_column_value
from readtrack.library.references.index import bind_names

Author = Annotated[str, Field(min_length=1, max_length=300), OneLine]

_LANGUAGE = r"[A-Za-z-]*"
UNLOCKED = frozenset({"triage", "citation_key"})  # which no service tells


class PaperUpdate(TrimmedModel):
    """The fields that a person can edit; edited fields are locked."""

    title: Annotated[Title | None, NeverNull] = None
    authors: Annotated[list[Author], Field(max_length=5000)] | None = None
    year: Annotated[int, Field(ge=1000, le=2200)] | None = None
    venue: Annotated[str, Field(max_length=300), OneLine] | None = None
    publication_type: PublicationType | None = None
    abstract: Annotated[Markdown, Field(max_length=50_000)] | None = None
    kind: Annotated[PaperKind | None, NeverNull] = None
    language: (
        Annotated[
            str,
            Field(max_length=20, json_schema_extra={"pattern": f"^{_LANGUAGE}$"}),
            require_match(_LANGUAGE, N_("Enter a language code like en or zh-Hans.")),
        ]
        | None
    ) = None
    citation_key: (
        Annotated[
            str,
            Field(max_length=MAX_KEY_CHARS, json_schema_extra={"pattern": f"^{citation_keys.PATTERN}$"}),
            require_match(citation_keys.PATTERN, citation_keys.FORM),
        ]
        | None
    ) = None
    triage: Annotated[Literal["inbox", "library", "rejected"] | None, NeverNull] = None


def edit_paper(tx: Write, me: CurrentUser, paper_id: int, edit: PaperUpdate, *, version: int) -> Paper:
    """Edit fields of a paper and lock them. Raise StaleVersion if it was saved in the meantime."""
    permissions.require(me, "edit")
    paper = get_visible_paper(tx, paper_id)
    changes = _collect_changes(paper, edit)
    if key := changes.get("citation_key"):
        require_unused_key(tx, paper_id, key)
    if not changes and version == paper.version:
        return paper
    if "rejected" in {changes.get("triage"), paper.triage if "triage" in changes else ""}:
        permissions.require(me, "reject")
    stamp = {"by": me.id, "at": now().isoformat()}
    locks = paper.field_locks | {name: stamp for name in changes if name not in UNLOCKED}
    key = {"title_key": normalize.key(changes["title"])} if "title" in changes else {}
    user_values = paper.user_supplied | {name: changes[name] for name in changes.keys() & {"title"}}
    _save(
        tx, paper, version, {**changes, **key, "user_supplied": user_values, "field_locks": locks, "updated_by": me.id}
    )
    if "title" in changes:
        reverify_records(tx, paper)
        bind_names(tx, [changes["title"]])
    if paper.citation_key is None and changes.keys() & {"title", "authors", "citation_key"}:
        assign_citation_keys(tx, [paper_id])
    search.update_papers(tx, [paper_id])
    events.record_event(tx, me, "paper.edited", paper_id=paper_id, data={"fields": sorted(changes)})
    return paper


def _collect_changes(paper: Paper, edit: PaperUpdate) -> dict[str, Any]:
    """Return the fields whose value changes. Raise Invalid if a required field is cleared."""
    submitted = {name: getattr(edit, name) for name in edit.model_fields_set}
    if missing := [name for name in ("title", "kind", "triage") if submitted.get(name, "") is None]:
        problems = [
            FieldError(f"/{name}", "missing", _("{name} is required.").format(name=name.capitalize()))
            for name in missing
        ]
        raise Invalid(problems[0].detail, problems)
    values = {name: to_column_value(name, value) for name, value in submitted.items()}
    if "citation_key" in values:
        values["citation_key"] = values["citation_key"] or None
    if "authors" in values:
        known_names = {name: name for name in paper.authors}  # equal as strings, but with their parts
        names = (known_names.get(name) or person_names.read_name(name) for name in values["authors"])
        values["authors"] = list(filter(None, names))
    return {name: value for name, value in values.items() if not is_same_value(getattr(paper, name), value)}


def _save(tx: Write, paper: Paper, version: int, values: dict[str, Any]) -> None:
    """Save the values if the version is unchanged (optimistic locking)."""
    statement = sa.update(Paper).where(col(Paper.id) == paper.id, col(Paper.version) == version)
    result = tx.execute(statement.values(**values, version=version + 1, updated_at=now()))
    if result.rowcount == 0:  # type: ignore[attr-defined]
        message = _("Someone else edited this paper. Reload it and try again.")
        raise StaleVersion(message, current={"version": paper.version, "title": paper.title})
    tx.refresh(paper)
