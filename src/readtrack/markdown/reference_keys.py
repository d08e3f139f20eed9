"""References in texts: `[[title]]`, `[[identifier|shown]]`, `arXiv:…`, DOIs and URLs.

The key of a reference is `name:` and the normalized name, or `ref:` and the identifier.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from readtrack.infra.text import normalize
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

MAX_REFERENCES = 200  # Maximum references per text.
MAX_KEY_CHARS = 300  # Characters in brackets.
MAX_COMPARED_CHARS = 500  # Maximum characters of a name, as in the comparison of titles.
BY_NAME, BY_REF = "name:", "ref:"
BRACKETS = re.compile(rf"\[\[(?!\^)([^\[\]\n]{{1,{MAX_KEY_CHARS}}})\]\]")
_WRITTEN = re.compile(
    r"(?<![A-Za-z0-9_/.:-])(?:"
    r"arxiv\s?[:：]\s?(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?(?![0-9])"
    r"|(?:doi\s?[:：]\s?)?10\.[0-9]{4,9}/[!-~]{1,300})",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://[^\s<>\"，。、；：！？（）「」『』【】]{1,2000}", re.IGNORECASE)
_MAY_NAME = re.compile(r"\[\[|://|arxiv\s?[:：]|10\.[0-9]{4,9}/", re.IGNORECASE)
_PROSE = ".,;:!?*~'\"/>"
_PAIRS = {")": "(", "]": "[", "}": "{"}


class ReferenceSpan(NamedTuple):
    """A reference and its position in a text."""

    start: int
    end: int
    key: str


def may_have_references(text: str) -> bool:
    """Return False if a text cannot contain references. A cheap prefilter."""
    return _MAY_NAME.search(text) is not None


def key_of(name: str) -> str:
    """Return the key for the text in brackets; "" if it is blank."""
    name = normalize.clean(name).strip()
    if ref := sources.parse_ref(name):
        return key_of_ref(ref)
    return key_of_name(name)


def key_of_name(name: str) -> str:
    """Return the key for a name, truncated to the compared length; "" if it is blank."""
    key = normalize.key(name)[:MAX_COMPARED_CHARS]
    return f"{BY_NAME}{key}" if key else ""


def key_of_ref(ref: Ref) -> str:
    return f"{BY_REF}{ref}"


def key_of_address(address: str) -> str:
    """Return the key for a URL; "" if it is no known identifier."""
    ref = sources.recognize(address)
    return key_of_ref(ref) if ref else ""


def split_brackets(content: str) -> tuple[str, str]:
    """Split `name|shown` into the reference and its display text."""
    name, _bar, label = content.partition("|")
    return name.strip(), label.strip() or name.strip()


def find_identifiers(text: str) -> Iterator[ReferenceSpan]:
    """Yield the identifiers in plain text."""
    for match in _WRITTEN.finditer(text):
        identifier = _strip_prose_end(match[0])
        if ref := sources.recognize(identifier):
            yield ReferenceSpan(match.start(), match.start() + len(identifier), key_of_ref(ref))


def find_reference_spans(text: str) -> Iterator[ReferenceSpan]:
    """Yield possible references in Markdown source, including code and links.

    For previews, not for linking.
    """
    spans = [
        *(
            ReferenceSpan(match.start(), match.end(), key_of(split_brackets(match[1])[0]))
            for match in islice(BRACKETS.finditer(text), MAX_REFERENCES)
        ),
        *islice(find_identifiers(text), MAX_REFERENCES),
        *(_at_address(match) for match in islice(_ADDRESS.finditer(text), MAX_REFERENCES)),
    ]
    return iter(sorted(span for span in spans if span.key))


def short_title(title: str) -> str:
    """Return the short name of a paper: its title up to the colon; "" if there is none."""
    name, colon, _rest = normalize.key(title).partition(":")
    return name.strip() if colon else ""


def _at_address(match: re.Match[str]) -> ReferenceSpan:
    address = _strip_prose_end(match[0])
    return ReferenceSpan(match.start(), match.start() + len(address), key_of_address(address))


def _strip_prose_end(text: str) -> str:
    """Remove trailing punctuation and unbalanced closing brackets."""
    text = text.rstrip(_PROSE)
    while text.endswith(tuple(_PAIRS)) and text.count(text[-1]) > text.count(_PAIRS[text[-1]]):
        text = text[:-1].rstrip(_PROSE)
    return text
