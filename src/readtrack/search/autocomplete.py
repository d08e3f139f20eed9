"""Autocompletion of queries: names of filters and their values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Meeting, Note, NoteRevision, Paper, Person, Topic, TopicAlias
from readtrack.infra.permissions import is_present
from readtrack.infra.text import normalize
from readtrack.search import values
from readtrack.search.lexer import COMMAS, QUALIFIER, STOPS
from readtrack.search.parser import MAX_QUERY_CHARS
from readtrack.search.qualifiers import QUALIFIERS, Qualifier

MAX_SUGGESTIONS = 8
# Newest papers from which venues and languages are suggested, to avoid a scan of the whole library.
MAX_RECENT_PAPERS = 2_000
_NEEDS_QUOTES = re.compile(rf"[\s{re.escape(STOPS)}{''.join(COMMAS)}]")
_AGES = ("<1w", "<1m", "<1y", "today")


class ValueSuggestion(NamedTuple):
    """A suggested value and a short description."""

    text: str
    note: str = ""


class QuerySuggestion(NamedTuple):
    """A completed query: `q` with the caret at `at`. `text` is the inserted part."""

    q: str
    at: int
    text: str
    note: str


class _CaretToken(NamedTuple):
    """The token before the caret and its start: a filter name, or a value if `qualifier` is set."""

    begin: int
    word: str
    qualifier: Qualifier | None


def complete(tx: Read, query: str, caret: int) -> list[QuerySuggestion]:
    """Return the best completions at the caret; none inside a closed phrase."""
    caret = min(max(caret, 0), len(query))
    token = _parse_caret_token(query[:caret]) if len(query) <= MAX_QUERY_CHARS else None
    if token is None:
        return []
    values = _suggest_values(tx, token) if token.qualifier else _suggest_filters(token.word)
    return [_build_suggestion(query, caret, token, value) for value in values]


def _build_suggestion(query: str, caret: int, token: _CaretToken, value: ValueSuggestion) -> QuerySuggestion:
    text = _quote_value(value.text) if token.qualifier else value.text
    rest = query[caret:].lstrip() if token.qualifier else query[caret:]
    separator = " " if token.qualifier else ""
    completed = f"{query[: token.begin]}{text}{separator}"
    return QuerySuggestion(completed + rest, len(completed), text, value.note)


def _parse_caret_token(text: str) -> _CaretToken | None:
    """Return the token before the caret, split as by the lexer."""
    start, quote_start, value = 0, -1, None
    for index, sign in enumerate(text):
        if sign == '"' and text[index - 1 : index] != "\\":
            quote_start = index if quote_start < 0 else -1
        elif quote_start < 0 and (sign.isspace() or sign in "()|"):
            start, value = index + 1, None
        elif quote_start < 0 and sign == "-" and index == start:
            start = index + 1
        elif quote_start < 0 and sign in ":：" and value is None and _find_qualifier(text[start:index]):
            value = (_find_qualifier(text[start:index]), index + 1)
        elif quote_start < 0 and sign in COMMAS and value:
            value = (value[0], index + 1)
    if value:
        return _CaretToken(value[1], text[value[1] :].replace('"', ""), value[0])
    return _CaretToken(start, text[start:], None) if quote_start < 0 and text[start:] else None


def _find_qualifier(text: str) -> Qualifier | None:
    return QUALIFIERS.get(text.casefold()) if QUALIFIER.fullmatch(f"{text}:") else None


def _suggest_filters(word: str) -> list[ValueSuggestion]:
    """Return the filters whose names start with the word."""
    matching = [qualifier for name, qualifier in QUALIFIERS.items() if name.startswith(word.casefold())]
    return [ValueSuggestion(f"{qualifier.name}:", _(qualifier.help)) for qualifier in matching[:MAX_SUGGESTIONS]]


def _suggest_values(tx: Read, token: _CaretToken) -> list[ValueSuggestion]:
    assert token.qualifier is not None, "a value stands behind a qualifier"  # noqa: S101 - see complete
    key = normalize.key(normalize.clean(token.word))
    listed_values = [ValueSuggestion(word) for word in _suggested_words(token.qualifier) if word.startswith(key)]
    offered = _OFFERED[token.qualifier.offers](tx, key) if token.qualifier.offers else ()
    return [*dict.fromkeys([*offered, *listed_values])][:MAX_SUGGESTIONS]


def _suggested_words(qualifier: Qualifier) -> Sequence[str]:
    if qualifier.offers == "person":
        return ("@me", "@team", *qualifier.allowed_words)
    return (*_AGES, *qualifier.allowed_words) if qualifier.read is values.parse_times else qualifier.allowed_words


def _starts_with(column: Any, key: str) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a column of normalized names
    condition: sa.ColumnElement[bool] = column.startswith(key, autoescape=True)
    return condition


def _suggest_people(tx: Read, key: str) -> Iterable[ValueSuggestion]:
    key = key.removeprefix("@")
    query = sa.select(col(Person.name)).where(
        col(Person.disabled_at).is_(None), _starts_with(col(Person.name_key), key)
    )
    names = tx.scalars(query.order_by(col(Person.name_key)).limit(MAX_SUGGESTIONS)) if key else ()
    return (ValueSuggestion(f"@{name}") for name in names)


def _suggest_topics(tx: Read, key: str) -> Iterator[ValueSuggestion]:
    """Match topics by any of their names and suggest each by its slug."""
    query = sa.select(col(Topic.slug), col(Topic.name), col(TopicAlias.alias)).join(
        TopicAlias, col(TopicAlias.topic_id) == col(Topic.id)
    )
    matching = (
        query.where(_starts_with(col(TopicAlias.alias_key), key))
        .order_by(col(TopicAlias.alias_key))
        .limit(MAX_SUGGESTIONS)
    )
    for slug, name, alias in tx.execute(matching):
        yield ValueSuggestion(slug, name if name == alias else f"{name} ({alias})")


def _suggest_from_newest(column: Any) -> Callable[[Read, str], Iterable[ValueSuggestion]]:  # noqa: ANN401 - a column of texts
    def suggest_values(tx: Read, key: str) -> Iterable[ValueSuggestion]:
        newest = sa.select(column.label("text")).where(is_present(Paper), column != "")
        texts = newest.order_by(col(Paper.id).desc()).limit(MAX_RECENT_PAPERS).subquery()
        count = sa.func.count()
        rows = tx.execute(sa.select(texts.c.text, count).group_by(texts.c.text).order_by(count.desc(), texts.c.text))
        return (ValueSuggestion(text) for text, _count in rows if normalize.key(text).startswith(key))

    return suggest_values


def _suggest_meetings(tx: Read, key: str) -> Iterator[ValueSuggestion]:
    """Suggest recent meetings by number or beginning of the title."""
    latest = sa.select(col(Meeting.id), col(Meeting.title), col(Meeting.starts_at))
    for number, title, starts_at in tx.execute(
        latest.order_by(col(Meeting.starts_at).desc()).limit(MAX_SUGGESTIONS * MAX_SUGGESTIONS)
    ):
        if str(number).startswith(key) or normalize.key(title).startswith(key):
            yield ValueSuggestion(str(number), f"{title}, {starts_at:%Y-%m-%d}")


def _suggest_imports(tx: Read, key: str) -> Iterator[ValueSuggestion]:
    """Suggest recent imports by number or beginning of the title."""
    latest = sa.select(col(NoteRevision.id), col(Note.title)).join(Note, col(Note.id) == col(NoteRevision.note_id))
    for number, title in tx.execute(
        latest.order_by(col(NoteRevision.id).desc()).limit(MAX_SUGGESTIONS * MAX_SUGGESTIONS)
    ):
        if str(number).startswith(key) or normalize.key(title).startswith(key):
            yield ValueSuggestion(str(number), title)


def _quote_value(text: str) -> str:
    text = text.replace('"', "")
    return f'"{text}"' if _NEEDS_QUOTES.search(text) else text


_OFFERED: Mapping[str, Callable[[Read, str], Iterable[ValueSuggestion]]] = {
    "person": _suggest_people,
    "topic": _suggest_topics,
    "venue": _suggest_from_newest(col(Paper.venue)),
    "lang": _suggest_from_newest(col(Paper.language)),
    "meeting": _suggest_meetings,
    "import": _suggest_imports,
}
