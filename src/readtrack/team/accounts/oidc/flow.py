"""Authorization code flow: the address for the browser, and the exchange of the code."""

import base64
import hashlib
from dataclasses import dataclass
from urllib.parse import quote_plus, urlencode

from readtrack.infra import clock
from readtrack.team.accounts.oidc.discovery import Provider, ProviderMetadata, parse_json_object
from readtrack.team.accounts.oidc.tokens import Claims, TokenExpectation, token_error, verify_id_token
from readtrack.team.accounts.passwords import new_secret

SCOPES = "openid profile"
MAX_CODE_CHARS = 4096


@dataclass(frozen=True)
class AuthorizationRequest:
    """An authorization request: the values that the response must match, and the PKCE verifier."""

    state: str
    nonce: str
    verifier: str
    address: str = ""  # to which the browser is redirected


def build_authorization_request(provider: Provider, redirect_uri: str) -> AuthorizationRequest:
    """Build an authorization request with PKCE.

    Raise SourceUnavailable or SourceRefused if the provider fails.
    """
    authorize_url = provider.get_metadata().authorize_at
    state, nonce, verifier = new_secret(), new_secret(), new_secret()
    fields = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": redirect_uri,
        "scope": SCOPES,
        "state": state,
        "nonce": nonce,
        "code_challenge": _code_challenge(verifier),
        "code_challenge_method": "S256",
    }
    return AuthorizationRequest(
        state, nonce, verifier, f"{authorize_url}{'&' if '?' in authorize_url else '?'}{urlencode(fields)}"
    )


def fetch_claims(
    provider: Provider, request: AuthorizationRequest, code: str, *, redirect_uri: str, issuer: str | None = None
) -> Claims:
    """Exchange the code for verified claims.

    `issuer`: the `iss` parameter of the response, if any. Raise NotAllowed if the response is invalid,
    SourceUnavailable or SourceRefused if the provider fails.
    """
    metadata = provider.get_metadata()
    if (issuer is None and metadata.sends_issuer) or (issuer is not None and issuer != metadata.issuer):
        raise token_error("the response is from another provider")
    if not 0 < len(code) <= MAX_CODE_CHARS:
        raise token_error("the response has no valid code")
    token = _exchange_code(provider, metadata, request, code=code, redirect_uri=redirect_uri)
    expected = TokenExpectation(metadata, provider.client_id, request.nonce, clock.now().timestamp())
    return verify_id_token(token, provider.keys, expected)


def _exchange_code(
    provider: Provider, metadata: ProviderMetadata, request: AuthorizationRequest, *, code: str, redirect_uri: str
) -> object:
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": request.verifier,
    }
    headers = {}
    if provider.secret and metadata.by_header:
        headers["authorization"] = _basic_auth_header(provider)
    else:
        fields |= {"client_id": provider.client_id}
        fields |= {"client_secret": provider.secret} if provider.secret else {}
    answer = provider.send_request(metadata.token_at, fields, headers)
    if answer.status in {400, 401, 403}:
        raise token_error("the provider rejected the code or the client credentials")
    return parse_json_object(answer, provider.name).get("id_token")


def _basic_auth_header(provider: Provider) -> str:
    pair = f"{quote_plus(provider.client_id)}:{quote_plus(provider.secret)}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _code_challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
