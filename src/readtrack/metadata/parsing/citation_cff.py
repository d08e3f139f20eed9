"""Parsing of CITATION.cff, a repository's citation metadata in YAML."""

from collections.abc import Mapping

from readtrack.metadata import sources
from readtrack.metadata.parsing import dois, json_fields

MAX_FILE_CHARS = 100_000  # Characters.


def parse_citation(text: str) -> Mapping[str, object]:
    """Parse a CITATION.cff; empty if it is invalid, too long, or uses anchors."""
    if len(text) > MAX_FILE_CHARS:
        return {}
    from readtrack.metadata.parsing import yaml_text

    data = yaml_text.load_yaml(text)
    return data if isinstance(data, dict) and "cff-version" in data else {}


def authors(citation: Mapping[str, object]) -> tuple[str, ...]:
    """Return people and organizations in order."""
    return json_fields.author_names([_author(author) for author in json_fields.as_mappings(citation.get("authors"))])


def works(citation: Mapping[str, object]) -> list[str]:
    """Return URLs of the preferred citation and of other identifiers of the repository."""
    preferred = json_fields.as_mapping(citation.get("preferred-citation"))
    addresses = [name for item in (preferred, citation) for name in _work_addresses(item)]
    refs = (dois.parse_work_ref(name) for name in addresses)
    return list(dict.fromkeys(sources.url(ref) for ref in refs if ref))


def _author(author: Mapping[str, object]) -> str:
    parts = json_fields.person_name(
        author.get("given-names"), author.get("family-names"), author.get("name-suffix"), author.get("name-particle")
    )
    return parts or json_fields.organization_name(author.get("name"))


def _work_addresses(work: Mapping[str, object]) -> list[str]:
    """Return DOI, identifiers and URL of a work."""
    doi = json_fields.short_text(work.get("doi"))
    others = [
        json_fields.short_text(identifier.get("value"))
        for identifier in json_fields.as_mappings(work.get("identifiers"))[:20]
    ]
    return [
        doi and f"doi:{doi.removeprefix('https://doi.org/')}",
        *others,
        json_fields.short_text(work.get("url")),
    ]
