"""Scoring of search results against a work known only by title.

Matches below "likely" are not suggested.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from readtrack.infra.models.columns import STAGES
from readtrack.infra.text.titles import compare
from readtrack.library.papers.title_lookup import is_distinctive
from readtrack.metadata.parsing import venues
from readtrack.metadata.types import Metadata

SURE, LIKELY, SHORTENED = 90, 75, 80  # percent
MOST = 3  # suggestions shown for one title
_UP_TO_A_COLON, _OTHER_NUMBERS = 95, 70
_LEAST_CUT = 20  # minimum letters of a truncated title's beginning
_LATE = 3  # years between a preprint and its publication
_NUMBERS = re.compile(r"\d+|\b(?:ii|iii|iv)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class WantedWork:
    """A work as notes or a title name it.

    `by_name`: only the system's name; `cut`: the title is truncated.
    """

    title: str
    authors: Sequence[str] = ()
    year: int | None = None
    venue: str = ""
    by_name: bool = False
    cut: bool = False


@dataclass(frozen=True)
class LikelyMatch:
    """A possible match. `agrees`: the other fields that match: authors, venue, year."""

    said: Metadata
    likeness: int  # percent
    agrees: frozenset[str]


def rank_matches(wanted: WantedWork, found: Iterable[Metadata]) -> list[LikelyMatch]:
    """Return possible matches, the likeliest first, or only the one that is sure."""
    works = _deduplicate_works([likely for said in found if (likely := _score_match(wanted, said))])
    works.sort(key=lambda work: (-work.likeness, -len(work.agrees), STAGES.index(work.said.stage)))
    best = [work for work in works if is_sure(work)]
    if len(best) > 1:
        best = [work for work in best if work.likeness == best[0].likeness and work.agrees == best[0].agrees]
    if len(best) == 1:
        return best
    return works if len(works) <= MOST else _limit_matches(works)


def is_sure(work: LikelyMatch) -> bool:
    return work.likeness >= SURE


def _score_match(wanted: WantedWork, said: Metadata) -> LikelyMatch | None:
    if not said.title or _contradicts(wanted, said):
        return None
    agrees = _agreeing_fields(wanted, said)
    likeness = _title_similarity(wanted, said.title)
    told = "authors" in agrees or {"venue", "year"} <= agrees
    if not told and (wanted.by_name or not is_distinctive(wanted.title)):
        likeness = min(likeness, SHORTENED)  # many works are called “Gemini”
    elif told and SHORTENED <= likeness < SURE and compare.is_title_head(wanted.title, said.title):
        likeness = SURE
    return LikelyMatch(said, likeness, agrees) if likeness >= LIKELY else None


def _title_similarity(wanted: WantedWork, title: str) -> int:
    mine, theirs = compare.title_letters(wanted.title), compare.title_letters(title)
    if mine == theirs:
        return 100
    if wanted.cut:
        return _UP_TO_A_COLON if len(mine) >= _LEAST_CUT and theirs.startswith(mine) else 0
    if compare.is_title_head(wanted.title, title):
        return _UP_TO_A_COLON if is_distinctive(wanted.title) else SHORTENED
    if wanted.by_name:
        return 0
    if _numbers(wanted.title) != _numbers(title):
        return min(_OTHER_NUMBERS, round(100 * compare.title_similarity(wanted.title, title)))
    return (
        _UP_TO_A_COLON
        if compare.is_same_title(wanted.title, title)
        else int(100 * compare.title_similarity(wanted.title, title))
    )


def _numbers(title: str) -> list[str]:
    """Return the numbers in a title: part II is not part III, and a system's second version not its first."""
    return sorted(found.casefold() for found in _NUMBERS.findall(title))


def _contradicts(wanted: WantedWork, said: Metadata) -> bool:
    people = compare.are_same_authors(wanted.authors, said.authors)
    if people is False or (wanted.year and said.year and not _is_year_close(wanted.year, said)):
        return True
    return people is None and _same_venue(wanted.venue, said.venue) is False and said.stage == "published"


def _is_year_close(year: int, said: Metadata) -> bool:
    """Return True for years at most one apart, as of conference and proceedings; preprints may be older."""
    later = year - (said.year or year)
    return -1 <= later <= (_LATE if said.stage == "preprint" else 1)


def _same_venue(mine: str, theirs: str) -> bool | None:
    """Compare venues by words: “Proc. VLDB Endow.” is VLDB. Return None if unknown or incomparable."""
    one, other = (venues.short_venue(venue) for venue in (mine, theirs))
    if not one or not other:
        return None
    a, b = ({word.casefold() for word in _WORDS.findall(name)} for name in (one, other))
    if a & b:
        return True
    return False if len(a) == len(b) == 1 else None


def _agreeing_fields(wanted: WantedWork, said: Metadata) -> frozenset[str]:
    same = {
        "authors": compare.are_same_authors(wanted.authors, said.authors),
        "venue": _same_venue(wanted.venue, said.venue),
        "year": wanted.year is not None and wanted.year == said.year,
    }
    return frozenset(name for name, is_so in same.items() if is_so)


def _deduplicate_works(found: Sequence[LikelyMatch]) -> list[LikelyMatch]:
    """Return one match per work: its published form, with the agreeing fields of all forms."""
    works: list[LikelyMatch] = []
    for likely in sorted(found, key=lambda one: (STAGES.index(one.said.stage), -one.likeness)):
        place = next((at for at, work in enumerate(works) if _is_same_work(work.said, likely.said)), None)
        if place is None:
            works.append(likely)
        else:
            works[place] = _merge_matches(works[place], likely)
    return works


def _merge_matches(form: LikelyMatch, other: LikelyMatch) -> LikelyMatch:
    """Return the first form with the identifiers of both."""
    names = dict.fromkeys((*form.said.identifiers, other.said.ref, *other.said.identifiers))
    said = replace(form.said, identifiers=tuple(name for name in names if name != form.said.ref))
    return LikelyMatch(said, max(form.likeness, other.likeness), form.agrees | other.agrees)


def _is_same_work(one: Metadata, other: Metadata) -> bool:
    named = {one.ref, *one.identifiers} & {other.ref, *other.identifiers}
    return bool(named) or (
        compare.is_same_title(one.title, other.title)
        and compare.are_same_authors(one.authors, other.authors) is not False
    )


def _limit_matches(works: Sequence[LikelyMatch]) -> list[LikelyMatch]:
    """Return the best few matches, without those tied with a match beyond the limit."""
    few = [work for work in works if work.likeness > works[MOST].likeness]
    return few[:MOST]
