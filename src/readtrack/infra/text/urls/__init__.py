"""URLs: finding in text, unwrapping, canonicalization, and classification."""

from readtrack.infra.text.urls.find import find_addresses
from readtrack.infra.text.urls.ip import is_public
from readtrack.infra.text.urls.normalize import MAX_LENGTH, UrlParts, canonicalize_url, safe_url, split_url, unwrap
from readtrack.infra.text.urls.not_papers import (
    JUNK_REASONS,
    PICTURE,
    inner_reason,
    internal_host,
    junk_reason,
    search_terms,
)
from readtrack.infra.text.urls.proceedings import abstract_page, lacks_year, proceedings_key, proceedings_url

__all__ = [
    "JUNK_REASONS",
    "MAX_LENGTH",
    "PICTURE",
    "UrlParts",
    "abstract_page",
    "canonicalize_url",
    "find_addresses",
    "inner_reason",
    "internal_host",
    "is_public",
    "junk_reason",
    "lacks_year",
    "proceedings_key",
    "proceedings_url",
    "safe_url",
    "search_terms",
    "split_url",
    "unwrap",
]
