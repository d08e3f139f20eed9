"""Comparison of two papers by title, authors, year and identifiers, to find duplicates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import intern
from typing import NamedTuple

from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Ref

# Words and letters below which a title is just a system's name, or one that many works have
_TELLING_WORDS, _TELLING_LETTERS = 3, 18
_LONG_WORDS, _LONG_LETTERS = 7, 40  # words and letters from which two works are unlikely to share a title by chance
# Minimum similarity of titles; see _required_similarity
_NAMED, _OF_FIRST, _OF_SOME, _RENAMED, _UNKNOWN = 0.45, 0.58, 0.76, 0.82, 0.88
_IN_COMMON = 0.4  # minimum share of common words, unless one title is cut off
_BEGINNING, _NAME = 0.95, 0.85  # similarity of titles of which one lacks its end
_LETTERS = 12  # minimum letters of a title that equals the end of another; a shorter one may be a single word
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

    known: ComparedPaper
    letters: str
    named: int  # number of letters before the colon; 0 without a colon
    words: tuple[str, ...]  # without repetitions

    @property
    def name(self) -> str:
        """The letters before the colon, often the name of a system."""
        return self.letters[: self.named]

    @property
    def rest(self) -> str:
        """The letters after the colon."""
        return self.letters[self.named :] if self.named else ""

    @property
    def is_distinctive(self) -> bool:
        """True if the title alone is enough to identify a work."""
        return len(self.words) >= _TELLING_WORDS and (
            len(self.letters) >= _TELLING_LETTERS or not self.letters.isascii()
        )


class PairComparison(NamedTuple):
    """The compared features of two papers.

    `share`: similarity of the titles, 0 to 1; `way`: its description.
    """

    one: Traits
    other: Traits
    share: float
    way: str
    people: bool | None
    first: bool  # the first authors agree
    gap: int | None  # difference of the years
    apart: str  # conflicting identifiers, such as "two DOIs"
    stages: bool  # one is a preprint, the other is published

    @property
    def is_distinctive(self) -> bool:
        return self.one.is_distinctive and self.other.is_distinctive

    @property
    def long(self) -> bool:
        return len(self.one.words) >= _LONG_WORDS and len(self.one.letters.encode()) >= _LONG_LETTERS

    def within(self, years: int) -> bool:
        return self.gap is None or self.gap <= years


def build_traits(known: ComparedPaper) -> Traits:
    name, rest = compare.split_subtitle(known.title)
    words = dict.fromkeys(map(intern, compare.title_words(known.title)))
    return Traits(known, compare.title_letters(known.title), len(name) if rest else 0, tuple(words))


def is_worth_comparing(one: Traits, other: Traits) -> bool:
    """Return True if a full comparison is worthwhile.

    This check is cheap, because most pairs fail it.
    """
    if one.letters == other.letters:
        return True
    a, b = one.known.year, other.known.year
    if a and b and abs(a - b) > _FAR:
        return False
    shared, words = len(frozenset(one.words).intersection(other.words)), len(one.words) + len(other.words)
    return 2 * shared >= _IN_COMMON * words or _same_name(one, other) or _is_cut(one, other)


def score_pair(one: Traits, other: Traits) -> DuplicateCandidate | None:
    """Return the pair as a candidate if the evidence suffices, else None."""
    people = compare.are_same_authors(one.known.authors, other.known.authors)
    if (people is False and one.letters != other.letters) or not _are_kinds_compatible(one.known, other.known):
        # Decide most pairs before the expensive comparison of titles.
        return None
    case = _compare_pair(one, other, people=people)
    if _differ_by_numbers(one, other) or not _is_likely_duplicate(case):
        return None
    first, second = sorted((one.known.id, other.known.id))
    return DuplicateCandidate(first, second, _likeness(case), _evidence(case))


def _compare_pair(one: Traits, other: Traits, *, people: bool | None) -> PairComparison:
    a, b = one.known, other.known
    share, way = _compare_titles(one, other)
    return PairComparison(
        one,
        other,
        share,
        way,
        people=people,
        first=bool(people) and compare.parse_author_name(a.authors[0]).may_be(compare.parse_author_name(b.authors[0])),
        gap=None if a.year is None or b.year is None else abs(a.year - b.year),
        apart=_describe_conflicts(a.refs, b.refs),
        stages=_stages(a.refs) | _stages(b.refs) == {"preprint", "published"},
    )


def _is_likely_duplicate(case: PairComparison) -> bool:
    """Return True if the evidence suffices.

    A shared system name alone never does. Papers with different authors need the same long title in nearby years.
    """
    if case.apart:
        return case.share == 1 and case.people is True and case.within(_FAR)
    if case.people is None:
        return case.is_distinctive and case.share >= _UNKNOWN and case.within(_FAR if case.share == 1 else _NEAR)
    if not case.people:
        return case.share == 1 and case.long and case.within(_NEAR)
    if not case.within(_FAR):
        return case.share == 1 and case.is_distinctive
    return case.share >= _required_similarity(case)


def _required_similarity(case: PairComparison) -> float:
    """Return the minimum similarity of titles.

    It is higher for different system names, because authors give follow-up work a new name.
    """
    if case.one.named and case.other.named and case.one.name != case.other.name:
        return _RENAMED
    if not (case.first and case.within(_NEAR)):
        return _OF_SOME
    return _NAMED if _same_name(case.one, case.other) else _OF_FIRST


def _likeness(case: PairComparison) -> int:
    """Return a rank from 0 to 100 among the pairs that have passed the check."""
    known = {True: 50 + 50 * case.share, None: 85 * case.share, False: 62.0}[case.people]
    late = 4 * max(0, min(case.gap or 0, 2 * _FAR) - _NEAR)
    doubts = 15 * bool(case.apart) + 10 * (not case.is_distinctive)
    return min(100 if case.share == 1 else 98, round(known - late - doubts + 2 * case.stages))


def _evidence(case: PairComparison) -> str:
    a, b = case.one.known, case.other.known
    said = [case.way, _people(case)]
    if case.gap is not None:
        said.append(f"both of {a.year}" if a.year == b.year else f"{a.year} and {b.year}")
    if case.stages:
        said.append("one is a preprint, the other published")
    if case.apart:
        said.append(f"but {case.apart}, so they may be two works")
    return f"{', '.join(said)}."


def _people(case: PairComparison) -> str:
    if case.people is not None:
        return "the same people" if case.people else "but other authors"
    known = [bool(paper.known.authors) for paper in (case.one, case.other)]
    if all(known):
        return "the authors in other letters"
    return "authors are known of one only" if any(known) else "no authors are known"


def _compare_titles(one: Traits, other: Traits) -> tuple[float, str]:
    """Return the similarity of two titles and its description."""
    a, b = sorted((one, other), key=lambda paper: len(paper.letters))
    if a.letters == b.letters:
        return 1.0, "The same title"
    share = compare.title_similarity(one.known.title, other.known.title)
    if b.letters.startswith(a.letters):
        return max(share, _BEGINNING if a.is_distinctive else _NAME), "One title is the beginning of the other"
    if len(a.letters) >= _LETTERS and b.rest.startswith(a.letters):
        return max(share, _BEGINNING), "One title is the other without the name before the colon"
    if a.rest and a.rest == b.rest:
        return max(share, _RENAMED), "The same title but for the name before the colon"
    if _same_name(a, b):
        return share, f"The same name before the colon, titles that are alike by {share:.0%}"
    return share, f"Titles that are alike by {share:.0%}"


def _same_name(one: Traits, other: Traits) -> bool:
    return one.named == other.named > 0 and one.name == other.name


def _is_cut(one: Traits, other: Traits) -> bool:
    """Return True if one title is the other without its end, or without the name before the colon."""
    short, whole = (one, other) if len(one.letters) < len(other.letters) else (other, one)
    return whole.letters.startswith(short.letters) or whole.rest.startswith(short.letters)


def _are_kinds_compatible(one: ComparedPaper, other: ComparedPaper) -> bool:
    """Return True unless the kinds conflict.

    A talk or software is not its paper, but a page may be anything.
    """
    return one.kind == other.kind or "page" in (one.kind, other.kind)


def _differ_by_numbers(one: Traits, other: Traits) -> bool:
    """Return True if the titles differ by a number.

    That is a part, a model generation, or a year that is not the date of the paper.
    """
    dates = {str(paper.known.year) for paper in (one, other)}
    mine, theirs = set(one.words).difference(other.words, dates), set(other.words).difference(one.words, dates)
    counts = [{word for word in words if word in _NUMBERS or word.isdecimal()} for words in (mine, theirs)]
    alone = (found and (words & _PARTS or words == found) for found, words in zip(counts, (mine, theirs), strict=True))
    return all(counts) or any(alone)


def _describe_conflicts(ones: Iterable[Ref], others: Iterable[Ref]) -> str:
    """Name the identifiers that contradict a duplicate ("two DOIs"), or return "".

    A preprint and its publication do not contradict each other.
    """
    mine, theirs = set(_unique_identifiers(ones)), set(_unique_identifiers(others))
    if mine & theirs:
        return ""
    both = sorted({scheme for scheme, _ in mine} & {scheme for scheme, _ in theirs})
    return f"two {both[0]}" if both else ""


def _unique_identifiers(refs: Iterable[Ref]) -> Iterator[tuple[str, str]]:
    """Yield identifiers that a work has only one of, as (label of the kind, key)."""
    for ref in refs:
        key = ref.key.casefold()
        if ref.scheme == "arxiv" or key.startswith(_ARXIV_DOI):
            yield "arXiv numbers", key.removeprefix(_ARXIV_DOI)
        elif ref.scheme == "doi" and not key.startswith((*_PREPRINT_DOIS, *_BESIDE_WORKS)):
            yield "DOIs", key
        elif ref.scheme in _VENUES:
            yield f"{_VENUES[ref.scheme]} pages", f"{ref.scheme}:{key}"


def _stages(refs: Iterable[Ref]) -> set[str]:
    """Return the publication stages that the identifiers show: preprint, published, both or none."""
    return {_stage(ref) for ref in refs} - {""}


def _stage(ref: Ref) -> str:
    key = ref.key.casefold()
    if ref.scheme == "arxiv" or (ref.scheme == "doi" and key.startswith(_PREPRINT_DOIS)):
        return "preprint"
    is_published = ref.scheme in _VENUES or (ref.scheme == "doi" and not key.startswith(_BESIDE_WORKS))
    return "published" if is_published else ""
