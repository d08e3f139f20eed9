"""Registry of all sites and services, found by module discovery.

A module in `sites` or `services` defines a SOURCE (recognizes identifiers), a SERVICE (fetches metadata), or both.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import ModuleType

from readtrack.metadata import services, sites
from readtrack.metadata.types import MAX_KEY_BYTES, Ref, Service, Source


@cache
def _modules() -> tuple[ModuleType, ...]:
    modules = tuple(
        importlib.import_module(f"{package.__name__}.{module.name}")
        for package in (sites, services)
        for module in pkgutil.iter_modules(package.__path__)
    )
    if unused := [
        module.__name__ for module in modules if not (hasattr(module, "SOURCE") or hasattr(module, "SERVICE"))
    ]:
        message = f"{', '.join(unused)}: defines neither SOURCE nor SERVICE."
        raise ImportError(message)
    return modules


@cache
def all_sources() -> tuple[Source, ...]:
    """Return all sources in the order in which they are tried."""
    result = [module.SOURCE for module in _modules() if hasattr(module, "SOURCE")]
    return tuple(sorted(result, key=lambda source: source.order))


@cache
def all_services() -> tuple[Service, ...]:
    """Return all services in the order in which they are queried."""
    result = [module.SERVICE for module in _modules() if hasattr(module, "SERVICE")]
    return tuple(sorted(result, key=lambda service: service.order))


@cache
def service(name: str) -> Service:
    """Return the service with that name. Raise KeyError if there is none."""
    return {service.name: service for service in all_services()}[name]


@cache
def authorities(scheme: str) -> tuple[Service, ...]:
    """Return the authoritative services for identifiers of a scheme, in query order."""
    return tuple(service for service in all_services() if scheme in service.own_schemes)


@cache
def sources_by_name() -> Mapping[str, Source]:
    """Return the sources by their schemes."""
    return {source.name: source for source in all_sources()}


def by_name(name: str) -> Source:
    """Return the source for a scheme. Raise KeyError if there is none."""
    return sources_by_name()[name]


def recognize(text: str) -> Ref | None:
    """Return the reference for a URL or identifier, or None.

    Redirect URLs are unwrapped; junk URLs are not filtered.
    """
    from readtrack.infra.text import urls  # urls is part of this package.

    address = urls.unwrap(text.strip())
    if len(address) > urls.MAX_LENGTH:
        return None
    parts = urls.split_url(address) if address.startswith(("https://", "http://")) else None
    for source in _sources_of_host(parts.host) if parts else all_sources():
        key = source.recognise(address)
        if key is not None and _has_valid_length(key):
            return Ref(source.name, key)
    return None


@lru_cache(maxsize=512)
def _sources_of_host(host: str) -> tuple[Source, ...]:
    """Return the sources to try for a host, in order: those of that host and those for any host."""
    from readtrack.infra.text import urls

    parts = urls.UrlParts(host, "")
    return tuple(source for source in all_sources() if not source.hosts or parts.is_under(*source.hosts))


def parse_ref(text: str) -> Ref | None:
    """Like `recognize`, but also accept our own notation, `usenix:osdi23/ren`. For user input."""
    scheme, _, key = text.strip().partition(":")
    source = {source.name: source for source in all_sources()}.get(scheme)
    if source is not None and _has_valid_length(key) and source.recognise(source.url(key)) == key:
        return Ref(scheme, key)
    return recognize(text)


def is_lasting(ref: Ref) -> bool:
    """Return True if a reference may be stored: a known scheme and a key with valid length and characters."""
    is_known = any(source.name == ref.scheme for source in all_sources())
    return is_known and ref.key.isprintable() and _has_valid_length(ref.key)


def url(ref: Ref) -> str:
    """Return the URL of an identifier."""
    return by_name(ref.scheme).url(ref.key)


def find_page(ref: Ref, links: Iterable[str] = ()) -> str:
    """Return the address of an identifier's own page, "" if it is unknown.

    The page of a key that shortens a longer address is one of the paper's links.
    """
    source = next((source for source in all_sources() if source.name == ref.scheme), None)
    if source is None or not source.shortened(ref.key):
        return source.url(ref.key) if source else ""
    return next((link for link in links if recognize(link) == ref), "")


def _has_valid_length(key: str) -> bool:
    return 0 < len(key.encode(errors="replace")) <= MAX_KEY_BYTES
