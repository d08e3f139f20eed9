"""An OpenID provider on loopback whose word can be spoilt in every way, and a browser that comes back from it."""

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import lxml.html
from joserfc import jwt
from joserfc.jwk import RSAKey

from readtrack.infra import clock
from tests.client import AppClient
from tests.standin import Request, StandIn, send

CLIENT, SECRET = "readtrack-of-the-team", "between us & the provider"
JSON = {"content-type": "application/json"}


def new_key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


FIRST, SECOND = new_key("first"), new_key("second")  # slow to make


class ProviderStandIn(StandIn):
    """Answers as a provider does. `document` and `claims` are laid over what is right; `sign` makes the token."""

    def __init__(self) -> None:
        super().__init__()
        self.document: dict[str, Any] = {}
        self.claims: dict[str, Any] = {}
        self.keys = [FIRST]
        self.sign: Callable[[Mapping[str, Any]], str] = lambda claims: signed(claims, self.keys[-1])
        self.token_answer: tuple[int, bytes] | None = None
        self.codes: dict[str, dict[str, str]] = {}
        self.reused: set[str] = set()

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        path = urlsplit(asked.path).path
        if path == "/.well-known/openid-configuration":
            send(to, 200, json.dumps(self._described()).encode(), JSON)
        elif path == "/keys":
            send(to, 200, json.dumps({"keys": [key.as_dict(private=False) for key in self.keys]}).encode(), JSON)
        elif path == "/token" and asked.method == "POST":
            status, body = self.token_answer or self._token(asked)
            send(to, status, body, JSON)
        else:
            send(to, 404, b"{}", JSON)

    def approve(self, address: str, subject: str, name: str = "Mika Elsewhere") -> dict[str, str]:
        """Somebody says yes at the page that a browser was sent to: what the browser brings back."""
        asked = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert asked["client_id"] == CLIENT
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(8)
        self.codes[code] = {**asked, "sub": subject, "name": name}
        return {"code": code, "state": asked["state"]}

    def _described(self) -> dict[str, Any]:
        there = {name: f"{self.url}/{path}" for name, path in _PLACES.items()}
        return {"issuer": self.url, **there, "id_token_signing_alg_values_supported": ["RS256"], **self.document}

    def _token(self, asked: Request) -> tuple[int, bytes]:
        form = {key: values[0] for key, values in parse_qs(asked.body.decode()).items()}
        given = self.codes.pop(form["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        wanted = f"Basic {base64.b64encode(f'{CLIENT}:between+us+%26+the+provider'.encode()).decode()}"
        if not given or given["code_challenge"] != challenge.decode() or asked.headers["authorization"] != wanted:
            return 400, b'{"error": "invalid_grant"}'
        if form["redirect_uri"] != given["redirect_uri"]:
            return 400, b'{"error": "invalid_grant"}'
        now = int(clock.now().timestamp())
        right = {"iss": self.url, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": given["nonce"]}
        claims = {**right, "sub": given["sub"], "name": given["name"], **self.claims}
        token = self.sign({name: value for name, value in claims.items() if value is not None})
        return 200, json.dumps({"access_token": "a", "token_type": "Bearer", "id_token": token}).encode()


_PLACES = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}


def signed(claims: Mapping[str, Any], key: RSAKey, *, alg: str = "RS256", kid: str | None = None) -> str:
    return jwt.encode({"alg": alg, "kid": kid or str(key.kid)}, dict(claims), key)


def sent_to(answer: Any) -> str:
    """The address that the page in between leads to."""
    (link,) = lxml.html.fromstring(answer.text).cssselect("main .actions a")
    refresh = lxml.html.fromstring(answer.text).xpath("string(//meta[@http-equiv='refresh']/@content)")
    assert refresh == f"0; url={link.get('href')}"
    return str(link.get("href"))


def come_back(browser: AppClient, brought: Mapping[str, str]) -> Any:
    """The browser follows the provider's redirect: from another site, by a link."""
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    return browser.get("/sign-in/provider/answer", params=dict(brought), headers=headers)


def said(browser: AppClient, answer: Any) -> str:
    """The sentence that is shown where a redirect leads."""
    assert answer.status_code == 303, answer.text
    page = browser.get(answer.headers["location"], follow_redirects=True)
    return " ".join(lxml.html.fromstring(page.text).get_element_by_id("flash").text_content().split())
