"""Links that narrow the library: each adds its word to the question, or takes it out again. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from readtrack.models import PAPER_KINDS, STATUSES
from readtrack.papers.queries import PaperFilter
from readtrack.readings.states import WORDS

_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')  # a phrase in quotes is one


def facets(wanted: PaperFilter, mine: Mapping[str, int]) -> list[dict[str, Any]]:
    """One link a status (with how many of mine) and one a kind, as the template's macro wants them."""
    by_status = [
        _facet(wanted, "status", status, text=WORDS[status], count=mine.get(status, 0), status=status)
        for status in STATUSES
    ]
    return by_status + [_facet(wanted, "kind", kind, text=kind, count="", status="") for kind in PAPER_KINDS]


def topic_facets(wanted: PaperFilter, topics: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """One link a topic, given as (slug, name)."""
    return [_facet(wanted, "topic", slug, text=name, count="", status="") for slug, name in topics]


def _facet(wanted: PaperFilter, name: str, value: str, **shown: Any) -> dict[str, Any]:  # noqa: ANN401
    words = _WORD.findall(wanted.q)
    on = f"{name}:{value}" in words
    others = [word for word in words if not word.startswith(f"{name}:")]
    q = " ".join(others if on else [*others, f"{name}:{value}"])
    kept = {key: text for key, text in (("q", q), ("sort", wanted.sort)) if text}
    return {**shown, "on": on, "href": f"/papers?{urlencode(kept)}" if kept else "/papers"}
