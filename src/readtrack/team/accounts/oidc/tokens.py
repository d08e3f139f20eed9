"""Verification of ID tokens (OpenID Connect Core, 3.1.3.7)."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readtrack.infra.errors import NotAllowed
from readtrack.infra.i18n import gettext as _
from readtrack.team.accounts.oidc.discovery import ProviderMetadata, PublicKey

LEEWAY_SECONDS = 60  # seconds of clock skew
MAX_SUBJECT_CHARS = 255
MAX_NAME_CHARS = 80
MAX_TOKEN_CHARS = 100_000  # characters
LAST_MOMENT = 2**53  # seconds since 1970: the limit of exact floats, far beyond any real time
UNREADABLE = (ValueError, TypeError, RecursionError)


@dataclass(frozen=True)
class Claims:
    """Claims of the provider.

    `subject` identifies the person permanently; `name` is for display and proves nothing.
    """

    subject: str
    name: str


@dataclass(frozen=True)
class TokenExpectation:
    """The values that a token must match."""

    provider: ProviderMetadata
    client_id: str
    nonce: str
    now: float  # seconds since 1970


def verify_id_token(token: object, keys: Callable[[str], Sequence[PublicKey]], expected: TokenExpectation) -> Claims:
    """Return the claims of a valid token. Raise NotAllowed without details of its contents."""
    if not isinstance(token, str) or not 0 < len(token) <= MAX_TOKEN_CHARS:
        raise token_error("the provider sent no ID token")
    claims = _verify_signature(token, keys, expected.provider.algorithms)
    _check_parties(claims, expected)
    _check_times(claims, expected.now)
    _check_nonce(claims, expected.nonce)
    return Claims(_subject_claim(claims), _name_claim(claims))


def token_error(reason: str) -> NotAllowed:
    """Build the error, also for the log: it names the cause but contains nothing of the response."""
    message = _("Sign-in failed: {why}. Try again or ask an admin.").format(why=reason)
    return NotAllowed(message, code="not-believed")


def _verify_signature(
    token: str, keys: Callable[[str], Sequence[PublicKey]], algorithms: frozenset[str]
) -> Mapping[str, Any]:
    """Return the claims if one of the provider's keys signed them.

    Keys in the token itself are ignored.
    """
    from joserfc import jwt
    from joserfc.errors import JoseError

    kid, algorithm = _parse_header(token)
    if algorithm not in algorithms:
        raise token_error("the signing algorithm of the ID token is not accepted")
    for candidate in keys(kid):
        try:
            return jwt.decode(token, candidate.key, algorithms=[algorithm]).claims
        except (JoseError, *UNREADABLE):  # another key's signature, or not a token
            continue
    raise token_error("the signature of the ID token matches no key of the provider")


def _parse_header(token: str) -> tuple[str, str]:
    from joserfc import jws
    from joserfc.errors import JoseError

    try:
        header = jws.extract_compact(token.encode()).headers()
    except (JoseError, *UNREADABLE) as error:
        raise token_error("the provider sent no ID token") from error
    kid, algorithm = header.get("kid", ""), header.get("alg")
    if not isinstance(kid, str) or not isinstance(algorithm, str):
        raise token_error("the provider sent no ID token")
    return kid, algorithm


def _check_parties(claims: Mapping[str, Any], expected: TokenExpectation) -> None:
    if claims.get("iss") != expected.provider.issuer:
        raise token_error("the ID token is from another provider")
    audience, party = claims.get("aud"), claims.get("azp")
    audiences = audience if isinstance(audience, list) else [audience]
    if expected.client_id not in audiences:
        raise token_error("the ID token is for another application")
    if party != expected.client_id and (party is not None or len(audiences) > 1):
        raise token_error("the ID token was issued to another application")


def _check_nonce(claims: Mapping[str, Any], expected_nonce: str) -> None:
    nonce = claims.get("nonce")
    nonce_bytes = nonce.encode(errors="replace") if isinstance(nonce, str) else b""
    if not hmac.compare_digest(nonce_bytes, expected_nonce.encode()):
        raise token_error("the ID token belongs to another sign-in")


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    expires_at, issued_at, not_before = (_timestamp_claim(claims, name) for name in ("exp", "iat", "nbf"))
    if expires_at is None or issued_at is None or expires_at + LEEWAY_SECONDS <= now:
        raise token_error("the ID token has expired")
    if issued_at - LEEWAY_SECONDS > now or (not_before is not None and not_before - LEEWAY_SECONDS > now):
        raise token_error("the ID token is dated in the future; check the clocks")


def _timestamp_claim(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (is_number and abs(value) < LAST_MOMENT):
        raise token_error("the ID token has an invalid time")
    return value


def _subject_claim(claims: Mapping[str, Any]) -> str:
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT_CHARS or not subject.isprintable():
        raise token_error("the ID token has no valid subject")
    return subject


def _name_claim(claims: Mapping[str, Any]) -> str:
    candidates = (claims.get(name) for name in ("name", "preferred_username", "nickname"))
    name_text = next((text for text in candidates if isinstance(text, str) and text.strip()), "")
    return " ".join("".join(character if character.isprintable() else " " for character in name_text).split())[
        :MAX_NAME_CHARS
    ]
