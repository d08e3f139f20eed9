"""Comparison of two papers by title, authors, year and identifiers, to find duplicates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import intern
from typing import NamedTuple

from readtrack.infra.text.titles import compare
from readtrack.library.duplicates.evidence import (
    ALIKE_TITLES,
    AND_ALIKE_TITLES,
    AUTHORS_OF_ONE,
    BEGINNING,
    NO_AUTHORS,
    OTHER_AUTHORS,
    OTHER_NAME,
    OTHER_SCRIPT,
    PERHAPS_TWO,
    PREPRINT,
    PUBLISHED,
    SAME_AUTHORS,
    SAME_NAME,
    SAME_TITLE,
    SAME_YEAR,
    TWO_ARXIV,
    TWO_DOIS,
    TWO_PAGES,
    TWO_YEARS,
    WITHOUT_NAME,
    format_facts,
)
from readtrack.metadata.types import Ref

# Words and letters below which a title is just a system's name, or one that many works have
_TELLING_WORDS, _TELLING_LETTERS = 3, 18
_LONG_WORDS, _LONG_LETTERS = 7, 40  # words and letters from which two works are unlikely to share a title by chance
# Minimum similarity of titles; see _required_similarity
_NAMED, _OF_FIRST, _OF_SOME, _RENAMED, _UNKNOWN = 0.45, 0.58, 0.76, 0.82, 0.88
_IN_COMMON = 0.4  # minimum share of common words, unless one title is cut off
_BEGINNING, _NAME = 0.95, 0.85  # similarity of titles of which one lacks its end
# Minimum letters of a title that equals the end of another; a shorter one may be a single word.
_MIN_SUFFIX_LETTERS = 12
_NEAR, _FAR = 1, 3  # years between a preprint and its publication: usual, and maximum

_ARXIV_DOI = "10.48550/arxiv."
_PREPRINT_DOIS = ("10.48550/", "10.1101/", "10.2139/", "10.21203/", "10.20944/", "10.26434/", "10.31219/", "10.36227/")
_BESIDE_WORKS = ("10.5281/", "10.6084/")  # datasets and software that accompany a paper
_VENUES = {"usenix": "USENIX", "acl": "ACL Anthology", "pmlr": "PMLR", "neurips": "NeurIPS", "nips": "NeurIPS"} | {
    "mlsys": "MLSys",
    "cvf": "CVF",
    "jmlr": "JMLR",
    "aaai": "AAAI",
    "pvldb": "PVLDB",
}
_PARTS = frozenset(("part", "volume", "vol", "chapter", "edition", "version", "revisited", "revised", "extended"))
_NUMBERS = frozenset(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"))


@dataclass(frozen=True, slots=True)
class ComparedPaper:
    """The data by which a paper is compared with others."""

    id: int
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    kind: str = "paper"
    refs: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class DuplicateCandidate:
    """Two likely duplicates: likeness in percent, and the evidence as text for the person who decides."""

    one: int
    other: int
    likeness: int
    evidence: str


@dataclass(frozen=True, slots=True)
class Traits:
    """A paper with its title normalized and split once.

    Kept small, because all papers are in memory together.
    """

    paper: ComparedPaper
    letters: str
    name_length: int  # number of letters before the colon; 0 without a colon
    title_words: tuple[str, ...]  # without repetitions

    @property
    def name(self) -> str:
        """The letters before the colon, often the name of a system."""
        return self.letters[: self.name_length]

    @property
    def subtitle(self) -> str:
        """The letters after the colon."""
        return self.letters[self.name_length :] if self.name_length else ""

    @property
    def is_distinctive(self) -> bool:
        """True if the title alone is enough to identify a work."""
        return len(self.title_words) >= _TELLING_WORDS and (
            len(self.letters) >= _TELLING_LETTERS or not self.letters.isascii()
        )


class PairComparison(NamedTuple):
    """The compared features of two papers.

    `share`: similarity of the titles, 0 to 1; `description`: that similarity as facts of the evidence.
    """

    one: Traits
    other: Traits
    share: float
    description: tuple[str, ...]
    people: bool | None
    same_first_author: bool  # the first authors agree
    year_gap: int | None  # difference of the years
    conflict: str  # conflicting identifiers, such as "but two DOIs"
    stages: bool  # one is a preprint, the other is published

    @property
    def is_distinctive(self) -> bool:
        return self.one.is_distinctive and self.other.is_distinctive

    @property
    def long(self) -> bool:
        return len(self.one.title_words) >= _LONG_WORDS and len(self.one.letters.encode()) >= _LONG_LETTERS

    def is_year_gap_within(self, years: int) -> bool:
        return self.year_gap is None or self.year_gap <= years


def build_traits(paper: ComparedPaper) -> Traits:
    name, rest = compare.split_subtitle(paper.title)
    words = dict.fromkeys(map(intern, compare.title_words(paper.title)))
    return Traits(paper, compare.title_letters(paper.title), len(name) if rest else 0, tuple(words))


def is_worth_comparing(first: Traits, second: Traits) -> bool:
    """Return True if a full comparison is worthwhile.

    This check is cheap, because most pairs fail it.
    """
    if first.letters == second.letters:
        return True
    first_year, second_year = first.paper.year, second.paper.year
    if first_year and second_year and abs(first_year - second_year) > _FAR:
        return False
    common_count, word_count = (
        len(frozenset(first.title_words).intersection(second.title_words)),
        len(first.title_words) + len(second.title_words),
    )
    return 2 * common_count >= _IN_COMMON * word_count or _same_name(first, second) or _is_cut(first, second)


def score_pair(first: Traits, second: Traits) -> DuplicateCandidate | None:
    """Return the pair as a candidate if the evidence suffices, else None."""
    people = compare.are_same_authors(first.paper.authors, second.paper.authors)
    if (people is False and first.letters != second.letters) or not _are_kinds_compatible(first.paper, second.paper):
        # Decide most pairs before the expensive comparison of titles.
        return None
    comparison = _compare_pair(first, second, people=people)
    if _differ_by_numbers(first, second) or not _is_likely_duplicate(comparison):
        return None
    first_id, second_id = sorted((first.paper.id, second.paper.id))
    return DuplicateCandidate(first_id, second_id, _likeness(comparison), _evidence(comparison))


def _compare_pair(first: Traits, second: Traits, *, people: bool | None) -> PairComparison:
    first_paper, second_paper = first.paper, second.paper
    similarity, description = _compare_titles(first, second)
    return PairComparison(
        first,
        second,
        similarity,
        description,
        people=people,
        same_first_author=bool(people)
        and compare.parse_author_name(first_paper.authors[0]).is_compatible_with(
            compare.parse_author_name(second_paper.authors[0])
        ),
        year_gap=None
        if first_paper.year is None or second_paper.year is None
        else abs(first_paper.year - second_paper.year),
        conflict=_describe_conflicts(first_paper.refs, second_paper.refs),
        stages=_stages(first_paper.refs) | _stages(second_paper.refs) == {"preprint", "published"},
    )


def _is_likely_duplicate(comparison: PairComparison) -> bool:
    """Return True if the evidence suffices.

    A shared system name alone never does. Papers with different authors need the same long title in nearby years.
    """
    if comparison.conflict:
        return comparison.share == 1 and comparison.people is True and comparison.is_year_gap_within(_FAR)
    if comparison.people is None:
        return (
            comparison.is_distinctive
            and comparison.share >= _UNKNOWN
            and comparison.is_year_gap_within(_FAR if comparison.share == 1 else _NEAR)
        )
    if not comparison.people:
        return comparison.share == 1 and comparison.long and comparison.is_year_gap_within(_NEAR)
    if not comparison.is_year_gap_within(_FAR):
        return comparison.share == 1 and comparison.is_distinctive
    return comparison.share >= _required_similarity(comparison)


def _required_similarity(comparison: PairComparison) -> float:
    """Return the minimum similarity of titles.

    It is higher for different system names, because authors give follow-up work a new name.
    """
    if comparison.one.name_length and comparison.other.name_length and comparison.one.name != comparison.other.name:
        return _RENAMED
    if not (comparison.same_first_author and comparison.is_year_gap_within(_NEAR)):
        return _OF_SOME
    return _NAMED if _same_name(comparison.one, comparison.other) else _OF_FIRST


def _likeness(comparison: PairComparison) -> int:
    """Return a rank from 0 to 100 among the pairs that have passed the check."""
    author_score = {True: 50 + 50 * comparison.share, None: 85 * comparison.share, False: 62.0}[comparison.people]
    year_penalty = 4 * max(0, min(comparison.year_gap or 0, 2 * _FAR) - _NEAR)
    conflict_penalty = 15 * bool(comparison.conflict) + 10 * (not comparison.is_distinctive)
    return min(
        100 if comparison.share == 1 else 98,
        round(author_score - year_penalty - conflict_penalty + 2 * comparison.stages),
    )


def _evidence(comparison: PairComparison) -> str:
    first, second = comparison.one.paper, comparison.other.paper
    facts = [*comparison.description, _people(comparison)]
    if comparison.year_gap is not None:
        same_year = first.year == second.year
        facts.append((SAME_YEAR if same_year else TWO_YEARS).format(year=first.year, other_year=second.year))
    if comparison.stages:
        facts += [PREPRINT, PUBLISHED]
    if comparison.conflict:
        facts += [comparison.conflict, PERHAPS_TWO]
    return format_facts(facts)


def _people(comparison: PairComparison) -> str:
    if comparison.people is not None:
        return SAME_AUTHORS if comparison.people else OTHER_AUTHORS
    has_authors = [bool(paper.paper.authors) for paper in (comparison.one, comparison.other)]
    if all(has_authors):
        return OTHER_SCRIPT
    return AUTHORS_OF_ONE if any(has_authors) else NO_AUTHORS


def _compare_titles(first: Traits, second: Traits) -> tuple[float, tuple[str, ...]]:
    """Return the similarity of two titles and its description as facts."""
    shorter, longer = sorted((first, second), key=lambda paper: len(paper.letters))
    if shorter.letters == longer.letters:
        return 1.0, (SAME_TITLE,)
    similarity = compare.title_similarity(first.paper.title, second.paper.title)
    if longer.letters.startswith(shorter.letters):
        return max(similarity, _BEGINNING if shorter.is_distinctive else _NAME), (BEGINNING,)
    if len(shorter.letters) >= _MIN_SUFFIX_LETTERS and longer.subtitle.startswith(shorter.letters):
        return max(similarity, _BEGINNING), (WITHOUT_NAME,)
    if shorter.subtitle and shorter.subtitle == longer.subtitle:
        return max(similarity, _RENAMED), (OTHER_NAME,)
    if _same_name(shorter, longer):
        return similarity, (SAME_NAME, AND_ALIKE_TITLES.format(percent=f"{similarity:.0%}"))
    return similarity, (ALIKE_TITLES.format(percent=f"{similarity:.0%}"),)


def _same_name(first: Traits, second: Traits) -> bool:
    return first.name_length == second.name_length > 0 and first.name == second.name


def _is_cut(first: Traits, second: Traits) -> bool:
    """Return True if one title is the other without its end, or without the name before the colon."""
    shorter, longer = (first, second) if len(first.letters) < len(second.letters) else (second, first)
    return longer.letters.startswith(shorter.letters) or longer.subtitle.startswith(shorter.letters)


def _are_kinds_compatible(first: ComparedPaper, second: ComparedPaper) -> bool:
    """Return True unless the kinds conflict.

    A talk or software is not its paper, but a page may be anything.
    """
    return first.kind == second.kind or "page" in (first.kind, second.kind)


def _differ_by_numbers(first: Traits, second: Traits) -> bool:
    """Return True if the titles differ by a number.

    That is a part, a model generation, or a year that is not the date of the paper.
    """
    years = {str(paper.paper.year) for paper in (first, second)}
    first_words, second_words = (
        set(first.title_words).difference(second.title_words, years),
        set(second.title_words).difference(first.title_words, years),
    )
    counts = [{word for word in words if word in _NUMBERS or word.isdecimal()} for words in (first_words, second_words)]
    is_one_sided = (
        number_words and (words & _PARTS or words == number_words)
        for number_words, words in zip(counts, (first_words, second_words), strict=True)
    )
    return all(counts) or any(is_one_sided)


def _describe_conflicts(first_refs: Iterable[Ref], second_refs: Iterable[Ref]) -> str:
    """Return the fact that identifiers contradict a duplicate ("but two DOIs"), or return "".

    A preprint and its publication do not contradict each other.
    """
    first_ids, second_ids = set(_unique_identifiers(first_refs)), set(_unique_identifiers(second_refs))
    if first_ids & second_ids:
        return ""
    common_schemes = sorted({scheme for scheme, _ in first_ids} & {scheme for scheme, _ in second_ids})
    return common_schemes[0] if common_schemes else ""


def _unique_identifiers(refs: Iterable[Ref]) -> Iterator[tuple[str, str]]:
    """Yield identifiers that a work has only one of, as (fact that two papers have two of them, key)."""
    for ref in refs:
        key = ref.key.casefold()
        if ref.scheme == "arxiv" or key.startswith(_ARXIV_DOI):
            yield TWO_ARXIV, key.removeprefix(_ARXIV_DOI)
        elif ref.scheme == "doi" and not key.startswith((*_PREPRINT_DOIS, *_BESIDE_WORKS)):
            yield TWO_DOIS, key
        elif ref.scheme in _VENUES:
            yield TWO_PAGES.format(venue=_VENUES[ref.scheme]), f"{ref.scheme}:{key}"


def _stages(refs: Iterable[Ref]) -> set[str]:
    """Return the publication stages that the identifiers show: preprint, published, both or none."""
    return {_stage(ref) for ref in refs} - {""}


def _stage(ref: Ref) -> str:
    key = ref.key.casefold()
    if ref.scheme == "arxiv" or (ref.scheme == "doi" and key.startswith(_PREPRINT_DOIS)):
        return "preprint"
    is_published = ref.scheme in _VENUES or (ref.scheme == "doi" and not key.startswith(_BESIDE_WORKS))
    return "published" if is_published else ""
