"""How often a password may be tried: so many times for each account, and more from each address, which many may share.

An attempt is counted before the password is looked at and forgiven when it was right, so that none is lost with a
transaction that ends as an error. Those over the limit are refused uncounted: nobody is locked out longer than WINDOW.
"""

import ipaddress
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
MOST = 10
MOST_FROM_ADDRESS = 50
WINDOW = timedelta(minutes=10)
CODE = "code"  # how subjects of a second factor begin: six digits are guessed in the end, so each try waits longer
REMEMBERED = timedelta(days=30)  # tries of a second factor, unless a right one comes
LONGEST_WAIT = timedelta(days=1)


def count_attempt(tx: Write, *subjects: str) -> tuple[int, ...]:
    """Notes an attempt for each of them and returns the notes' ids; raises TooMany when one has used up its share."""
    lock_name(tx, "attempts")  # who tries many at once is counted one by one
    kept = sa.or_(col(LoginAttempt.created_at) > now() - WINDOW, col(LoginAttempt.subject).startswith(CODE))
    tx.execute(sa.delete(LoginAttempt).where(sa.or_(sa.not_(kept), col(LoginAttempt.created_at) <= now() - REMEMBERED)))
    for subject in subjects:
        _refuse_too_many(tx, subject)
    made = [LoginAttempt(subject=subject) for subject in subjects]
    tx.add_all(made)
    tx.flush()
    return tuple(attempt.id or 0 for attempt in made)


def forgive_attempts(tx: Write, subject: str, *counted: int) -> None:
    """The password was right: its own attempts do not count, nor what was tried before for the same account."""
    tx.execute(
        sa.delete(LoginAttempt).where(sa.or_(col(LoginAttempt.id).in_(counted), col(LoginAttempt.subject) == subject))
    )


def from_address(address: str) -> str:
    """The subject of all tries from an address, or for IPv6 from the network that one household has."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return ADDRESS + address
    return f"{ADDRESS}{ipaddress.ip_network((ip, 64), strict=False) if ip.version == 6 else ip}"


def _refuse_too_many(tx: Write, subject: str) -> None:
    if subject.startswith(CODE):
        _refuse_too_soon(tx, subject)
        return
    # So many are looked at, not counted: the oldest of them says when the next one is free.
    most = MOST_FROM_ADDRESS if subject.startswith(ADDRESS) else MOST
    query = (
        sa.select(col(LoginAttempt.created_at))
        .where(col(LoginAttempt.subject) == subject)
        .order_by(col(LoginAttempt.created_at).desc())
    )
    times = tx.scalars(query.limit(most)).all()
    if len(times) == most:
        _refuse_until(times[-1] + WINDOW)


def _refuse_too_soon(tx: Write, subject: str) -> None:
    """After MOST wrong codes each further one waits twice as long as the one before, up to a day."""
    query = sa.select(sa.func.count(), sa.func.max(col(LoginAttempt.created_at))).where(
        col(LoginAttempt.subject) == subject
    )
    tried, last = tx.execute(query).one()
    if tried >= MOST:
        until = last + min(WINDOW * 2 ** min(tried - MOST, 10), LONGEST_WAIT)
        if until > now():
            _refuse_until(until)


def _refuse_until(moment: datetime) -> None:
    wait = max(1, round((moment - now()).total_seconds()))
    raise TooManyRequests(
        _("Too many tries. Wait {words}, then try again.").format(words=_format_duration(wait)), retry_after=wait
    )


def _format_duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} minutes"
