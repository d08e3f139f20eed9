"""Extraction of search terms from result pages of search engines and sites.

Such a page is never a paper.
"""

import re

from readtrack.infra.text.urls.normalize import UrlParts, split_url
from readtrack.infra.text.urls.wrapped_urls import unwrap

# Last path segment of result pages, and the query parameters with the search terms.
_PAGE = re.compile(
    r"search(?:es|_?results?)?(?:\.\w+)?|s|scholar|web|results?|find|query|dosearch|searchresult\.jsp", re.IGNORECASE
)
_TYPED = ("q", "wd", "word", "query", "querytext", "search_query", "keyword", "keywords", "kw", "term", "text", "p")
_TYPED_AT_ROOT = {"duckduckgo.com": "q", "google.com": "q", "ecosia.org": "q", "perplexity.ai": "q", "kagi.com": "q"}
_ACM_FIELDS = ("allfield", "title")


def search_terms(url: str) -> str | None:
    """Return the search terms if the URL is a result page, else None."""
    parts = split_url(unwrap(url))
    if parts is None or not parts.query:
        return None
    parameters = {name.lower(): value for name, value in parts.query.items()}
    for name in _parameters(parts):
        terms = " ".join(parameters.get(name, "").split())
        if terms:
            return terms
    return None


def _parameters(parts: UrlParts) -> tuple[str, ...]:
    if not parts.segments:
        engine = next((name for host, name in _TYPED_AT_ROOT.items() if parts.is_under(host)), None)
        return (engine,) if engine else ("s",)  # WordPress search is /?s=… at the root.
    if parts.segments[-1].lower() == "dosearch":
        return _ACM_FIELDS
    return _TYPED if _PAGE.fullmatch(parts.segments[-1]) or parts.segments[0].lower() == "search" else ()
