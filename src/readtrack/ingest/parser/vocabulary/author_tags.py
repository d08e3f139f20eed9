"""Authors and year in brackets beside a title: (Lovelace et al., 2022), [Babbage+, VLDB'21], （Turing他 2019）."""

import re
from typing import NamedTuple

from readtrack.ingest.parser.vocabulary.author_names import VENUE_LIKE
from readtrack.ingest.parser.vocabulary.venues import full_year, take_tag

_NAME = r"(?:(?:van|von|de|der|den|del|di|da|le|la|ten|ter)\s){0,2}[^\W\d_a-z][\w.'’-]{0,30}?"
_FULL_NAME = rf"{_NAME}(?:\s{_NAME}){{0,3}}?"
_AND = r"(?:,?\s(?:and|&)\s|\s?[&/]\s?)"
_NAMES = rf"(?P<names>{_FULL_NAME}(?:,\s?{_FULL_NAME}){{0,8}}(?P<joint>{_AND}{_FULL_NAME})?)"
_OTHERS = r"(?P<others>\s?\+|[,，]?\s?et\.?\s?al\.?|\s?(?:他|ら|等|ほか))"
_CITED = (
    rf"{_NAMES}{_OTHERS}?"
    r"(?:[\s,，:]{0,2}(?:(?P<venue>[A-Z][A-Za-z&+/ .-]{1,40}?)[\s,，]?)?"
    r"[\s'’]?(?P<year>(?:19|20)\d\d|\d\d)[a-z]?(?:[,，;；]\s?(?P<more>[^()\[\]（）【】]{1,80}))?)?"
)
_ALONE = re.compile(_CITED)
_FIRST = re.compile(rf"[(\[（【]{_CITED}[)\]）】]\s?[:：,，-]?\s{{0,3}}(?=\S)")
_LAST = re.compile(rf"[\s*_]?[(\[（【]{_CITED}[)\]）】]\s?[.。:：]?$")
_BARE_FIRST = re.compile(  # `Devlin et al. (2019): Title`, `Vaswani+17, Title`
    rf"{_NAMES}{_OTHERS}[\s,，]?[(（'’]?(?P<year>(?:19|20)\d\d|\d\d)[a-z]?[)）]?\s?[:：,，]\s{{0,3}}(?=\S)(?P<venue>)(?P<more>)"
)
_MAY_CITE = re.compile(r"\w\s?\+|&|\bet\.?\s?al\b|\sand\s|[他ら等か/]")
_OPENERS, _CLOSERS = ("(", "[", "（", "【"), (")", "]", "）", "】")
_SEPARATOR = re.compile(rf"{_AND}|,\s?")
_COMMA = re.compile(r"[,，;；]")
_EDGE_CHARS = 160


class AuthorTag(NamedTuple):
    """What a tag says, and the text without it. `more`: the words behind the year."""

    remainder: str
    authors: tuple[str, ...]
    venue: str = ""
    year: int | None = None
    more: str = ""


def take_author_tag(text: str) -> AuthorTag | None:
    """Split a tag from the beginning or the end of a title."""
    edge = max(0, len(text) - _EDGE_CHARS)
    if text.endswith((*_CLOSERS, ").", "）。", "):", "]:")) and _MAY_CITE.search(text, edge):
        last = _LAST.search(text, edge)
        if last and last.start() > 0 and (tag := _read(last, text[: last.start()].rstrip())):
            return tag
    if not _MAY_CITE.search(text, 0, _EDGE_CHARS):
        return None
    first = (_FIRST if text.startswith(_OPENERS) else _BARE_FIRST).match(text)
    return _read(first, text[first.end() :]) if first else None


def read_author_tag(text: str) -> AuthorTag | None:
    """Read a text that is only a tag, such as that of a link: `[Devlin et al., NAACL 2019](address)`."""
    cited = _ALONE.fullmatch(text) if len(text) <= _EDGE_CHARS else None
    return _read(cited, "") if cited else None


def _read(cited: re.Match[str], remainder: str) -> AuthorTag | None:
    """Return None for words that need not be names: only others or a year show that `X and Y` are some."""
    is_certain = cited["others"] or (cited["joint"] and len(cited["year"] or "") > len("23"))
    if not is_certain or VENUE_LIKE.fullmatch(cited["names"]):
        return None
    year = full_year(cited["year"]) if cited["year"] else None
    before = (cited["venue"] or "").strip()
    words = [before, *(part.strip() for part in _COMMA.split(cited["more"] or ""))]
    venue = next((part for part in words if part and take_tag(f"({part} {year})").venue), before)
    if before and not cited["others"] and not take_tag(f"({before} {year})").venue:
        return None  # `(Routledge & Kegan Paul, London 1962)`
    authors = tuple(name for name in _SEPARATOR.split(cited["names"]) if name)
    more = ", ".join(part for part in words[1:] if part and part != venue)
    return AuthorTag(remainder, authors, take_tag(f"({venue} {year})").venue or venue, year, more)
