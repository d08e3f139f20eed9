"""Opens a library: settings made ready, database migrated, search index there, the way out guarded."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import readtrack
from readtrack import db, search, sources
from readtrack.db import Database
from readtrack.references import keeping
from readtrack.settings import Settings, is_loopback

if TYPE_CHECKING:
    from readtrack.egress import Egress
    from readtrack.egress.mail import Mail
    from readtrack.machine.model import Model
    from readtrack.people.oidc import Provider


def open_library(settings: Settings) -> Database:
    """The database, up to date. `settings` must be ready()."""
    database = Database(settings.url)
    db.migrate(database)
    with database.write() as tx:
        search.ensure(tx)
        keeping.ensure(tx)
    return database


def open_egress(settings: Settings, database: Database) -> "Egress":
    """The one way out, paced over all processes by the database."""
    from readtrack.catalogue import FILE, Asked, Catalogue
    from readtrack.closed import ClosedHosts
    from readtrack.egress import Egress
    from readtrack.pace import DatabaseGate

    contact = f"; {settings.contact}" if settings.contact else ""
    return Egress(
        agent=f"readtrack/{readtrack.__version__} (a team's reading list{contact})",
        gate=DatabaseGate(database),
        intervals=intervals(settings),
        bases=settings.bases,
        offline=settings.offline,
        closed=ClosedHosts(database, settings.closed_hosts | _own_name(settings)),
        proxy=settings.proxy,
        proxy_resolves=settings.proxy_resolves,
        known=Asked(Catalogue.open(settings.data / FILE)),
        mail=_mail(settings),
    )


def open_provider(settings: Settings) -> "Provider | None":
    """The OpenID provider, when one is set; None otherwise. Questions to it wait for no turn: somebody stands there.

    Its own host may lie inside the network, as the operator named it; nothing else may, and nothing is followed.
    """
    if not settings.oidc_issuer:
        return None
    from readtrack.egress import Egress, OpenGate
    from readtrack.people.oidc import Provider

    own = _host(settings.oidc_issuer)
    egress = Egress(
        agent=f"readtrack/{readtrack.__version__}",
        gate=OpenGate(),
        intervals={},
        bases={"oidc": _origin(settings.oidc_issuer)},  # its endpoints need not be below the issuer's path
        closed=lambda host: host != own and any(f".{host}".endswith(f".{name}") for name in settings.closed_hosts),
        proxy=settings.proxy,
        proxy_resolves=settings.proxy_resolves,
        total=10.0,
        max_bytes=500_000,
        max_redirects=0,
    )
    return Provider(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, egress)


def open_model(settings: Settings) -> "Model | None":
    """The language model, when one is set; None otherwise. It waits for no turn, as somebody stands there; its own host
    may lie inside the network, as the operator named it; nothing else may, and nothing is followed.
    """
    if not settings.llm_url:
        return None
    from readtrack.egress import Egress, OpenGate
    from readtrack.machine.model import Model

    own = _host(settings.llm_url)
    egress = Egress(
        agent=f"readtrack/{readtrack.__version__}",
        gate=OpenGate(),
        intervals={},
        bases={"llm": settings.llm_url},
        closed=lambda host: host != own,
        proxy=settings.proxy,
        proxy_resolves=settings.proxy_resolves,
        total=60.0,
        max_bytes=1_000_000,
        max_redirects=0,
    )
    return Model(settings.llm_model, settings.llm_url, settings.llm_key, egress)


def intervals(settings: Settings) -> dict[str, float]:
    """Seconds between two requests, by the host of each base: what the service wants, the slowest of those that share.

    ARXIV_INTERVAL rules the host of arXiv.
    """
    found: dict[str, float] = {}
    for service in sources.all_services():
        host = _host(settings.bases.get(service.name, ""))
        if host:
            found[host] = max(service.interval, found.get(host, 0.0))
    return found | {_host(settings.arxiv_url): settings.arxiv_interval}


def _mail(settings: Settings) -> "Mail | None":
    if not settings.smtp_url:
        return None
    from readtrack.egress.mail import Mail

    return Mail(settings.smtp_url, settings.mail_from, home=settings.base_url, offline=settings.offline)


def _host(address: str) -> str:
    return (urlsplit(address).hostname or "").rstrip(".")


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _own_name(settings: Settings) -> frozenset[str]:
    """Readtrack does not ask itself. On loopback others may be at home, too; that is closed by its name."""
    own = _host(settings.base_url)
    return frozenset[str]() if not own or is_loopback(own) else frozenset({own})
