"""Asking a provider who somebody is: the address they are sent to, and what the code they bring back is worth."""

import base64
import hashlib
from dataclasses import dataclass
from urllib.parse import quote_plus, urlencode

from readtrack.infra import clock
from readtrack.team.accounts.oidc.discovery import Described, Provider, said
from readtrack.team.accounts.oidc.tokens import Claims, Expected, believed, refused
from readtrack.team.accounts.passwords import new_secret

SCOPES = "openid profile"
LONGEST_CODE = 4096


@dataclass(frozen=True)
class Asked:
    """One question to the provider: what must come back, and what proves that it was ours."""

    state: str
    nonce: str
    verifier: str
    address: str = ""  # where the person's browser goes


def ask(provider: Provider, answer_at: str) -> Asked:
    """A new question, with PKCE; raises SourceUnavailable or SourceRefused when the provider is not there."""
    there = provider.described().authorize_at
    state, nonce, verifier = new_secret(), new_secret(), new_secret()
    fields = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": answer_at,
        "scope": SCOPES,
        "state": state,
        "nonce": nonce,
        "code_challenge": _challenge(verifier),
        "code_challenge_method": "S256",
    }
    return Asked(state, nonce, verifier, f"{there}{'&' if '?' in there else '?'}{urlencode(fields)}")


def claims_of(provider: Provider, asked: Asked, code: str, *, answer_at: str, issuer: str | None = None) -> Claims:
    """Who came back with that code. `issuer`: who answered, if they said. Raises NotAllowed, and what `ask` raises."""
    described = provider.described()
    if (issuer is None and described.tells_issuer) or (issuer is not None and issuer != described.issuer):
        raise refused("another provider answered than was asked")
    if not 0 < len(code) <= LONGEST_CODE:
        raise refused("it brought no code")
    token = _exchanged(provider, described, asked, code=code, answer_at=answer_at)
    expected = Expected(described, provider.client_id, asked.nonce, clock.now().timestamp())
    return believed(token, provider.keys, expected)


def _exchanged(provider: Provider, described: Described, asked: Asked, *, code: str, answer_at: str) -> object:
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": answer_at,
        "code_verifier": asked.verifier,
    }
    headers = {}
    if provider.secret and described.by_header:
        headers["authorization"] = _basic(provider)
    else:
        fields |= {"client_id": provider.client_id}
        fields |= {"client_secret": provider.secret} if provider.secret else {}
    answer = provider.asked(described.token_at, fields, headers)
    if answer.status in {400, 401, 403}:
        raise refused("it does not know the code that came back, or does not know readtrack")
    return said(answer, provider.name).get("id_token")


def _basic(provider: Provider) -> str:
    pair = f"{quote_plus(provider.client_id)}:{quote_plus(provider.secret)}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
