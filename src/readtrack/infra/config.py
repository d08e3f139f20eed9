"""Settings from environment variables, read once at startup.

A setting is given in READTRACK_…, or in the file named by READTRACK_…_FILE.
"""

import ipaddress
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from readtrack.infra.errors import SettingNotUsableYet, SettingsError
from readtrack.infra.validation import validation_message

PREFIX = "READTRACK_"
DATABASES = ("postgresql+psycopg://", "sqlite:///")
# The other *_url settings are base URLs of services.
OWN_URLS = frozenset({"database_url", "base_url", "smtp_url", "llm_url"})
NO_NAMES = frozenset(  # Header names with another meaning to browsers and proxies.
    {"authorization", "cookie", "host", "origin", "referer", "user-agent", "forwarded", "x-real-ip"}
    | {"x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"}
)
# Largest number of addresses in a trusted network when AUTH_HEADER is set, by IP version.
MAX_TRUSTED_ADDRESSES = {4: 65_536, 6: 1 << 64}
SECRET_FILE = "secret_key"  # noqa: S105 - a name in DATA
SECRET_PREFIX = ".secret_key-"  # noqa: S105 - of the file in which a key is written before it gets its name
NOT_KEPT = "sqlite:///:memory:"  # Refused: each connection would open its own empty database.
_ISSUER = re.compile(r"https?://[^\s/?#@\\]+(/[^\s?#\\]*)?")
_SENDER = re.compile(r"[^\s@<>,]+@[^\s@<>,]+|[^\r\n<>@,]+ <[^\s@<>,]+@[^\s@<>,]+>")


class Settings(BaseModel):
    """All settings with their help texts.

    The environment variable is READTRACK_ plus the name in capitals.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Path = Field(description="folder for the database and the secret key (default: the user's data folder)")
    database_url: str = Field(
        "", description="default SQLite in DATA; postgresql+psycopg://user@host/name needs the extra [postgres]"
    )
    backup_dir: str = Field("", description="a folder for a backup each day; blank: none are made by themselves")
    backup_keep: int = Field(7, ge=1, le=10_000, description="how many of those backups are kept")
    base_url: str = Field("", description="the address people open; needed when --host is not loopback")
    allowed_hosts: str = Field(
        "",
        description="further host names under which it answers, comma-separated, beside BASE_URL's and localhost",
    )
    insecure_http: bool = Field(default=False, description="1 allows an http BASE_URL that is not loopback")
    contact: str = Field("", description="a mail address told to metadata services, so that they can reach you")
    offline: bool = Field(default=False, description="1 = never speak to the outside")
    arxiv_url: str = Field("https://export.arxiv.org/api/query", description="the arXiv API")
    arxiv_interval: float = Field(
        3.0, ge=0, le=3600, description="seconds between two requests to arXiv, over all processes"
    )
    crossref_url: str = Field("https://api.crossref.org", description="the Crossref API, about DOIs")
    datacite_url: str = Field("https://api.datacite.org", description="the DataCite API, about other DOIs")
    dblp_url: str = Field("https://dblp.org", description="the DBLP computer science bibliography")
    openalex_url: str = Field("https://api.openalex.org", description="the OpenAlex API")
    semanticscholar_url: str = Field("https://api.semanticscholar.org", description="the Semantic Scholar API")
    usenix_url: str = Field("https://www.usenix.org", description="the site of USENIX")
    github_url: str = Field("https://api.github.com", description="the GitHub API")
    oembed_url: str = Field("", description="one oEmbed service for all videos and slides (default: each site's own)")
    internal_hosts: str = Field(
        "", description="hosts that are never asked, comma-separated; `example.org` also means all below it"
    )
    proxy: str = Field(
        "",
        repr=False,
        description="http://host:port, the way to the outside; HTTPS_PROXY is not looked at",
    )
    proxy_resolves: bool = Field(
        default=False,
        description="1 = PROXY resolves names, instead of getting checked addresses; it must then refuse inner ones",
    )
    webhook_hosts: str = Field(
        "",
        description="inner addresses that webhooks may be sent to, comma-separated, as https://chat.example.org",
    )
    trusted_proxies: str = Field(
        "", description="addresses or networks, comma-separated, whose X-Forwarded-* headers are believed"
    )
    smtp_url: str = Field(
        "",
        repr=False,
        description="smtp://name:password@host:587 or smtps://…:465, the relay for mail; needs MAIL_FROM and BASE_URL",
    )
    mail_from: str = Field("", description="the address that mail comes from, as reading@example.org")
    auth_header: str = Field(
        "", description="a header in which a proxy names who is signed in, as Remote-User; needs TRUSTED_PROXIES"
    )
    oidc_issuer: str = Field(
        "", description="the OpenID provider by which people may sign in, as https://id.example.org"
    )
    oidc_client_id: str = Field("", description="what that provider calls this readtrack")
    oidc_client_secret: str = Field("", repr=False, description="what it gave readtrack to prove that; blank for none")
    llm_url: str = Field(
        "", description="a language model that may draft, spoken to as OpenAI's: https://host/v1; needs LLM_MODEL"
    )
    llm_model: str = Field("", description="what that endpoint calls the model")
    llm_key: str = Field("", repr=False, description="the key that it asks for; blank for none")
    llm_budget: int = Field(200_000, ge=0, description="tokens that the whole team may use for drafts on one day (UTC)")
    log_format: Literal["console", "json"] = Field("console", description="console or json")
    metrics_networks: str = Field(
        "127.0.0.0/8, ::1", description="addresses or networks, comma-separated, that may read /metrics; others get 404"
    )
    api_limit: int = Field(
        60_000,
        ge=0,
        description="requests to the API in 10 minutes with one token, four times that from one address; 0 = no limit",
    )
    min_free_mb: int = Field(
        100, ge=0, description="megabytes left on the disk below which files are refused and /readyz says so"
    )
    secret_key: str = Field("", repr=False, description="made and kept in DATA when absent; required with PostgreSQL")

    @model_validator(mode="after")
    def _check_urls(self) -> Self:
        if self.base_url:
            _check_base_url(self.base_url, insecure=self.insecure_http)
        if self.database_url:
            _check_database_url(self.database_url)
        if self.database_url.startswith("postgresql") and not self.secret_key:
            message = "SECRET_KEY is needed with PostgreSQL: several processes must share it"
            raise ValueError(message)
        if self.secret_key and len(self.secret_key) < 32:
            message = "SECRET_KEY is too short: 32 characters or more"
            raise ValueError(message)
        for proxy in self.proxies:
            _check_proxy(proxy)
        for network in self.metrics_sources:
            _check_network("METRICS_NETWORKS", network)
        return self

    @model_validator(mode="after")
    def _check_mail(self) -> Self:
        if self.smtp_url:
            _check_relay(self.smtp_url)
        missing_names = [name for name in ("mail_from", "base_url") if self.smtp_url and not getattr(self, name)]
        if missing_names:
            message = f"{missing_names[0].upper()} is needed with SMTP_URL: mail says who sends it, and has links"
            raise ValueError(message)
        if self.mail_from and not _SENDER.fullmatch(self.mail_from):
            message = "MAIL_FROM must be like reading@example.org or Reading <reading@example.org>"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _check_sign_in(self) -> Self:
        if self.auth_header:
            _check_auth_header(self.auth_header, self.proxies)
        if self.oidc_issuer:
            _check_issuer(self.oidc_issuer, insecure=self.insecure_http)
        if not self.oidc_issuer and (self.oidc_client_id or self.oidc_client_secret):
            message = "OIDC_ISSUER is missing: without it, what the provider calls readtrack is of no use"
            raise ValueError(message)
        if self.oidc_issuer and not self.oidc_client_id:
            message = "OIDC_CLIENT_ID is needed with OIDC_ISSUER: the provider is told who asks"
            raise ValueError(message)
        if self.oidc_issuer and self.offline:
            message = "OIDC_ISSUER cannot be asked with OFFLINE=1: leave one of them out"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _check_outgoing(self) -> Self:
        for service, address in self.bases.items():
            if address:
                _check_service_url(service, address)
        if self.proxy:
            _check_way_out(self.proxy)
        for host in self.closed_hosts:
            _check_closed_host(host)
        for host in self.hosts:
            _check_allowed_host(host)
        for address in self.webhook_bases:
            _check_webhook_base(address)
        return self

    @model_validator(mode="after")
    def _check_llm(self) -> Self:
        if self.llm_url:
            _check_service_url("llm", self.llm_url)
            if not self.llm_model:
                message = "LLM_MODEL is needed with LLM_URL: the endpoint is told which model shall draft"
                raise ValueError(message)
            if self.offline:
                message = "LLM_URL cannot be asked with OFFLINE=1: leave one of them out"
                raise ValueError(message)
        if not self.llm_url and (self.llm_model or self.llm_key):
            message = "LLM_URL is missing: without it, neither LLM_MODEL nor LLM_KEY is of any use"
            raise ValueError(message)
        return self

    @property
    def bases(self) -> dict[str, str]:
        """Return the base URL of each external service by service name."""
        field_names = [name for name in type(self).model_fields if name.endswith("_url") and name not in OWN_URLS]
        return {name.removesuffix("_url"): getattr(self, name).rstrip("/") for name in field_names}

    @property
    def hosts(self) -> list[str]:
        """Return ALLOWED_HOSTS as a list."""
        return [host.strip() for host in self.allowed_hosts.split(",") if host.strip()]

    @property
    def closed_hosts(self) -> frozenset[str]:
        """Return INTERNAL_HOSTS as a set; `*.example.org` and `.example.org` become `example.org`."""
        hosts = (host.strip().lower().removeprefix("*").strip(".") for host in self.internal_hosts.split(","))
        return frozenset(host for host in hosts if host)

    @property
    def webhook_bases(self) -> list[str]:
        """Return WEBHOOK_HOSTS as a list."""
        return [address.strip() for address in self.webhook_hosts.split(",") if address.strip()]

    @property
    def url(self) -> str:
        """Return the database URL: DATABASE_URL, or the SQLite file in DATA."""
        return self.database_url or f"sqlite:///{self.data / 'readtrack.sqlite3'}"

    @property
    def backup_folder(self) -> Path:
        """Return the folder for backups: BACKUP_DIR, or one in DATA."""
        return Path(self.backup_dir) if self.backup_dir else self.data / "backups"

    @property
    def shown_url(self) -> str:
        """Return the database URL for display, with the password masked."""
        password = urlsplit(self.url).password
        return self.url.replace(f":{password}@", ":…@", 1) if password else self.url

    @property
    def proxies(self) -> list[str]:
        """Return TRUSTED_PROXIES as a list."""
        return [proxy.strip() for proxy in self.trusted_proxies.split(",") if proxy.strip()]

    @property
    def metrics_sources(self) -> list[str]:
        """Return METRICS_NETWORKS as a list."""
        return [network.strip() for network in self.metrics_networks.split(",") if network.strip()]

    @property
    def min_free_bytes(self) -> int:
        """Return MIN_FREE_MB in bytes."""
        return self.min_free_mb * 1_000_000

    @property
    def secure(self) -> bool:
        """Return True if cookies must have the Secure attribute."""
        return self.base_url.startswith("https://")

    def ready(self) -> "Settings":
        """Return a copy with a secret key.

        Create DATA (mode 0700) and generate the key there if needed.
        """
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.secret_key:
            return self
        return self.model_copy(update={"secret_key": _load_or_create_secret(self.secret_key_path)})

    @property
    def secret_key_path(self) -> Path:
        """Return where the secret key is kept if it is not set."""
        return self.data / SECRET_FILE

    def stored_secret_key(self) -> str:
        """Return the secret key, or "" if none was created yet."""
        return self.secret_key or (_read_secret(self.secret_key_path) if self.secret_key_path.exists() else "")


def load(environment: Mapping[str, str] | None = None, **overrides: object) -> Settings:
    """Load settings from the environment, overridden by `overrides`.

    Raise SettingsError that names the wrong setting.
    """
    values = {**_from_environment(os.environ if environment is None else environment), **overrides}
    if "data" not in values:  # Else nobody needs a home: users of containers and services often have none.
        values["data"] = _default_data()
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(_format_errors(error)) from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable.startswith(PREFIX + "TEST_"):
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name.endswith("_file") and name.removesuffix("_file") in Settings.model_fields:
            name, text = name.removesuffix("_file"), _read_file(variable, text)  # noqa: PLW2901
        values[name] = text
    return {name: value for name, value in values.items() if value != ""}


def _read_file(variable: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        message = f"{variable} names {path}, which cannot be read ({error.strerror})."
        raise SettingNotUsableYet(message) from error
    except UnicodeDecodeError:
        message = f"{variable} names {path}, which isn't text in UTF-8."
        raise SettingsError(message) from None  # The error has the content, which may be a secret.


def _default_data() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "readtrack"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "readtrack"


def _check_base_url(address: str, *, insecure: bool) -> None:
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")  # urlsplit raises ValueError for an unclosed bracket.
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or parts.query
        or parts.fragment
        or parts.path not in {"", "/"}
    ):
        message = "BASE_URL must be like https://reading.example.org"
        raise ValueError(message)
    if parts.scheme == "http" and not insecure and not is_loopback(parts.hostname):
        message = (
            "BASE_URL is http and not loopback: use https, or set INSECURE_HTTP=1 if passwords may travel in the open"
        )
        raise ValueError(message)


def _check_database_url(address: str) -> None:
    if not address.startswith(DATABASES) or address.startswith(NOT_KEPT) or address in DATABASES:
        message = (
            "DATABASE_URL must be like postgresql+psycopg://user@host/name or sqlite:////folder/file; "
            "leave it out for SQLite in DATA"
        )
        raise ValueError(message)
    try:
        _ = urlsplit(address).port
    except ValueError:
        message = "DATABASE_URL has a port that is none: it should be a number up to 65535"
        raise ValueError(message) from None


def _is_base_url(address: str) -> bool:
    parts = urlsplit(address)
    is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    return is_web and not (parts.username or parts.query or parts.fragment)


def _check_service_url(service: str, address: str) -> None:
    if not _is_base_url(address):
        message = f"{service.upper()}_URL must be an http or https address"
        raise ValueError(message)


def _check_webhook_base(address: str) -> None:
    if not _is_base_url(address):
        message = f"WEBHOOK_HOSTS has {address!r}, which is no http or https address"
        raise ValueError(message)


def _check_way_out(proxy: str) -> None:
    try:
        parts = urlsplit(proxy)
        is_usable = parts.scheme == "http" and parts.hostname and parts.port and parts.path in {"", "/"}
    except ValueError:
        is_usable = False
    if not is_usable:
        message = "PROXY must be like http://proxy.example.org:3128, or http://name:password@proxy.example.org:3128"
        raise ValueError(message)


def _check_relay(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"smtp", "smtps"} and parts.hostname and parts.port != 0 and parts.path in {"", "/"}
    except ValueError:
        is_usable = False
    if not is_usable or urlsplit(url).query:
        message = "SMTP_URL must be like smtp://mail.example.org or smtps://name:password@mail.example.org:465"
        raise ValueError(message)


def _check_auth_header(name: str, proxies: Sequence[str]) -> None:
    """Raise ValueError if AUTH_HEADER is not a safe header name or a trusted network is too wide.

    Any host in TRUSTED_PROXIES can sign in as anybody by sending the header, so networks of many machines are refused.
    """
    if not re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", name) or name.lower() in NO_NAMES:
        message = f"AUTH_HEADER is {name!r}: a header of letters, digits and hyphens is needed, as Remote-User"
        raise ValueError(message)
    if not proxies:
        message = "AUTH_HEADER needs TRUSTED_PROXIES: the proxy's own address, or anybody could write that header"
        raise ValueError(message)
    for proxy in proxies:
        network = ipaddress.ip_network(proxy, strict=False)
        if network.num_addresses > MAX_TRUSTED_ADDRESSES[network.version]:
            message = f"AUTH_HEADER with TRUSTED_PROXIES {proxy}, a wide network: name the proxy's own address"
            raise ValueError(message)


def _check_issuer(address: str, *, insecure: bool) -> None:
    try:
        host, port = urlsplit(address).hostname or "", urlsplit(address).port
    except ValueError:
        host, port = "", None
    if not _ISSUER.fullmatch(address) or not host or port == 0:
        message = "OIDC_ISSUER must be like https://id.example.org"
        raise ValueError(message)
    if address.startswith("http://") and not insecure and not is_loopback(host):
        message = "OIDC_ISSUER is http and not loopback: use https, or whoever listens can come in as anybody"
        raise ValueError(message)


def _check_allowed_host(host: str) -> None:
    if not re.fullmatch(r"[\w.-]+|\[[0-9a-fA-F:.]+\]", host):
        message = f"ALLOWED_HOSTS has {host!r}, which is no host: leave out http://, ports and paths"
        raise ValueError(message)


def _check_closed_host(host: str) -> None:
    if not re.fullmatch(r"[a-z0-9_.:-]+", host):
        message = f"INTERNAL_HOSTS has {host!r}, which is no host: leave out http:// and paths"
        raise ValueError(message)


def _check_proxy(proxy: str) -> None:
    if _check_network("TRUSTED_PROXIES", proxy).prefixlen == 0:
        message = "TRUSTED_PROXIES must not trust everybody"
        raise ValueError(message)


def _check_network(setting: str, text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        message = f"{setting} has {text!r}, which is no address or network"
        raise ValueError(message) from None


def is_loopback(host: str) -> bool:
    """Return True for `localhost` and loopback addresses."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _load_or_create_secret(path: Path) -> str:
    """Return the secret stored in the file and generate it first if the file does not exist.

    A hard link publishes the complete file atomically: when several processes start at once, the first one wins and
    none reads a partial secret.
    """
    if not path.exists():
        # mkstemp creates the file with mode 0600.
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=SECRET_PREFIX)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
        with suppress(FileExistsError):
            os.link(draft, path)
        Path(draft).unlink()
    return _read_secret(path)


def _read_secret(path: Path) -> str:
    secret = path.read_bytes().strip()
    if len(secret) < 32 or not secret.isascii():
        message = f"{path} holds no usable secret key. Remove it to have a new one made; links to next pages end."
        raise SettingsError(message)
    return secret.decode("ascii")


def _format_errors(error: ValidationError) -> str:
    lines = []
    for problem in error.errors():
        name = "_".join(str(part) for part in problem["loc"]).upper()
        if problem["type"] == "extra_forbidden":
            lines.append(f"{PREFIX}{name} is not a setting of readtrack.")
        elif name:
            lines.append(f"{PREFIX}{name}: {validation_message(problem)}")
        else:
            lines.append(f"{PREFIX}{validation_message(problem)}")
    return " ".join(lines)
