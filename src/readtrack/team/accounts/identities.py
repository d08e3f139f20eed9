"""Queries on identities at providers or the proxy, and on the second factor."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Identity, Person
from readtrack.infra.permissions import CurrentUser, require
from readtrack.team.accounts import queries

HEADER = "header:"  # prefix of the header's name, in place of a provider's address


@dataclass(frozen=True)
class ExternalIdentity:
    """An external identity: the subject at an issuer, never an address. `name` is for display."""

    issuer: str
    subject: str
    name: str = ""


@dataclass(frozen=True)
class IdentityRow:
    id: int
    issuer: str
    name: str  # the subject if the provider gave no name
    created_at: datetime
    used_at: datetime | None

    @property
    def is_provider(self) -> bool:
        """True for a provider. Uses of the proxy's header, sent with every request, are not stored."""
        return not self.issuer.startswith(HEADER)

    @property
    def issuer_name(self) -> str:
        """The issuer for display: a host, or the proxy."""
        return self.issuer.partition("://")[2] if self.is_provider else "the proxy"


@dataclass(frozen=True)
class SecondFactor:
    """Whether a code is required, how many recovery codes are left, and whether there is a password."""

    is_enabled: bool
    remaining_codes: int
    password: bool


def identity_from_header(header: str, value: str) -> ExternalIdentity:
    """Return the identity that a trusted proxy sends in its header."""
    return ExternalIdentity(HEADER + header.lower(), value, value)


def find_identity(tx: Read, external: ExternalIdentity) -> Identity | None:
    """Return the row of that subject and issuer, compared exactly."""
    conditions = (col(Identity.issuer) == external.issuer, col(Identity.subject) == external.subject)
    return tx.scalars(sa.select(Identity).where(*conditions)).one_or_none()


def list_identities(tx: Read, me: CurrentUser) -> Sequence[IdentityRow]:
    """Return the current user's identities, oldest first."""
    require(me, "see")
    query = (
        sa.select(Identity).where(col(Identity.person_id) == me.id).order_by(col(Identity.created_at), col(Identity.id))
    )
    return [
        IdentityRow(row.id or 0, row.issuer, row.name or row.subject, row.created_at, row.used_at)
        for row in tx.scalars(query)
    ]


def has_password(tx: Read, me: CurrentUser) -> bool:
    """Return True if the user can sign in without a provider."""
    return bool(tx.scalar(sa.select(col(Person.password_hash)).where(col(Person.id) == me.id)))


def get_second_factor(tx: Read, me: CurrentUser) -> SecondFactor:
    """Return the state of the current user's second factor."""
    require(me, "see")
    person = queries.get_person(tx, me.id)
    return SecondFactor(bool(person.totp_salt), len(person.recovery), bool(person.password_hash))
