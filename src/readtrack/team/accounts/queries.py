"""Queries on people, their sessions, tokens and invitations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import pagination
from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid, NotFound
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Identity, Invitation, Person, Token, UserSession
from readtrack.infra.pagination import Page, PageRequest
from readtrack.infra.permissions import OPERATOR, CurrentUser, has_permission, require
from readtrack.infra.text import normalize
from readtrack.team.accounts import names as accounts_names
from readtrack.team.accounts import user_agents
from readtrack.team.accounts.invitation_queries import valid_invitation_filter
from readtrack.team.accounts.passwords import fingerprint

USE_NOTED = timedelta(hours=1)  # minimum time between two updates of the last use
MAX_NAMES = 20  # named in one message


@dataclass(frozen=True)
class PersonRow:
    """A person as others see them. `email` is "" for users who may not see it."""

    id: int
    name: str
    role: str
    email: str
    disabled: bool
    is_pending: bool  # has not chosen a password yet
    erased: bool  # a former member with only shared content left


@dataclass(frozen=True)
class MyRow:
    """The current user's own data."""

    id: int
    name: str
    email: str
    role: str
    theme: str
    single_keys: bool
    language: str
    time_zone: str
    density: str = ""
    reading_limit: int = 3
    start: str = ""
    variants: bool = False
    hide_checklist: bool = False


@dataclass(frozen=True)
class TokenRow:
    id: int
    person: str
    name: str
    hint: str
    scopes: Sequence[str]
    created_at: datetime
    used_at: datetime | None
    used_from: str
    expires_at: datetime | None


@dataclass(frozen=True)
class SignInRow:
    id: int
    agent: str
    address: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime

    @property
    def browser(self) -> str:
        return user_agents.describe_browser(self.agent) or "Unknown browser"


@dataclass(frozen=True)
class InvitationLink:
    """A valid link. `name`: the person whose password it sets, "" for a new person."""

    id: int
    kind: str
    role: str
    person_id: int | None
    name: str
    email: str  # to which it was mailed


def find_visitor_by_sign_in(tx: Read, secret: str) -> CurrentUser | None:
    """Return the user of a session, unless it has ended or the person is disabled."""
    rows = tx.rows(_BY_SIGN_IN, {"secret_hash": fingerprint(secret), "now": now()})
    return _visitor(rows[0], sign_in_id=rows[0][-2], use_due=_is_update_due(rows[0][-1])) if rows else None


def find_visitor_by_token(tx: Read, secret: str) -> CurrentUser | None:
    """Return the user of a token, unless it is revoked or expired, or the person disabled.

    Feed tokens are excluded.
    """
    return _find_by_token(tx, secret, col(Token.view_id).is_(None))


def find_visitor_by_feed_token(tx: Read, secret: str, view_id: int) -> CurrentUser | None:
    """Return the user of a token for the feed of that saved search, if their role still allows feeds."""
    user = _find_by_token(tx, secret, col(Token.view_id) == view_id)
    return user if user is not None and user.scopes == frozenset({"feed"}) else None


def _find_by_token(tx: Read, secret: str, condition: sa.ColumnElement[bool]) -> CurrentUser | None:
    conditions = (col(Token.secret_hash) == fingerprint(secret), _live_token_filter(), condition)
    query = sa.select(*_visitor_columns(), col(Token.id), col(Token.scopes), col(Token.used_at))
    row = tx.execute(
        query.join(Token, col(Token.person_id) == col(Person.id)).where(*conditions, _active_filter())
    ).one_or_none()
    return (
        None
        if row is None
        else _visitor(row, token_id=row[-3], scopes=frozenset(row[-2]), use_due=_is_update_due(row[-1]))
    )


def find_visitor_by_identity(tx: Read, issuer: str, subject: str) -> CurrentUser | None:
    """Return the user of an identity that the proxy sends, unless the person is disabled."""
    conditions = (col(Identity.issuer) == issuer, col(Identity.subject) == subject, _active_filter())
    query = sa.select(*_visitor_columns()).join(Identity, col(Identity.person_id) == col(Person.id)).where(*conditions)
    row = tx.execute(query).one_or_none()
    return None if row is None else _visitor(row)


def find_visitor(tx: Read, person_id: int) -> CurrentUser | None:
    """Return an active person as the current user, for the command line and new sign-ins."""
    return next(map(_visitor, tx.rows(_BY_ID, {"person": person_id})), None)


def get_visitor(tx: Read, name_or_email: str) -> CurrentUser:
    """Return the active person of that name as the current user, for the command line.

    Raise NotFound.
    """
    person = find_person(tx, name_or_email)
    user = find_visitor(tx, person.id) if person and person.id else None
    if user is None:
        raise NotFound(
            _("No active member {name_or_email!r}. List members with `readtrack person list`.").format(
                name_or_email=name_or_email
            )
        )
    return user


def get_only_active_person(tx: Read) -> CurrentUser:
    """Return the only active person.

    Raise Invalid with the names if there are several, or if there is none.
    """
    query = sa.select(*_visitor_columns()).where(_active_filter()).order_by(col(Person.name_key)).limit(MAX_NAMES + 1)
    rows = tx.execute(query).all()
    if len(rows) == 1:
        return _visitor(rows[0])
    if not rows:
        raise Invalid(_("There are no active members. Add one with `readtrack person add NAME`."))
    names = ", ".join(row[1] for row in rows[:MAX_NAMES]) + (" and others" if len(rows) > MAX_NAMES else "")
    raise Invalid(_("Choose a member with --as NAME: {told}.").format(told=names))


def has_people(tx: Read) -> bool:
    """Return True if there is any person, including disabled ones."""
    return tx.scalar(sa.select(col(Person.id)).limit(1)) is not None


def count_people(tx: Read) -> int:
    """Count the active people."""
    return tx.scalar(sa.select(sa.func.count()).select_from(Person).where(_active_filter())) or 0


def list_people(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[PersonRow]:
    """List people by name. Only admins see the addresses of others."""
    require(me, "see")
    query = sa.select(*_OF_PERSON).order_by(col(Person.name_key), col(Person.id)).limit(page_request.limit + 1)
    if page_request.after is not None:
        sort_key = sa.tuple_(col(Person.name_key), col(Person.id))
        query = query.where(sort_key > sa.tuple_(*(sa.literal(value) for value in page_request.after)))
    rows, has_more = pagination.split_page([_person_row(row, me) for row in tx.execute(query)], page_request.limit)
    return Page(rows, (normalize.key(rows[-1].name), rows[-1].id) if has_more else None)


def get_person_row(tx: Read, me: CurrentUser, person_id: int) -> PersonRow:
    """Return a person as others see them. Raise NotFound."""
    require(me, "see")
    row = tx.execute(sa.select(*_OF_PERSON).where(col(Person.id) == person_id)).one_or_none()
    if row is None:
        raise NotFound(_("Member not found."))
    return _person_row(row, me)


def find_person(tx: Read, name_or_email: str) -> Person | None:
    """Return the person of that name or address, active or disabled."""
    key = normalize.key(normalize.clean(name_or_email))
    query = sa.select(Person).where(sa.or_(col(Person.name_key) == key, col(Person.email_key) == key))
    return tx.scalars(query.order_by(col(Person.id)).limit(1)).first() if key else None


def get_person(tx: Read, person_id: int) -> Person:
    """Return a person. Raise NotFound."""
    person = tx.get(Person, person_id)
    if person is None:
        raise NotFound(_("Member not found."))
    return person


def get_me(tx: Read, me: CurrentUser) -> MyRow:
    """Return the current user's own data."""
    require(me, "see")
    person = get_person(tx, me.id)
    appearance = (person.theme or "system", person.single_keys, person.language, person.time_zone)
    list_settings = (person.density, person.reading_limit, person.start, person.variants)
    account = (me.id, person.name, person.email, person.role)
    return MyRow(*account, *appearance, *list_settings, hide_checklist=person.hide_checklist)


def find_name_conflicts(tx: Read, name: str, email: str, *, except_id: int | None = None) -> dict[str, str]:
    """Return errors by field if the name or address is taken, compared as at sign-in."""
    errors = {}
    for field, text in (("name", name), ("email", email)):
        owner = find_person(tx, text) if text else None
        if owner is not None and owner.id != except_id:
            errors[field] = (
                _("This name is already taken.") if field == "name" else _("This email address is already taken.")
            )
    if name and "name" not in errors and _looks_like_another(tx, name, except_id=except_id):
        errors["name"] = _("This name is too similar to another member's. Choose another.")
    return errors


def _looks_like_another(tx: Read, name: str, *, except_id: int | None) -> bool:
    skeleton = accounts_names.skeleton(name)
    query = sa.select(col(Person.name)).where(col(Person.id) != (except_id or 0))
    return any(accounts_names.skeleton(other_name) == skeleton for other_name in tx.scalars(query))


def list_tokens(tx: Read, me: CurrentUser) -> Sequence[TokenRow]:
    """List valid tokens, newest first: the current user's own, or all for the operator."""
    require(me, "see")
    columns = (Token.name, Token.hint, Token.scopes, Token.created_at, Token.used_at, Token.used_from, Token.expires_at)
    query = sa.select(col(Token.id), col(Person.name), *(col(column) for column in columns))
    query = query.join(Person, col(Person.id) == col(Token.person_id))
    if me != OPERATOR:
        query = query.where(col(Token.person_id) == me.id)
    return [
        TokenRow(*row)
        for row in tx.execute(
            query.where(_live_token_filter()).order_by(col(Token.created_at).desc(), col(Token.id).desc())
        )
    ]


def list_sign_ins(tx: Read, me: CurrentUser) -> Sequence[SignInRow]:
    """List the current user's sessions, last used first."""
    columns = (
        UserSession.id,
        UserSession.agent,
        UserSession.address,
        UserSession.created_at,
        UserSession.seen_at,
        UserSession.expires_at,
    )
    conditions = (col(UserSession.person_id) == me.id, col(UserSession.expires_at) > now())
    query = sa.select(*(col(column) for column in columns)).where(*conditions)
    rows = tx.execute(query.order_by(col(UserSession.seen_at).desc(), col(UserSession.id).desc()))
    return [SignInRow(*row) for row in rows]


def get_invitation(tx: Read, kind: str, code: str) -> InvitationLink:
    """Return the valid link with that code.

    Raise NotFound if it was used, has ended, or its maker may not invite.
    """
    return _get_invitation(tx, kind, col(Invitation.code_hash) == fingerprint(code))


def get_invitation_by_id(tx: Read, invitation_id: int) -> InvitationLink:
    """Return a valid link by id, to join with an identity after following the link."""
    return _get_invitation(tx, "join", col(Invitation.id) == invitation_id)


def _get_invitation(tx: Read, kind: str, condition: sa.ColumnElement[bool]) -> InvitationLink:
    columns = (Invitation.id, Invitation.kind, Invitation.role, Invitation.person_id, Person.name, Invitation.email)
    query = (
        sa.select(*(col(column) for column in columns))
        .outerjoin(Person, col(Person.id) == col(Invitation.person_id))
        .where(condition, valid_invitation_filter(kind), _active_filter())
    )
    row = tx.execute(query).one_or_none()
    if row is None:
        raise NotFound(_(_NO_LONGER[kind]))
    return InvitationLink(row[0], row[1], row[2], row[3], row[4] or "", row[5])


_NO_LONGER = {
    "set-up": N_(
        "This setup link is no longer valid. Restart `readtrack serve` for a new one, or sign in "
        "if readtrack is already set up."
    ),
    "join": N_("This link has expired or was already used. Ask an admin for a new one."),
}


def _visitor_columns() -> Sequence[Any]:
    return [
        col(column)
        for column in (
            Person.id,
            Person.name,
            Person.role,
            Person.theme,
            Person.single_keys,
            Person.language,
            Person.time_zone,
            Person.density,
            Person.start,
            Person.variants,
            Person.hide_checklist,
        )
    ]


def _visitor(row: Any, **fields: Any) -> CurrentUser:  # noqa: ANN401 - a row of _visitor_columns and more
    settings = {"keys_off": not row[4], "language": row[5], "time_zone": row[6], "density": row[7], "start": row[8]}
    switches = {"variants": row[9], "hide_checklist": row[10]}
    return CurrentUser(row[0], row[1], row[2], theme=row[3] or "system", **settings, **switches, **fields)


_OF_PERSON = [
    col(c)
    for c in (
        Person.id,
        Person.name,
        Person.role,
        Person.email,
        Person.disabled_at,
        Person.password_hash,
        Person.erased_at,
    )
]


def _active_filter() -> sa.ColumnElement[bool]:
    return col(Person.disabled_at).is_(None)


_BY_ID = sa.select(*_visitor_columns()).where(col(Person.id) == sa.bindparam("person"), _active_filter())
_BY_SIGN_IN = (
    sa.select(*_visitor_columns(), col(UserSession.id), col(UserSession.seen_at))
    .join(UserSession, col(UserSession.person_id) == col(Person.id))
    .where(
        col(UserSession.secret_hash) == sa.bindparam("secret_hash"),
        col(UserSession.expires_at) > sa.bindparam("now"),
        _active_filter(),
    )
)


def _live_token_filter() -> sa.ColumnElement[bool]:
    return sa.and_(
        col(Token.revoked_at).is_(None), sa.or_(col(Token.expires_at).is_(None), col(Token.expires_at) > now())
    )


def _is_update_due(last_use: datetime | None) -> bool:
    return last_use is None or last_use <= now() - USE_NOTED


def _person_row(row: Any, me: CurrentUser) -> PersonRow:  # noqa: ANN401 - a row of list_people
    is_email_visible = has_permission(me, "manage-people") or row[0] == me.id
    state = {"disabled": row[4] is not None, "is_pending": not row[5], "erased": row[6] is not None}
    return PersonRow(row[0], row[1], row[2], row[3] if is_email_visible else "", **state)
