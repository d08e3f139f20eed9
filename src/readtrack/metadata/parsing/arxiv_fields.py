"""Cleanup of arXiv's free-text fields: comment, journal reference, DOI and abstract."""

import re

from readtrack.metadata.parsing import dates, latex, plain_text, venues
from readtrack.metadata.sites import doi
from readtrack.metadata.types import Ref

_MAX_CHARS = 50_000
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n[ \t]{2,}(?=\S)")
_WORK = r"(?:paper|article|submission|manuscript|work|pre-?print|note|e-?print|report|document)"
_WITHDRAWN = re.compile(
    rf"\b{_WORK}\s+(?:(?:has|have|is|was|being)\s+)?(?:been\s+)?(?:\w+ly\s+)?withdrawn\b(?!\s+from)|"
    r"\bwithdrawn\s+by\s+(?:(?:the|its|all)\s+)?(?:\w+\s+)?(?:authors?|arxiv|admin)|"
    r"^\W*(?:temporarily\s+)?withdrawn\b(?!\s+from)",
    re.IGNORECASE,
)
_ABOUT_ITSELF = re.compile(rf"\W*(?:(?:this|the|our)\s+)?(?:{_WORK}|withdrawn)\b", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|doi:\s{0,3}|www\.)\S+|\b10\.\d{4,9}/\S+", re.IGNORECASE)
_ARXIV = re.compile(r"\barxiv:\S+", re.IGNORECASE)
_NOWHERE = re.compile(
    r"(?:re)?submitted|(?:currently |still )?under (?:review|revision|consideration)|in preparation|unpublished|"
    r"work in progress|not (?:yet )?published|none\b|n/a\b|\d{1,4} ?p(?:ages|p|gs)?\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:to )?(?:be published|appear(?:s|ed)?)|accepted(?: for publication| for presentation)?|published|presented|"
    r"forthcoming|in press)[,:]?\s+(?:in|at|by|to|as)?\s*(?:the\s+)?",
    re.IGNORECASE,
)


def prose(text: str) -> str:
    """Return an abstract with its lines joined and LaTeX outside formulas decoded.

    Paragraphs, marked by indentation, are kept.
    """
    paragraphs = (latex.decode_latex(part) for part in _PARAGRAPH.split(text[:_MAX_CHARS].strip()))
    return plain_text.without_mail("\n\n".join(part for part in paragraphs if part))


def line(text: str | None) -> str:
    """Return a cleaned title, name or comment."""
    return plain_text.without_mail(latex.decode_latex((text or "")[:_MAX_CHARS])).strip()


def venue(journal_ref: str | None) -> str:
    """Return the venue of a journal reference, or "" if it names none.

    Conferences are returned by their short name, journals in full.
    """
    text = _ARXIV.sub("", _LINK.sub("", line(journal_ref))).strip(" ,;:")
    match = _LEAD.match(text)
    name = text[match.end() :] if match else text
    if _NOWHERE.match(name) or sum(map(str.isalpha, name)) < 2:
        return ""
    return venues.short_venue(name, dates.day(name)[0])


def remark(comment: str | None, abstract: str) -> str:
    """Return the comment, prefixed with "withdrawn" if it or the abstract says that the paper was withdrawn."""
    text = line(comment)
    start = abstract.strip()[:400]
    is_withdrawn = _WITHDRAWN.search(text) or (_ABOUT_ITSELF.match(start) and _WITHDRAWN.search(start))
    return ": ".join(part for part in ("withdrawn" if is_withdrawn else "", text) if part)


def find_published_dois(*texts: str | None) -> tuple[Ref, ...]:
    """Return the DOIs in the fields, which may contain several; arXiv's own DOI is omitted."""
    words = (word for text in texts for word in _LINK.findall(" ".join((text or "")[:2_000].split())))
    keys = (doi.recognize(re.sub(r"^(?:doi:\s*)+", "", word, flags=re.IGNORECASE)) for word in words)
    return tuple(Ref("doi", key) for key in dict.fromkeys(keys) if key)
