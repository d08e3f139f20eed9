"""Hashing and comparison of passwords, and generation of secrets. Slow on purpose."""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

MIN_LENGTH = 12
MAX_LENGTH = 256
MAX_SCORED_CHARS = 64  # characters evaluated for strength, because the time grows with the length
MIN_CHARS_BESIDE_NAME = 8  # characters that are not part of the person's name or address
MIN_SCORE = 2  # of 4: more than a million guesses
# OWASP's minimum memory for argon2id: 30 ms and 19 MiB each, so that many sign-ins do not exhaust the memory.
HASHER = PasswordHash((Argon2Hasher(time_cost=2, memory_cost=19_456, parallelism=1),))


@dataclass(frozen=True)
class Verdict:
    """The result of a comparison, and a new hash to store if the old one has weaker settings."""

    is_correct: bool
    new_hash: str | None = None


def is_easy_to_guess(password: str, personal_texts: Sequence[str] = ()) -> bool:
    """Return True for common passwords, keyboard runs, repetitions and variations of the name."""
    from zxcvbn import zxcvbn

    words = {word for text in personal_texts for word in re.split(r"[\W_]+", text.casefold()) if len(word) > 2}
    remainder = password.casefold()
    for word in sorted(words, key=len, reverse=True):
        remainder = remainder.replace(word, "")
    if len(remainder) < len(password) and len(remainder.strip()) < MIN_CHARS_BESIDE_NAME:
        return True
    return int(zxcvbn(password[:MAX_SCORED_CHARS], user_inputs=[*personal_texts, *words])["score"]) < MIN_SCORE


def hash_password(password: str) -> str:
    """Return the argon2id hash of the normalized password, the same for composed and decomposed letters."""
    return HASHER.hash(_normalize_password(password))


def check_password(password: str, stored_hash: str) -> Verdict:
    """Compare a password with a hash.

    Without a hash it takes as long, so the time does not reveal accounts.
    """
    is_right, new_hash = HASHER.verify_and_update(_normalize_password(password), stored_hash or _dummy_hash())
    return Verdict(is_right and bool(stored_hash), new_hash if stored_hash else None)


def new_secret(prefix: str = "") -> str:
    """Return 256 random bits as text for a link, cookie or header."""
    return prefix + secrets.token_urlsafe(32)


def fingerprint(secret: str) -> str:
    """Return the hash under which a secret is stored.

    Secrets are looked up by the whole hash, so no timing leaks.
    """
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _normalize_password(password: str) -> bytes:
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")


@cache
def _dummy_hash() -> str:
    return hash_password(new_secret())
