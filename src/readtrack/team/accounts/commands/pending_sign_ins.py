"""Sign-ins that wait for something: a provider's answer, or a code. Each is good once, for minutes, in one browser."""

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
    to: str,
    person_id: int | None = None,
    invitation_id: int | None = None,
    state: str = "",
    nonce: str = "",
    verifier: str = "",
) -> str:
    """Keeps it, and returns the secret that the browser brings back; those that nobody came back for go."""
    tx.execute(sa.delete(PendingSignIn).where(col(PendingSignIn.expires_at) <= now()))
    secret = new_secret()
    row = PendingSignIn(
        kind=kind, secret_hash=fingerprint(secret), expires_at=now() + GOOD[kind], next=to[:LONGEST_NEXT]
    )
    row.person_id, row.invitation_id = person_id, invitation_id
    row.state_hash, row.nonce, row.verifier = fingerprint(state) if state else "", nonce, verifier
    tx.add(row)
    return secret


def count_provider_request(tx: Write, address: str) -> None:
    """Anybody may have a provider asked, which leaves a row: so often from one address, then it raises TooMany."""
    login_throttle.count_attempt(tx, f"{login_throttle.from_address(address)} to the provider")


def find(tx: Read, kind: str, secret: str) -> PendingSignIn | None:
    """The one that this browser began, unless its time is over."""
    here = (
        col(PendingSignIn.kind) == kind,
        col(PendingSignIn.secret_hash) == fingerprint(secret),
        col(PendingSignIn.expires_at) > now(),
    )
    return tx.scalars(sa.select(PendingSignIn).where(*here)).one_or_none()


def take(tx: Write, row: PendingSignIn) -> bool:
    """Ends it; False when somebody else did so a moment ago."""
    gone = sa.delete(PendingSignIn).where(col(PendingSignIn.id) == row.id).returning(col(PendingSignIn.id))
    return tx.execute(gone.execution_options(synchronize_session=False)).first() is not None


def complete_pending_sign_in(tx: Write, secret: str, state: str) -> PendingSignIn | None:
    """The question that this browser asked a provider, ended; None unless this is the answer to that very question."""
    row = find(tx, "oidc", secret)
    if row is None or row.state_hash != fingerprint(state):
        return None
    tx.expunge(row)
    return row if take(tx, row) else None
