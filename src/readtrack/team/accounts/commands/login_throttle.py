"""Login throttle: a limit per account, and a higher one per network address, which many may share.

An attempt is counted before the password is checked and removed if it was right, so a failed transaction cannot lose
it. Rejected attempts are not counted, so an account is never locked longer than WINDOW.
"""

import ipaddress
import math
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.db.locks import lock_name
from readtrack.infra.errors import TooManyRequests
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import LoginAttempt

ADDRESS = "address:"
MAX_ATTEMPTS = 10
MAX_ATTEMPTS_FROM_ADDRESS = 50
WINDOW = timedelta(minutes=10)
CODE = "code"  # subjects of second factors: six digits can be guessed in the end, so their delays grow
SECOND_FACTOR_WINDOW = timedelta(days=30)  # attempts at a second factor, until a right one
MAX_WAIT = timedelta(days=1)


def count_attempt(tx: Write, *subjects: str) -> tuple[int, ...]:
    """Count an attempt for each subject and return its id.

    Raise TooManyRequests if a subject is over its limit.
    """
    lock_name(tx, "attempts")  # serializes concurrent attempts
    is_recent = sa.or_(col(LoginAttempt.created_at) > now() - WINDOW, col(LoginAttempt.subject).startswith(CODE))
    tx.execute(
        sa.delete(LoginAttempt).where(
            sa.or_(sa.not_(is_recent), col(LoginAttempt.created_at) <= now() - SECOND_FACTOR_WINDOW)
        )
    )
    for subject in subjects:
        _refuse_too_many(tx, subject)
    attempts = [LoginAttempt(subject=subject) for subject in subjects]
    tx.add_all(attempts)
    tx.flush()
    return tuple(attempt.id or 0 for attempt in attempts)


def forgive_attempts(tx: Write, subject: str, *attempt_ids: int) -> None:
    """Delete these attempts and all earlier ones of the same account, after a right password."""
    tx.execute(
        sa.delete(LoginAttempt).where(
            sa.or_(col(LoginAttempt.id).in_(attempt_ids), col(LoginAttempt.subject) == subject)
        )
    )


def from_address(address: str) -> str:
    """Return the subject of a network address. For IPv6 it is the /64 network of a household."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return ADDRESS + address
    return f"{ADDRESS}{ipaddress.ip_network((ip, 64), strict=False) if ip.version == 6 else ip}"


def _refuse_too_many(tx: Write, subject: str) -> None:
    if subject.startswith(CODE):
        _refuse_too_soon(tx, subject)
        return
    # The limit-th latest attempt tells both whether the limit is reached and when it ends.
    limit = MAX_ATTEMPTS_FROM_ADDRESS if subject.startswith(ADDRESS) else MAX_ATTEMPTS
    query = (
        sa.select(col(LoginAttempt.created_at))
        .where(col(LoginAttempt.subject) == subject)
        .order_by(col(LoginAttempt.created_at).desc())
    )
    times = tx.scalars(query.limit(limit)).all()
    if len(times) == limit:
        _refuse_until(times[-1] + WINDOW)


def _refuse_too_soon(tx: Write, subject: str) -> None:
    """Raise TooManyRequests after MAX_ATTEMPTS wrong codes, with a delay that doubles each time up to a day."""
    query = sa.select(sa.func.count(), sa.func.max(col(LoginAttempt.created_at))).where(
        col(LoginAttempt.subject) == subject
    )
    count, last_at = tx.execute(query).one()
    if count >= MAX_ATTEMPTS:
        allowed_at = last_at + min(WINDOW * 2 ** min(count - MAX_ATTEMPTS, 10), MAX_WAIT)
        if allowed_at > now():
            _refuse_until(allowed_at)


def _refuse_until(allowed_at: datetime) -> None:
    seconds = max(1, round((allowed_at - now()).total_seconds()))
    message = _("Too many attempts. Try again in {minutes} min.").format(minutes=math.ceil(seconds / 60))
    raise TooManyRequests(message, retry_after=seconds)
