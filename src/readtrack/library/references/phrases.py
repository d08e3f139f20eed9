"""Words by which a paper or topic is said in plain text, where they stand, and a text with a link in their place."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack import markdown
from readtrack.infra.db import Read
from readtrack.infra.models import Paper, TopicAlias
from readtrack.infra.text import normalize
from readtrack.library.references.resolve import Place
from readtrack.markdown import reference_keys

Passage: TypeAlias = Sequence[tuple[str, bool]]  # pieces of a text; True: the one that is meant
ROUND = 90  # characters that are shown before and behind
LONGEST_WORD = 25  # characters that are left out for a cut between words
MOST_TRIED = 50  # places in one text where a link may be written
MOST_READ = 300_000  # characters that are read as Markdown for one answer: a second, about
LEAST, LEAST_OF_HAN, LEAST_SHORT = 3, 2, 4  # characters of a name that is looked for
MOST_PHRASES = 20
_BLANKS = r"(?:[^\S\n]++(?:\n[^\S\n]*+)?|\n[^\S\n]*+)"  # within a paragraph; given back to no second try
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,300}\)")
_MARKS = re.compile(r"\*\*|__|`|\[\[|\]\]|^#{1,6} |^> ", re.MULTILINE)
_TITLE = sa.select(col(Paper.title)).where(col(Paper.id) == sa.bindparam("number"))
_NAMES: sa.Select[Any] = (
    sa.select(col(TopicAlias.alias))
    .where(col(TopicAlias.topic_id) == sa.bindparam("number"))
    .order_by(col(TopicAlias.id))
)
_TAKEN = sa.select(col(TopicAlias.id)).where(col(TopicAlias.alias_key) == sa.bindparam("key"))


class Phrase(NamedTuple):
    """Words to be found. `exact`: with the very capitals, as short names of papers may be common words."""

    words: str
    exact: bool


def list_phrases(tx: Read, place: Place) -> list[Phrase]:
    """How it is called in plain words, what is likely to mean something else left out."""
    kind, number = place
    if kind == "topic":
        called = [Phrase(row.alias, exact=False) for row in tx.rows(_NAMES, {"number": number})]
        return [phrase for phrase in called if _is_telling(phrase.words)][:MOST_PHRASES]
    title = next((row.title for row in tx.rows(_TITLE, {"number": number})), "")
    short = re.split(r"[:：]", title, maxsplit=1)[0].strip() if reference_keys.short_title(title) else ""
    found = [Phrase(title, exact=False)] if _is_telling(title) else []
    if len(short) >= LEAST_SHORT and not tx.rows(_TAKEN, {"key": normalize.key(short)}):
        found.append(Phrase(short, exact=True))
    return found


def passage_around_key(text: str, key: str) -> Passage:
    """The words round the first place where a text names that."""
    spot = next((place for place in reference_keys.find_reference_spans(text) if place.key == key), None)
    return _passage(text, spot.start, spot.end) if spot else _passage(text, 0, 0)


def passage_around_words(text: str, phrases: Sequence[Phrase]) -> Passage:
    """The words round the first place where a text says one of these plainly; none when it does so nowhere."""
    plain = "\n".join(markdown.extract_words(text))
    found = next(_find_spans(plain, phrases), None)
    return _passage(plain, *found) if found else []


def insert_link(text: str, phrases: Sequence[Phrase], written: str) -> str | None:
    """The text with `[[written|words]]` at the first place where it says them plainly; None when there is none."""
    before, key = markdown.list_reference_keys(text), reference_keys.key_of(written)
    if key in before:
        return None
    for start, end in islice(_find_spans(text, phrases), max(min(MOST_TRIED, MOST_READ // len(text)), 1)):
        words = " ".join(text[start:end].split())
        inside = words if reference_keys.key_of(words) == key else f"{written}|{words}"
        tried = f"{text[:start]}[[{inside}]]{text[end:]}"
        now_named = markdown.list_reference_keys(tried)
        if key in now_named and len(now_named) == len(before) + 1:
            return tried
    return None


def _find_spans(text: str, phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    spans = {found.span() for phrase in phrases for found in _pattern(phrase).finditer(text)}
    return iter(sorted(spans, key=lambda span: (span[0], -span[1])))


@lru_cache(maxsize=100)
def _pattern(phrase: Phrase) -> re.Pattern[str]:
    """The words with any blanks between; letters of the Latin alphabet and digits do not go on at their ends."""
    words = _BLANKS.join(map(re.escape, phrase.words.split()))
    before = r"(?<![A-Za-z0-9])" if phrase.words[:1].isascii() else ""
    behind = r"(?![A-Za-z0-9])" if phrase.words[-1:].isascii() else ""
    return re.compile(f"{before}{words}{behind}", 0 if phrase.exact else re.IGNORECASE)


def _is_telling(name: str) -> bool:
    return len(name) >= (LEAST if name.isascii() else LEAST_OF_HAN)


def _passage(text: str, start: int, end: int) -> Passage:
    first, last = _cut_before(text, start), _cut_behind(text, end)
    before, behind = ("… " if first else ""), (" …" if last < len(text) else "")
    pieces = [
        (before + _strip_markup(text[first:start]), False),
        (" ".join(_strip_markup(text[start:end]).split()), True),
        (_strip_markup(text[end:last]) + behind, False),
    ]
    return [(piece, marked) for piece, marked in pieces if piece]


def _cut_before(text: str, start: int) -> int:
    """Where a passage begins: at a word, where words have blanks between."""
    first = max(start - ROUND, 0)
    blank = text.find(" ", first, start) if first else -1
    return blank + 1 if 0 <= blank < first + LONGEST_WORD else first


def _cut_behind(text: str, end: int) -> int:
    last = min(end + ROUND, len(text))
    blank = text.rfind(" ", end, last) if last < len(text) else -1
    return blank if blank > last - LONGEST_WORD else last


def _strip_markup(text: str) -> str:
    """The words alone, as far as a glance needs it: without brackets, those that are cut through too, addresses of
    links, and marks of emphasis.
    """
    named = reference_keys.BRACKETS.sub(lambda found: reference_keys.split_brackets(found[1])[1], text)
    return _MARKS.sub("", _LINK.sub(r"\1", named))
