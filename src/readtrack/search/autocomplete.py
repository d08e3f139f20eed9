"""How a search may go on where somebody types: names of filters, and what may stand behind their colon."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Meeting, Note, NoteRevision, Paper, Person, Topic, TopicAlias
from readtrack.infra.permissions import present
from readtrack.infra.text import normalize
from readtrack.search import values
from readtrack.search.lexer import COMMAS, QUALIFIER, STOPS
from readtrack.search.parser import LONGEST
from readtrack.search.qualifiers import QUALIFIERS, Qualifier

MOST = 8
NEWEST = 2_000  # papers whose venues and languages are offered: enough, and never the whole library
_NEEDS_QUOTES = re.compile(rf"[\s{re.escape(STOPS)}{''.join(COMMAS)}]")
_AGES = ("<1w", "<1m", "<1y", "today")


class Value(NamedTuple):
    """What may stand behind a colon, and what it is in a few words."""

    text: str
    note: str = ""


class Offer(NamedTuple):
    """A search that goes on: `q`, with the caret at `at`. `text` is what is new of it."""

    q: str
    at: int
    text: str
    note: str


class _Typed(NamedTuple):
    """The word before the caret: a name, or behind `qualifier` and a colon a value; and where it begins."""

    begin: int
    word: str
    qualifier: Qualifier | None


def complete(tx: Read, q: str, at: int) -> list[Offer]:
    """The likeliest ways to go on at that place, at most a few; none inside of a closed phrase."""
    at = min(max(at, 0), len(q))
    typed = _typed(q[:at]) if len(q) <= LONGEST else None
    if typed is None:
        return []
    found = _values(tx, typed) if typed.qualifier else _filters(typed.word)
    return [_offer(q, at, typed, value) for value in found]


def _offer(q: str, at: int, typed: _Typed, value: Value) -> Offer:
    text = _quoted(value.text) if typed.qualifier else value.text
    behind = q[at:].lstrip() if typed.qualifier else q[at:]
    blank = " " if typed.qualifier else ""
    whole = f"{q[: typed.begin]}{text}{blank}"
    return Offer(whole + behind, len(whole), text, value.note)


def _typed(before: str) -> _Typed | None:
    """What stands before the caret, as the lexer would cut it."""
    begin, quote, value = 0, -1, None
    for at, sign in enumerate(before):
        if sign == '"' and before[at - 1 : at] != "\\":
            quote = at if quote < 0 else -1
        elif quote < 0 and (sign.isspace() or sign in "()|"):
            begin, value = at + 1, None
        elif quote < 0 and sign == "-" and at == begin:
            begin = at + 1
        elif quote < 0 and sign in ":：" and value is None and _named(before[begin:at]):
            value = (_named(before[begin:at]), at + 1)
        elif quote < 0 and sign in COMMAS and value:
            value = (value[0], at + 1)
    if value:
        return _Typed(value[1], before[value[1] :].replace('"', ""), value[0])
    return _Typed(begin, before[begin:], None) if quote < 0 and before[begin:] else None


def _named(text: str) -> Qualifier | None:
    return QUALIFIERS.get(text.casefold()) if QUALIFIER.fullmatch(f"{text}:") else None


def _filters(word: str) -> list[Value]:
    """The filters whose names begin so."""
    begins = [qualifier for name, qualifier in QUALIFIERS.items() if name.startswith(word.casefold())]
    return [Value(f"{qualifier.name}:", _(qualifier.help)) for qualifier in begins[:MOST]]


def _values(tx: Read, typed: _Typed) -> list[Value]:
    assert typed.qualifier is not None, "a value stands behind a qualifier"  # noqa: S101 - see complete
    key = normalize.key(normalize.clean(typed.word))
    listed = [Value(word) for word in _words(typed.qualifier) if word.startswith(key)]
    found = _OFFERED[typed.qualifier.offers](tx, key) if typed.qualifier.offers else ()
    return [*dict.fromkeys([*found, *listed])][:MOST]


def _words(qualifier: Qualifier) -> Sequence[str]:
    if qualifier.offers == "person":
        return ("@me", "@team", *qualifier.words)
    return (*_AGES, *qualifier.words) if qualifier.read is values.times else qualifier.words


def _begins(column: Any, key: str) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a column of names as compared
    begins: sa.ColumnElement[bool] = column.startswith(key, autoescape=True)
    return begins


def _people(tx: Read, key: str) -> Iterable[Value]:
    key = key.removeprefix("@")
    here = sa.select(col(Person.name)).where(col(Person.disabled_at).is_(None), _begins(col(Person.name_key), key))
    found = tx.scalars(here.order_by(col(Person.name_key)).limit(MOST)) if key else ()
    return (Value(f"@{name}") for name in found)


def _topics(tx: Read, key: str) -> Iterator[Value]:
    """By any of their names, each topic by its own."""
    named = sa.select(col(Topic.slug), col(Topic.name), col(TopicAlias.alias)).join(
        TopicAlias, col(TopicAlias.topic_id) == col(Topic.id)
    )
    begin = named.where(_begins(col(TopicAlias.alias_key), key)).order_by(col(TopicAlias.alias_key)).limit(MOST)
    for slug, name, alias in tx.execute(begin):
        yield Value(slug, name if name == alias else f"{name} ({alias})")


def _of_newest(column: Any) -> Callable[[Read, str], Iterable[Value]]:  # noqa: ANN401 - a column of texts
    def found(tx: Read, key: str) -> Iterable[Value]:
        newest = sa.select(column.label("text")).where(present(Paper), column != "")
        texts = newest.order_by(col(Paper.id).desc()).limit(NEWEST).subquery()
        count = sa.func.count()
        rows = tx.execute(sa.select(texts.c.text, count).group_by(texts.c.text).order_by(count.desc(), texts.c.text))
        return (Value(text) for text, _count in rows if normalize.key(text).startswith(key))

    return found


def _meetings(tx: Read, key: str) -> Iterator[Value]:
    """The latest ones, by number or the beginning of the title."""
    latest = sa.select(col(Meeting.id), col(Meeting.title), col(Meeting.starts_at))
    for number, title, starts_at in tx.execute(latest.order_by(col(Meeting.starts_at).desc()).limit(MOST * MOST)):
        if str(number).startswith(key) or normalize.key(title).startswith(key):
            yield Value(str(number), f"{title}, {starts_at:%Y-%m-%d}")


def _imports(tx: Read, key: str) -> Iterator[Value]:
    """The latest ones, by number or the beginning of the title."""
    latest = sa.select(col(NoteRevision.id), col(Note.title)).join(Note, col(Note.id) == col(NoteRevision.note_id))
    for number, title in tx.execute(latest.order_by(col(NoteRevision.id).desc()).limit(MOST * MOST)):
        if str(number).startswith(key) or normalize.key(title).startswith(key):
            yield Value(str(number), title)


def _quoted(text: str) -> str:
    text = text.replace('"', "")
    return f'"{text}"' if _NEEDS_QUOTES.search(text) else text


_OFFERED: Mapping[str, Callable[[Read, str], Iterable[Value]]] = {
    "person": _people,
    "topic": _topics,
    "venue": _of_newest(col(Paper.venue)),
    "lang": _of_newest(col(Paper.language)),
    "meeting": _meetings,
    "import": _imports,
}
