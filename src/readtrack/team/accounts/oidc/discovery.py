"""Metadata and keys of an OpenID provider, fetched through the egress client and cached for an hour."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import structlog
from pydantic_core import from_json

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import HttpResponse
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text.urls import safe_url

if TYPE_CHECKING:
    from joserfc.jwk import Key

    from readtrack.infra.http.client import HttpClient

CACHE_SECONDS = 3600.0  # seconds
RETRY_SECONDS = 5.0  # seconds without requests after a failure, because concurrent requests wait for each other
KEYS_AGAIN = 30.0  # seconds between two fetches for an unknown key id, so that forged tokens cannot cause requests
MAX_KEYS = 100
WELL_KNOWN = "/.well-known/openid-configuration"
ASYMMETRIC = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
SMALLEST_RSA = 2048  # bits
log = structlog.get_logger()
AWAY = N_("{name} can't be reached. Try again or sign in another way.")


@dataclass(frozen=True)
class ProviderMetadata:
    """The provider's validated metadata."""

    issuer: str
    authorize_at: str
    token_at: str
    keys_at: str
    algorithms: frozenset[str]
    by_header: bool  # send the secret in the Authorization header instead of the form
    sends_issuer: bool  # responses always have an `iss` parameter


@dataclass(frozen=True)
class PublicKey:
    """A public key for signatures. `kid` is "" if the provider gave it none."""

    kid: str
    key: "Key"


@dataclass
class _ProviderCache:
    metadata: ProviderMetadata | None = None
    keys: Sequence[PublicKey] = ()
    described_at: float = 0.0
    keys_at: float = 0.0
    away_until: float = 0.0


@dataclass
class Provider:
    """The provider configured by the operator, with readtrack's client credentials."""

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    egress: "HttpClient" = field(repr=False)
    _kept: _ProviderCache = field(default_factory=_ProviderCache, repr=False)
    _looking: Lock = field(default_factory=Lock, repr=False)

    @property
    def name(self) -> str:
        """The host name, for display."""
        return urlsplit(self.issuer).hostname or self.issuer

    @property
    def key(self) -> str:
        """The issuer in stored identities, without a trailing slash."""
        return self.issuer.rstrip("/")

    def get_metadata(self) -> ProviderMetadata:
        """Return the metadata. Raise SourceUnavailable or SourceRefused if it cannot be fetched."""
        with self._looking:
            if self._kept.metadata is None or time.monotonic() - self._kept.described_at > CACHE_SECONDS:
                self._kept.metadata = parse_provider_metadata(
                    self.issuer, self._fetch_document(self.issuer.rstrip("/") + WELL_KNOWN)
                )
                self._kept.described_at = time.monotonic()
            return self._kept.metadata

    def keys(self, kid: str) -> Sequence[PublicKey]:
        """Return the keys with that id, or all if it is "".

        Fetch again for an unknown id: providers rotate their keys.
        """
        keys_url = self.get_metadata().keys_at
        with self._looking:
            age = time.monotonic() - self._kept.keys_at
            keys = find_keys(self._kept.keys, kid)
            if not self._kept.keys or age > CACHE_SECONDS or (not keys and age > KEYS_AGAIN):
                self._kept.keys = public_keys(self._fetch_document(keys_url))
                self._kept.keys_at = time.monotonic()
                keys = find_keys(self._kept.keys, kid)
            return keys

    def send_request(
        self, url: str, fields: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """Send a GET request, or a POST with form fields.

        The log gets the cause of an error, the user a hint.
        """
        request_headers = {"accept": "application/json", **(headers or {})}
        try:
            return (
                self.egress.get(url, request_headers)
                if fields is None
                else self.egress.post_form(url, fields, request_headers)
            )
        except SourceUnavailable as error:
            log.warning("identity provider request failed", problem=error.message)
            raise SourceUnavailable(_(AWAY).format(name=self.name), retry_after=error.retry_after) from error
        except SourceRefused as error:
            log.warning("identity provider request failed", problem=error.message)
            raise unusable_provider_error(self.name, "blocked redirect or oversized response") from error

    def _fetch_document(self, url: str) -> Mapping[str, Any]:
        """Fetch a JSON document.

        Concurrent requests wait, so that one failure counts for all of them.
        """
        if time.monotonic() < self._kept.away_until:
            raise SourceUnavailable(_(AWAY).format(name=self.name), retry_after=RETRY_SECONDS)
        try:
            return parse_json_object(self.send_request(url), self.name)
        except SourceUnavailable:
            self._kept.away_until = time.monotonic() + RETRY_SECONDS
            raise


def parse_json_object(answer: HttpResponse, name: str) -> Mapping[str, Any]:
    """Return the JSON object of a response. Raise SourceRefused for anything else."""
    try:
        parsed = from_json(answer.body) if answer.status == 200 else None
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise unusable_provider_error(name, f"invalid response (status {answer.status})")
    return parsed


def parse_provider_metadata(issuer: str, document: Mapping[str, Any]) -> ProviderMetadata:
    """Return the metadata if it is the issuer's and its addresses are safe. Raise SourceRefused."""
    name = urlsplit(issuer).hostname or issuer
    stated_issuer = document.get("issuer")
    if not isinstance(stated_issuer, str) or stated_issuer.rstrip("/") != issuer.rstrip("/"):
        raise unusable_provider_error(name, "issuer differs from READTRACK_OIDC_ISSUER")
    algorithms = ASYMMETRIC.intersection(_string_list(document, "id_token_signing_alg_values_supported", "RS256"))
    if not algorithms:
        raise unusable_provider_error(name, "no accepted signing algorithm")
    methods = _string_list(document, "token_endpoint_auth_methods_supported", "client_secret_basic")
    return ProviderMetadata(
        issuer=stated_issuer,
        authorize_at=_endpoint_address(document, "authorization_endpoint", issuer),
        token_at=_endpoint_address(document, "token_endpoint", issuer),
        keys_at=_endpoint_address(document, "jwks_uri", issuer),
        algorithms=algorithms,
        by_header="client_secret_basic" in methods or "client_secret_post" not in methods,
        sends_issuer=document.get("authorization_response_iss_parameter_supported") is True,
    )


def public_keys(document: Mapping[str, Any]) -> Sequence[PublicKey]:
    """Return the signature keys, without symmetric, short and unknown ones."""
    key_list = document.get("keys")
    entries = key_list[:MAX_KEYS] if isinstance(key_list, list) else []
    keys = ((entry, _load_key(entry)) for entry in entries if isinstance(entry, dict))
    return [PublicKey(str(entry.get("kid") or ""), key) for entry, key in keys if key is not None]


def find_keys(keys: Sequence[PublicKey], kid: str) -> Sequence[PublicKey]:
    return [key for key in keys if not kid or key.kid == kid]


def _load_key(entry: Mapping[str, Any]) -> "Key | None":
    from joserfc.errors import JoseError
    from joserfc.jwk import RSAKey, import_key

    parameters = {name: entry[name] for name in ("kty", "crv", "x", "y", "n", "e") if isinstance(entry.get(name), str)}
    if parameters.get("kty") not in {"RSA", "EC", "OKP"} or entry.get("use", "sig") != "sig":
        return None
    try:
        key = import_key(parameters)
        return None if isinstance(key, RSAKey) and key.raw_value.key_size < SMALLEST_RSA else key
    except (JoseError, ValueError, TypeError, KeyError):  # KeyError: an unknown curve
        return None


def _string_list(document: Mapping[str, Any], name: str, default: str) -> Sequence[str]:
    values = document.get(name)
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else [default]


def _endpoint_address(document: Mapping[str, Any], name: str, issuer: str) -> str:
    value = document.get(name)
    url = safe_url(value) if isinstance(value, str) else None
    if url is None or "#" in url or not url.startswith(("https://", f"{urlsplit(issuer).scheme}://")):
        host = urlsplit(issuer).hostname or issuer
        raise unusable_provider_error(host, f"{name} is not an allowed address")
    return url


def unusable_provider_error(name: str, reason: str) -> SourceRefused:
    return SourceRefused(_("Sign-in failed: {why}. Try again or ask an admin.").format(why=f"{name}: {reason}"))
