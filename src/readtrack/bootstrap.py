"""Composition root: opens the library with database, migrations and search index, and builds its clients."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import readtrack
import readtrack.team.discussion.notify
from readtrack import search
from readtrack.infra import db
from readtrack.infra.config import Settings, is_loopback
from readtrack.infra.db import Database
from readtrack.infra.errors import NewerSchema
from readtrack.library.references import index
from readtrack.metadata import sources
from readtrack.workspace.backup.upgrade import backup_before_upgrade, describe_newer_schema

if TYPE_CHECKING:
    from readtrack.infra.http.client import HttpClient
    from readtrack.infra.http.llm import LanguageModel
    from readtrack.infra.http.webhooks import WebhookSender
    from readtrack.infra.mail import Mail
    from readtrack.team.accounts.oidc import Provider


def open_library(settings: Settings, *, back_up: bool = True) -> Database:
    """Open the database, migrate it and build missing indexes. `settings` must be ready().

    A library of an older schema is backed up first, unless `back_up` is False.
    """
    database = Database(settings.url)
    try:
        db.migrate(database, back_up=backup_before_upgrade(settings, database) if back_up else None)
    except NewerSchema as error:
        raise describe_newer_schema(settings, error) from error
    with database.write() as tx:
        search.ensure(tx)
        index.index_missing_references(tx)
    return database


def open_egress(settings: Settings, database: Database) -> "HttpClient":
    """Build the outgoing HTTP client, rate-limited across all processes through the database."""
    from readtrack.infra.http.blocked_hosts import HostBlocklist
    from readtrack.infra.http.client import HttpClient
    from readtrack.infra.http.rate_limiter import DatabaseRateLimiter
    from readtrack.metadata.catalog import FILE, Catalog, CatalogClient

    contact_text = f"; {settings.contact}" if settings.contact else ""
    return HttpClient(
        agent=f"readtrack/{readtrack.__version__} (a team's reading list{contact_text})",
        gate=DatabaseRateLimiter(database),
        intervals=request_intervals(settings),
        bases=settings.bases,
        offline=settings.offline,
        closed=HostBlocklist(database, settings.closed_hosts | _own_host(settings)),
        proxy=settings.proxy,
        proxy_resolves=settings.proxy_resolves,
        known=CatalogClient(Catalog.open(settings.data / FILE)),
        mail=_mail(settings),
        webhooks=_webhooks(settings, database),
    )


def open_provider(settings: Settings) -> "Provider | None":
    """Return the OpenID provider, or None if none is configured.

    Its requests are not rate-limited, because a user is waiting. Only its own host, set by the operator, may be
    internal, and redirects are not followed.
    """
    if not settings.oidc_issuer:
        return None
    from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
    from readtrack.team.accounts.oidc import Provider

    own_host = _host(settings.oidc_issuer)
    egress = HttpClient(
        agent=f"readtrack/{readtrack.__version__}",
        gate=UnlimitedRateLimiter(),
        intervals={},
        bases={"oidc": _origin(settings.oidc_issuer)},  # Its endpoints need not be below the issuer's path.
        closed=lambda host: host != own_host and any(f".{host}".endswith(f".{name}") for name in settings.closed_hosts),
        proxy=settings.proxy,
        proxy_resolves=settings.proxy_resolves,
        total=10.0,
        max_bytes=500_000,
        max_redirects=0,
    )
    return Provider(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, egress)


def open_model(settings: Settings) -> "LanguageModel | None":
    """Return the language model, or None if none is configured.

    Its requests are not rate-limited, because a user is waiting. Only its own host, set by the operator, may be
    internal, and redirects are not followed.
    """
    if not settings.llm_url:
        return None
    from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
    from readtrack.infra.http.llm import LanguageModel

    own_host = _host(settings.llm_url)
    egress = HttpClient(
        agent=f"readtrack/{readtrack.__version__}",
        gate=UnlimitedRateLimiter(),
        intervals={},
        bases={"llm": settings.llm_url},
        closed=lambda host: host != own_host,
        proxy=settings.proxy,
        proxy_resolves=settings.proxy_resolves,
        total=60.0,
        max_bytes=1_000_000,
        max_redirects=0,
    )
    return LanguageModel(settings.llm_model, settings.llm_url, settings.llm_key, egress)


def request_intervals(settings: Settings) -> dict[str, float]:
    """Return the seconds between two requests by host of each base URL.

    Services on one host share the longest. ARXIV_INTERVAL applies to arXiv's host.
    """
    intervals: dict[str, float] = {}
    for service in sources.all_services():
        host = _host(settings.bases.get(service.name, ""))
        if host:
            intervals[host] = max(service.interval, intervals.get(host, 0.0))
    return intervals | {_host(settings.arxiv_url): settings.arxiv_interval}


def _mail(settings: Settings) -> "Mail | None":
    if not settings.smtp_url:
        return None
    from readtrack.infra.mail import Mail

    return Mail(settings.smtp_url, settings.mail_from, home=settings.base_url, offline=settings.offline)


def _webhooks(settings: Settings, database: Database) -> "WebhookSender | None":
    """Build what sends webhooks, or return None if readtrack is offline: they wait until it is not.

    Members choose where to, so it shares no rate limit with the requests to services, which a receiver that fails would
    delay. Only addresses that the operator named may be internal.
    """
    if settings.offline:
        return None
    from readtrack.infra.http.blocked_hosts import HostBlocklist
    from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
    from readtrack.infra.http.webhooks import WebhookSender

    named_hosts = {_host(base) for base in settings.webhook_bases}
    is_blocked = HostBlocklist(database, settings.closed_hosts | _own_host(settings))
    client = HttpClient(
        agent=f"readtrack/{readtrack.__version__}",
        gate=UnlimitedRateLimiter(),
        intervals={},
        bases={base: base for base in settings.webhook_bases},
        closed=lambda host: host not in named_hosts and is_blocked(host),
        proxy=settings.proxy,
        proxy_resolves=settings.proxy_resolves,
        total=10.0,
        max_bytes=1_000_000,
        max_redirects=0,
    )
    return WebhookSender(client, settings.secret_key, settings.base_url)


def _host(address: str) -> str:
    return (urlsplit(address).hostname or "").rstrip(".")


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _own_host(settings: Settings) -> frozenset[str]:
    """Return readtrack's own host, which it must not contact.

    Loopback hosts are left out, because other services may run there; `inner_reason` refuses them unless they are an
    operator's base.
    """
    own_host = _host(settings.base_url)
    return frozenset[str]() if not own_host or is_loopback(own_host) else frozenset({own_host})
