"""Readers of filter values: words, names, people, numbers, times.

A reader converts the values of a filter to a condition; None means no condition of its own.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import normalize
from readtrack.search import dates
from readtrack.search.ast import FieldFilter, Node, NumberRange, QueryError, TextTerm, Value, any_of

MAX_NUMBER = 99_999  # Larger numbers are rejected as typos.
_NUMBER = re.compile(r"(?P<sign>>=|<=|>|<|)(?P<low>[0-9]{1,5}|\*)(?:\.\.(?P<high>[0-9]{1,5}|\*))?")
_OPEN_RANGE = re.compile(r"\A(?=\.\.[^.])|(?<=[^.]\.\.)\Z")  # The missing bound of `2023..` and `..2015`.
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*")


@dataclass(frozen=True)
class ValueToken:
    """A value in the query. `exact`: it was quoted."""

    text: str
    exact: bool
    position: int
    length: int


@dataclass(frozen=True)
class QualifierKind:
    """Properties of a filter its reader needs: name, name in the condition, example, allowed words."""

    name: str
    condition_name: str
    example: str
    allowed_words: tuple[str, ...]


ValueReader = Callable[[QualifierKind, Sequence[ValueToken]], Node | None]


def parse_text(kind: QualifierKind, values: Sequence[ValueToken]) -> Node | None:
    """Read words for one text field."""
    return any_of(TextTerm(value.text, value.exact, (kind.condition_name,)) for value in values)


def parse_words(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read allowed words of the filter."""
    return FieldFilter(kind.condition_name, _unique(parse_listed_word(kind, value) for value in values))


def parse_single_word(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read a single allowed word."""
    if len(values) > 1:
        raise value_error(values[1], _("`{name}:` takes only one value.").format(name=kind.name))
    return parse_words(kind, values)


def parse_names(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read names of objects such as topics or imports."""
    return FieldFilter(kind.condition_name, _unique(_normalized_text(value) for value in values))


def parse_identifiers(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read identifiers.

    `arxiv:1` and `doi:10.1/x` are short for `id:arxiv:1` and `id:doi:10.1/x`.
    """
    scheme = "" if kind.name == kind.condition_name else f"{kind.name}:"
    return FieldFilter(kind.condition_name, _unique(scheme + normalize.clean(value.text).strip() for value in values))


def parse_people(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read people: `@me`, `@team`, a name; `any` and `none` if allowed."""
    return FieldFilter(kind.condition_name, _unique(_person(kind, value) for value in values))


def parse_numbers(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read numbers, ranges and comparisons; `any` and `none` if allowed."""
    return FieldFilter(
        kind.condition_name, _unique(_parse_any_or_none(kind, value) or _number(kind, value) for value in values)
    )


def parse_times(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read dates, ranges, comparisons and ages; `any` and `none` if allowed."""
    return FieldFilter(
        kind.condition_name, _unique(_parse_any_or_none(kind, value) or _time(kind, value) for value in values)
    )


def parse_languages(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read language codes or `none`."""
    message = _("Invalid language `{value}`. Use a code, as in `{example}`.")
    return FieldFilter(kind.condition_name, _unique(_matching(kind, value, _LANGUAGE, message) for value in values))


def parse_hosts(kind: QualifierKind, values: Sequence[ValueToken]) -> Node:
    """Read host names."""
    message = _("Invalid host `{value}`. Use a name, as in `{example}`.")
    return FieldFilter(kind.condition_name, _unique(_matching(kind, value, _HOST, message) for value in values))


def parse_listed_word(kind: QualifierKind, value: ValueToken) -> str:
    """Return the allowed word. Raise QueryError with the closest one if it is not allowed."""
    word = _normalized_text(value)
    if word in kind.allowed_words:
        return word
    close_matches = get_close_matches(word, kind.allowed_words, 1)
    if close_matches:
        message = _("`{name}:` doesn't accept `{value}`. Did you mean `{word}`?").format(
            name=kind.name, value=value.text, word=close_matches[0]
        )
        raise value_error(value, message, close_matches[0])
    message = _("`{name}:` doesn't accept `{value}`. Use one of {words}.").format(
        name=kind.name, value=value.text, words=", ".join(kind.allowed_words)
    )
    raise value_error(value, message)


def value_error(value: ValueToken, message: str, suggestion: str | None = None) -> QueryError:
    """Return the error for an invalid value."""
    return QueryError(message, position=value.position, length=value.length, suggestion=suggestion)


def _parse_any_or_none(kind: QualifierKind, value: ValueToken) -> str:
    """Return `any` or `none` if it is given and allowed, else ""."""
    word = _normalized_text(value)
    return word if word in kind.allowed_words else ""


def _person(kind: QualifierKind, value: ValueToken) -> str:
    text = _normalized_text(value)
    if text in kind.allowed_words and not value.exact:
        return text
    name = text.removeprefix("@").strip()
    if not name:
        message = _("Invalid person `{value}`. Use `@me`, `@team` or a name, as in `{example}`.")
        raise value_error(value, message.format(value=value.text, example=kind.example))
    return f"@{name}"


def _number(kind: QualifierKind, value: ValueToken) -> NumberRange:
    match = _NUMBER.fullmatch(_range_text(value))
    if not match or (match["sign"] and (match["high"] or match["low"] == "*")):
        message = _("Invalid number `{value}`. Use `{name}:20`, `{name}:20..24` or `{name}:>=20`.")
        if kind.name == "year":
            message = _("Invalid year `{value}`. Use `year:2024`, `year:2020..2024` or `year:>=2020`.")
        raise value_error(value, message.format(value=value.text, name=kind.name))
    span = _span(match["sign"], _bound(match["low"]), _bound(match["high"] or match["low"]))
    if span.low is not None and span.high is not None and span.low > span.high:
        correction = f"{kind.name}:{span.high}..{span.low}"
        message = _("`{value}` is reversed. Did you mean `{meant}`?").format(value=value.text, meant=correction)
        raise value_error(value, message)
    return span


def _span(sign: str, low: int | None, high: int | None) -> NumberRange:
    if not sign or low is None:
        return NumberRange(low, high)
    if sign.startswith(">"):
        return NumberRange(min(low + (sign == ">"), MAX_NUMBER), None)
    return NumberRange(None, max(low - (sign == "<"), 0))


def _bound(digits: str) -> int | None:
    return None if digits == "*" else int(digits)


def _time(kind: QualifierKind, value: ValueToken) -> Value:
    text = _range_text(value)
    if time_range := dates.parse(text):
        return time_range
    if dates.parse(f"<{text}"):
        message = _("`{value}` is a duration. Use `{name}:<{value}` for newer, `{name}:>{value}` for older.")
        raise value_error(value, message.format(value=value.text, name=kind.name), f"<{text}")
    message = _(
        "Invalid date `{value}`. Use `{name}:2024-05`, `{name}:2024..2025`, `{name}:>=2024-05-16` or `{name}:<2w`."
    )
    raise value_error(value, message.format(value=value.text, name=kind.name))


def _matching(kind: QualifierKind, value: ValueToken, form: re.Pattern[str], error_template: str) -> str:
    text = _normalized_text(value)
    if text in kind.allowed_words or form.fullmatch(text):
        return text
    raise value_error(value, error_template.format(value=value.text, example=kind.example))


def _range_text(value: ValueToken) -> str:
    """Return the text with `*` for the open end of a range."""
    return _OPEN_RANGE.sub("*", _normalized_text(value))


def _normalized_text(value: ValueToken) -> str:
    return normalize.key(normalize.clean(value.text))


def _unique(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(sorted(set(values), key=str))
