"""Web addresses: found in text, unwrapped, made canonical, told from what is no paper. Pure, and no source itself."""

from readtrack.sources.addresses.finding import find_addresses
from readtrack.sources.addresses.form import MAX_LENGTH, Parts, canonical, parts, safe_url
from readtrack.sources.addresses.junk import inner_reason, junk_reason
from readtrack.sources.addresses.network import is_public
from readtrack.sources.addresses.proceedings import abstract_page, lacks_year, proceedings_key, proceedings_url
from readtrack.sources.addresses.searching import search_terms
from readtrack.sources.addresses.wrappers import unwrap

__all__ = [
    "MAX_LENGTH",
    "Parts",
    "abstract_page",
    "canonical",
    "find_addresses",
    "inner_reason",
    "is_public",
    "junk_reason",
    "lacks_year",
    "parts",
    "proceedings_key",
    "proceedings_url",
    "safe_url",
    "search_terms",
    "unwrap",
]
