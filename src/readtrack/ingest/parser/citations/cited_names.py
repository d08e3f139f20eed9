"""Authors as references write them before or behind a title."""

import re

from readtrack.ingest.parser.citations.patterns import (
    BEHIND_YEAR,
    ENDS_NAMES,
    MIN_TITLE_WORDS,
    NAME_AND_POINTS,
    SURNAME,
    VOLUME,
    WORD,
    YEAR_LAST,
)
from readtrack.ingest.parser.vocabulary.author_names import (
    EDGES,
    names_in,
    parse_inverted_names,
    single_name,
    surname_first,
    surnames_in,
    turned_names,
)

_INVERTED = re.compile(r"[^\W\d_a-z][\w'’-]+, [^\W\d_a-z][\w'’-]+(?:\s[A-Z]\.){1,2}, et al")
_SPACED_CJK_NAME = re.compile(r"[\u3400-\u9fff々]{1,4}[\s・][\u3040-\u30ff\u3400-\u9fff々]{1,6}")  # with a space
_BARE_INITIAL = re.compile(  # `Gosselin, PH`
    rf"(?:[A-Z]\.?\s)?(?P<surname>{SURNAME})(?:,\s(?P<initials>[A-Z]{{1,3}}\b\.?))?"
)
_WITHOUT_INITIALS = rf"(?:[A-Z]\.?\s)?{SURNAME}"
_WITH_BARE_INITIALS = rf"{_WITHOUT_INITIALS},\s[A-Z]{{1,3}}\b\.?"
_BARE_INITIALS = re.compile(  # the last name may lack them
    rf"(?:{_WITH_BARE_INITIALS},\s){{2,40}}{_WITH_BARE_INITIALS}|"
    rf"(?:{_WITH_BARE_INITIALS},\s){{3,40}}{_WITHOUT_INITIALS}"
)
_CITATION = (
    rf"{SURNAME}(?:(?:,\s{{1,2}}(?:and\s)?|\s(?:and|&)\s){SURNAME}){{0,4}}(?:,?\set al\.?)?"
    r"\s?\((?:19|20)\d\d[a-z]?(?:,\s[a-z][^()A-Z]{0,60})?\)"
)
_ONLY_CITES = re.compile(  # a label of two words, or of some letters in another script
    rf"(?:[\w-]{{2,20}}(?:\s[\w-]{{2,20}})?[:：]\s?)?{_CITATION}(?:[\s、，,;；]{{1,4}}(?:and\s)?{_CITATION}){{1,30}}"
    r"[\s.,、。，…\\]{0,5}"
)
_JOINED = re.compile(r"[:：&]|\sand\s|\set al")
_MAX_CITING_CHARS = 1000


def only_cites(text: str) -> bool:
    """Return True for `Tracking: Hanushek and Woessmann (2006), Ammermueller (2013)`: several works without a title."""
    text = text[:_MAX_CITING_CHARS]
    return "(" in text and _ONLY_CITES.fullmatch(text) is not None and _JOINED.search(text) is not None


def dated_names(head: str) -> tuple[str, ...]:
    """Return names in `Author, A. and Writer, B. (2020)`."""
    return split_dated_names(head)[0]


def split_dated_names(head: str) -> tuple[tuple[str, ...], int | None]:
    """Return the names and the year behind them in `Author, A. and Writer, B. (2020)`, else () and None."""
    year = YEAR_LAST.search(head.rstrip(" .,"))
    before = head[: year.start()].strip() if year else ""
    names = names_in(before) or surname_first(before) or turned_names(before) if before else ()
    names = names or ((before,) if re.fullmatch(NAME_AND_POINTS, before) else ())
    names = names or ((before.rstrip("."),) if _SPACED_CJK_NAME.fullmatch(before.rstrip(".")) else single_name(before))
    return (names, int(year["year"])) if year and names else ((), None)


def names_before_title(text: str) -> tuple[str, ...]:
    """Return the names that the text before a framed title consists of."""
    inverted = parse_inverted_names(text)
    undated = YEAR_LAST.sub("", text.rstrip(" .,:"))
    return (
        _split_bare_initials(text)
        or (inverted if _INVERTED.match(text) else ())
        or names_in(text)
        or inverted
        or dated_names(text)
        or single_name(undated)
        or (surnames_in(undated) if undated != text.rstrip(" .,:") else ())
    )


def surnames_before(before: str, rest: str) -> tuple[str, ...]:
    """Return surnames before a quoted title that nothing but a full stop follows.

    Example: `Halevy, Norvig, and Pereira, “Title”`.
    """
    before = before.rstrip()
    if not before.endswith(",") or rest.strip(EDGES):
        return ()
    return _split_bare_initials(before.rstrip(",")) or surnames_in(before)


def _split_bare_initials(text: str) -> tuple[str, ...]:
    """Return the names of `Sumikura, S, Gosselin, PH, Sakurada, K`, with commas between all names and initials."""
    if not _BARE_INITIALS.fullmatch(text):
        return ()
    return tuple(f"{name['surname']}, {name['initials'] or ''}".rstrip(", ") for name in _BARE_INITIAL.finditer(text))


def organization(before: str, italics: str, rest: str) -> tuple[str, ...]:
    """Return who published a report: `World Health Organization. (2019). *The Title* (11th ed.).`"""
    year = BEHIND_YEAR.search(before)
    name = before[: year.start()].strip(EDGES) if year else ""
    words = (word.lstrip("(") for word in name.split() if len(word) > 3)  # not "of" and "the"
    has_capitals = name[:1].isupper() and all(word[:1].isupper() for word in words)
    is_short = len(name.split()) <= len(italics.split()) + 2 and ". " not in name
    is_title = len(WORD.findall(italics)) >= MIN_TITLE_WORDS and not VOLUME.match(rest)
    return (name,) if has_capitals and is_short and is_title else ()


def surnames_cited(text: str) -> tuple[str, ...]:
    """Return surnames joined as only a citation joins them: `Smith & Jones`, `Smith et al.`"""
    if not (" & " in text or "et al" in text) or ENDS_NAMES.search(text.replace("et al. ", "et al ")):
        return ()
    return surnames_in(text) or names_in(text)
