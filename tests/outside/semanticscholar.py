"""Semantic Scholar's graph API: preprint and printed paper are one there; a batch has null for the unknown."""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any
from zlib import crc32

from tests.outside import venues
from tests.outside.asking import Asked, Reply
from tests.outside.facts import Fact, Facts

_LARGEST = 500
_PAPER = "/graph/v1/paper"


def answer(facts: Facts, asked: Asked) -> Reply:
    fields = [name for name in asked.query.get("fields", "title").split(",") if name]
    if unknown := [name for name in fields if name.partition(".")[0] not in _FIELDS]:
        return Reply.told({"error": f"Unrecognized or unsupported fields: [{', '.join(unknown)}]"}, 400)
    if (asked.method, asked.path) == ("POST", f"{_PAPER}/batch"):
        return _batch(facts, asked, fields)
    ask = _SEARCHES.get(asked.path)
    return ask(facts, asked, fields) if ask else _single(facts, asked, fields)


def _batch(facts: Facts, asked: Asked, fields: list[str]) -> Reply:
    ids = asked.body.get("ids") if isinstance(asked.body, dict) else None
    if not ids or len(ids) > _LARGEST:
        return Reply.told({"error": f"ids must hold 1 to {_LARGEST} ids"}, 400)
    found = [_named(facts, key) for key in ids]
    return Reply.told([_chosen(fact, fields) if fact else None for fact in found])


def _single(facts: Facts, asked: Asked, fields: list[str]) -> Reply:
    key = asked.path.removeprefix(f"{_PAPER}/")
    fact = _named(facts, key)
    return Reply.told(_chosen(fact, fields)) if fact else Reply.told({"error": f"Paper with id {key} not found"}, 404)


def _match(facts: Facts, asked: Asked, fields: list[str]) -> Reply:
    found = facts.called(asked.query.get("query", ""), _title, 1)
    if not found:
        return Reply.told({"error": "Title match not found"}, 404)
    return Reply.told({"data": [_chosen(found[0], fields) | {"matchScore": 109.55}]})


def _search(facts: Facts, asked: Asked, fields: list[str]) -> Reply:
    found = facts.called(asked.query.get("query", ""), _title, asked.number("limit", 100))
    if not found:
        return Reply.told({"total": 0, "offset": 0})
    return Reply.told({"total": len(found), "offset": 0, "data": [_chosen(fact, fields) for fact in found]})


_SEARCHES: Mapping[str, Callable[[Facts, Asked, list[str]], Reply]] = {
    f"{_PAPER}/search": _search,
    f"{_PAPER}/search/match": _match,
}


def _named(facts: Facts, key: str) -> Fact | None:
    scheme, colon, rest = key.partition(":")
    if colon and scheme.upper() == "ARXIV":
        return facts.named("arxiv", re.sub(r"v\d+$", "", rest))
    if own := re.fullmatch(r"(?:DOI:)?10\.48550/arxiv\.(.+)", key, re.IGNORECASE):
        return facts.named("arxiv", own[1])
    if not colon and re.fullmatch("[0-9a-f]{40}", key):
        return next((fact for fact in facts if _hash(fact) == key), None)
    return facts.named("doi", rest if scheme.upper() == "DOI" else key)


def _chosen(fact: Fact, fields: list[str]) -> dict[str, Any]:
    names = ["paperId", *(name.partition(".")[0] for name in fields)]
    return {name: _FIELDS[name](fact) for name in dict.fromkeys(names)}


def _title(fact: Fact) -> str:
    return fact.on_arxiv if fact.arxiv else fact.in_print


def _hash(fact: Fact) -> str:
    return hashlib.sha1(min(fact.names, default=fact.title).encode()).hexdigest()


def _external(fact: Fact) -> dict[str, Any]:
    told: dict[str, Any] = {"DBLP": f"conf/x/{crc32(fact.title.encode())}"} if fact.venue else {}
    told |= {"ArXiv": fact.arxiv} if fact.arxiv else {}
    if fact.doi or fact.arxiv:
        told["DOI"] = fact.doi or f"10.48550/arXiv.{fact.arxiv}"
    return told | {"CorpusId": crc32(fact.title.encode())}


def _place(fact: Fact) -> str:
    if not fact.venue:
        return "arXiv.org" if fact.arxiv else ""
    series = venues.SERIES.get(fact.series)
    return series.name.format(year=fact.printed_in, nth="").replace("  ", " ") if series else fact.venue


def _venue(fact: Fact) -> dict[str, Any] | None:
    place = _place(fact)
    kind = "conference" if fact.series in venues.SERIES else "journal"
    letters = [fact.series] if fact.venue else ["ArXiv"]
    return {"id": "0aed7a40", "name": place, "type": kind, "alternate_names": letters} if place else None


def _written(fact: Fact) -> list[dict[str, str]]:
    """Every third of many given names is cut to a letter, as there."""
    names = [
        re.sub(r"^(\w)\w+ ", r"\1. ", name) if len(fact.authors) > 4 and not (number + 1) % 3 else name
        for number, name in enumerate(fact.authors)
    ]
    return [{"authorId": str(crc32(name.encode())), "name": name} for name in names]


_FIELDS: Mapping[str, Callable[[Fact], Any]] = {
    "paperId": _hash,
    "corpusId": lambda fact: crc32(fact.title.encode()),
    "externalIds": _external,
    "url": lambda fact: f"https://www.semanticscholar.org/paper/{_hash(fact)}",
    "title": _title,
    "abstract": lambda fact: fact.abstract if fact.arxiv else None,  # publishers keep theirs
    "venue": _place,
    "publicationVenue": _venue,
    "year": lambda fact: int(fact.published[:4] or fact.printed_in),  # of the day below, beside a later venue
    "authors": _written,
    "publicationTypes": lambda fact: ["Conference"] if fact.series in venues.SERIES else ["JournalArticle"],
    "publicationDate": lambda fact: fact.published[:10] or None,
    "journal": lambda fact: {"name": fact.venue, "pages": fact.pages} if fact.venue else {"volume": "abs"},
    "isOpenAccess": lambda fact: bool(fact.arxiv),
    "openAccessPdf": lambda fact: {"url": f"https://arxiv.org/pdf/{fact.arxiv}"} if fact.arxiv else None,
    "citationCount": lambda _fact: 10,
    "referenceCount": lambda _fact: 30,
    "tldr": lambda _fact: None,
    "fieldsOfStudy": lambda _fact: ["Computer Science"],
}
