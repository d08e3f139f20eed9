"""Suggestions within a series of articles: same author or site, same title, different number."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Identifier, Paper
from readtrack.infra.text import normalize
from readtrack.infra.text.titles import compare
from readtrack.library.relations.suggestions.candidates import RelatedPair, RelationCandidate, list_by_title_prefix

KINDS = ("article", "video", "slides", "page")
REASON = N_("Parts {one} and {other} of one series.")
_MIN_TITLE_LETTERS = 6  # minimum width of the title without its number; a CJK letter counts as two
_HOSTING = frozenset(("url", "zenn"))  # sources whose keys begin with the author or site
_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九十", 1)} | {
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "v": 5,
}
_ONE = r"(?P<{}>\d{{1,3}}|[一二三四五六七八九十]|iv|v|i{{1,3}})"
_PART = re.compile(
    rf"[(\[【「]?\s?(?:(?:\bpart|\bpt\.?|\bvol\.?|\bepisode|\bep\.?|#|その|其)\s?{_ONE.format('a')}(?!\w)|"
    rf"第\s?{_ONE.format('b')}\s?(?:回|部|章|篇|編|話|话|集|講|讲|弾|期|节|節)|"
    rf"[(\[【]\s?{_ONE.format('c')}(?:\s?/\s?\d{{1,3}})?\s?[)\]】])\s?[)\]】」]?",
    re.IGNORECASE,
)


class SeriesPart(NamedTuple):
    """A part of a series.

    `stem`: normalized title without the number; `prefix`: normalized text before the number.
    """

    stem: str
    prefix: str
    number: int


def parse_series_part(title: str) -> SeriesPart | None:
    """Parse the part number in a title; None without one, or if the title is little more than a number."""
    text = " ".join(unicodedata.normalize("NFKC", title)[:400].split())
    match = _PART.search(text)
    if match is None:
        return None
    number = next(filter(None, match.groups())).lower()
    stem = compare.title_letters(f"{text[: match.start()]} {text[match.end() :]}")
    prefix = normalize.key(text[: match.start()].rstrip(" ,;:、，-–—|・/"))
    width = sum(1 if letter.isascii() else 2 for letter in stem)
    return (
        SeriesPart(stem, prefix, int(number) if number.isdigit() else _DIGITS[number])
        if width >= _MIN_TITLE_LETTERS and prefix
        else None
    )


def find_series(tx: Read, paper: RelationCandidate) -> list[RelatedPair]:
    """Return the previous and the next part; a later part extends an earlier one."""
    if paper.kind not in KINDS:
        return []
    own_part = parse_series_part(paper.title) or SeriesPart(compare.title_letters(paper.title), paper.title_key, 1)
    candidates = list_by_title_prefix(tx, own_part.prefix, col(Paper.kind).in_(KINDS), col(Paper.id) != paper.id)
    parts = {candidate.id: part.number for candidate in candidates if (part := _part(candidate, own_part))}
    owners = _owners(tx, [paper, *(candidate for candidate in candidates if candidate.id in parts)])
    numbers = {number: other_id for other_id, number in parts.items() if owners[paper.id] & owners[other_id]}
    previous = max((number for number in numbers if number < own_part.number), default=None)
    following = min((number for number in numbers if number > own_part.number), default=None)
    pairs = []
    if previous is not None:
        pairs.append(RelatedPair(paper.id, numbers[previous], "extends", _reason(own_part.number, previous)))
    if following is not None:
        pairs.append(RelatedPair(numbers[following], paper.id, "extends", _reason(own_part.number, following)))
    return pairs


def _part(candidate: RelationCandidate, own_part: SeriesPart) -> SeriesPart | None:
    """Return the other paper's part in the same series; a title without a number counts as part one."""
    part = parse_series_part(candidate.title) or SeriesPart(compare.title_letters(candidate.title), "", 1)
    return part if part.stem == own_part.stem else None


def _reason(one: int, other: int) -> str:
    return _(REASON).format(one=one, other=other)


def _owners(tx: Read, papers: Sequence[RelationCandidate]) -> dict[int, set[str]]:
    """Return the authors and sites of papers, by first author and the first part of the identifier's key."""
    owners: dict[int, set[str]] = {
        paper.id: {f"by {normalize.key(name)}" for name in paper.authors[:1]} for paper in papers
    }
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    query = query.where(col(Identifier.paper_id).in_(owners), col(Identifier.scheme).in_(_HOSTING))
    for row in tx.execute(query):
        owners[row.paper_id].add(f"{row.scheme} {row.value.partition('/')[0]}")
    return owners
