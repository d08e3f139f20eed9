"""Authors and year beside a title: (Lovelace et al., 2022), [Babbage+, VLDB'21], （Turing他 2019）, Hopper2020 - …"""

import re
from typing import NamedTuple

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.dates import take_date
from readtrack.infra.text.titles.vocabulary import ORGANISATIONS, words_of
from readtrack.ingest.parser.vocabulary.author_names import VENUE_LIKE, names_in, parse_initialled_names
from readtrack.ingest.parser.vocabulary.venues import full_year, known_tag_in, take_tag

_NAME = r"(?:(?:van|von|de|der|den|del|di|da|le|la|ten|ter)\s){0,2}[^\W\d_a-z][\w.'’-]{0,30}?(?![A-Za-z])"
_FULL_NAME = rf"{_NAME}(?:\s{_NAME}){{0,3}}?"
_AND = r"(?:,?\s(?:and|&)\s|\s?[&/]\s?)"
_NAMES = rf"(?P<names>{_FULL_NAME}(?:,\s?{_FULL_NAME}){{0,8}}(?P<joint>{_AND}{_FULL_NAME})?)"
_OTHERS = r"(?P<others>\s?\+|[,，]?\s?et\.?\s?al\.?|\s?(?:他|ら|等|ほか))"
_YEAR = r"(?P<year>(?:19|20)\d\d|\d\d)[a-z]?"
_CITED = (
    rf"(?P<by>by\s)?{_NAMES}{_OTHERS}?"
    rf"(?:(?:[\s,，:;；]{{0,2}}|\s[-–—]\s)(?:(?P<venue>[A-Z][A-Za-z&+/ .-]{{1,40}}?)[\s,，]?)?[\s'’]?{_YEAR}"
    r"(?:[,，;；]\s?(?P<more>[^()\[\]（）【】]{1,80}))?)?"
)
_ALONE = re.compile(_CITED)
_FIRST = re.compile(rf"[(\[（【]{_CITED}[)\]）】]\s?[:：,，-]?\s{{0,3}}(?=\S)")
_LAST = re.compile(rf"[\s*_]?[(\[（【]{_CITED}[)\]）】]\s?[.。:：]?$")
_INSIDE = re.compile(rf"\s[(\[（【]{_CITED}[)\]）】](?:\s?[:：]\s?|\s[-–—]\s)(?=\S)")  # before a remark
_BARE_FIRST = re.compile(  # `Devlin et al. (2019): Title`, `Vaswani+17, Title`, `Yu et al.'22 Title`
    rf"{_NAMES}{_OTHERS}[\s,，]?(?:[(（'’]?(?=\d{{2,4}}[a-z]?[)）]?\s?[:：,，])|['’](?=\d\d\s))"
    rf"{_YEAR}[)）]?\s?[:：,，]?\s{{0,3}}(?=\S)(?P<venue>)(?P<more>)"
)
_DASHED_FIRST = re.compile(  # `Ongaro and Ousterhout - 2014 - Title`, as Zotero names files
    rf"{_NAMES}{_OTHERS}?\s[-–—]\s(?P<year>(?:19|20)\d\d)[a-z]?\s[-–—]\s(?=\S)(?P<venue>)(?P<more>)"
)
_KEY_FIRST = re.compile(  # `Corbett2012 - Title`, `Corbett, 2012. Title of it`
    r"(?P<name>[A-Z][a-z]{1,20})(?:(?P<year>(?:19|20)\d\d)[a-z]?(?:\s?[:：]\s?|\s[-–—]\s)(?=\S)|"
    r",?\s(?P<apart>(?:19|20)\d\d)[a-z]?(?:[:：.]\s|\s[-–—]\s)(?=[A-Z]\S*\s\S+\s\S))"
)
_OTHERS_LAST = re.compile(  # `Title Corbett et al. 2012`
    rf"\s(?P<names>{_NAME})\set\s?al\.?,?\s[(\[]?(?P<year>(?:19|20)\d\d)[)\]]?\.?$"
)
_SURNAME_AND_YEAR = re.compile(r"\W{0,2}(?P<name>[A-Z][a-z]{1,20}(?:-[A-Z][a-z]{1,20})?), (?:19|20)\d\d[a-z]?\W{0,2}")
_REPORT = re.compile(r"\b(?:TR|Tech(?:nical)? Report|(?:PhD )?[Tt]hesis)\b")
_MAY_CITE = re.compile(
    r"\w\s?\+|&|\bet\.?\s?al\b|\sand\s|[他ら等か/]|[a-z](?:,\s)?(?:19|20)\d\d|[a-z],?\s(?:19|20)\d\d(?:[:：.]|\s[-–—])|[-–—]\s(?:19|20)\d\d\s|,\s[A-Z]"
)
_NO_SURNAMES = ORGANISATIONS | frozenset(
    words_of("""
springer | elsevier | wiley | routledge | cambridge | oxford | penguin | pearson | press | usenix
online | draft | preprint | summer | winter
spring | fall | autumn | week | day | part | chapter | session | lecture | volume | figure | table | best | top | class
video | slides | blog | book | survey | code | talk | thesis | tutorial | website | post | paper | article | journal
workshop | keynote | poster | demo | report | python | java | rust | netflix | uber | twitter | cloudflare | github
""")
)
_OPENERS, _CLOSERS = ("(", "[", "（", "【"), (")", "]", "）", "】")
_STOP_LAST = re.compile(r"(?<=[a-z]{3})\.$")
_SEPARATOR = re.compile(rf"{_AND}|,\s?")
_COMMA = re.compile(r"[,，;；]")
_EDGE_CHARS, _FEW = 160, 2


class AuthorTag(NamedTuple):
    """What a tag says, and the text without it. `more`: the words behind the year."""

    remainder: str
    authors: tuple[str, ...]
    venue: str = ""
    year: int | None = None
    more: str = ""


def take_author_tag(text: str) -> AuthorTag | None:
    """Split a tag from a title: at its beginning or end, or before a remark."""
    edge = max(0, len(text) - _EDGE_CHARS)
    if text.endswith((*_CLOSERS, ").", "）。", "):", "]:")) and _MAY_CITE.search(text, edge):
        last = _LAST.search(text, edge)
        if last and last.start() > 0 and (tag := _read_tag(last, text[: last.start()].rstrip())):
            return tag
    last = _OTHERS_LAST.search(text, edge)
    if last and text[: last.start()][-2:].isalpha() and len(text[: last.start()].split()) > _FEW:
        return AuthorTag(text[: last.start()], (last["names"],), year=int(last["year"]))
    return _take_first(text) if _MAY_CITE.search(text, 0, _EDGE_CHARS) else None


def _take_first(text: str) -> AuthorTag | None:
    if first := (_FIRST if text.startswith(_OPENERS) else _BARE_FIRST).match(text):
        return _read_tag(first, text[first.end() :])
    if (dashed := _DASHED_FIRST.match(text)) and (dashed["others"] or len(text[dashed.end() :].split()) > _FEW):
        return AuthorTag(text[dashed.end() :], _split_names(dashed["names"]), year=int(dashed["year"]))
    key = _KEY_FIRST.match(text)
    if key and may_be_surname(key["name"]) and (key["year"] or names_a_paper(text[key.end() :])):
        return AuthorTag(text[key.end() :], (key["name"],), year=int(key["year"] or key["apart"]))
    inside = _INSIDE.search(text, 0, _EDGE_CHARS)
    tag = _read_tag(inside, text[: inside.start()].rstrip()) if inside and inside.start() else None
    return tag._replace(more=f"{tag.more} {text[inside.end() :]}".strip()) if tag and inside else None


def read_author_tag(text: str) -> AuthorTag | None:
    """Read a text that is only a tag, such as that of a link: `[Devlin et al., NAACL 2019](address)`."""
    cited = _ALONE.fullmatch(text) if len(text) <= _EDGE_CHARS else None
    return _read_tag(cited, "") if cited else None


def _read_tag(cited: re.Match[str], remainder: str) -> AuthorTag | None:
    """Return None for words that need not be names: only others or a year show that `X and Y` are some."""
    year = full_year(cited["year"]) if cited["year"] else None
    authors = _split_names(cited["names"])
    last = known_tag_in(f"{authors[-1]} {year}") if year and len(authors) > 1 else None  # `[A, B, VLDB 2020]`
    names = cited["names"].rpartition(",")[0] if last else cited["names"]
    is_surname = _is_surname(cited[0].strip()) and (not remainder or _is_distinct(remainder))
    is_certain = cited["others"] or cited.groupdict().get("by") or names_in(names) or is_surname
    is_dated_pair = cited["joint"] and len(cited["year"] or "") > len("23")
    if not (is_certain or is_dated_pair) or VENUE_LIKE.fullmatch(cited["names"]):
        return None
    if last:
        return AuthorTag(remainder, authors[:-1], last.venue, year, (cited["more"] or "").strip())
    before = (cited["venue"] or "").strip()
    if before and not (is_certain or _venue_of(before, year) or _REPORT.search(before)):
        return None  # `(Routledge & Kegan Paul, London 1962)`
    behind = [part for part in map(str.strip, _COMMA.split(cited["more"] or "")) if part]
    found = ((part, _venue_of(part, year)) for part in [before, *behind] if part)
    stated, venue = next(((part, venue) for part, venue in found if venue), (before, before))
    return AuthorTag(remainder, authors, venue, year, ", ".join(part for part in behind if part != stated))


def _venue_of(words: str, year: int | None) -> str:
    return take_tag(f"({words} {year})").venue


def _is_distinct(title: str) -> bool:
    """Return True for a coined name or several words, beside which a lone surname may stand: `PPO (Schulman, 2017)`."""
    return len(title.split()) > _FEW or any(map(str.isupper, title[1:]))


def _split_names(names: str) -> tuple[str, ...]:
    return parse_initialled_names(names) or tuple(filter(None, _SEPARATOR.split(_STOP_LAST.sub("", names))))


def _is_surname(words: str) -> bool:
    """Return True for `(Vaswani, 2017)`, but not for a venue, publisher or organisation with a year."""
    match = _SURNAME_AND_YEAR.fullmatch(words)
    return match is not None and may_be_surname(match["name"])


def may_be_surname(name: str) -> bool:
    """Return False for a month or season, a publisher, a venue, and words such as "Slides"."""
    is_month = not take_date(f"{name} 2020").remainder
    return not is_month and name.casefold() not in _NO_SURNAMES and not known_tag_in(f"{name} 2020")
