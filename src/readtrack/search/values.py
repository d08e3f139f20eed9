"""What may stand behind the colon of a filter: words, names, people, numbers, times. Reads them, or says why not. Pure.

A reader makes a condition of the values of one qualifier; None says nothing by itself.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import normalize
from readtrack.search import dates
from readtrack.search.ast import Filter, Node, QueryError, Span, Text, Value, any_of

LARGEST = 99_999  # beyond it a number is a slip
_NUMBER = re.compile(r"(?P<sign>>=|<=|>|<|)(?P<low>[0-9]{1,5}|\*)(?:\.\.(?P<high>[0-9]{1,5}|\*))?")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*")


@dataclass(frozen=True)
class Written:
    """One value as it stands in the search. `exact`: it was in quotes."""

    text: str
    exact: bool
    position: int
    length: int


@dataclass(frozen=True)
class Kind:
    """What a reader must know of its qualifier: the name it is kept under, an example, the words it knows."""

    name: str
    kept: str
    example: str
    words: tuple[str, ...]


Reader = Callable[[Kind, Sequence[Written]], Node | None]


def text(kind: Kind, values: Sequence[Written]) -> Node | None:
    """Words in one field."""
    return any_of(Text(value.text, value.exact, (kind.kept,)) for value in values)


def words(kind: Kind, values: Sequence[Written]) -> Node:
    """One of the words that the qualifier knows."""
    return Filter(kind.kept, _unique(listed(kind, value) for value in values))


def one_word(kind: Kind, values: Sequence[Written]) -> Node:
    """One of the words that the qualifier knows, and no second one."""
    if len(values) > 1:
        raise bad(values[1], _("`{name}:` takes one value only.").format(name=kind.name))
    return words(kind, values)


def called(kind: Kind, values: Sequence[Written]) -> Node:
    """The name of something: a topic, an import."""
    return Filter(kind.kept, _unique(_plain(value) for value in values))


def identifiers(kind: Kind, values: Sequence[Written]) -> Node:
    """`arxiv:1` and `doi:10.1/x` are short for `id:arxiv:1` and `id:doi:10.1/x`."""
    scheme = "" if kind.name == kind.kept else f"{kind.name}:"
    return Filter(kind.kept, _unique(scheme + normalize.clean(value.text).strip() for value in values))


def people(kind: Kind, values: Sequence[Written]) -> Node:
    """`@me`, `@team`, a name; `any` and `none` where the qualifier knows them."""
    return Filter(kind.kept, _unique(_person(kind, value) for value in values))


def numbers(kind: Kind, values: Sequence[Written]) -> Node:
    """A number, a range or a comparison; `any` and `none` where the qualifier knows them."""
    return Filter(kind.kept, _unique(_special(kind, value) or _number(kind, value) for value in values))


def times(kind: Kind, values: Sequence[Written]) -> Node:
    """A date, a range, a comparison or an age; `any` and `none` where the qualifier knows them."""
    return Filter(kind.kept, _unique(_special(kind, value) or _time(kind, value) for value in values))


def languages(kind: Kind, values: Sequence[Written]) -> Node:
    """Short names of languages, or `none`."""
    message = _("`{value}` is no language. Write its short name, as in `{example}`.")
    return Filter(kind.kept, _unique(_matching(kind, value, _LANGUAGE, message) for value in values))


def hosts(kind: Kind, values: Sequence[Written]) -> Node:
    """Names of hosts."""
    message = _("`{value}` is no host. Write its name, as in `{example}`.")
    return Filter(kind.kept, _unique(_matching(kind, value, _HOST, message) for value in values))


def listed(kind: Kind, value: Written) -> str:
    """The word of the list that was written. Raises QueryError with the nearest one."""
    word = _plain(value)
    if word in kind.words:
        return word
    close = get_close_matches(word, kind.words, 1)
    if close:
        hint = _("Did you mean `{word}`?").format(word=close[0])
    else:
        hint = _("It may be {words}.").format(words=", ".join(kind.words))
    message = _("`{name}:` does not know `{value}`.").format(name=kind.name, value=value.text)
    raise bad(value, f"{message} {hint}", close[0] if close else None)


def bad(value: Written, message: str, suggestion: str | None = None) -> QueryError:
    """What to raise of a value that cannot be read."""
    return QueryError(message, position=value.position, length=value.length, suggestion=suggestion)


def _special(kind: Kind, value: Written) -> str:
    """`any` or `none`, where the qualifier knows them; else blank."""
    word = _plain(value)
    return word if word in kind.words else ""


def _person(kind: Kind, value: Written) -> str:
    plain = _plain(value)
    if plain in kind.words and not value.exact:
        return plain
    name = plain.removeprefix("@").strip()
    if not name:
        message = _("`{value}` names nobody. Write `@me`, `@team` or a name, as in `{example}`.")
        raise bad(value, message.format(value=value.text, example=kind.example))
    return f"@{name}"


def _number(kind: Kind, value: Written) -> Span:
    match = _NUMBER.fullmatch(_plain(value))
    if not match or (match["sign"] and (match["high"] or match["low"] == "*")):
        message = _("`{value}` is no number. Write `{name}:20`, `{name}:20..24` or `{name}:>=20`.")
        if kind.name == "year":
            message = _("`{value}` is no year. Write `year:2024`, `year:2020..2024` or `year:>=2020`.")
        raise bad(value, message.format(value=value.text, name=kind.name))
    span = _span(match["sign"], _bound(match["low"]), _bound(match["high"] or match["low"]))
    if span.low is not None and span.high is not None and span.low > span.high:
        meant = f"{kind.name}:{span.high}..{span.low}"
        message = _("`{value}` runs backwards. Did you mean `{meant}`?").format(value=value.text, meant=meant)
        raise bad(value, message)
    return span


def _span(sign: str, low: int | None, high: int | None) -> Span:
    if not sign or low is None:
        return Span(low, high)
    if sign.startswith(">"):
        return Span(min(low + (sign == ">"), LARGEST), None)
    return Span(None, max(low - (sign == "<"), 0))


def _bound(digits: str) -> int | None:
    return None if digits == "*" else int(digits)


def _time(kind: Kind, value: Written) -> Value:
    plain = _plain(value)
    if found := dates.parse(plain):
        return found
    if dates.parse(f"<{plain}"):
        message = _("`{value}` is an age. Write `{name}:<{value}` for what is younger, `{name}:>{value}` for the rest.")
        raise bad(value, message.format(value=value.text, name=kind.name), f"<{plain}")
    message = _(
        "`{value}` is no date. Write `{name}:2024-05`, `{name}:2024..2025`, `{name}:>=2024-05-16` or `{name}:<2w`."
    )
    raise bad(value, message.format(value=value.text, name=kind.name))


def _matching(kind: Kind, value: Written, form: re.Pattern[str], otherwise: str) -> str:
    plain = _plain(value)
    if plain in kind.words or form.fullmatch(plain):
        return plain
    raise bad(value, otherwise.format(value=value.text, example=kind.example))


def _plain(value: Written) -> str:
    return normalize.key(normalize.clean(value.text))


def _unique(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(sorted(set(values), key=str))
