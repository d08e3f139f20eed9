"""Extraction of works from a page's JSON-LD (schema.org), reduced to supported fields."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

LONGEST = 500_000  # Characters per script.
ARTICLES = frozenset(
    "Article AdvertiserContentArticle NewsArticle BlogPosting SocialMediaPosting TechArticle ScholarlyArticle "  # noqa: SIM905 - a list of words
    "MedicalScholarlyArticle Report Book Chapter Thesis Course LearningResource PresentationDigitalDocument "
    "SoftwareSourceCode Dataset".split()
)
_WORKS = ARTICLES | {"VideoObject"}
# Comment markers XHTML puts around a script.
_MARKED = re.compile(r"(?://|/\*)?\s{0,9}<!(?:\[CDATA\[|--)\s{0,9}(?:\*/)?")
_MANY, _NODES, _DEEP, _TEXT = 5000, 2000, 12, 50_000
_TITLES, _DATES = ("headline", "name"), ("datePublished", "uploadDate", "dateCreated")


def list_works(scripts: Sequence[str]) -> tuple[dict[str, object], ...]:
    """Return the works described: type, title, authors, published, language, abstract, names, site."""
    nodes = [node for script in scripts for node in _nodes(_load_json(script), 0)][:_NODES]
    named = {name: node for node in nodes if isinstance(name := node.get("@id"), str)}
    found = (_digest(node, named) for node in nodes if _type(node))
    return tuple(work for work in found if work["title"])


def _load_json(script: str) -> object:
    if len(script) > LONGEST:
        return None
    plain = script.strip()
    if marked := _MARKED.match(plain):
        ends = max(plain.rfind("]]>"), plain.rfind("-->"))
        plain = plain[marked.end() : ends if ends > 0 else None].rstrip("/* \t\r\n")
    try:
        return json.loads(plain)
    except (ValueError, RecursionError):
        return None


def _nodes(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    """Yield the top-level objects of a script, including members of lists and of @graph."""
    if depth > _DEEP:
        return
    if isinstance(value, list):
        for member in value[:_NODES]:
            yield from _nodes(member, depth + 1)
    elif isinstance(value, dict):
        yield value
        yield from _nodes(value.get("@graph"), depth + 1)
        yield from _nodes(value.get("mainEntity"), depth + 1)


def _type(node: Mapping[str, object]) -> str:
    """Return the type of work; "" if the object is no work."""
    said = node.get("@type")
    types = said if isinstance(said, list) else [said]
    return next((kind for kind in types if isinstance(kind, str) and kind in _WORKS), "")


def _digest(node: Mapping[str, object], named: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    sites = [_name(node.get(where), named) for where in ("publisher", "isPartOf")]
    names = [text for where in ("@id", "identifier", "sameAs") for text in _texts(node.get(where))]
    return {
        "type": _type(node),
        "title": _first(node, _TITLES),
        "authors": _authors(node, named, sites)[:_MANY],
        "published": _first(node, _DATES),
        "language": _name(node.get("inLanguage"), named),
        "abstract": _first(node, ("abstract",)),
        "description": _first(node, ("description",)),
        "names": names[:20],
        "sites": [site for site in sites if site],
    }


def _authors(node: Mapping[str, object], named: Mapping[str, Mapping[str, object]], sites: Sequence[str]) -> list[str]:
    """Return the names of authors.

    An organization with the name of the site is omitted, because it names no person.
    """
    said = _as_list(node.get("author") or node.get("creator"))
    found = ((_name(one, named), isinstance(one, dict) and one.get("@type") == "Organization") for one in said)
    return [name for name, organised in found if name and not (organised and name in sites)]


def _name(value: object, named: Mapping[str, Mapping[str, object]]) -> str:
    """Return the name of a person, place or language given as text, object or reference."""
    if isinstance(value, str):
        return value[:_TEXT]
    if not isinstance(value, dict):
        return ""
    reference = value.get("@id")
    known = named.get(reference, {}) if isinstance(reference, str) else {}
    return _first({**known, **value}, ("name", "alternateName"))


def _texts(value: object) -> list[str]:
    """Return the texts of a value such as `identifier`: a text, a list, or an object with a value."""
    found = [member.get("value") if isinstance(member, dict) else member for member in _as_list(value)]
    return [text[:_TEXT] for text in found if isinstance(text, str)]


def _as_list(value: object) -> Sequence[object]:
    return value[:_MANY] if isinstance(value, list) else [value]


def _first(node: Mapping[str, object], names: Sequence[str]) -> str:
    return next((text for name in names for text in _texts(node.get(name)) if text.strip()), "")
