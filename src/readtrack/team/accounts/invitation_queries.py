"""Queries on valid invitation links, which admins see and can end."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra import pagination
from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.models import Invitation, Person
from readtrack.infra.pagination import Page, PageRequest
from readtrack.infra.permissions import CurrentUser, require

Maker = aliased(Person)


@dataclass(frozen=True)
class InvitationRow:
    """A valid link.

    `name`: whose password it sets, "" for a new person. `creator`: "" for the operator.
    """

    id: int
    role: str
    email: str
    name: str
    creator: str
    created_at: datetime
    expires_at: datetime


def valid_invitation_filter(kind: str = "join") -> sa.ColumnElement[bool]:
    """Return a filter for links that are unused and unexpired, and whose maker may still invite."""
    admins = sa.select(col(Person.id)).where(col(Person.role) == "admin", col(Person.disabled_at).is_(None))
    has_valid_creator = sa.or_(
        col(Invitation.created_by).is_(None), col(Invitation.created_by).in_(admins.correlate(None))
    )
    return sa.and_(
        col(Invitation.kind) == kind,
        col(Invitation.used_at).is_(None),
        col(Invitation.expires_at) > now(),
        has_valid_creator,
    )


def list_invitations(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[InvitationRow]:
    """Return the valid links, newest first. For admins only."""
    require(me, "manage-people")
    query = (
        _invitations_query()
        .where(valid_invitation_filter())
        .order_by(col(Invitation.id).desc())
        .limit(page_request.limit + 1)
    )
    if page_request.after is not None:
        query = query.where(col(Invitation.id) < page_request.after[0])
    rows, has_more = pagination.split_page([InvitationRow(*row) for row in tx.execute(query)], page_request.limit)
    return Page(rows, (rows[-1].id, rows[-1].id) if has_more else None)


def _invitations_query() -> Any:  # noqa: ANN401 - a select of the columns of InvitationRow
    return (
        sa.select(
            col(Invitation.id),
            col(Invitation.role),
            col(Invitation.email),
            sa.func.coalesce(col(Person.name), ""),
            sa.func.coalesce(col(Maker.name), ""),
            col(Invitation.created_at),
            col(Invitation.expires_at),
        )
        .outerjoin(Person, col(Person.id) == col(Invitation.person_id))
        .outerjoin(Maker, col(Maker.id) == col(Invitation.created_by))
    )
