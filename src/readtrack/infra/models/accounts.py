"""Tables for team members, sessions and other means of access."""

from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import ROLES, json_list, json_object, moment, one_of, reference_index, scattered


class Person(SQLModel, table=True):
    """A member of the team.

    `name_key` and `email_key` (NFKC + casefold) are compared at sign-in.
    """

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
    language: str = ""  # Blank: from the browser's Accept-Language.
    time_zone: str = ""  # IANA name, e.g. Asia/Tokyo; blank: UTC.
    density: str = ""  # Of lists; blank: airy.
    reading_limit: int = 3  # Papers in progress at once before the board shows a hint; 0: no hint.
    start: str = ""  # Start page: "home", "queue", "view:7"; blank: home.
    variants: bool = False  # Search matches variant forms of Han characters.
    hide_checklist: bool = False  # The first steps on the home page.
    goal: int | None = None  # Papers to finish per week; visible to this person only.
    # kind -> page, mail or nothing; what is not there is the first of NOTIFICATION_CHANNELS.
    notification_settings: dict[str, str] = json_object()
    mailed_on: date | None = None  # Date of the last daily mail, in the person's time zone.
    totp_salt: str = ""  # The TOTP secret is derived from it and the secret key; blank: no second factor.
    totp_step: int = 0  # Time step of the last accepted code, so that no code works twice.
    recovery: list[str] = json_list()  # Hashes of recovery codes.
    created_at: datetime = moment()
    disabled_at: datetime | None = moment(optional=True)
    erased_at: datetime | None = moment(optional=True)  # Name, address and private data were erased.


class Identity(SQLModel, table=True):
    """A linked OpenID account, identified by issuer and subject, never by mail address."""

    __table_args__ = (sa.UniqueConstraint("issuer", "subject"),)
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    issuer: str
    subject: str
    name: str = ""  # Name from the provider, to tell linked accounts apart.
    created_at: datetime = moment()
    used_at: datetime | None = moment(optional=True)


class PendingSignIn(SQLModel, table=True):
    """A sign-in in progress that waits for the OpenID provider (`oidc`) or the second factor (`code`).

    The browser's cookie holds the secret and the row only its hash; the same applies to the provider's `state`.
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
    # The person to authenticate, or the one who links an account.
    person_id: int | None = Field(default=None, foreign_key="person.id")
    invitation_id: int | None = Field(default=None, foreign_key="invitation.id")  # The invitation a new person accepts.
    next: str = ""
    created_at: datetime = moment()
    expires_at: datetime = moment()


class UserSession(SQLModel, table=True):
    """A server-side session. The cookie holds the secret and the row only its hash."""

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
    """An API token: displayed once, stored as a hash."""

    __table_args__ = (reference_index("token", "view_id"),)
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    name: str
    secret_hash: str = Field(unique=True)
    hint: str  # Its first characters, to tell tokens apart.
    scopes: list[str] = json_list()
    created_at: datetime = moment()
    used_at: datetime | None = moment(optional=True)
    used_from: str = ""
    # Set: a feed token that gives access to this saved search only.
    view_id: int | None = Field(default=None, foreign_key="saved_search.id")
    expires_at: datetime | None = moment(optional=True)
    revoked_at: datetime | None = moment(optional=True)


class Invitation(SQLModel, table=True):
    """A one-time link: `set-up` creates the first admin.

    `join` adds a person or sets the password of `person_id`.
    """

    __table_args__ = (one_of("kind", ("set-up", "join")), one_of("role", ROLES))
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    code_hash: str = Field(unique=True)
    role: str = "member"
    email: str = ""  # Address it was mailed to, if any.
    person_id: int | None = Field(default=None, foreign_key="person.id")
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    expires_at: datetime = moment()
    used_at: datetime | None = moment(optional=True)


class LoginAttempt(SQLModel, table=True):
    """A failed sign-in, counted per account and per client address."""

    __tablename__ = "login_attempt"
    __table_args__ = (sa.Index("ix_login_attempt_subject_created_at", "subject", "created_at"),)
    id: int | None = Field(default=None, primary_key=True)
    subject: str
    created_at: datetime = moment()
