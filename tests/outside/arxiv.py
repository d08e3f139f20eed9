"""arXiv's query API: `id_list` and `search_query`, entries as tests.standin renders them."""

import re
from collections.abc import Sequence

from tests.outside.asking import Asked, Reply
from tests.outside.facts import Fact, Facts
from tests.standin import ATOM, Paper, entry, feed

_OPERATORS = re.compile(r"\b(?:AND|OR|ANDNOT)\b|\b(?:ti|au|abs|all|cat|id):")


def answer(facts: Facts, asked: Asked) -> Reply:
    most = asked.number("max_results", 10)
    ids = [re.sub(r"v\d+$", "", key) for key in asked.query.get("id_list", "").split(",") if key]
    if ids:
        there = [fact for key in dict.fromkeys(ids) if (fact := facts.named("arxiv", key))]
        return _feed(there[asked.number("start", 0) :][:most], len(there))
    query = _OPERATORS.sub(" ", asked.query.get("search_query", ""))
    on_arxiv = Facts(fact for fact in facts if fact.arxiv)
    found = on_arxiv.called(query, lambda fact: f"{fact.on_arxiv} {' '.join(fact.authors)}", most)
    return _feed(found, len(found))


def _feed(there: Sequence[Fact], total: int) -> Reply:
    entries = [entry(fact.arxiv, _paper(fact)) for fact in reversed(there)]  # not in the order of asking
    return Reply(feed(entries, total).encode(), ATOM["content-type"])


def _paper(fact: Fact) -> Paper:
    day = fact.published
    return Paper(
        title=fact.on_arxiv,
        authors=fact.authors,
        abstract=fact.abstract,
        published=day if "T" in day or not day else f"{day}T17:00:00Z",
        version=fact.latest_version,
    )
