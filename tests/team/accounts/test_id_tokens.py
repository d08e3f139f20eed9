"""ID tokens that are well signed, keys that are published, and still nothing to be read: refused, never an error."""

import base64
import json
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from readtrack.infra.errors import NotAllowed
from readtrack.team.accounts.oidc.discovery import ASYMMETRIC, ProviderMetadata, find_keys, public_keys
from readtrack.team.accounts.oidc.tokens import Claims, TokenExpectation, verify_id_token
from tests.provider import CLIENT, FIRST

# these keys and ways are weak on purpose
pytestmark = pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")

ISSUER = "https://id.example.org"
NOW = time.time()
HEAD = b'{"alg": "RS256", "kid": "first"}'
RIGHT = {"iss": ISSUER, "aud": CLIENT, "exp": NOW + 300, "iat": NOW, "nonce": "asked", "sub": "bob-1"}
PUBLISHED = public_keys({"keys": [FIRST.as_dict(private=False)]})
DEEP = b"[" * 30_000 + b"]" * 30_000


def judged(head: bytes, body: bytes) -> Claims:
    described = ProviderMetadata(ISSUER, f"{ISSUER}/a", f"{ISSUER}/t", f"{ISSUER}/k", ASYMMETRIC, True, False)
    said = f"{encoded(head)}.{encoded(body)}"
    assert FIRST.private_key is not None
    signature = FIRST.private_key.sign(said.encode(), PKCS1v15(), SHA256())
    expected = TokenExpectation(described, CLIENT, "asked", NOW)
    return verify_id_token(f"{said}.{encoded(signature)}", lambda kid: find_keys(PUBLISHED, kid), expected)


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def saying(**claims: object) -> bytes:
    return json.dumps(RIGHT | claims).encode()


def test_a_valid_id_token_is_accepted():
    assert judged(HEAD, saying(name="Bob\ud800")) == Claims("bob-1", "Bob")


@pytest.mark.parametrize(
    "body",
    [
        saying(exp=10**400),
        saying(iat=-(10**400)),
        saying(exp=float("nan")),
        saying(exp=2**53),
        saying(nonce="\ud800"),
        saying(iss="\ud800"),
        saying(sub="\ud800"),
        saying(aud={CLIENT: 1}),
        saying(aud=[[CLIENT]]),
        saying(azp=[CLIENT]),
        b'{"exp": ' + b"9" * 5_000 + b"}",
        b'{"a": ' + DEEP + b"}",
        *(b"[]", b"null", b"7", b'"a"', b"", b"{", b"\xff"),
    ],
    ids=lambda body: repr(body[-30:]),
)
def test_malformed_claims_are_rejected(body):
    with pytest.raises(NotAllowed, match="Sign-in failed"):
        judged(HEAD, body)


@pytest.mark.parametrize(
    "head",
    [
        b"[]",
        b"null",
        b"7",
        b"",
        b"{}",
        b'{"alg": "RS256", "a": ' + DEEP + b"}",
        b'{"alg": ["RS256"], "kid": "first"}',
        b'{"alg": "RS256", "kid": ["first"]}',
        b'{"alg": "RS256", "kid": "first", "crit": ["x"], "x": 1}',
        b'{"alg": "RS256", "kid": "first", "crit": ["b64"], "b64": false}',
        b'{"alg": "ES256", "kid": "first"}',
        b'{"alg": "EdDSA", "kid": "first"}',
        b'{"alg": "none", "kid": "first"}',
    ],
    ids=lambda head: repr(head[-30:]),
)
def test_a_malformed_header_is_rejected(head):
    with pytest.raises(NotAllowed, match="Sign-in failed"):
        judged(head, saying())


@pytest.mark.parametrize(
    "key",
    [
        {"kty": "oct", "k": "AAAA"},
        {"kty": ["RSA"]},
        {"kty": "RSA"},
        {"kty": "RSA", "n": "!" * 400, "e": "AQAB"},
        {"kty": "RSA", "n": encoded(b"\xff" * 128), "e": "AQAB"},
        {"kty": "RSA", "n": encoded(b"\x00" * 300 + b"\xff" * 128), "e": "AQAB"},
        {"kty": "RSA", "n": encoded(b"\xff" * 256), "e": "AQ"},
        {"kty": "EC", "crv": "P-1", "x": "AA", "y": "AA"},
        {"kty": "EC", "x": "AA", "y": "AA"},
        {"kty": "OKP", "crv": "Ed25519", "x": "AA"},
        {"use": "enc", "kty": "RSA", **{part: FIRST.as_dict(private=False)[part] for part in "ne"}},
        *(7, None, [], "RSA"),
    ],
    ids=lambda key: f"{key}"[:24],
)
def test_an_invalid_key_does_not_affect_the_others(key):
    published = public_keys({"keys": [key, FIRST.as_dict(private=False)]})
    assert [one.kid for one in published] == ["first"]


@pytest.mark.parametrize("keys", [None, {}, "all", 7])
def test_a_malformed_key_set_is_empty(keys):
    assert public_keys({"keys": keys}) == []
