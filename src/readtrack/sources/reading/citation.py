"""CITATION.cff: how a repository wants to be cited. YAML, read as plain texts, lists and mappings."""

from collections.abc import Mapping

from readtrack import sources
from readtrack.sources.reading import dois, fields

LONGEST = 100_000  # characters


def parsed(text: str) -> Mapping[str, object]:
    """What the file says; nothing when it is no CITATION.cff, is too long, or uses anchors."""
    if len(text) > LONGEST:
        return {}
    from readtrack.sources.reading import yamls

    said = yamls.loaded(text)
    return said if isinstance(said, dict) and "cff-version" in said else {}


def authors(said: Mapping[str, object]) -> tuple[str, ...]:
    """People and organisations, in order."""
    return fields.names([_author(one) for one in fields.mappings(said.get("authors"))])


def works(said: Mapping[str, object]) -> list[str]:
    """Addresses of what should be cited, and of what the repository is called elsewhere."""
    preferred = fields.mapping(said.get("preferred-citation"))
    named = [name for one in (preferred, said) for name in _named(one)]
    refs = (dois.named(name) for name in named)
    return list(dict.fromkeys(sources.url(ref) for ref in refs if ref))


def _author(author: Mapping[str, object]) -> str:
    family = " ".join(filter(None, (fields.line(author.get("name-particle")), fields.line(author.get("family-names")))))
    parts = fields.person(author.get("given-names"), family, author.get("name-suffix"))
    return parts or fields.line(author.get("name"))


def _named(work: Mapping[str, object]) -> list[str]:
    """The DOI, the identifiers, and the address of one work."""
    registered = fields.words(work.get("doi"))
    others = [fields.words(one.get("value")) for one in fields.mappings(work.get("identifiers"))[:20]]
    return [registered and f"doi:{registered.removeprefix('https://doi.org/')}", *others, fields.words(work.get("url"))]
