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
from readtrack.markdown import references

Passage: TypeAlias = Sequence[tuple[str, bool]]  # fragments of a text; True marks the phrase
CONTEXT_CHARS = 90  # characters shown before and after
MAX_WORD_CHARS = 25  # characters dropped at most to cut between words
MAX_TRIED_PLACES = 50  # places tried for a link in one text
MAX_PARSED_CHARS = 300_000  # characters parsed as Markdown per request: about a second
# Minimum characters of a name: Latin, CJK, and a title's part before the colon
MIN_LETTERS, MIN_HAN_LETTERS, MIN_SHORT_LETTERS = 3, 2, 4
MAX_PHRASES = 20
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
    """A phrase to find. `case_sensitive`: for short names of papers, which may be common words."""

    text: str
    case_sensitive: bool


def list_phrases(tx: Read, target: Place) -> list[Phrase]:
    """Return the phrases for a target, without ambiguous ones."""
    kind, number = target
    if kind == "topic":
        name_phrases = [Phrase(row.alias, case_sensitive=False) for row in tx.rows(_NAMES, {"number": number})]
        return [phrase for phrase in name_phrases if _is_telling(phrase.text)][:MAX_PHRASES]
    title = next((row.title for row in tx.rows(_TITLE, {"number": number})), "")
    short_title = re.split(r"[:：]", title, maxsplit=1)[0].strip() if references.short_title(title) else ""
    phrases = [Phrase(title, case_sensitive=False)] if _is_telling(title) else []
    if len(short_title) >= MIN_SHORT_LETTERS and not tx.rows(_TAKEN, {"key": normalize.key(short_title)}):
        phrases.append(Phrase(short_title, case_sensitive=True))
    return phrases


def passage_around_key(text: str, key: str) -> Passage:
    """Return the passage around the first reference with this key."""
    span = next((candidate for candidate in references.find_reference_spans(text) if candidate.key == key), None)
    return _passage(text, span.start, span.end) if span else _passage(text, 0, 0)


def passage_around_words(text: str, phrases: Sequence[Phrase]) -> Passage:
    """Return the passage around the first plain occurrence of a phrase; empty if there is none."""
    plain_text = "\n".join(markdown.extract_words(text))
    span = next(_find_spans(plain_text, phrases), None)
    return _passage(plain_text, *span) if span else []


def insert_link(text: str, phrases: Sequence[Phrase], reference: str) -> str | None:
    """Link the first plain occurrence as `[[written|words]]`; None if there is none or the link exists."""
    old_keys, key = markdown.list_reference_keys(text), references.key_of(reference)
    if key in old_keys:
        return None
    for start, end in islice(_find_spans(text, phrases), max(min(MAX_TRIED_PLACES, MAX_PARSED_CHARS // len(text)), 1)):
        words = " ".join(text[start:end].split())
        link_text = words if references.key_of(words) == key else f"{reference}|{words}"
        new_text = f"{text[:start]}[[{link_text}]]{text[end:]}"
        new_keys = markdown.list_reference_keys(new_text)
        if key in new_keys and len(new_keys) == len(old_keys) + 1:
            return new_text
    return None


def _find_spans(text: str, phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    spans = {match.span() for phrase in phrases for match in _pattern(phrase).finditer(text)}
    return iter(sorted(spans, key=lambda span: (span[0], -span[1])))


@lru_cache(maxsize=100)
def _pattern(phrase: Phrase) -> re.Pattern[str]:
    """Match the words with any whitespace between, and Latin letters only as whole words."""
    words = _BLANKS.join(map(re.escape, phrase.text.split()))
    left_boundary = r"(?<![A-Za-z0-9])" if phrase.text[:1].isascii() else ""
    right_boundary = r"(?![A-Za-z0-9])" if phrase.text[-1:].isascii() else ""
    return re.compile(f"{left_boundary}{words}{right_boundary}", 0 if phrase.case_sensitive else re.IGNORECASE)


def _is_telling(name: str) -> bool:
    return len(name) >= (MIN_LETTERS if name.isascii() else MIN_HAN_LETTERS)


def _passage(text: str, start: int, end: int) -> Passage:
    passage_start, passage_end = _cut_before(text, start), _cut_behind(text, end)
    prefix, suffix = ("… " if passage_start else ""), (" …" if passage_end < len(text) else "")
    fragments = [
        (prefix + _strip_markup(text[passage_start:start]), False),
        (" ".join(_strip_markup(text[start:end]).split()), True),
        (_strip_markup(text[end:passage_end]) + suffix, False),
    ]
    return [(fragment, is_highlighted) for fragment, is_highlighted in fragments if fragment]


def _cut_before(text: str, start: int) -> int:
    """Return where a passage begins: at a word boundary if there are spaces."""
    passage_start = max(start - CONTEXT_CHARS, 0)
    space = text.find(" ", passage_start, start) if passage_start else -1
    return space + 1 if 0 <= space < passage_start + MAX_WORD_CHARS else passage_start


def _cut_behind(text: str, end: int) -> int:
    passage_end = min(end + CONTEXT_CHARS, len(text))
    space = text.rfind(" ", end, passage_end) if passage_end < len(text) else -1
    return space if space > passage_end - MAX_WORD_CHARS else passage_end


def _strip_markup(text: str) -> str:
    """Remove brackets (also cut ones), link addresses and emphasis, as far as a short excerpt needs it."""
    labelled = references.BRACKETS.sub(lambda found: references.split_brackets(found[1])[1], text)
    return _MARKS.sub("", _LINK.sub(r"\1", labelled))
