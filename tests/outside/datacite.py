"""DataCite's REST API, which knows the DOIs of arXiv, given to all its papers, and of some publishers."""

import re
from typing import Any

from tests.outside import venues
from tests.outside.asking import Asked, Reply
from tests.outside.facts import Fact, Facts

_ABSENT = {"errors": [{"status": "404", "title": "The resource you are looking for doesn't exist."}]}


def answer(facts: Facts, asked: Asked) -> Reply:
    doi = asked.path.removeprefix("/dois/").lower()
    if own := re.fullmatch(r"10\.48550/arxiv\.(.+)", doi):
        preprint = facts.named("arxiv", own[1])
        return _told(doi, _preprint(preprint)) if preprint else Reply.told(_ABSENT, 404)
    fact = facts.named("doi", doi)
    return _told(doi, _printed(fact)) if fact and fact.at_datacite else Reply.told(_ABSENT, 404)


def _told(doi: str, attributes: dict[str, Any]) -> Reply:
    prefix, _, suffix = doi.partition("/")
    plain = {"doi": doi, "prefix": prefix, "suffix": suffix, "contributors": [], "language": None, **attributes}
    return Reply.told({"data": {"id": doi, "type": "dois", "attributes": plain, "relationships": {}}})


def _printed(fact: Fact) -> dict[str, Any]:
    book = f"LIPIcs, Volume 22, {fact.venue}"
    event = {"title": f"{venues.event(fact)} ({fact.venue})", "titleType": "Subtitle"}
    return {
        "creators": [_creator(name) for name in fact.authors],
        "titles": [{"lang": "en", "title": fact.in_print}],
        "publisher": "Schloss Dagstuhl – Leibniz-Zentrum für Informatik",
        "container": {"type": "Series", "title": book, "volume": "22", "firstPage": fact.first_page},
        "publicationYear": fact.printed_in,
        "dates": [{"date": str(fact.printed_in), "dateType": "Issued"}],
        "types": {"ris": "CPAPER", "bibtex": "inproceedings", "resourceTypeGeneral": "ConferencePaper"},
        "relatedItems": [{"titles": [{"title": book}, event], "relationType": "IsPublishedIn"}],
        "relatedIdentifiers": [],
        "descriptions": [{"description": fact.abstract, "descriptionType": "Abstract"}],
    }


def _preprint(fact: Fact) -> dict[str, Any]:
    day = fact.published or f"{fact.year}"
    return {
        "identifiers": [{"identifier": fact.arxiv, "identifierType": "arXiv"}],
        "creators": [_creator(name) for name in fact.authors],
        "titles": [{"title": fact.on_arxiv}],
        "publisher": "arXiv",
        "container": {},
        "publicationYear": int(day[:4]),
        "dates": [
            {"date": day, "dateType": "Submitted", "dateInformation": "v1"},
            {"date": day[:7], "dateType": "Available", "dateInformation": "v1"},
            {"date": day[:4], "dateType": "Issued"},
        ],
        "types": {"ris": "GEN", "bibtex": "misc", "resourceType": "Article", "resourceTypeGeneral": "Preprint"},
        "relatedIdentifiers": [],
        "version": str(fact.latest_version),
        "descriptions": [{"description": fact.abstract, "descriptionType": "Abstract"}],
        "url": f"https://arxiv.org/abs/{fact.arxiv}",
    }


def _creator(name: str) -> dict[str, Any]:
    given, _, family = name.rpartition(" ")
    if not given:
        return {"name": name, "affiliation": [], "nameIdentifiers": []}
    whole = {"name": f"{family}, {given}", "nameType": "Personal", "givenName": given, "familyName": family}
    return {**whole, "affiliation": [], "nameIdentifiers": []}
