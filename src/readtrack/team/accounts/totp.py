"""TOTP codes of authenticator apps (RFC 6238): six digits that change every half minute.

The secret is derived from the library's secret key and a salt, so that a copy of the database alone is useless.
"""

import base64
import hmac
import re
import secrets
from collections.abc import Sequence

import pyotp
from pyotp.exceptions import OTPVerificationError

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
