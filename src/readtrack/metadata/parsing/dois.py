"""DOIs in responses: URL quoting, references to works, and recognition of preprint DOIs."""

import re
from collections.abc import Iterable
from urllib.parse import quote

from readtrack.metadata import sources
from readtrack.metadata.parsing import answers
from readtrack.metadata.sites import doi
from readtrack.metadata.types import PaperDescription, Ref

_PREPRINT = re.compile(
    r"10\.(?:1101/\d|64898/|2139/ssrn|48550/|21203/|20944/|26434/|31219/|31234/|31235/|31223/|36227/|22541/)",
    re.IGNORECASE,
)
UNREGISTERED = "10.5555/"  # Assigned by ACM, unknown to doi.org and registration agencies.
_PREPRINT_PLACE = re.compile(
    r"arxiv(?:\.org)?(?: \(.*\))?|corr|.*\b(?:bio|med|chem|psy|soc|eng|tech|eco)rxiv\b.*|"
    r"ssrn\b.*|.* ejournal|preprints(?:\.org)?|research square|osf preprints|authorea",
    re.IGNORECASE,
)


def registered_dois(description: PaperDescription) -> tuple[str, ...]:
    """Return the paper's DOIs that are registered, i.e. without those of ACM's own prefix."""
    return tuple(key for key in description.keys("doi") if not key.startswith(UNREGISTERED))


def refusal_reason(key: str) -> str:
    """Return the reason why no service is asked about a malformed DOI; "" for a valid one."""
    return "" if doi.recognize(key) == key else answers.invalid_identifier(key, "DOI")


def quote_for_path(doi: str) -> str:
    """Quote a DOI for a URL path; everything after the first slash stays one segment."""
    prefix, _, suffix = doi.partition("/")
    return f"{quote(prefix, safe='')}/{quote(suffix, safe='')}"


def is_preprint(doi: str) -> bool:
    return _PREPRINT.match(doi) is not None


def is_place_of_preprints(venue: str) -> bool:
    """Return True if a venue is a preprint server."""
    return _PREPRINT_PLACE.fullmatch(venue[:200]) is not None


def parse_work_ref(text: str) -> Ref | None:
    """Return the reference to a work for a DOI or URL; None for mere page URLs."""
    ref = sources.recognize(text) if text else None
    return ref if ref and ref.scheme not in {"url", "s2", "github"} else None


def other_refs(ref: Ref, texts: Iterable[str], limit: int = 10) -> tuple[Ref, ...]:
    """Return the other identifiers of a work without duplicates, at most `limit`."""
    refs = dict.fromkeys(candidate for candidate in map(parse_work_ref, texts) if candidate and candidate != ref)
    return tuple(refs)[:limit]
