"""Relations between papers: one discusses, extends, presents or otherwise refers to another.

The other paper is given by text or chosen by part of its title. Suggested relations can be dismissed, and the dismissal
undone.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import Conflict, FieldError, Invalid, NotFound, invalid_field
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import DismissedRelation, Identifier, MatchSuggestion, Paper, Relation
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.infra.text import normalize
from readtrack.infra.validation import OneLine, StrictModel, TrimmedModel
from readtrack.library.papers import lookup
from readtrack.library.papers.commands import get_visible_paper
from readtrack.library.papers.lists import format_publication, visible_papers_filter
from readtrack.reading.paper_facts import labels_of

Kind = Literal["cites", "extends", "compares", "contradicts", "implements", "discusses", "presents"]
WORDS = {  # By kind: label on the paper the relation starts from, and on the other.
    "discusses": (N_("Discusses"), N_("Discussed in")),
    "presents": (N_("Presents"), N_("Presented in")),
    "extends": (N_("Extends"), N_("Extended by")),
    "implements": (N_("Implements"), N_("Implemented in")),
    "compares": (N_("Compares with"), N_("Compared in")),
    "contradicts": (N_("Contradicts"), N_("Contradicted by")),
    "cites": (N_("Cites"), N_("Cited by")),
}
MAX_RELATIONS = 200
_NONE = N_("Relation not found.")
MAX_CHOICES = 12
_MAX_QUERY_WORDS = 12  # words of the input
_MAX_QUERY_CHARS = 300  # characters of the input
_MIN_PREFIX_CHARS = 3  # shorter beginnings of words are not in the search index
_MAX_QUOTED_CHARS = 100  # characters of the input in an error
_WORD = re.compile(r"\w+")


class RelationCreate(TrimmedModel):
    """A new relation: the other paper, and the kind."""

    to: int
    kind: Kind
    note: Annotated[str, Field(max_length=300), OneLine] = ""


class RelationKey(StrictModel):
    """The relation to remove or edit: the other paper, and the kind."""

    to: int
    kind: Kind


class RelationUpdate(TrimmedModel):
    """The edited relation; replaces kind and note."""

    kind: Kind
    note: Annotated[str, Field(max_length=300), OneLine] = ""


class RelationRow(NamedTuple):
    """A relation as shown on one of its papers.

    `is_outgoing`: it starts from this paper; `kind_label`: label in this direction.
    """

    id: int
    kind: str
    is_outgoing: bool
    kind_label: str
    paper_id: int
    title: str
    label: str
    language: str
    note: str


@cache
def _relations_query() -> sa.Select[Any]:
    paper_id: Any = sa.bindparam("this", type_=sa.Integer())
    is_outward = (col(Relation.from_id) == paper_id).label("outward")
    other_id = sa.case((is_outward, col(Relation.to_id)), else_=col(Relation.from_id))
    columns: Sequence[Any] = (
        col(Relation.id), col(Relation.kind), col(Relation.note), is_outward,
        col(Paper.id).label("paper_id"), col(Paper.title), col(Paper.language),
    )  # fmt: skip
    query: sa.Select[Any] = sa.select(*columns).join(Paper, col(Paper.id) == other_id)
    query = query.where(sa.or_(col(Relation.from_id) == paper_id, col(Relation.to_id) == paper_id), is_present(Paper))
    return query.order_by(col(Relation.id)).limit(MAX_RELATIONS)


def list_relations(tx: Read, me: CurrentUser, paper_id: int) -> list[RelationRow]:
    """Return the relations in both directions, by kind and age, without papers that are gone."""
    permissions.require(me, "see")
    rows = tx.rows(_relations_query(), {"this": paper_id})
    labels = labels_of(tx, [row.paper_id for row in rows])
    relations = [
        RelationRow(
            id=row.id,
            kind=row.kind,
            is_outgoing=bool(row.outward),
            kind_label=_(WORDS[row.kind][0 if row.outward else 1]),
            paper_id=row.paper_id,
            title=row.title,
            label=labels.get(row.paper_id, ""),
            language=row.language,
            note=row.note,
        )
        for row in rows
    ]
    return sorted(relations, key=lambda row: (list(WORDS).index(row.kind), not row.is_outgoing))


def find_relations(tx: Read, me: CurrentUser, relation_ids: Sequence[int]) -> dict[int, sa.Row[Any]]:
    """Return relations by id, as rows of id, from_id, to_id, kind and note, without those of papers that are gone."""
    permissions.require(me, "see")
    return {row.id: row for row in tx.rows(_relations_by_id_query(), {"ids": relation_ids})}


@cache
def _relations_by_id_query() -> sa.Select[*tuple[Any, ...]]:
    source, target = aliased(Paper), aliased(Paper)
    columns = (Relation.id, Relation.from_id, Relation.to_id, Relation.kind, Relation.note)
    query: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, columns))
    query = query.join(source, sa.and_(col(source.id) == col(Relation.from_id), is_present(source)))
    query = query.join(target, sa.and_(col(target.id) == col(Relation.to_id), is_present(target)))
    return query.where(in_id_list(col(Relation.id), "ids"))


def add_relation(tx: Write, me: CurrentUser, paper_id: int, data: RelationCreate) -> bool:
    """Add a relation; False if it exists. Raise NotFound, or Invalid if both are the same paper."""
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    if data.to == paper_id:
        detail = _("A paper can't be related to itself.")
        raise Invalid(detail, [FieldError("/to", "same-paper", detail)])
    permissions.require_present(tx, data.to)
    _close_proposals(tx, me, paper_id, data)
    existing = tx.scalar(sa.select(Relation).where(*_relation_filter(paper_id, data.to, data.kind)))
    if existing is not None:
        existing.note = data.note or existing.note
        return False
    tx.add(Relation(from_id=paper_id, to_id=data.to, kind=data.kind, note=data.note, added_by=me.id))
    tx.flush()
    events.record_event(tx, me, "relation.added", paper_id=paper_id, data={"to": data.to, "kind": data.kind})
    return True


def _close_proposals(tx: Write, me: CurrentUser, paper_id: int, data: RelationCreate) -> None:
    """Accept the open suggestions that this relation answers."""
    if data.kind not in {"discusses", "presents"}:
        return
    identifiers = sa.select(col(Identifier.scheme) + ":" + col(Identifier.value)).where(
        col(Identifier.paper_id) == data.to
    )
    statement = sa.update(MatchSuggestion).where(
        col(MatchSuggestion.paper_id) == paper_id,
        col(MatchSuggestion.kind) == "discusses",
        col(MatchSuggestion.state) == "open",
        col(MatchSuggestion.identifier).in_(identifiers),
    )
    tx.execute(statement.values(state="accepted", decided_by=me.id, decided_at=now()))


def remove_relation(tx: Write, me: CurrentUser, paper_id: int, data: RelationKey) -> int | None:
    """Remove a relation and return the id of the undo entry; None if there was none. Raise NotFound."""
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    relation = tx.scalar(sa.select(Relation).where(*_relation_filter(paper_id, data.to, data.kind)).with_for_update())
    if relation is None:
        return None
    undo_data = {"from": relation.from_id, "add": {"to": relation.to_id, "kind": relation.kind, "note": relation.note}}
    tx.delete(relation)
    events.record_event(tx, me, "relation.removed", paper_id=paper_id, data={"to": data.to, "kind": data.kind})
    title = tx.scalar(sa.select(col(Paper.title)).where(col(Paper.id) == paper_id))
    return undo_log.record_undo_entry(tx, me, "relation.removed", {"title": title, **undo_data})


def get_relation(tx: Read, me: CurrentUser, paper_id: int, data: RelationKey) -> RelationUpdate:
    """Return the kind and note of a relation. Raise NotFound."""
    permissions.require(me, "see")
    permissions.require_present(tx, paper_id)
    row = tx.execute(sa.select(col(Relation.note)).where(*_relation_filter(paper_id, data.to, data.kind))).one_or_none()
    if row is None:
        raise NotFound(_(_NONE))
    return RelationUpdate(kind=data.kind, note=row.note)


def edit_relation(tx: Write, me: CurrentUser, paper_id: int, target: RelationKey, *, edit: RelationUpdate) -> bool:
    """Edit a relation; False if nothing changed.

    Raise NotFound, or Conflict if the new kind exists already.
    """
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    permissions.require_present(tx, target.to)
    relation = tx.scalar(
        sa.select(Relation).where(*_relation_filter(paper_id, target.to, target.kind)).with_for_update()
    )
    if relation is None:
        raise NotFound(_(_NONE))
    if (relation.kind, relation.note) == (edit.kind, edit.note):
        return False
    existing = sa.select(col(Relation.id)).where(*_relation_filter(paper_id, target.to, edit.kind))
    if relation.kind != edit.kind and tx.scalar(existing) is not None:
        raise Conflict(_("Already added."), code="there-already")
    relation.kind, relation.note = edit.kind, edit.note
    tx.flush()
    data = {"to": target.to, "kind": edit.kind, "was": target.kind}
    events.record_event(tx, me, "relation.changed", paper_id=paper_id, data=data)
    return True


class PaperChoice(NamedTuple):
    """A paper to choose. `note`: its first author, venue and year."""

    id: int
    title: str
    language: str
    note: str


class AmbiguousPaper(Invalid):
    """Several papers match the text. `choices`: at most MAX_CHOICES of them."""

    def __init__(self, text: str, choices: Sequence[PaperChoice]) -> None:
        message = _("Several papers match “{text}”. Enter more of the title.").format(text=text[:_MAX_QUOTED_CHARS])
        super().__init__(message, [FieldError("/paper", "ambiguous-paper", message)])
        self.text = text
        self.choices = choices


def get_paper_by_text(tx: Read, me: CurrentUser, text: str, *, exclude_id: int | None = None) -> int:
    """Return the paper given by URL in this app, id, identifier, link, title or part of a title.

    Raise AmbiguousPaper if several titles match, Invalid if none does. `exclude_id`: a paper that a part of its title
    does not find.
    """
    reference = text.strip()
    if not reference:
        raise invalid_field("/paper", "missing", _("This field is required."))
    number = reference.partition("?")[0].rstrip("/").rpartition("/papers/")[2].lstrip("#")
    if number.isdecimal() and len(number) < 10:
        paper_id = tx.scalar(sa.select(col(Paper.id)).where(col(Paper.id) == int(number), is_present(Paper)))
    else:
        identifier, paper_id = lookup.find_by_text(tx, reference)
        paper_id = paper_id or _find_by_title(tx, reference)
        if paper_id is None and identifier is None:
            paper_id = _find_by_part_of_title(tx, me, reference, exclude_id)
    if paper_id is None:
        detail = _("No paper matches “{text}”.").format(text=reference[:_MAX_QUOTED_CHARS])
        raise invalid_field("/paper", "unknown-paper", detail)
    return paper_id


def _find_by_part_of_title(tx: Read, me: CurrentUser, text: str, exclude_id: int | None) -> int | None:
    choices = find_paper_choices(tx, me, text, exclude_id=exclude_id)
    if len(choices) > 1:
        raise AmbiguousPaper(text, choices)
    return choices[0].id if choices else None


def _find_by_title(tx: Read, title: str) -> int | None:
    query = sa.select(col(Paper.id)).where(col(Paper.title_key) == normalize.key(title), is_present(Paper))
    paper_ids = tx.scalars(query.limit(2)).all()
    return paper_ids[0] if len(paper_ids) == 1 else None


def _relation_filter(from_id: int, to_id: int, kind: str) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Relation.from_id) == from_id, col(Relation.to_id) == to_id, col(Relation.kind) == kind


def find_paper_choices(tx: Read, me: CurrentUser, text: str, *, exclude_id: int | None = None) -> list[PaperChoice]:
    """Return papers with these words in the title, an exact match first, then the newest.

    The last word may be unfinished.
    """
    permissions.require(me, "see")
    words = _WORD.findall(text[:_MAX_QUERY_CHARS])[:_MAX_QUERY_WORDS]
    if not words:
        return []
    title_contains: sa.ColumnElement[bool] = sa.true()
    if len(words) > 1 and len(words[-1]) < _MIN_PREFIX_CHARS:
        title_contains = col(Paper.title_key).contains(normalize.key(words.pop()), autoescape=True)
    query_text = " ".join(f"title:{word}" for word in words)
    columns: Any = [getattr(Paper, name) for name in ("id", "title", "language", "authors", "venue", "year")]
    exact_first = sa.case((col(Paper.title_key) == normalize.key(text), 0), else_=1)
    query: sa.Select[Any] = sa.select(*columns).where(
        visible_papers_filter(tx, me, search.parse(query_text)), col(Paper.id) != (exclude_id or 0), title_contains
    )
    rows = tx.execute(query.order_by(exact_first, col(Paper.id).desc()).limit(MAX_CHOICES))
    return [PaperChoice(row.id, row.title, row.language, _format_note(row)) for row in rows]


def _format_note(row: sa.Row[Any]) -> str:
    author_text = f"{row.authors[0]} …" if len(row.authors) > 1 else "".join(row.authors)
    return " · ".join(filter(None, (author_text, format_publication(row.venue, row.year))))


def dismiss_suggestion(tx: Write, me: CurrentUser, paper_id: int, data: RelationKey) -> None:
    """Dismiss a suggestion for good; idempotent.

    Raise NotFound, or Invalid if both are the same paper.
    """
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    if data.to == paper_id:
        detail = _("A paper can't be related to itself.")
        raise Invalid(detail, [FieldError("/to", "same-paper", detail)])
    permissions.require_present(tx, data.to)
    if tx.scalar(sa.select(col(DismissedRelation.id)).where(*_dismissal_filter(paper_id, data))) is None:
        tx.add(DismissedRelation(from_id=paper_id, to_id=data.to, kind=data.kind, dismissed_by=me.id))
        tx.flush()
        events.record_event(tx, me, "relation.refused", paper_id=paper_id, data={"to": data.to, "kind": data.kind})


def restore_suggestion(tx: Write, me: CurrentUser, paper_id: int, data: RelationKey) -> None:
    """Undo a dismissal; idempotent. Raise NotFound."""
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    tx.execute(sa.delete(DismissedRelation).where(*_dismissal_filter(paper_id, data)))


def _dismissal_filter(from_id: int, data: RelationKey) -> tuple[sa.ColumnElement[bool], ...]:
    table = DismissedRelation
    return col(table.from_id) == from_id, col(table.to_id) == data.to, col(table.kind) == data.kind
