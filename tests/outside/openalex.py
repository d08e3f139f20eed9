"""OpenAlex: works by DOI (arXiv's own too), and search by title; the abstract stands there turned inside out."""

import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from tests.outside import venues
from tests.outside.asking import Asked, Reply
from tests.outside.facts import Fact, Facts

_ABSENT = {"error": "Not Found", "message": "The requested work was not found."}


def answer(facts: Facts, asked: Asked) -> Reply:
    if asked.path == "/works":
        return Reply.told(_listed(facts, asked))
    named = re.fullmatch(r"/works/(?:https://doi\.org/|doi:)(.+)", asked.path)
    found = _of(facts, named[1]) if named else None
    return Reply.told(found) if found else Reply.told(_ABSENT, 404)


def _of(facts: Facts, doi: str) -> dict[str, Any] | None:
    own = re.fullmatch(r"10\.48550/arxiv\.(.+)", doi, re.IGNORECASE)
    fact = facts.named("arxiv", own[1]) if own else facts.named("doi", doi)
    if fact is None:
        return None
    return _preprint(fact) if own else _printed(fact)


def _listed(facts: Facts, asked: Asked) -> dict[str, Any]:
    most = asked.number("per-page", asked.number("per_page", 25))
    wanted = re.search(r"doi:([^,]+)", asked.query.get("filter", ""))
    if wanted:
        dois = [doi.removeprefix("https://doi.org/") for doi in wanted[1].split("|")]
        works = [work for doi in dois if (work := _of(facts, doi))]
    else:
        works = _searched(facts, asked, most)
    meta = {"count": len(works), "db_response_time_ms": 41, "page": 1, "per_page": most, "groups_count": None}
    return {"meta": meta, "results": works, "group_by": []}


def _searched(facts: Facts, asked: Asked, most: int) -> list[dict[str, Any]]:
    by_title = re.search(r"title(?:_and_abstract)?\.search:([^,]*)", asked.query.get("filter", ""))
    query = by_title[1] if by_title else asked.query.get("search", "")
    printed = Facts(fact for fact in facts if fact.doi).called(query, lambda fact: fact.in_print, most)
    preprints = Facts(fact for fact in facts if fact.arxiv).called(query, lambda fact: fact.on_arxiv, most)
    works = [_preprint(fact) for fact in preprints] + [_printed(fact) for fact in printed]
    return [work | {"relevance_score": 90.5} for work in works[:most]]


def _printed(fact: Fact) -> dict[str, Any]:
    place = {"raw_source_name": venues.container(fact), "raw_type": "proceedings-article", "source": None}
    work = _work(fact, fact.in_print, fact.doi.lower(), fact.printed_in)
    page = {"volume": None, "issue": None, "first_page": fact.first_page or None, "last_page": fact.last_page or None}
    return work | {"type": "conference-paper", "primary_location": _location(fact.doi.lower(), place), "biblio": page}


def _preprint(fact: Fact) -> dict[str, Any]:
    doi = f"10.48550/arxiv.{fact.arxiv}"
    source = {"id": "https://openalex.org/S4306400194", "display_name": "arXiv (Cornell University)"}
    place = {"raw_source_name": "arXiv", "raw_type": "article", "source": {**source, "type": "repository"}}
    work = _work(fact, fact.on_arxiv, doi, int((fact.published or str(fact.year))[:4]))
    return work | {"type": "preprint", "primary_location": _location(doi, place, version="submittedVersion")}


def _work(fact: Fact, title: str, doi: str, year: int) -> dict[str, Any]:
    own = f"https://openalex.org/W{crc32(doi.encode())}"
    return {
        "id": own,
        "doi": f"https://doi.org/{doi}",
        "title": title,
        "display_name": title,
        "publication_year": year,
        "publication_date": f"{year}-01-01",  # what it says when it knows only the year
        "ids": {"openalex": own, "doi": f"https://doi.org/{doi}"},
        "language": "en",
        "authorships": _authorships(fact.authors),
        "is_retracted": False,
        "cited_by_count": 39,
        "biblio": {"volume": None, "issue": None, "first_page": None, "last_page": None},
        "abstract_inverted_index": _inverted(fact.abstract),
        "referenced_works": ["https://openalex.org/W200233886"],
    }


def _location(doi: str, place: dict[str, Any], version: str = "publishedVersion") -> dict[str, Any]:
    there = {"id": f"doi:{doi}", "is_oa": True, "landing_page_url": f"https://doi.org/{doi}", "pdf_url": None}
    return {**there, "version": version, "is_published": version == "publishedVersion", **place}


def _authorships(names: Sequence[str]) -> list[dict[str, Any]]:
    places = ["first", *["middle"] * (len(names) - 2), "last"]
    return [
        {
            "author_position": place,
            "author": {"id": "https://openalex.org/A5014159929", "display_name": name, "orcid": None},
            "institutions": [],
            "raw_author_name": name,
            "raw_affiliation_strings": ["A University, somewhere@example.edu"],
        }
        for name, place in zip(names, places, strict=False)
    ]


def _inverted(text: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for number, word in enumerate(text.split()):
        places.setdefault(word, []).append(number)
    return places
