"""DBLP's search: all is strings, titles end with a full stop, namesakes are numbered, preprints are CoRR."""

from html import escape
from itertools import chain
from typing import Any
from zlib import crc32

from tests.outside import venues
from tests.outside.asking import Asked, Reply
from tests.outside.facts import Fact, Facts, begins_all, words


def answer(facts: Facts, asked: Asked) -> Reply:
    query = words(asked.query.get("q", ""))
    all_hits = chain.from_iterable(_forms(fact) for fact in facts)
    hits = [info for info in all_hits if query and begins_all(query, words(_searched(info)))]
    sent = hits[: asked.number("h", 30)]
    counts = {"@total": str(len(hits)), "@computed": str(len(hits)), "@sent": str(len(sent)), "@first": "0"}
    numbered = [
        {"@score": str(len(query)), "@id": str(number), "info": info, "url": f"URL#{number}"}
        for number, info in enumerate(sent, start=2_691_907)
    ]
    result = {
        "query": " ".join(f"{word}*" for word in query),
        "status": {"@code": "200", "text": "OK"},
        "time": {"@unit": "msecs", "text": "11.83"},
        "completions": {"@total": "1", "@computed": "1", "@sent": "1"},
        "hits": counts | ({"hit": numbered} if numbered else {}),
    }
    return Reply.told({"result": result})


def _forms(fact: Fact) -> list[dict[str, Any]]:
    return [form for form in (_preprint(fact), _printed(fact)) if form]


def _printed(fact: Fact) -> dict[str, Any] | None:
    if not fact.venue:
        return None
    series = venues.SERIES.get(fact.series)
    letters = fact.series if fact.series != "ATC" else "USENIX ATC"
    folder = f"conf/{series.dblp or fact.series.lower()}" if series else "journals/tpds"
    info = _info(fact, fact.in_print, f"{folder}/{_initials(fact)}", fact.printed_in)
    info |= {"venue": letters if series else "IEEE Trans. Parallel Distributed Syst."}
    info |= {"type": "Conference and Workshop Papers" if series else "Journal Articles"}
    if fact.pages:
        info["pages"] = fact.pages
    if fact.doi:
        info |= {"doi": fact.doi.upper(), "ee": f"https://doi.org/{fact.doi}"}
    elif fact.usenix:
        conference, _, name = fact.usenix.partition("/")
        info["ee"] = f"https://www.usenix.org/conference/{conference}/presentation/{name}"
    return info


def _preprint(fact: Fact) -> dict[str, Any] | None:
    if not fact.arxiv:
        return None
    doi = f"10.48550/arXiv.{fact.arxiv}"
    year = int((fact.published or str(fact.year))[:4])
    info = _info(fact, fact.on_arxiv, f"journals/corr/abs-{fact.arxiv.replace('.', '-')}", year)
    told = {"venue": "CoRR", "volume": f"abs/{fact.arxiv}", "type": "Informal and Other Publications"}
    return info | told | {"access": "open", "doi": doi.upper(), "ee": f"https://doi.org/{doi}"}


def _info(fact: Fact, title: str, key: str, year: int) -> dict[str, Any]:
    names = [{"@pid": f"{crc32(name.encode()) % 400}/1", "text": _numbered(name)} for name in fact.authors]
    return {
        "authors": {"author": names if len(names) > 1 else names[0]},
        "title": escape(title if title.endswith("?") else f"{title}."),
        "year": str(year),
        "access": "closed",
        "key": key,
        "url": f"https://dblp.org/rec/{key}",
    }


def _numbered(name: str) -> str:
    number = crc32(name.encode())
    return escape(name if number % 4 else f"{name} {number % 50 + 1:04}")


def _initials(fact: Fact) -> str:
    return "".join(name.split()[-1][0] for name in fact.authors[:4]) + f"{fact.printed_in % 100:02}"


def _searched(info: dict[str, Any]) -> str:
    return " ".join((info["title"], info["venue"], info["year"], str(info["authors"])))
