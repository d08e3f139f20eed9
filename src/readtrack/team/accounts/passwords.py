"""Passwords, and secrets that readtrack makes: how they are made, hashed and compared. Pure; slow on purpose."""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

SHORTEST = 12
LONGEST = 256
JUDGED = 64  # characters that are looked at for how easy a password is to guess: it takes ever longer for more
LEAST_BESIDE_NAME = 8  # characters that are not of the person's name or address
LEAST_SCORE = 2  # of 4: more than a million guesses
# OWASP's least memory for argon2id: 30 ms and 19 MiB each, so that a flood of sign-ins does not fill the memory.
HASHER = PasswordHash((Argon2Hasher(time_cost=2, memory_cost=19_456, parallelism=1),))


@dataclass(frozen=True)
class Verdict:
    """Whether the password was right, and the hash to store instead when the stored one is of weaker settings."""

    right: bool
    rehash: str | None = None


def is_easy_to_guess(password: str, known: Sequence[str] = ()) -> bool:
    """Return True for common passwords, keyboard runs, repeated words, and what is made of the person's name."""
    from zxcvbn import zxcvbn

    words = {word for text in known for word in re.split(r"[\W_]+", text.casefold()) if len(word) > 2}
    without = password.casefold()
    for word in sorted(words, key=len, reverse=True):
        without = without.replace(word, "")
    if len(without) < len(password) and len(without.strip()) < LEAST_BESIDE_NAME:
        return True
    return int(zxcvbn(password[:JUDGED], user_inputs=[*known, *words])["score"]) < LEAST_SCORE


def hash_password(password: str) -> str:
    """Its argon2id hash; the same for the same letters, whichever keyboard composed them."""
    return HASHER.hash(_normalize_password(password))


def check_password(password: str, stored: str) -> Verdict:
    """Compares; takes as long when there is nothing stored to compare with, so that time does not tell who exists."""
    right, rehash = HASHER.verify_and_update(_normalize_password(password), stored or _dummy_hash())
    return Verdict(right and bool(stored), rehash if stored else None)


def new_secret(prefix: str = "") -> str:
    """A word of 256 random bits that fits into a link, a cookie or a header."""
    return prefix + secrets.token_urlsafe(32)


def fingerprint(secret: str) -> str:
    """What is stored of a secret. Looked up as a whole, so comparing takes the same time for every wrong one."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _normalize_password(password: str) -> bytes:
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")


@cache
def _dummy_hash() -> str:
    return hash_password(new_secret())
