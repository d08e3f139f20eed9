"""How often a password may be tried: so many times for each account, and more from each address, which many may share.

An attempt is counted before the password is looked at and forgiven when it was right, so that none is lost with a
transaction that ends as an error. Those over the limit are refused uncounted: nobody is locked out longer than WINDOW.
"""

import ipaddress
from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.clock import now
from readtrack.db import Write, take_lock
from readtrack.errors import TooMany
from readtrack.languages import gettext as _
from readtrack.models import Attempt

ADDRESS = "address:"
MOST = 10
MOST_FROM_ADDRESS = 50
WINDOW = timedelta(minutes=10)


def count(tx: Write, *subjects: str) -> tuple[int, ...]:
    """Notes an attempt for each of them and returns the notes' ids; raises TooMany when one has used up its share."""
    take_lock(tx, "attempts")  # who tries many at once is counted one by one
    tx.execute(sa.delete(Attempt).where(col(Attempt.at) <= now() - WINDOW))
    for subject in subjects:
        _refuse_too_many(tx, subject)
    made = [Attempt(subject=subject) for subject in subjects]
    tx.add_all(made)
    tx.flush()
    return tuple(attempt.id or 0 for attempt in made)


def forgive(tx: Write, subject: str, *counted: int) -> None:
    """The password was right: its own attempts do not count, nor what was tried before for the same account."""
    tx.execute(sa.delete(Attempt).where(sa.or_(col(Attempt.id).in_(counted), col(Attempt.subject) == subject)))


def from_address(address: str) -> str:
    """The subject of all tries from an address, or for IPv6 from the network that one household has."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return ADDRESS + address
    return f"{ADDRESS}{ipaddress.ip_network((ip, 64), strict=False) if ip.version == 6 else ip}"


def _refuse_too_many(tx: Write, subject: str) -> None:
    # So many are looked at, not counted: the oldest of them says when the next one is free.
    most = MOST_FROM_ADDRESS if subject.startswith(ADDRESS) else MOST
    query = sa.select(col(Attempt.at)).where(col(Attempt.subject) == subject).order_by(col(Attempt.at).desc())
    times = tx.scalars(query.limit(most)).all()
    if len(times) == most:
        wait = max(1, round((times[-1] + WINDOW - now()).total_seconds()))
        raise TooMany(_("Too many tries. Wait {words}, then try again.").format(words=_words(wait)), retry_after=wait)


def _words(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} minutes"
