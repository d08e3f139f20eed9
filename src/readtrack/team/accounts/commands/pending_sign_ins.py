"""Pending sign-ins that wait for a provider's response or a code.

Each works once, for minutes, in one browser.
"""

from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import PendingSignIn
from readtrack.team.accounts.commands import login_throttle
from readtrack.team.accounts.passwords import fingerprint, new_secret

GOOD = {"oidc": timedelta(minutes=10), "code": timedelta(minutes=5)}
LONGEST_NEXT = 2000


def begin(
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
        kind=kind, secret_hash=fingerprint(secret), expires_at=now() + GOOD[kind], next=next_path[:LONGEST_NEXT]
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


def find(tx: Read, kind: str, secret: str) -> PendingSignIn | None:
    """Return this browser's pending sign-in unless it has expired."""
    conditions = (
        col(PendingSignIn.kind) == kind,
        col(PendingSignIn.secret_hash) == fingerprint(secret),
        col(PendingSignIn.expires_at) > now(),
    )
    return tx.scalars(sa.select(PendingSignIn).where(*conditions)).one_or_none()


def take(tx: Write, row: PendingSignIn) -> bool:
    """Delete a pending sign-in. Return False if a concurrent request has done so."""
    statement = sa.delete(PendingSignIn).where(col(PendingSignIn.id) == row.id).returning(col(PendingSignIn.id))
    return tx.bulk_execute(statement).first() is not None


def complete_pending_sign_in(tx: Write, secret: str, state: str) -> PendingSignIn | None:
    """Take this browser's pending sign-in if the provider's response has its state, else return None."""
    row = find(tx, "oidc", secret)
    if row is None or row.state_hash != fingerprint(state):
        return None
    tx.expunge(row)
    return row if take(tx, row) else None
