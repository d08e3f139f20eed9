"""Sign-in and sign-out, and pending sign-ins that wait for a provider's response or a code.

Password hashing runs between two transactions, so that it does not block other writers. `claim_sign_in` counts the
attempt and returns the hash, `check_password` compares, `verify_claim` uses the result; then `sign_in_new` creates the
session unless a second factor is required. A pending sign-in works once, for minutes, in one browser.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PendingSignIn, Person, Token, UserSession
from readtrack.infra.permissions import CurrentUser, require_browser
from readtrack.infra.text import normalize
from readtrack.team.accounts import queries
from readtrack.team.accounts.commands import login_throttle
from readtrack.team.accounts.passwords import Verdict, fingerprint, new_secret

IDLE_LIFETIME = timedelta(days=30)  # lifetime of an unused session
MAX_LIFETIME = timedelta(days=180)  # maximum lifetime of a session from its sign-in
MIN_EXTENSION_INTERVAL = timedelta(days=1)  # minimum time between two extensions of a session
MAX_AGENT_CHARS = 200
PENDING_LIFETIMES = {"oidc": timedelta(minutes=10), "code": timedelta(minutes=5)}
MAX_NEXT_URL_CHARS = 2000


@dataclass(frozen=True)
class Claim:
    """A claimed account. `password_hash` is "" if there is none."""

    person_id: int | None
    password_hash: str
    subject: str
    attempt_ids: tuple[int, ...]


def claim_sign_in(tx: Write, name_or_email: str, *, address: str, device: tuple[str, int] | None = None) -> Claim:
    """Count the attempt and return what to compare with. Raise TooManyRequests.

    `device`: the browser's device id, and the person who signed in there before. That person has a separate limit on
    the device, so that attempts of others from the same address cannot lock them out.
    """
    named_person = queries.find_person(tx, name_or_email)
    # Locked so that concurrent attempts are counted one by one; also run without a person, so that the time is equal.
    query = sa.select(Person).where(col(Person.id) == (named_person.id if named_person else 0)).with_for_update()
    person = tx.scalar(query.execution_options(populate_existing=True))
    subjects = [f"person:{person.id}" if person else f"name:{fingerprint(normalize.key(name_or_email))}"]
    if person and device and device[1] == person.id:
        subjects = [f"device:{person.id}:{fingerprint(device[0])}"]
    else:
        subjects.append(login_throttle.from_address(address))
    attempt_ids = login_throttle.count_attempt(tx, *subjects)
    if person is None or person.disabled_at is not None:
        return Claim(None, "", subjects[0], attempt_ids)
    return Claim(person.id, person.password_hash, subjects[0], attempt_ids)


def verify_claim(tx: Write, claim: Claim, verdict: Verdict) -> Person | None:
    """Return the person if the password was right and the account is unchanged, otherwise None.

    No session is created yet.
    """
    person = get_person_for_update(tx, claim.person_id) if claim.person_id and verdict.is_correct else None
    if person is None or person.disabled_at is not None or person.password_hash != claim.password_hash:
        return None
    login_throttle.forgive_attempts(tx, claim.subject, *claim.attempt_ids)
    person.password_hash = verdict.new_hash or person.password_hash
    return person


def sign_in_new(
    tx: Write, person: Person, *, agent: str, address: str = "", instead_of: CurrentUser | None = None
) -> tuple[CurrentUser, str]:
    """Create a session for an authenticated person, replacing the browser's previous one."""
    _delete(tx, col(UserSession.expires_at) <= now())
    if instead_of is not None:
        _delete(tx, col(UserSession.id) == instead_of.sign_in_id)
    secret = new_secret()
    row = UserSession(
        person_id=person.id or 0,
        secret_hash=fingerprint(secret),
        agent=normalize.clean(agent)[:MAX_AGENT_CHARS],
        address=address,
        expires_at=now() + IDLE_LIFETIME,
    )
    tx.add(row)
    tx.flush()
    user = CurrentUser(person.id or 0, person.name, person.role, sign_in_id=row.id, address=address)
    events.record_event(tx, user, "person.signed-in", private=True)
    return user, secret


def sign_out(tx: Write, me: CurrentUser, *, cookie: str = "") -> None:
    """End this session, so that a copied cookie is worthless.

    `cookie`: the session cookie in the browser, possibly of another person, which ends too even if the proxy
    authenticated this request.
    """
    require_browser(me)
    if _delete(tx, sa.or_(col(UserSession.id) == me.sign_in_id, col(UserSession.secret_hash) == fingerprint(cookie))):
        events.record_event(tx, me, "person.signed-out", private=True)


def sign_out_others(tx: Write, me: CurrentUser) -> None:
    """End all other sessions and pending sign-ins of the current user."""
    require_browser(me)
    _end_pending_sign_ins(tx, me.id)
    _delete(tx, col(UserSession.person_id) == me.id, col(UserSession.id).is_distinct_from(me.sign_in_id))
    events.record_event(tx, me, "person.signed-out-elsewhere", private=True)


def end_sign_in(tx: Write, me: CurrentUser, sign_in_id: int) -> None:
    """End one of the current user's sessions. Raise NotFound."""
    require_browser(me)
    if not _delete(tx, col(UserSession.person_id) == me.id, col(UserSession.id) == sign_in_id):
        message = _("This is no longer available.")
        raise NotFound(message)
    events.record_event(tx, me, "person.signed-out-elsewhere", private=True)


def sign_out_everywhere(tx: Write, person_id: int) -> None:
    """End all sessions and pending sign-ins of a person."""
    _end_pending_sign_ins(tx, person_id)
    _delete(tx, col(UserSession.person_id) == person_id)


def record_use(tx: Write, user: CurrentUser) -> None:
    """Store the last use of a session or token, at most once an hour."""
    latest = now() - queries.USE_NOTED
    if user.token_id is not None:
        token_filter = (
            col(Token.id) == user.token_id,
            sa.or_(col(Token.used_at).is_(None), col(Token.used_at) <= latest),
        )
        tx.execute(sa.update(Token).where(*token_filter).values(used_at=now(), used_from=user.address))
    elif user.sign_in_id is not None:
        session_filter = (col(UserSession.id) == user.sign_in_id, col(UserSession.seen_at) <= latest)
        tx.execute(sa.update(UserSession).where(*session_filter).values(seen_at=now(), address=user.address))
        _extend_session(tx, user.sign_in_id)


def _extend_session(tx: Write, sign_in_id: int) -> None:
    """Extend a session in use, at most once a day and never beyond MAX_LIFETIME."""
    query = sa.select(col(UserSession.created_at), col(UserSession.expires_at)).where(col(UserSession.id) == sign_in_id)
    row = tx.execute(query).one_or_none()
    if row is None or row.expires_at <= now():
        return
    expires_at = min(now() + IDLE_LIFETIME, row.created_at + MAX_LIFETIME)
    if (
        expires_at >= row.expires_at + MIN_EXTENSION_INTERVAL
        or row.expires_at < expires_at == row.created_at + MAX_LIFETIME
    ):
        tx.execute(sa.update(UserSession).where(col(UserSession.id) == sign_in_id).values(expires_at=expires_at))


def get_person_for_update(tx: Write, person_id: int) -> Person:
    """Return the person, locked until the transaction ends. Raise NotFound.

    Sign-in and disabling take the same lock, so that no session is created while all of them are ended.
    """
    person = queries.get_person(tx, person_id)
    tx.refresh(person, with_for_update=True)
    return person


def _end_pending_sign_ins(tx: Write, person_id: int) -> None:
    tx.execute(sa.delete(PendingSignIn).where(col(PendingSignIn.person_id) == person_id))


def _delete(tx: Write, *conditions: sa.ColumnElement[bool]) -> bool:
    """Delete sessions. Return True if there were any."""
    result: Any = tx.execute(sa.delete(UserSession).where(*conditions))
    return bool(result.rowcount)


def start_pending_sign_in(
    tx: Write,
    kind: str,
    *,
    next_path: str,
    person_id: int | None = None,
    invitation_id: int | None = None,
    state: str = "",
    nonce: str = "",
    verifier: str = "",
) -> str:
    """Store a pending sign-in and return the secret for the browser's cookie.

    Expired ones are deleted.
    """
    tx.execute(sa.delete(PendingSignIn).where(col(PendingSignIn.expires_at) <= now()))
    secret = new_secret()
    row = PendingSignIn(
        kind=kind,
        secret_hash=fingerprint(secret),
        expires_at=now() + PENDING_LIFETIMES[kind],
        next=next_path[:MAX_NEXT_URL_CHARS],
    )
    row.person_id, row.invitation_id = person_id, invitation_id
    row.state_hash, row.nonce, row.verifier = fingerprint(state) if state else "", nonce, verifier
    tx.add(row)
    return secret


def count_provider_request(tx: Write, address: str) -> None:
    """Count a request to the provider, because each stores a row.

    Raise TooManyRequests for too many from one address.
    """
    login_throttle.count_attempt(tx, f"{login_throttle.from_address(address)} to the provider")


def find_pending_sign_in(tx: Read, kind: str, secret: str) -> PendingSignIn | None:
    """Return this browser's pending sign-in unless it has expired."""
    conditions = (
        col(PendingSignIn.kind) == kind,
        col(PendingSignIn.secret_hash) == fingerprint(secret),
        col(PendingSignIn.expires_at) > now(),
    )
    return tx.scalars(sa.select(PendingSignIn).where(*conditions)).one_or_none()


def take_pending_sign_in(tx: Write, row: PendingSignIn) -> bool:
    """Delete a pending sign-in. Return False if a concurrent request has done so."""
    statement = sa.delete(PendingSignIn).where(col(PendingSignIn.id) == row.id).returning(col(PendingSignIn.id))
    return tx.bulk_execute(statement).first() is not None


def complete_pending_sign_in(tx: Write, secret: str, state: str) -> PendingSignIn | None:
    """Take this browser's pending sign-in if the provider's response has its state, else return None."""
    row = find_pending_sign_in(tx, "oidc", secret)
    if row is None or row.state_hash != fingerprint(state):
        return None
    tx.expunge(row)
    return row if take_pending_sign_in(tx, row) else None
