"""Phrases that refer to a paper or topic in plain text, their passages, and links in their place."""

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

Passage: TypeAlias = Sequence[tuple[str, bool]]  # fragments of a text; True marks the phrase
ROUND = 90  # characters shown before and after
LONGEST_WORD = 25  # characters dropped at most to cut between words
MOST_TRIED = 50  # places tried for a link in one text
MOST_READ = 300_000  # characters parsed as Markdown per request: about a second
# Minimum characters of a name: Latin, CJK, and a title's part before the colon
LEAST, LEAST_OF_HAN, LEAST_SHORT = 3, 2, 4
MOST_PHRASES = 20
# Whitespace within a paragraph; possessive, so that it cannot backtrack (ReDoS)
_BLANKS = r"(?:[^\S\n]++(?:\n[^\S\n]*+)?|\n[^\S\n]*+)"
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
    """A phrase to find. `exact`: case-sensitive, because short names of papers may be common words."""

    words: str
    exact: bool


def list_phrases(tx: Read, place: Place) -> list[Phrase]:
    """Return the phrases for a target, without ambiguous ones."""
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
    """Return the passage around the first reference with this key."""
    spot = next((place for place in reference_keys.find_reference_spans(text) if place.key == key), None)
    return _passage(text, spot.start, spot.end) if spot else _passage(text, 0, 0)


def passage_around_words(text: str, phrases: Sequence[Phrase]) -> Passage:
    """Return the passage around the first plain occurrence of a phrase; empty if there is none."""
    plain = "\n".join(markdown.extract_words(text))
    found = next(_find_spans(plain, phrases), None)
    return _passage(plain, *found) if found else []


def insert_link(text: str, phrases: Sequence[Phrase], written: str) -> str | None:
    """Link the first plain occurrence as `[[written|words]]`; None if there is none or the link exists."""
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
    """Match the words with any whitespace between, and Latin letters only as whole words."""
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
    """Return where a passage begins: at a word boundary if there are spaces."""
    first = max(start - ROUND, 0)
    blank = text.find(" ", first, start) if first else -1
    return blank + 1 if 0 <= blank < first + LONGEST_WORD else first


def _cut_behind(text: str, end: int) -> int:
    last = min(end + ROUND, len(text))
    blank = text.rfind(" ", end, last) if last < len(text) else -1
    return blank if blank > last - LONGEST_WORD else last


def _strip_markup(text: str) -> str:
    """Remove brackets (also cut ones), link addresses and emphasis, as far as a short excerpt needs it."""
    named = reference_keys.BRACKETS.sub(lambda found: reference_keys.split_brackets(found[1])[1], text)
    return _MARKS.sub("", _LINK.sub(r"\1", named))
