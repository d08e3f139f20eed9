"""A second factor after the password: an app's code, or one of ten codes for whoever lost the app.

Every other session ends when it changes. Codes are tried under the person's lock and counted: none works twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.infra import clock, events
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import HalfWay, Person
from readtrack.infra.permissions import Visitor, require, require_browser, require_confirmed
from readtrack.team.accounts import totp
from readtrack.team.accounts.commands import login_throttle, pending_sign_ins
from readtrack.team.accounts.commands.accounts import tell
from readtrack.team.accounts.commands.sessions import held, sign_out_everywhere, sign_out_others


@dataclass(frozen=True)
class Tried:
    """A code that somebody typed, what it is compared with, and from where it came."""

    code: str
    key: str  # the library's secret key
    address: str = ""
    device: tuple[str, int] | None = None  # the browser's own word, and who signed in there before


def wait_for_code(tx: Write, person: Person, *, to: str) -> str:
    """The password was right: the secret with which this browser may try codes for a while."""
    return pending_sign_ins.begin(tx, "code", person_id=person.id, to=to)


def finish_with_code(tx: Write, waiting: HalfWay, tried: Tried) -> Person | None:
    """Whom the code lets in, or None: it was wrong. Raises TooMany."""
    person = held(tx, waiting.person_id or 0)
    if person.disabled_at is not None or not code_fits(tx, person, tried) or not pending_sign_ins.take(tx, waiting):
        return None
    return person


def turn_on(tx: Write, me: Visitor, salt: str, tried: Tried) -> Sequence[str] | None:
    """The recovery codes, to be shown once; None when the code is not of that secret."""
    require(me, "keep")
    require_confirmed(me)
    person = held(tx, me.id)
    if person.totp_salt:
        raise Conflict(_("A second factor is on already. Nothing was changed; turn it off first."), code="already-on")
    subject, counted = _count(tx, me.id, tried)
    secret = totp.secret_of(tried.key, salt, me.id)
    step = totp.step_of(secret, tried.code, now=clock.now().timestamp(), after=0)
    if step is None:
        return None
    login_throttle.forgive(tx, subject, *counted)
    person.totp_salt, person.totp_step = salt, step
    sign_out_others(tx, me)
    events.record(tx, me, "person.second-factor-on", private=True)
    return _renewed(person)


def renew_recovery(tx: Write, me: Visitor) -> Sequence[str]:
    """New recovery codes; the old ones work no more."""
    person = _with_second_factor(tx, me)
    events.record(tx, me, "person.recovery-codes-made", private=True)
    return _renewed(person)


def turn_off(tx: Write, me: Visitor) -> None:
    """Only the password is asked from now on."""
    person = _with_second_factor(tx, me)
    _forget(person)
    sign_out_others(tx, me)
    events.record(tx, me, "person.second-factor-off", private=True)


def reset_second_factor(tx: Write, me: Visitor, person_id: int) -> bool:
    """For whoever lost app and codes; False when there was none. Ends their sessions."""
    require(me, "manage-people")
    require_browser(me)
    person = held(tx, person_id)
    if not person.totp_salt:
        return False
    _forget(person)
    for subject in (f"code:{person_id}", f"code-device:{person_id}"):
        login_throttle.forgive(tx, subject)
    sign_out_everywhere(tx, person_id)
    tell(tx, me, "person.second-factor-reset", person=person.name)
    return True


def _with_second_factor(tx: Write, me: Visitor) -> Person:
    require(me, "keep")
    require_confirmed(me)
    person = held(tx, me.id)
    if not person.totp_salt:
        raise Conflict(_("No second factor is on. Nothing was changed."), code="not-on")
    return person


def code_fits(tx: Write, person: Person, tried: Tried) -> bool:
    """Whether the code is this person's; then it is used up, and what was tried before does not count."""
    subject, counted = _count(tx, person.id or 0, tried)
    visitor = Visitor(person.id or 0, person.name, person.role, address=tried.address)
    secret = totp.secret_of(tried.key, person.totp_salt, person.id or 0)
    step = totp.step_of(secret, tried.code, now=clock.now().timestamp(), after=person.totp_step)
    spent = totp.recovery_hash(tried.code)
    if not person.totp_salt or (step is None and spent not in person.recovery):
        events.record(tx, visitor, "person.second-factor-failed", private=True)
        return False
    if step is not None:
        person.totp_step = step
    else:
        person.recovery = [kept for kept in person.recovery if kept != spent]
        events.record(tx, visitor, "person.recovery-code-used", data={"left": len(person.recovery)}, private=True)
    login_throttle.forgive(tx, subject, *counted)
    return True


def _count(tx: Write, person_id: int, tried: Tried) -> tuple[str, tuple[int, ...]]:
    """The attempt, counted for the person, in their own browser apart from strangers'; raises TooMany."""
    known = tried.device is not None and tried.device[1] == person_id
    subject = f"code-device:{person_id}" if known else f"code:{person_id}"
    return subject, login_throttle.count(tx, subject)


def _renewed(person: Person) -> Sequence[str]:
    codes = totp.new_recovery()
    person.recovery = [totp.recovery_hash(code) for code in codes]
    return codes


def _forget(person: Person) -> None:
    person.totp_salt, person.totp_step, person.recovery = "", 0, []
