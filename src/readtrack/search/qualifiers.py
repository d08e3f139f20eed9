"""The filters that a search may name: `status:read`, `year:2020..2024`. Pure; the help page lists this table."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from readtrack import names
from readtrack.models import PAPER_KINDS, STATUSES
from readtrack.search.terms import Filter, Node, QueryError, Sort, Span, Text, any_of

LARGEST_YEAR = 99_999  # beyond it a number is a slip, not a year
_YEAR = re.compile(r"(?P<sign>>=|<=|>|<|)(?P<low>[0-9]{1,5}|\*)(?:\.\.(?P<high>[0-9]{1,5}|\*))?")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")


@dataclass(frozen=True)
class Value:
    """One value as it stands in the search. `exact`: it was in quotes."""

    text: str
    exact: bool
    position: int
    length: int


Values = tuple[Value, ...]


@dataclass(frozen=True)
class Qualifier:
    """`read` makes a condition of the values; `words` are the values it knows, when they can be listed."""

    name: str
    help: str
    example: str
    read: Callable[["Qualifier", Values], Node | None]
    words: tuple[str, ...] = ()


def unknown(name: str, position: int) -> QueryError:
    """What is said of a qualifier that is none."""
    close = get_close_matches(name.casefold(), QUALIFIERS, 1)
    hint = f"Did you mean `{close[0]}:`?" if close else "To find it as text, put it in quotes."
    suggestion = f"{close[0]}:" if close else None
    message = f"`{name}:` is not a filter. {hint}"
    return QueryError(message, position=position, length=len(name) + 1, suggestion=suggestion)


def sorting(values: Values) -> Sort:
    """The order that `sort:` asks for. Unless it says otherwise, times and years begin with the newest."""
    if len(values) > 1:
        raise _bad(values[1], "`sort:` takes one order only.")
    word = _listed(QUALIFIERS["sort"], values[0])
    field, _, direction = word.partition("-")
    return Sort(field, descending=direction == "desc" if direction else field != "title")


def _text(qualifier: Qualifier, values: Values) -> Node | None:
    return any_of(Text(value.text, value.exact, qualifier.name) for value in values)


def _words(qualifier: Qualifier, values: Values) -> Node:
    return Filter(qualifier.name, _unique(_listed(qualifier, value) for value in values))


def _names(qualifier: Qualifier, values: Values) -> Node:
    return Filter(qualifier.name, _unique(_plain(value) for value in values))


def _identifiers(qualifier: Qualifier, values: Values) -> Node:
    """`arxiv:1` and `doi:10.1/x` are short for `id:arxiv:1` and `id:doi:10.1/x`."""
    scheme = "" if qualifier.name == "id" else f"{qualifier.name}:"
    return Filter("id", _unique(scheme + names.clean(value.text).strip() for value in values))


def _years(qualifier: Qualifier, values: Values) -> Node:
    return Filter(qualifier.name, _unique(map(_year, values)))


def _languages(qualifier: Qualifier, values: Values) -> Node:
    found = [(_plain(value), value) for value in values]
    for word, value in found:
        if word != "none" and not _LANGUAGE.fullmatch(word):
            raise _bad(value, f"`{value.text}` is no language. Write its short name, as in `{qualifier.example}`.")
    return Filter(qualifier.name, _unique(word for word, _ in found))


def _order(_qualifier: Qualifier, _values: Values) -> None:
    """An order is no condition; see sorting()."""


def _year(value: Value) -> str | Span:
    plain = _plain(value)
    if plain in {"any", "none"}:
        return plain
    match = _YEAR.fullmatch(plain)
    if not match or (match["sign"] and (match["high"] or match["low"] == "*")):
        raise _bad(value, f"`{value.text}` is no year. Write `year:2024`, `year:2020..2024` or `year:>=2020`.")
    span = _span(match["sign"], _number(match["low"]), _number(match["high"] or match["low"]))
    if span.low is not None and span.high is not None and span.low > span.high:
        raise _bad(value, f"`{value.text}` runs backwards. Did you mean `year:{span.high}..{span.low}`?")
    return span


def _span(sign: str, low: int | None, high: int | None) -> Span:
    if not sign or low is None:
        return Span(low, high)
    if sign.startswith(">"):
        return Span(min(low + (sign == ">"), LARGEST_YEAR), None)
    return Span(None, max(low - (sign == "<"), 0))


def _number(digits: str) -> int | None:
    return None if digits == "*" else int(digits)


def _listed(qualifier: Qualifier, value: Value) -> str:
    word = _plain(value)
    if word in qualifier.words:
        return word
    close = get_close_matches(word, qualifier.words, 1)
    hint = f"Did you mean `{close[0]}`?" if close else f"It may be {', '.join(qualifier.words)}."
    raise _bad(value, f"`{qualifier.name}:` does not know `{value.text}`. {hint}", close[0] if close else None)


def _bad(value: Value, message: str, suggestion: str | None = None) -> QueryError:
    return QueryError(message, position=value.position, length=value.length, suggestion=suggestion)


def _plain(value: Value) -> str:
    return names.key(names.clean(value.text))


def _unique(values: Iterable[str | Span]) -> tuple[str | Span, ...]:
    return tuple(sorted(set(values), key=str))


_SORTED = ("added", "updated", "year", "title")
_SORTS = tuple(field + direction for field in _SORTED for direction in ("", "-asc", "-desc"))
_HAVING = ("summary", "topic", "abstract")
_TABLE = (
    Qualifier("status", "Where you stand with it.", "status:to_read,reading", _words, (*STATUSES, "any", "none")),
    Qualifier("topic", "Filed under this topic or one below it: a name, alias or slug.", "topic:checkpointing", _names),
    Qualifier("kind", "What it is.", "kind:video,slides", _words, PAPER_KINDS),
    Qualifier("author", "Words in the authors' names.", 'author:"Jane Doe"', _text),
    Qualifier("year", "The year it came out: a year, a range, `any` or `none`.", "year:2020..2024", _years),
    Qualifier("title", "Words in the title.", "title:attention", _text),
    Qualifier("abstract", "Words in the abstract.", 'abstract:"all reduce"', _text),
    Qualifier("summary", "Words in a summary that you may read.", "summary:elegant", _text),
    Qualifier("note", "Words in the notes it came from.", "note:分散学習", _text),
    Qualifier("id", "An identifier or the address it stands for.", "id:2305.15778", _identifiers),
    Qualifier("arxiv", "An arXiv number.", "arxiv:2305.15778", _identifiers),
    Qualifier("doi", "A DOI.", "doi:10.1145/3627703.3650085", _identifiers),
    Qualifier("has", "What it has.", "has:summary", _words, _HAVING),
    Qualifier("no", "What it lacks.", "no:topic", _words, _HAVING),
    Qualifier("is", "Whether the team took it in.", "is:inbox", _words, ("inbox", "library", "rejected")),
    Qualifier("lang", "Its language, or `none` when nobody said.", "lang:ja,zh", _languages),
    Qualifier("source", "The site that an identifier of it belongs to.", "source:arxiv", _names),
    Qualifier("sort", "The order of the list.", "sort:year-desc", _order, _SORTS),
)
QUALIFIERS = {qualifier.name: qualifier for qualifier in _TABLE}
