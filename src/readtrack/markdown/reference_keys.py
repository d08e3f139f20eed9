"""Which things a text names: `[[title]]`, `[[identifier|shown]]`, `arXiv:…`, DOIs and addresses. Pure.

What is named has a key: `name:` and the name as names are compared, or `ref:` and the identifier.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from readtrack.infra.text import normalize
from readtrack.metadata import registry
from readtrack.metadata.types import Ref

MOST = 200  # things of one text that are looked at
LONGEST = 300  # characters between brackets
COMPARED = 500  # characters of a name: as many as titles are compared by
BY_NAME, BY_REF = "name:", "ref:"
BRACKETS = re.compile(rf"\[\[(?!\^)([^\[\]\n]{{1,{LONGEST}}})\]\]")
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
    """Where a text names something: from `start` to `end`."""

    start: int
    end: int
    key: str


def may_have_references(text: str) -> bool:
    """Whether it is worth reading for names at all."""
    return _MAY_NAME.search(text) is not None


def key_of(name: str) -> str:
    """The key of what stands between brackets; blank when nothing does."""
    name = normalize.clean(name).strip()
    if ref := registry.parse_ref(name):
        return key_of_ref(ref)
    return key_of_name(name)


def key_of_name(name: str) -> str:
    """As much of it as titles are compared by."""
    known = normalize.key(name)[:COMPARED]
    return f"{BY_NAME}{known}" if known else ""


def key_of_ref(ref: Ref) -> str:
    return f"{BY_REF}{ref}"


def key_of_address(address: str) -> str:
    """The key of what lies at an address; blank when that is no identifier."""
    ref = registry.recognize(address)
    return key_of_ref(ref) if ref else ""


def split_brackets(inside: str) -> tuple[str, str]:
    """What is named between brackets, and what is shown instead: `name|shown`."""
    name, _bar, shown = inside.partition("|")
    return name.strip(), shown.strip() or name.strip()


def find_identifiers(words: str) -> Iterator[ReferenceSpan]:
    """Those that stand in plain words."""
    for found in _WRITTEN.finditer(words):
        typed = _strip_prose_end(found[0])
        if ref := registry.recognize(typed):
            yield ReferenceSpan(found.start(), found.start() + len(typed), key_of_ref(ref))


def find_reference_spans(text: str) -> Iterator[ReferenceSpan]:
    """Where the source of a text may name things, whatever stands round it: for a glance, not for links."""
    spans = [
        *(
            ReferenceSpan(found.start(), found.end(), key_of(split_brackets(found[1])[0]))
            for found in islice(BRACKETS.finditer(text), MOST)
        ),
        *islice(find_identifiers(text), MOST),
        *(_at_address(found) for found in islice(_ADDRESS.finditer(text), MOST)),
    ]
    return iter(sorted(span for span in spans if span.key))


def short_title(title: str) -> str:
    """What a paper is called in short: what stands before the colon of its title; blank when there is none."""
    short, colon, _rest = normalize.key(title).partition(":")
    return short.strip() if colon else ""


def _at_address(found: re.Match[str]) -> ReferenceSpan:
    typed = _strip_prose_end(found[0])
    return ReferenceSpan(found.start(), found.start() + len(typed), key_of_address(typed))


def _strip_prose_end(typed: str) -> str:
    """Cut where prose goes on: punctuation, and brackets that are not opened in it."""
    typed = typed.rstrip(_PROSE)
    while typed.endswith(tuple(_PAIRS)) and typed.count(typed[-1]) > typed.count(_PAIRS[typed[-1]]):
        typed = typed[:-1].rstrip(_PROSE)
    return typed
