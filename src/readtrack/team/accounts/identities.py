"""Questions about other ways in than a password: who somebody is to a provider or a proxy, and their second factor."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Identity, Person
from readtrack.infra.permissions import CurrentUser, require
from readtrack.team.accounts import queries

HEADER = "header:"  # before the name of the header, where others have the address of a provider


@dataclass(frozen=True)
class ExternalIdentity:
    """Who somebody is elsewhere: a subject of an issuer, and never an address. `name` is what people read."""

    issuer: str
    subject: str
    name: str = ""


@dataclass(frozen=True)
class IdentityRow:
    id: int
    issuer: str
    name: str  # the subject, when the provider told no name
    created_at: datetime
    used_at: datetime | None

    @property
    def is_asked(self) -> bool:
        """Whether it signs in now and then; the proxy says it with every request, which is not noted."""
        return not self.issuer.startswith(HEADER)

    @property
    def told_by(self) -> str:
        """By whom, for people: a host, or the proxy."""
        return self.issuer.partition("://")[2] if self.is_asked else "the proxy"


@dataclass(frozen=True)
class SecondFactor:
    """Whether a code is asked after the password, how many recovery codes are left, and whether there is a password."""

    on: bool
    left: int
    password: bool


def identity_from_header(header: str, value: str) -> ExternalIdentity:
    """Whom a trusted proxy names in its header."""
    return ExternalIdentity(HEADER + header.lower(), value, value)


def find_identity(tx: Read, known: ExternalIdentity) -> Identity | None:
    """The row of that subject at that issuer; compared to the letter."""
    same = (col(Identity.issuer) == known.issuer, col(Identity.subject) == known.subject)
    return tx.scalars(sa.select(Identity).where(*same)).one_or_none()


def list_identities(tx: Read, me: CurrentUser) -> Sequence[IdentityRow]:
    """Where one is known, the oldest first."""
    require(me, "see")
    query = (
        sa.select(Identity).where(col(Identity.person_id) == me.id).order_by(col(Identity.created_at), col(Identity.id))
    )
    return [
        IdentityRow(row.id or 0, row.issuer, row.name or row.subject, row.created_at, row.used_at)
        for row in tx.scalars(query)
    ]


def has_password(tx: Read, me: CurrentUser) -> bool:
    """Whether one can sign in without any provider."""
    return bool(tx.scalar(sa.select(col(Person.password_hash)).where(col(Person.id) == me.id)))


def get_second_factor(tx: Read, me: CurrentUser) -> SecondFactor:
    """Whether my password alone lets in."""
    require(me, "see")
    person = queries.get_person(tx, me.id)
    return SecondFactor(bool(person.totp_salt), len(person.recovery), bool(person.password_hash))
