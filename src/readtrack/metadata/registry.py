"""All sites and services, found by discovery, and what they recognize.

A module below `sites` or `services` has a SOURCE (it names things), a SERVICE (it is asked for metadata), or both.
"""

import importlib
import pkgutil
from functools import cache, lru_cache
from types import ModuleType

from readtrack.metadata import services, sites
from readtrack.metadata.types import LONGEST_KEY, Ref, Service, Source


@cache
def _modules() -> tuple[ModuleType, ...]:
    found = tuple(
        importlib.import_module(f"{package.__name__}.{module.name}")
        for package in (sites, services)
        for module in pkgutil.iter_modules(package.__path__)
    )
    if idle := [module.__name__ for module in found if not (hasattr(module, "SOURCE") or hasattr(module, "SERVICE"))]:
        message = f"{', '.join(idle)}: neither SOURCE nor SERVICE is there, so nothing would use it."
        raise ImportError(message)
    return found


@cache
def all_sources() -> tuple[Source, ...]:
    """Every site that names things, in the order in which they are asked whether they know an address."""
    found = [module.SOURCE for module in _modules() if hasattr(module, "SOURCE")]
    return tuple(sorted(found, key=lambda source: source.order))


@cache
def all_services() -> tuple[Service, ...]:
    """Everybody who is asked for metadata, in the order of asking."""
    found = [module.SERVICE for module in _modules() if hasattr(module, "SERVICE")]
    return tuple(sorted(found, key=lambda service: service.order))


@cache
def service(name: str) -> Service:
    """The service of that name; raises KeyError."""
    return {service.name: service for service in all_services()}[name]


@cache
def authorities(scheme: str) -> tuple[Service, ...]:
    """The services that speak for identifiers of that scheme, in the order of asking."""
    return tuple(service for service in all_services() if scheme in service.own)


@cache
def by_name(name: str) -> Source:
    """The site of that scheme; raises KeyError."""
    return {source.name: source for source in all_sources()}[name]


def recognize(text: str) -> Ref | None:
    """The identifier that an address or id names, or None. Wrappers come off first; junk is not told apart here."""
    from readtrack.infra.text import urls  # it lives inside this package

    plain = urls.unwrap(text.strip())
    if len(plain) > urls.MAX_LENGTH:
        return None
    where = urls.split_url(plain) if plain.startswith(("https://", "http://")) else None
    for source in _sources_of_host(where.host) if where else all_sources():
        key = source.recognise(plain)
        if key is not None and _has_valid_length(key):
            return Ref(source.name, key)
    return None


@lru_cache(maxsize=512)
def _sources_of_host(host: str) -> tuple[Source, ...]:
    """Whom to ask of an address there, in the order of asking: those at home on that host, and those at home on any."""
    from readtrack.infra.text import urls

    there = urls.UrlParts(host, "")
    return tuple(source for source in all_sources() if not source.hosts or there.is_under(*source.hosts))


def parse_ref(text: str) -> Ref | None:
    """Like recognise, and takes our own spelling too, `usenix:osdi23/ren`: for what a person or a script gives."""
    scheme, _, key = text.strip().partition(":")
    source = {source.name: source for source in all_sources()}.get(scheme)
    if source is not None and _has_valid_length(key) and source.recognise(source.url(key)) == key:
        return Ref(scheme, key)
    return recognize(text)


def is_lasting(ref: Ref) -> bool:
    """Whether it may be kept as a name: of a site that is known, of a length and letters that every database takes."""
    known = any(source.name == ref.scheme for source in all_sources())
    return known and ref.key.isprintable() and _has_valid_length(ref.key)


def url(ref: Ref) -> str:
    """The address where an identifier can be opened."""
    return by_name(ref.scheme).url(ref.key)


def _has_valid_length(key: str) -> bool:
    return 0 < len(key.encode(errors="replace")) <= LONGEST_KEY
