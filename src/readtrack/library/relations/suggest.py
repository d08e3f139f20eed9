"""Suggested relations of a paper, computed on request, without existing and dismissed ones.

Evidence is a title that names another paper, an identifier or URL in links, abstract or note entries, or the number in
a series of articles. Candidates are found by index, so that the cost does not grow with the library.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import is_one_of_pairs
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import DismissedRelation, Entry, Identifier, Link, MatchSuggestion, Paper, Relation
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.infra.text import normalize
from readtrack.infra.text.titles import compare
from readtrack.library.matching.scoring import SURE, WantedWork, rank_matches
from readtrack.library.papers import lookup
from readtrack.library.papers.lists import visible_papers_filter
from readtrack.library.relations.links import WORDS
from readtrack.metadata import sources
from readtrack.metadata.types import Metadata, Ref

if TYPE_CHECKING:
    from readtrack.library.matching.commentary import DiscussedWork

_MAX_CANDIDATES = 200  # papers with the same beginning of the title
_LAST = "\U0010ffff"
_SHOWN: Sequence[Any] = [
    getattr(Paper, name) for name in ("id", "kind", "title", "title_key", "authors", "year", "venue", "language")
]
# By kind of the paper that is about another: the kind of relation.
DOES = {
    "article": "discusses", "page": "discusses", "video": "presents", "slides": "presents", "code": "implements",
}  # fmt: skip
BY_TITLE = N_("Title mentions “{title}”")
_MAX_COMMENTARIES = 50  # papers whose titles contain the words of another title
_FIRST_WORDS = re.compile(r"\w+(?: \w+){0,2}")  # the first words, up to punctuation
_MAX_WORDS = 5
_MAX_ADDRESSES = 60  # addresses per paper that are checked
_MAX_NOTE_LINES = 20  # entries of notes
_ADDRESS = re.compile(
    r"https?://[^\s<>\"'()\[\]（）「」【】]+|arxiv:\s?\d{4}\.\d{4,5}|\b10\.\d{4,9}/[^\s<>\"]+", re.IGNORECASE
)
BY_LINK = N_("A link points to {label}")
BY_TEXT = N_("Abstract or description mentions {label}")
BY_LINE = N_("Same line of notes mentions {label}")
SERIES_KINDS = ("article", "video", "slides", "page")
IN_SERIES = N_("Parts {one} and {other} of a series")
_MIN_TITLE_LETTERS = 6  # minimum width of the title without its number; a CJK letter counts as two
_HOSTING = frozenset(("url", "zenn"))  # sources whose keys begin with the author or site
_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九十", 1)} | {
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "v": 5,
}
_PART_NUMBER = r"(?P<{}>\d{{1,3}}|[一二三四五六七八九十]|iv|v|i{{1,3}})"
_SERIES_PART = re.compile(
    rf"[(\[【「]?\s?(?:(?:\bpart|\bpt\.?|\bvol\.?|\bepisode|\bep\.?|#|その|其)\s?{_PART_NUMBER.format('a')}(?!\w)|"
    rf"第\s?{_PART_NUMBER.format('b')}\s?(?:回|部|章|篇|編|話|话|集|講|讲|弾|期|节|節)|"
    rf"[(\[【]\s?{_PART_NUMBER.format('c')}(?:\s?/\s?\d{{1,3}})?\s?[)\]】])\s?[)\]】」]?",
    re.IGNORECASE,
)
MAX_SUGGESTIONS = 12


class RelationCandidate(NamedTuple):
    """The fields of a paper that suggestions compare."""

    id: int
    kind: str
    title: str
    title_key: str
    authors: Sequence[str]
    year: int | None
    venue: str
    language: str


class RelatedPair(NamedTuple):
    """A suggested relation with its reason as a sentence."""

    from_id: int
    to_id: int
    kind: str
    reason: str


def get_candidate(tx: Read, paper_id: int) -> RelationCandidate:
    """Return a paper as a candidate. Raise NotFound."""
    permissions.require_present(tx, paper_id)
    return list_candidates(tx, col(Paper.id) == paper_id)[0]


def list_candidates(
    tx: Read, *conditions: sa.ColumnElement[bool], limit: int = _MAX_CANDIDATES
) -> list[RelationCandidate]:
    """Return matching papers, newest first."""
    query: sa.Select[Any] = sa.select(*_SHOWN).where(*conditions).order_by(col(Paper.id).desc()).limit(limit)
    return [RelationCandidate(*row) for row in tx.execute(query)]


def find_listed_papers(tx: Read, paper_ids: Sequence[int]) -> dict[int, RelationCandidate]:
    """Return papers by id, without deleted or rejected ones."""
    rows = list_candidates(tx, col(Paper.id).in_(paper_ids), is_listed(Paper)) if paper_ids else []
    return {row.id: row for row in rows}


def list_by_title_prefix(tx: Read, prefix: str, *conditions: sa.ColumnElement[bool]) -> list[RelationCandidate]:
    """Return papers whose title key begins with the prefix, by a range scan of the index."""
    prefix_conditions = [col(Paper.title_key) >= prefix, col(Paper.title_key).startswith(prefix, autoescape=True)]
    if tx.is_in_process:  # SQLite collates by code point, so an upper bound is possible
        prefix_conditions.append(col(Paper.title_key) < prefix + _LAST)
    return list_candidates(tx, *prefix_conditions, is_listed(Paper), *conditions) if prefix else []


def find_title_mentions(tx: Read, me: CurrentUser, paper: RelationCandidate) -> list[RelatedPair]:
    """Return pairs with a paper that this title names, or whose title names this one."""
    if paper.kind == "paper":
        pairs = [(discussed, paper) for discussed in _find_by_first_words(tx, me, paper) if _is_named(discussed, paper)]
    elif paper.kind in DOES:
        pairs = [(paper, discussed) for discussed in _find_named_papers(tx, paper)]
    else:
        pairs = []
    return [
        RelatedPair(commentary.id, discussed.id, DOES[commentary.kind], _(BY_TITLE).format(title=discussed.title))
        for commentary, discussed in pairs
    ]


def _find_named_papers(tx: Read, paper: RelationCandidate) -> list[RelationCandidate]:
    from readtrack.library.matching.commentary import find_discussed_work

    work = find_discussed_work(paper.title)
    prefix = _FIRST_WORDS.match(normalize.key(work.title)) if work else None
    if work is None or prefix is None:
        return []
    similar = list_by_title_prefix(tx, prefix[0], col(Paper.kind) == "paper")
    certain_ids = _find_certain_matches(work, similar)
    return [candidate for candidate in similar if candidate.id in certain_ids]


def _find_by_first_words(tx: Read, me: CurrentUser, paper: RelationCandidate) -> list[RelationCandidate]:
    """Return talks and articles whose titles contain the first words of this title."""
    prefix = _FIRST_WORDS.match(paper.title_key)
    words = re.findall(r"\w+", prefix[0])[:_MAX_WORDS] if prefix else []
    if not words:
        return []
    query = " ".join([f"kind:{','.join(DOES)}", *(f"title:{word}" for word in words)])
    return list_candidates(tx, visible_papers_filter(tx, me, search.parse(query)), limit=_MAX_COMMENTARIES)


def _is_named(commentary: RelationCandidate, paper: RelationCandidate) -> bool:
    from readtrack.library.matching.commentary import find_discussed_work

    work = find_discussed_work(commentary.title)
    return work is not None and paper.id in _find_certain_matches(work, [paper])


def _find_certain_matches(work: "DiscussedWork", papers: Iterable[RelationCandidate]) -> set[int]:
    """Return the paper that is certainly meant; empty if there are several."""
    wanted_work = WantedWork(
        work.title, (), work.year, work.venue, by_name=work.by_name, is_truncated=work.is_truncated
    )
    likenesses = {
        paper.id: matches[0].likeness
        for paper in papers
        if (matches := rank_matches(wanted_work, [_to_metadata(paper)]))
    }
    best = {paper_id for paper_id, likeness in likenesses.items() if likeness == max(likenesses.values())}
    return best if len(best) == 1 and likenesses[min(best)] >= SURE else set()


def _to_metadata(paper: RelationCandidate) -> Metadata:
    ref = Ref("paper", str(paper.id))
    return Metadata(
        ref, "library", "published", "paper", paper.title, tuple(paper.authors), paper.year, venue=paper.venue
    )


class _SourceText(NamedTuple):
    text: str
    reason: str


def find_identifier_mentions(tx: Read, paper: RelationCandidate) -> list[RelatedPair]:
    """Return the pairs of a paper and a talk, article or page that mention each other."""
    refs: dict[Ref, str] = {}
    for passage in _iterate_texts(tx, paper.id):
        for address in _ADDRESS.findall(passage.text):
            ref = sources.recognize(address.rstrip(".,;:、。，"))
            if ref is not None and len(refs) < _MAX_ADDRESSES:
                refs.setdefault(ref, passage.reason)
    owners = lookup.find_by_refs(tx, list(refs))
    mentioned_papers = find_listed_papers(tx, sorted({owner for owner in owners.values() if owner != paper.id}))
    mentions = ((mentioned_papers[owner], ref) for ref, owner in owners.items() if owner in mentioned_papers)
    return [
        pair
        for mentioned, ref in mentions
        if (pair := _pair_with_commentary(paper, mentioned, _(refs[ref]).format(label=_identifier_label(ref))))
    ]


def _iterate_texts(tx: Read, paper_id: int) -> Iterator[_SourceText]:
    links = sa.select(col(Link.url)).where(col(Link.paper_id) == paper_id).order_by(col(Link.id)).limit(_MAX_ADDRESSES)
    yield from (_SourceText(url, BY_LINK) for url in tx.scalars(links))
    abstract = tx.scalar(sa.select(col(Paper.abstract)).where(col(Paper.id) == paper_id))
    yield _SourceText(abstract or "", BY_TEXT)
    lines = (
        sa.select(col(Entry.raw)).where(col(Entry.paper_id) == paper_id).order_by(col(Entry.id)).limit(_MAX_NOTE_LINES)
    )
    yield from (_SourceText(raw, BY_LINE) for raw in tx.scalars(lines))


def _pair_with_commentary(paper: RelationCandidate, mentioned: RelationCandidate, reason: str) -> RelatedPair | None:
    if mentioned.kind == "paper" and paper.kind in DOES:
        return RelatedPair(paper.id, mentioned.id, DOES[paper.kind], reason)
    if paper.kind == "paper" and mentioned.kind in DOES:
        return RelatedPair(mentioned.id, paper.id, DOES[mentioned.kind], reason)
    return None


def _identifier_label(ref: Ref) -> str:
    return sources.by_name(ref.scheme).label(ref.key)


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
    match = _SERIES_PART.search(text)
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
    if paper.kind not in SERIES_KINDS:
        return []
    own_part = parse_series_part(paper.title) or SeriesPart(compare.title_letters(paper.title), paper.title_key, 1)
    candidates = list_by_title_prefix(tx, own_part.prefix, col(Paper.kind).in_(SERIES_KINDS), col(Paper.id) != paper.id)
    parts = {candidate.id: part.number for candidate in candidates if (part := _find_series_part(candidate, own_part))}
    owners = _find_authors_and_sites(tx, [paper, *(candidate for candidate in candidates if candidate.id in parts)])
    numbers = {number: other_id for other_id, number in parts.items() if owners[paper.id] & owners[other_id]}
    previous = max((number for number in numbers if number < own_part.number), default=None)
    following = min((number for number in numbers if number > own_part.number), default=None)
    pairs = []
    if previous is not None:
        pairs.append(RelatedPair(paper.id, numbers[previous], "extends", _series_reason(own_part.number, previous)))
    if following is not None:
        pairs.append(RelatedPair(numbers[following], paper.id, "extends", _series_reason(own_part.number, following)))
    return pairs


def _find_series_part(candidate: RelationCandidate, own_part: SeriesPart) -> SeriesPart | None:
    """Return the other paper's part in the same series; a title without a number counts as part one."""
    part = parse_series_part(candidate.title) or SeriesPart(compare.title_letters(candidate.title), "", 1)
    return part if part.stem == own_part.stem else None


def _series_reason(one: int, other: int) -> str:
    return _(IN_SERIES).format(one=one, other=other)


def _find_authors_and_sites(tx: Read, papers: Sequence[RelationCandidate]) -> dict[int, set[str]]:
    """Return the authors and sites of papers, by first author and the first part of the identifier's key."""
    owners: dict[int, set[str]] = {
        paper.id: {f"by {normalize.key(name)}" for name in paper.authors[:1]} for paper in papers
    }
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    query = query.where(col(Identifier.paper_id).in_(owners), col(Identifier.scheme).in_(_HOSTING))
    for row in tx.execute(query):
        owners[row.paper_id].add(f"{row.scheme} {row.value.partition('/')[0]}")
    return owners


class RelationSuggestion(NamedTuple):
    """A suggested relation. `is_outgoing`: it would start from this paper."""

    from_id: int
    to_id: int
    kind: str
    is_outgoing: bool
    kind_label: str
    paper: RelationCandidate
    reason: str


def list_suggestions(tx: Read, me: CurrentUser, paper_id: int) -> list[RelationSuggestion]:
    """Return suggestions, the likeliest first, one per other paper. Raise NotFound."""
    permissions.require(me, "see")
    paper = get_candidate(tx, paper_id)
    pairs = [*find_identifier_mentions(tx, paper), *find_title_mentions(tx, me, paper), *find_series(tx, paper)]
    decided_ids = _find_decided_papers(tx, paper_id)
    return _build_suggestions(
        tx, paper_id, [pair for pair in pairs if _other_paper_id(pair, paper_id) not in decided_ids]
    )


def _build_suggestions(tx: Read, paper_id: int, pairs: Iterable[RelatedPair]) -> list[RelationSuggestion]:
    pairs_by_paper: dict[int, RelatedPair] = {}
    for pair in pairs:
        pairs_by_paper.setdefault(_other_paper_id(pair, paper_id), pair)
    papers = find_listed_papers(tx, list(pairs_by_paper)[:MAX_SUGGESTIONS])
    return [
        _build_suggestion(pair, pair.from_id == paper_id, papers[other_id])
        for other_id, pair in pairs_by_paper.items()
        if other_id in papers
    ]


def _build_suggestion(pair: RelatedPair, is_outward: bool, paper: RelationCandidate) -> RelationSuggestion:  # noqa: FBT001 - direction
    words = _(WORDS[pair.kind][0 if is_outward else 1])
    return RelationSuggestion(pair.from_id, pair.to_id, pair.kind, is_outward, words, paper, pair.reason)


def _other_paper_id(pair: RelatedPair, paper_id: int) -> int:
    return pair.to_id if pair.from_id == paper_id else pair.from_id


def _find_decided_papers(tx: Read, paper_id: int) -> set[int]:
    """Return papers that are related, dismissed, or suggested elsewhere."""
    paper_ids: set[int] = set()
    for table in (Relation, DismissedRelation):
        columns = (col(table.from_id), col(table.to_id))
        for own_column, other_column in (columns, columns[::-1]):
            paper_ids |= set(tx.scalars(sa.select(other_column).where(own_column == paper_id)))
    return paper_ids | set(_find_proposed_papers(tx, paper_id))


def _find_proposed_papers(tx: Read, paper_id: int) -> Sequence[int]:
    """Return papers that the review of titles covers already.

    They are those suggested for this title, which are shown on the same page, and those for whose titles this paper was
    suggested and rejected.
    """
    identifier = col(Identifier.scheme) + ":" + col(Identifier.value)
    query = sa.select(col(MatchSuggestion.identifier)).where(
        col(MatchSuggestion.paper_id) == paper_id, col(MatchSuggestion.kind) == "discusses"
    )
    identifiers = [name.partition(":")[::2] for name in tx.scalars(query)]
    is_identified = is_one_of_pairs(col(Identifier.scheme), col(Identifier.value), identifiers)
    proposed_ids = tx.scalars(sa.select(col(Identifier.paper_id)).where(is_identified)).all() if identifiers else []
    own_identifiers = sa.select(identifier).where(col(Identifier.paper_id) == paper_id)
    commentary_query = sa.select(col(MatchSuggestion.paper_id)).where(
        col(MatchSuggestion.kind) == "discusses",
        col(MatchSuggestion.identifier).in_(own_identifiers),
        col(MatchSuggestion.state) == "rejected",
    )
    return [*proposed_ids, *(commentary_id for commentary_id in tx.scalars(commentary_query) if commentary_id)]
