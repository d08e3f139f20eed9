"""Codes of an authenticator app (RFC 6238): six digits that change every half minute. Pure.

The secret is made of the library's secret key and a salt, so that a copy of the database alone makes no codes.
"""

import base64
import hmac
import re
import secrets
from collections.abc import Sequence

import pyotp
from pyotp.exceptions import OTPVerificationError

from readtrack.team.accounts.passwords import fingerprint

STEP = 30  # seconds
DIGITS = 6
A_DAY = 24 * 3600 // STEP  # a code used further ahead was used while the clock was wrong: it shuts nobody out for years
DRIFT = 1  # steps that the clock of a telephone may be early or late
CODES = 10  # for a lost telephone
_CODE = re.compile(rf"[0-9]{{{DIGITS}}}")
_SEPARATORS = re.compile(r"[\s-]+")


def new_salt() -> str:
    return secrets.token_hex(16)


def derive_secret(key: str, salt: str, person_id: int) -> bytes:
    """The secret that this person's app knows."""
    return hmac.digest(key.encode(), f"second factor:{person_id}:{salt}".encode(), "sha256")[:20]


def authenticator(secret: bytes) -> pyotp.TOTP:
    """Return what an app makes of that secret."""
    return pyotp.TOTP(base64.b32encode(secret).decode(), interval=STEP, digits=DIGITS)


def find_step(secret: bytes, code: str, *, now: float, after: int) -> int | None:
    """The step whose code this is, if it is about now and later than `after`: no code works twice."""
    tidy = _SEPARATORS.sub("", code)
    if not _CODE.fullmatch(tidy):
        return None
    try:
        step = authenticator(secret).verify_and_get_timecode(tidy, for_time=now, valid_window=DRIFT)
    except OTPVerificationError:
        return None
    return step if step > after or after > step + A_DAY else None


def format_secret(secret: bytes) -> str:
    """The secret as people type it into an app that has no camera."""
    text = base64.b32encode(secret).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def provisioning_uri(secret: bytes, name: str, host: str) -> str:
    """What a QR code tells an app."""
    issuer, account = (text.replace(":", " ") for text in (f"readtrack ({host})", name))  # a colon parts the two
    return authenticator(secret).provisioning_uri(name=account, issuer_name=issuer)


def qr_code_uri(text: str) -> str:
    """Its QR code as the address of a picture, which is lines and nothing that runs."""
    import segno

    return segno.make(text, error="m", micro=False).svg_data_uri(scale=4, border=3, light="#fff", encode_minimal=False)


def new_recovery() -> Sequence[str]:
    """Codes of 80 random bits, each for one sign-in without the app."""
    return [_group_digits(base64.b32encode(secrets.token_bytes(10)).decode().lower()) for _ in range(CODES)]


def recovery_hash(code: str) -> str:
    """What is stored of one, however it is typed."""
    return fingerprint(_SEPARATORS.sub("", code).lower())


def _group_digits(code: str) -> str:
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))
