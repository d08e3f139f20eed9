"""Dismissal of suggested relations, and its undoing."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.db import Write
from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import DismissedRelation
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.commands import get_visible_paper
from readtrack.library.relations.links import RelationKey


def dismiss_suggestion(tx: Write, me: CurrentUser, paper_id: int, data: RelationKey) -> None:
    """Dismiss a suggestion for good; idempotent.

    Raise NotFound, or Invalid if both are the same paper.
    """
    permissions.require(me, "edit")
    get_visible_paper(tx, paper_id)
    if data.to == paper_id:
        detail = _("A paper is not related to itself. Nothing was changed.")
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
