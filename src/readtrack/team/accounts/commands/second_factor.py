"""Second factor: TOTP codes of an app, or one of ten recovery codes.

All other sessions end when it changes. Codes are checked and counted under a lock on the person, so that none works
twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.infra import clock, events
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PendingSignIn, Person
from readtrack.infra.permissions import CurrentUser, require, require_browser, require_confirmed
from readtrack.team.accounts import totp
from readtrack.team.accounts.commands import login_throttle, pending_sign_ins
from readtrack.team.accounts.commands.accounts import record_audit_event
from readtrack.team.accounts.commands.sessions import get_person_for_update, sign_out_everywhere, sign_out_others


@dataclass(frozen=True)
class CodeAttempt:
    """A code to check, with its key and origin."""

    code: str
    key: str  # the library's secret key
    address: str = ""
    device: tuple[str, int] | None = None  # the browser's device id, and the person who signed in there before


def start_code_step(tx: Write, person: Person, *, next_path: str) -> str:
    """Store a pending sign-in after the right password, and return its secret."""
    return pending_sign_ins.begin(tx, "code", person_id=person.id, next_path=next_path)


def complete_code_step(tx: Write, pending: PendingSignIn, attempt: CodeAttempt) -> Person | None:
    """Return the person if the code is right, otherwise None. Raise TooManyRequests."""
    person = get_person_for_update(tx, pending.person_id or 0)
    if person.disabled_at is not None or not verify_code(tx, person, attempt) or not pending_sign_ins.take(tx, pending):
        return None
    return person


def enable_second_factor(tx: Write, me: CurrentUser, salt: str, attempt: CodeAttempt) -> Sequence[str] | None:
    """Enable the second factor and return the recovery codes to show once, or None if the code is wrong."""
    require(me, "keep")
    require_confirmed(me)
    person = get_person_for_update(tx, me.id)
    if person.totp_salt:
        raise Conflict(_("A second factor is on already. Nothing was changed; turn it off first."), code="already-on")
    subject, attempt_ids = _count_attempt(tx, me.id, attempt)
    secret = totp.derive_secret(attempt.key, salt, me.id)
    step = totp.find_step(secret, attempt.code, now=clock.now().timestamp(), last_step=0)
    if step is None:
        return None
    login_throttle.forgive_attempts(tx, subject, *attempt_ids)
    person.totp_salt, person.totp_step = salt, step
    sign_out_others(tx, me)
    events.record_event(tx, me, "person.second-factor-on", private=True)
    return _replace_recovery_codes(person)


def renew_recovery(tx: Write, me: CurrentUser) -> Sequence[str]:
    """Replace the recovery codes."""
    person = _with_second_factor(tx, me)
    events.record_event(tx, me, "person.recovery-codes-made", private=True)
    return _replace_recovery_codes(person)


def disable_second_factor(tx: Write, me: CurrentUser) -> None:
    """Disable the second factor, so that only the password is required."""
    person = _with_second_factor(tx, me)
    _clear_second_factor(person)
    sign_out_others(tx, me)
    events.record_event(tx, me, "person.second-factor-off", private=True)


def reset_second_factor(tx: Write, me: CurrentUser, person_id: int) -> bool:
    """Disable a person's second factor and end their sessions.

    Return False if it was not enabled.
    """
    require(me, "manage-people")
    require_browser(me)
    person = get_person_for_update(tx, person_id)
    if not person.totp_salt:
        return False
    _clear_second_factor(person)
    for subject in (f"code:{person_id}", f"code-device:{person_id}"):
        login_throttle.forgive_attempts(tx, subject)
    sign_out_everywhere(tx, person_id)
    record_audit_event(tx, me, "person.second-factor-reset", person=person.name)
    return True


def _with_second_factor(tx: Write, me: CurrentUser) -> Person:
    require(me, "keep")
    require_confirmed(me)
    person = get_person_for_update(tx, me.id)
    if not person.totp_salt:
        raise Conflict(_("No second factor is on. Nothing was changed."), code="not-on")
    return person


def verify_code(tx: Write, person: Person, attempt: CodeAttempt) -> bool:
    """Return True and use the code up if it is right. Earlier attempts are then forgotten."""
    subject, attempt_ids = _count_attempt(tx, person.id or 0, attempt)
    user = CurrentUser(person.id or 0, person.name, person.role, address=attempt.address)
    secret = totp.derive_secret(attempt.key, person.totp_salt, person.id or 0)
    step = totp.find_step(secret, attempt.code, now=clock.now().timestamp(), last_step=person.totp_step)
    code_hash = totp.recovery_hash(attempt.code)
    if not person.totp_salt or (step is None and code_hash not in person.recovery):
        events.record_event(tx, user, "person.second-factor-failed", private=True)
        return False
    if step is not None:
        person.totp_step = step
    else:
        person.recovery = [stored_hash for stored_hash in person.recovery if stored_hash != code_hash]
        events.record_event(tx, user, "person.recovery-code-used", data={"left": len(person.recovery)}, private=True)
    login_throttle.forgive_attempts(tx, subject, *attempt_ids)
    return True


def _count_attempt(tx: Write, person_id: int, attempt: CodeAttempt) -> tuple[str, tuple[int, ...]]:
    """Count an attempt, separately for the person's own browser. Raise TooManyRequests."""
    is_own_device = attempt.device is not None and attempt.device[1] == person_id
    subject = f"code-device:{person_id}" if is_own_device else f"code:{person_id}"
    return subject, login_throttle.count_attempt(tx, subject)


def _replace_recovery_codes(person: Person) -> Sequence[str]:
    codes = totp.new_recovery()
    person.recovery = [totp.recovery_hash(code) for code in codes]
    return codes


def _clear_second_factor(person: Person) -> None:
    person.totp_salt, person.totp_step, person.recovery = "", 0, []
