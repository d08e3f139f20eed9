"""Second factor: TOTP codes of an app (RFC 6238), or one of ten recovery codes.

A code has six digits and changes every half minute. Its secret is derived from the library's secret key and a salt, so
that a copy of the database alone is useless. All other sessions end when the second factor changes. Codes are checked
and counted under a lock on the person, so that none works twice.
"""

import base64
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import pyotp
from pyotp.exceptions import OTPVerificationError

from readtrack.infra import clock, events
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PendingSignIn, Person
from readtrack.infra.permissions import CurrentUser, require, require_browser, require_confirmed
from readtrack.team.accounts.commands import login_throttle, sessions
from readtrack.team.accounts.commands.accounts import record_audit_event
from readtrack.team.accounts.commands.sessions import get_person_for_update, sign_out_everywhere, sign_out_others
from readtrack.team.accounts.passwords import fingerprint

STEP_SECONDS = 30  # seconds
DIGITS = 6
# steps; a last code further ahead was used while the clock was wrong, and must not lock the person out.
A_DAY = 24 * 3600 // STEP_SECONDS
MAX_DRIFT_STEPS = 1  # steps of clock skew allowed for the phone
RECOVERY_CODES = 10  # recovery codes, for a lost phone
_CODE = re.compile(rf"[0-9]{{{DIGITS}}}")
_SEPARATORS = re.compile(r"[\s-]+")


def new_salt() -> str:
    return secrets.token_hex(16)


def derive_secret(key: str, salt: str, person_id: int) -> bytes:
    """Return the secret of this person's app."""
    return hmac.digest(key.encode(), f"second factor:{person_id}:{salt}".encode(), "sha256")[:20]


def authenticator(secret: bytes) -> pyotp.TOTP:
    """Return what an app makes of that secret."""
    return pyotp.TOTP(base64.b32encode(secret).decode(), interval=STEP_SECONDS, digits=DIGITS)


def find_step(secret: bytes, code: str, *, now: float, last_step: int) -> int | None:
    """Return the step of a current code, otherwise None.

    It must be later than `last_step`, so that no code works twice.
    """
    digits = _SEPARATORS.sub("", code)
    if not _CODE.fullmatch(digits):
        return None
    try:
        step = authenticator(secret).verify_and_get_timecode(digits, for_time=now, valid_window=MAX_DRIFT_STEPS)
    except OTPVerificationError:
        return None
    return step if step > last_step or last_step > step + A_DAY else None


def format_secret(secret: bytes) -> str:
    """Return the secret for typing it into an app without a camera."""
    text = base64.b32encode(secret).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def provisioning_uri(secret: bytes, name: str, host: str) -> str:
    """Return the address that the QR code contains."""
    issuer, account = (text.replace(":", " ") for text in (f"readtrack ({host})", name))  # the colon is the separator
    return authenticator(secret).provisioning_uri(name=account, issuer_name=issuer)


def qr_code_uri(text: str) -> str:
    """Return the QR code as the data URI of an SVG image, which contains no scripts."""
    import segno

    return segno.make(text, error="m", micro=False).svg_data_uri(scale=4, border=3, light="#fff", encode_minimal=False)


def new_recovery() -> Sequence[str]:
    """Return codes of 80 random bits, each for one sign-in without the app."""
    return [_group_digits(base64.b32encode(secrets.token_bytes(10)).decode().lower()) for _ in range(RECOVERY_CODES)]


def recovery_hash(code: str) -> str:
    """Return the stored hash of a recovery code, independent of spaces, hyphens and case."""
    return fingerprint(_SEPARATORS.sub("", code).lower())


def _group_digits(code: str) -> str:
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


@dataclass(frozen=True)
class CodeAttempt:
    """A code to check, with its key and origin."""

    code: str
    key: str  # the library's secret key
    address: str = ""
    device: tuple[str, int] | None = None  # the browser's device id, and the person who signed in there before


def start_code_step(tx: Write, person: Person, *, next_path: str) -> str:
    """Store a pending sign-in after the right password, and return its secret."""
    return sessions.start_pending_sign_in(tx, "code", person_id=person.id, next_path=next_path)


def complete_code_step(tx: Write, pending: PendingSignIn, attempt: CodeAttempt) -> Person | None:
    """Return the person if the code is right, otherwise None. Raise TooManyRequests."""
    person = get_person_for_update(tx, pending.person_id or 0)
    if (
        person.disabled_at is not None
        or not verify_code(tx, person, attempt)
        or not sessions.take_pending_sign_in(tx, pending)
    ):
        return None
    return person


def enable_second_factor(tx: Write, me: CurrentUser, salt: str, attempt: CodeAttempt) -> Sequence[str] | None:
    """Enable the second factor and return the recovery codes to show once, or None if the code is wrong."""
    require(me, "keep")
    require_confirmed(me)
    person = get_person_for_update(tx, me.id)
    if person.totp_salt:
        raise Conflict(_("Two-factor authentication is on."), code="already-on")
    subject, attempt_ids = _count_attempt(tx, me.id, attempt)
    secret = derive_secret(attempt.key, salt, me.id)
    step = find_step(secret, attempt.code, now=clock.now().timestamp(), last_step=0)
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
        raise Conflict(_("Two-factor authentication is off."), code="not-on")
    return person


def verify_code(tx: Write, person: Person, attempt: CodeAttempt) -> bool:
    """Return True and use the code up if it is right. Earlier attempts are then forgotten."""
    subject, attempt_ids = _count_attempt(tx, person.id or 0, attempt)
    user = CurrentUser(person.id or 0, person.name, person.role, address=attempt.address)
    secret = derive_secret(attempt.key, person.totp_salt, person.id or 0)
    step = find_step(secret, attempt.code, now=clock.now().timestamp(), last_step=person.totp_step)
    code_hash = recovery_hash(attempt.code)
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
    codes = new_recovery()
    person.recovery = [recovery_hash(code) for code in codes]
    return codes


def _clear_second_factor(person: Person) -> None:
    person.totp_salt, person.totp_step, person.recovery = "", 0, []
