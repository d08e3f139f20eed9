"""Scoring of search results against a work known only by title.

Matches below "likely" are not suggested.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from readtrack.infra.models.columns import STAGES
from readtrack.infra.text.titles import compare
from readtrack.library.papers.lookup import is_distinctive
from readtrack.metadata.parsing import venues
from readtrack.metadata.types import Metadata

SURE, LIKELY, SHORTENED = 90, 75, 80  # percent
MAX_SUGGESTIONS = 3  # suggestions shown for one title
_UP_TO_A_COLON, _OTHER_NUMBERS = 95, 70
_MIN_TRUNCATED_LETTERS = 20  # minimum letters of a truncated title's beginning
_MAX_YEARS_APART = 3  # years between a preprint and its publication
_NUMBERS = re.compile(r"\d+|\b(?:ii|iii|iv)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class WantedWork:
    """A work as notes or a title name it.

    `by_name`: only the system's name; `is_truncated`: the title is truncated.
    """

    title: str
    authors: Sequence[str] = ()
    year: int | None = None
    venue: str = ""
    by_name: bool = False
    is_truncated: bool = False


@dataclass(frozen=True)
class LikelyMatch:
    """A possible match. `matching_fields`: the other fields that match: authors, venue, year."""

    metadata: Metadata
    likeness: int  # percent
    matching_fields: frozenset[str]


def rank_matches(wanted_work: WantedWork, answers: Iterable[Metadata]) -> list[LikelyMatch]:
    """Return possible matches, the likeliest first, or only the one that is sure."""
    works = _deduplicate_works([match for metadata in answers if (match := _score_match(wanted_work, metadata))])
    works.sort(key=lambda work: (-work.likeness, -len(work.matching_fields), STAGES.index(work.metadata.stage)))
    best = [work for work in works if is_sure(work)]
    if len(best) > 1:
        best = [
            work
            for work in best
            if work.likeness == best[0].likeness and work.matching_fields == best[0].matching_fields
        ]
    if len(best) == 1:
        return best
    return works if len(works) <= MAX_SUGGESTIONS else _limit_matches(works)


def is_sure(work: LikelyMatch) -> bool:
    return work.likeness >= SURE


def _score_match(wanted_work: WantedWork, metadata: Metadata) -> LikelyMatch | None:
    if not metadata.title or _contradicts(wanted_work, metadata):
        return None
    agreeing = _agreeing_fields(wanted_work, metadata)
    likeness = _title_similarity(wanted_work, metadata.title)
    is_confirmed = "authors" in agreeing or {"venue", "year"} <= agreeing
    if not is_confirmed and (wanted_work.by_name or not is_distinctive(wanted_work.title)):
        likeness = min(likeness, SHORTENED)  # many works are called “Gemini”
    elif is_confirmed and SHORTENED <= likeness < SURE and compare.is_title_head(wanted_work.title, metadata.title):
        likeness = SURE
    return LikelyMatch(metadata, likeness, agreeing) if likeness >= LIKELY else None


def _title_similarity(wanted_work: WantedWork, title: str) -> int:
    wanted_letters, title_letters = compare.title_letters(wanted_work.title), compare.title_letters(title)
    if wanted_letters == title_letters:
        return 100
    if wanted_work.is_truncated:
        return (
            _UP_TO_A_COLON
            if len(wanted_letters) >= _MIN_TRUNCATED_LETTERS and title_letters.startswith(wanted_letters)
            else 0
        )
    if compare.is_title_head(wanted_work.title, title):
        return _UP_TO_A_COLON if is_distinctive(wanted_work.title) else SHORTENED
    if wanted_work.by_name:
        return 0
    if _numbers(wanted_work.title) != _numbers(title):
        return min(_OTHER_NUMBERS, round(100 * compare.title_similarity(wanted_work.title, title)))
    return (
        _UP_TO_A_COLON
        if compare.is_same_title(wanted_work.title, title)
        else int(100 * compare.title_similarity(wanted_work.title, title))
    )


def _numbers(title: str) -> list[str]:
    """Return the numbers in a title: part II is not part III, and a system's second version not its first."""
    return sorted(number.casefold() for number in _NUMBERS.findall(title))


def _contradicts(wanted_work: WantedWork, metadata: Metadata) -> bool:
    people = compare.are_same_authors(wanted_work.authors, metadata.authors)
    if people is False or (wanted_work.year and metadata.year and not _is_year_close(wanted_work.year, metadata)):
        return True
    return people is None and _same_venue(wanted_work.venue, metadata.venue) is False and metadata.stage == "published"


def _is_year_close(year: int, metadata: Metadata) -> bool:
    """Return True for years at most one apart, as of conference and proceedings; preprints may be older."""
    difference = year - (metadata.year or year)
    return -1 <= difference <= (_MAX_YEARS_APART if metadata.stage == "preprint" else 1)


def _same_venue(first_venue: str, second_venue: str) -> bool | None:
    """Compare venues by words: “Proc. VLDB Endow.” is VLDB. Return None if unknown or incomparable."""
    first, second = (venues.short_venue(venue) for venue in (first_venue, second_venue))
    if not first or not second:
        return None
    first_words, second_words = ({word.casefold() for word in _WORDS.findall(name)} for name in (first, second))
    if first_words & second_words:
        return True
    return False if len(first_words) == len(second_words) == 1 else None


def _agreeing_fields(wanted_work: WantedWork, metadata: Metadata) -> frozenset[str]:
    comparisons = {
        "authors": compare.are_same_authors(wanted_work.authors, metadata.authors),
        "venue": _same_venue(wanted_work.venue, metadata.venue),
        "year": wanted_work.year is not None and wanted_work.year == metadata.year,
    }
    return frozenset(name for name, agrees in comparisons.items() if agrees)


def _deduplicate_works(matches: Sequence[LikelyMatch]) -> list[LikelyMatch]:
    """Return one match per work: its published form, with the agreeing fields of all forms."""
    works: list[LikelyMatch] = []
    for match in sorted(matches, key=lambda one: (STAGES.index(one.metadata.stage), -one.likeness)):
        position = next(
            (index for index, work in enumerate(works) if _is_same_work(work.metadata, match.metadata)), None
        )
        if position is None:
            works.append(match)
        else:
            works[position] = _merge_matches(works[position], match)
    return works


def _merge_matches(first: LikelyMatch, second: LikelyMatch) -> LikelyMatch:
    """Return the first form with the identifiers of both."""
    names = dict.fromkeys((*first.metadata.identifiers, second.metadata.ref, *second.metadata.identifiers))
    metadata = replace(first.metadata, identifiers=tuple(name for name in names if name != first.metadata.ref))
    return LikelyMatch(metadata, max(first.likeness, second.likeness), first.matching_fields | second.matching_fields)


def _is_same_work(first: Metadata, second: Metadata) -> bool:
    common = {first.ref, *first.identifiers} & {second.ref, *second.identifiers}
    return bool(common) or (
        compare.is_same_title(first.title, second.title)
        and compare.are_same_authors(first.authors, second.authors) is not False
    )


def _limit_matches(works: Sequence[LikelyMatch]) -> list[LikelyMatch]:
    """Return the best few matches, without those tied with a match beyond the limit."""
    best = [work for work in works if work.likeness > works[MAX_SUGGESTIONS].likeness]
    return best[:MAX_SUGGESTIONS]
