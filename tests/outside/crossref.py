"""Crossref's REST API: works by DOI, and the list of those that look like a citation."""

import re
from typing import Any

from tests.outside import venues
from tests.outside.asking import TEXT, Asked, Reply
from tests.outside.facts import Fact, Facts

_LIMITS = {"x-rate-limit-limit": "5", "x-rate-limit-interval": "1s", "x-api-pool": "public"}
_ABSENT = Reply(b"Resource not found.", TEXT, 404)


def answer(facts: Facts, asked: Asked) -> Reply:
    facts = Facts(fact for fact in facts if fact.doi and not fact.at_datacite)
    if asked.path == "/works":
        return Reply.told(_listed(facts, asked), headers=_LIMITS)
    fact = facts.named("doi", asked.path.removeprefix("/works/"))
    if fact is None:
        return _ABSENT
    return Reply.told({**_head("work"), "message": work(fact)}, headers=_LIMITS)


def _head(kind: str) -> dict[str, str]:
    return {"status": "ok", "message-type": kind, "message-version": "1.0.0"}


def _listed(facts: Facts, asked: Asked) -> dict[str, Any]:
    most = asked.number("rows", 20)
    wanted = re.findall(r"doi:([^,]+)", asked.query.get("filter", ""))
    query = asked.query.get("query.bibliographic") or asked.query.get("query.title") or asked.query.get("query", "")
    if wanted:
        found = [(fact, 1.0) for key in wanted if (fact := facts.named("doi", key))]
    else:
        found = list(facts.like(query, lambda fact: f"{fact.in_print} {' '.join(fact.authors)}", most))
    items = [work(fact) | {"score": score} for fact, score in found]
    message = {"facets": {}, "total-results": len(items), "items": items, "items-per-page": most}
    return {**_head("work-list"), "message": {**message, "query": {"start-index": 0, "search-terms": query or None}}}


def work(fact: Fact) -> dict[str, Any]:
    """One item, as the publisher deposited it: of its date only the year is told, the rest is Crossref's own."""
    year = {"date-parts": [[fact.printed_in]]}
    title, subtitle = _split(fact)
    journal = fact.series not in venues.SERIES
    said: dict[str, Any] = {
        "indexed": _moment(2026, 5, 19) | {"version": "3.51.4"},
        "reference-count": 2,
        "publisher": "ACM" if fact.doi.startswith("10.1145") else "Institute of Electrical and Electronics Engineers",
        "content-domain": {"domain": ["dl.acm.org"], "crossmark-restriction": True},
        "short-container-title": [],
        "published-print": year,
        "DOI": fact.doi.lower(),
        "type": "journal-article" if journal else "proceedings-article",
        "created": _moment(fact.printed_in, 4, 18),
        "source": "Crossref",
        "is-referenced-by-count": 7,
        "title": [title],
        "prefix": fact.doi.partition("/")[0],
        "author": [_author(name, number) for number, name in enumerate(fact.authors)],
        "member": "320",
        "container-title": [venues.container(fact)],
        "original-title": [],
        "deposited": _moment(2025, 6, 17),
        "score": 1,
        "resource": {"primary": {"URL": f"https://doi.org/{fact.doi}"}},
        "subtitle": [subtitle] if subtitle else [],
        "short-title": [],
        "issued": year,
        "references-count": 2,
        "reference": [{"key": "e_1", "unstructured": "A. Author. 1999. Something else."}, {"key": "e_2"}],
        "URL": f"https://doi.org/{fact.doi}",
        "relation": {},
        "published": year,
    }
    if not journal:
        acronym = f"{fact.series} '{fact.printed_in % 100:02}"
        said["event"] = {"name": f"{acronym}: {venues.event(fact)}", "acronym": acronym, "location": "Athens Greece"}
    if fact.pages:
        said["page"] = fact.pages
    if fact.arxiv:
        said["abstract"] = f"<jats:title>Abstract</jats:title><jats:p>{_jats(fact.abstract)}</jats:p>"
    return said


def _split(fact: Fact) -> tuple[str, str]:
    """Some publishers deposit what follows the colon as a field of its own."""
    title, colon, subtitle = fact.in_print.partition(": ")
    return (title, subtitle) if colon and fact.doi[-1] in "02468" else (fact.in_print, "")


def _author(name: str, number: int) -> dict[str, Any]:
    given, _, family = name.rpartition(" ")
    sequence = {"sequence": "additional" if number else "first", "affiliation": [{"name": "A &amp; B University"}]}
    return {"given": given, "family": family, **sequence} if given else {"name": name, **sequence}


def _jats(text: str) -> str:
    return text.replace("&", "&amp;").replace("<i>", "<jats:italic>").replace("</i>", "</jats:italic>")


def _moment(year: int, month: int, day: int) -> dict[str, Any]:
    return {"date-parts": [[year, month, day]], "date-time": f"{year}-{month:02}-{day:02}T12:00:00Z"}
