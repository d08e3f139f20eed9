"""Who is on the team and how they come in."""

from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import ROLES, json_list, json_object, moment, one_of, reference_index, scattered


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
    language: str = ""  # blank: as the browser asks
    time_zone: str = ""  # IANA, as Asia/Tokyo; blank: UTC
    density: str = ""  # of lists; blank: airy
    reading_limit: int = 3  # papers to be at, at once: the board hints beyond it; 0: no hint
    start: str = ""  # where they begin: "home", "queue", "view:7"; blank: home
    variants: bool = False  # a search in one form of a Han character finds the others
    goal: int | None = None  # papers to finish in a week; for their own eyes
    notification_settings: dict[str, str] = (
        json_object()
    )  # kind -> page, mail or nothing; what is not there is the first of NOTIFICATION_CHANNELS
    mailed_on: date | None = None  # the day, in their zone, of the last daily mail
    totp_salt: str = ""  # the secret of the second factor is made of it and the secret key; blank: none
    totp_step: int = 0  # the last one used: no code works twice
    recovery: list[str] = json_list()  # hashes of codes for a lost second factor
    created_at: datetime = moment()
    disabled_at: datetime | None = moment(optional=True)
    erased_at: datetime | None = moment(optional=True)  # name, address and private things are gone


class Identity(SQLModel, table=True):
    """A person at an OpenID provider: issuer and subject, never an address."""

    __table_args__ = (sa.UniqueConstraint("issuer", "subject"),)
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    issuer: str
    subject: str
    name: str = ""  # as the provider called them, to tell identities apart
    created_at: datetime = moment()
    used_at: datetime | None = moment(optional=True)


class PendingSignIn(SQLModel, table=True):
    """A sign-in that waits for something: the provider's answer (`oidc`) or the second factor (`code`).

    The browser's cookie holds the secret, the row only its hash; so does the provider's `state`.
    """

    __tablename__ = "pending_sign_in"
    __table_args__ = (
        one_of("kind", ("oidc", "code")),
        reference_index("pending_sign_in", "person_id"),
        reference_index("pending_sign_in", "invitation_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    secret_hash: str = Field(unique=True)
    state_hash: str = ""
    nonce: str = ""
    verifier: str = ""
    person_id: int | None = Field(default=None, foreign_key="person.id")  # whose second factor; or who links
    invitation_id: int | None = Field(default=None, foreign_key="invitation.id")  # with which somebody new joins
    next: str = ""
    created_at: datetime = moment()
    expires_at: datetime = moment()


class UserSession(SQLModel, table=True):
    """A server-side session. The cookie holds the secret, the row only its hash."""

    __tablename__ = "session"
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    secret_hash: str = Field(unique=True)
    agent: str = ""
    address: str = ""
    created_at: datetime = moment()
    seen_at: datetime = moment()
    expires_at: datetime = moment()


class Token(SQLModel, table=True):
    """An API token: shown once, stored hashed."""

    __table_args__ = (reference_index("token", "view_id"),)
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    name: str
    secret_hash: str = Field(unique=True)
    hint: str  # its first characters, to tell tokens apart
    scopes: list[str] = json_list()
    created_at: datetime = moment()
    used_at: datetime | None = moment(optional=True)
    used_from: str = ""
    view_id: int | None = Field(default=None, foreign_key="saved_search.id")  # it opens that feed and nothing else
    expires_at: datetime | None = moment(optional=True)
    revoked_at: datetime | None = moment(optional=True)


class Invitation(SQLModel, table=True):
    """A one-time link: `set-up` makes the first admin, `join` a person, or sets the password of `person_id`."""

    __table_args__ = (one_of("kind", ("set-up", "join")), one_of("role", ROLES))
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    code_hash: str = Field(unique=True)
    role: str = "member"
    email: str = ""  # to whom it is mailed, when it is
    person_id: int | None = Field(default=None, foreign_key="person.id")
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    expires_at: datetime = moment()
    used_at: datetime | None = moment(optional=True)


class LoginAttempt(SQLModel, table=True):
    """A failed sign-in, counted for the account and for the address."""

    __tablename__ = "login_attempt"
    __table_args__ = (sa.Index("ix_login_attempt_subject_created_at", "subject", "created_at"),)
    id: int | None = Field(default=None, primary_key=True)
    subject: str
    created_at: datetime = moment()
