"""Who is on the team and how they come in."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.models.columns import ROLES, listed, moment, one_of


class Person(SQLModel, table=True):
    """A member of the team. `name_key`, `email_key`: NFKC + casefold, what sign-in compares."""

    __table_args__ = (one_of("role", ROLES),)
    id: int | None = Field(default=None, primary_key=True)
    name: str
    name_key: str = Field(unique=True)
    email: str = ""
    email_key: str | None = Field(default=None, unique=True)
    role: str = "member"
    password_hash: str = ""
    theme: str = ""
    single_keys: bool = True
    created_at: datetime = moment()
    disabled_at: datetime | None = moment(optional=True)


class SignIn(SQLModel, table=True):
    """A server-side session. The cookie holds the secret, the row only its hash."""

    __tablename__ = "sign_in"
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    secret_hash: str = Field(unique=True)
    agent: str = ""
    created_at: datetime = moment()
    seen_at: datetime = moment()
    until: datetime = moment()


class Token(SQLModel, table=True):
    """An API token: shown once, stored hashed."""

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    name: str
    secret_hash: str = Field(unique=True)
    hint: str  # its first characters, to tell tokens apart
    scopes: list[str] = listed()
    created_at: datetime = moment()
    used_at: datetime | None = moment(optional=True)
    until: datetime | None = moment(optional=True)
    revoked_at: datetime | None = moment(optional=True)


class Invitation(SQLModel, table=True):
    """A one-time link: `set-up` makes the first admin, `join` a person, or sets the password of `person_id`."""

    __table_args__ = (one_of("kind", ("set-up", "join")), one_of("role", ROLES))
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    code_hash: str = Field(unique=True)
    role: str = "member"
    person_id: int | None = Field(default=None, foreign_key="person.id")
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    until: datetime = moment()
    used_at: datetime | None = moment(optional=True)


class Attempt(SQLModel, table=True):
    """A failed sign-in, counted for the account and for the address."""

    __table_args__ = (sa.Index("ix_attempt_subject_at", "subject", "at"),)
    id: int | None = Field(default=None, primary_key=True)
    subject: str
    at: datetime = moment()
