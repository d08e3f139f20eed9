"""Extraction of works from a page's JSON-LD (schema.org), reduced to supported fields."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

MAX_SCRIPT_CHARS = 500_000  # Characters per script.
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
    nodes_by_id = {name: node for node in nodes if isinstance(name := node.get("@id"), str)}
    works = (_digest(node, nodes_by_id) for node in nodes if _type(node))
    return tuple(work for work in works if work["title"])


def _load_json(script: str) -> object:
    if len(script) > MAX_SCRIPT_CHARS:
        return None
    text = script.strip()
    if match := _MARKED.match(text):
        end = max(text.rfind("]]>"), text.rfind("-->"))
        text = text[match.end() : end if end > 0 else None].rstrip("/* \t\r\n")
    try:
        return json.loads(text)
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
    value = node.get("@type")
    types = value if isinstance(value, list) else [value]
    return next((kind for kind in types if isinstance(kind, str) and kind in _WORKS), "")


def _digest(node: Mapping[str, object], nodes_by_id: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    sites = [_name(node.get(key), nodes_by_id) for key in ("publisher", "isPartOf")]
    names = [text for key in ("@id", "identifier", "sameAs") for text in _texts(node.get(key))]
    return {
        "type": _type(node),
        "title": _first(node, _TITLES),
        "authors": _authors(node, nodes_by_id, sites)[:_MANY],
        "published": _first(node, _DATES),
        "language": _name(node.get("inLanguage"), nodes_by_id),
        "abstract": _first(node, ("abstract",)),
        "description": _first(node, ("description",)),
        "names": names[:20],
        "sites": [site for site in sites if site],
    }


def _authors(
    node: Mapping[str, object], nodes_by_id: Mapping[str, Mapping[str, object]], sites: Sequence[str]
) -> list[str]:
    """Return the names of authors.

    An organization with the name of the site is omitted, because it names no person.
    """
    creators = _as_list(node.get("author") or node.get("creator"))
    pairs = (
        (_name(creator, nodes_by_id), isinstance(creator, dict) and creator.get("@type") == "Organization")
        for creator in creators
    )
    return [name for name, is_organization in pairs if name and not (is_organization and name in sites)]


def _name(value: object, nodes_by_id: Mapping[str, Mapping[str, object]]) -> str:
    """Return the name of a person, place or language given as text, object or reference."""
    if isinstance(value, str):
        return value[:_TEXT]
    if not isinstance(value, dict):
        return ""
    reference = value.get("@id")
    referenced = nodes_by_id.get(reference, {}) if isinstance(reference, str) else {}
    return _first({**referenced, **value}, ("name", "alternateName"))


def _texts(value: object) -> list[str]:
    """Return the texts of a value such as `identifier`: a text, a list, or an object with a value."""
    values = [member.get("value") if isinstance(member, dict) else member for member in _as_list(value)]
    return [text[:_TEXT] for text in values if isinstance(text, str)]


def _as_list(value: object) -> Sequence[object]:
    return value[:_MANY] if isinstance(value, list) else [value]


def _first(node: Mapping[str, object], names: Sequence[str]) -> str:
    return next((text for name in names for text in _texts(node.get(name)) if text.strip()), "")
