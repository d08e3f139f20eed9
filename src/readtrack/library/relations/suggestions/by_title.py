"""Suggestions from titles of talks and articles that name a paper of the library."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.library.matching.scoring import SURE, WantedWork, rank_matches
from readtrack.library.papers.lists import visible_papers_filter
from readtrack.library.relations.suggestions.candidates import (
    RelatedPair,
    RelationCandidate,
    list_by_title_prefix,
    list_candidates,
)
from readtrack.metadata.types import Metadata, Ref

if TYPE_CHECKING:
    from readtrack.library.matching.commentary import DiscussedWork

# By kind of the paper that is about another: the kind of relation.
DOES = {
    "article": "discusses", "page": "discusses", "video": "presents", "slides": "presents", "code": "implements",
}  # fmt: skip
REASON = N_("The title names “{title}”.")
_MAX_CANDIDATES = 50  # papers whose titles contain the words of another title
_BEGINNING = re.compile(r"\w+(?: \w+){0,2}")  # the first words, up to punctuation
_MAX_WORDS = 5


def find_title_mentions(tx: Read, me: CurrentUser, paper: RelationCandidate) -> list[RelatedPair]:
    """Return pairs with a paper that this title names, or whose title names this one."""
    if paper.kind == "paper":
        pairs = [(discussed, paper) for discussed in _find_by_first_words(tx, me, paper) if _is_named(discussed, paper)]
    elif paper.kind in DOES:
        pairs = [(paper, discussed) for discussed in _find_named_papers(tx, paper)]
    else:
        pairs = []
    return [
        RelatedPair(commentary.id, discussed.id, DOES[commentary.kind], _(REASON).format(title=discussed.title))
        for commentary, discussed in pairs
    ]


def _find_named_papers(tx: Read, paper: RelationCandidate) -> list[RelationCandidate]:
    from readtrack.library.matching.commentary import find_discussed_work

    work = find_discussed_work(paper.title)
    prefix = _BEGINNING.match(normalize.key(work.title)) if work else None
    if work is None or prefix is None:
        return []
    similar = list_by_title_prefix(tx, prefix[0], col(Paper.kind) == "paper")
    certain_ids = _find_certain_matches(work, similar)
    return [candidate for candidate in similar if candidate.id in certain_ids]


def _find_by_first_words(tx: Read, me: CurrentUser, paper: RelationCandidate) -> list[RelationCandidate]:
    """Return talks and articles whose titles contain the first words of this title."""
    prefix = _BEGINNING.match(paper.title_key)
    words = re.findall(r"\w+", prefix[0])[:_MAX_WORDS] if prefix else []
    if not words:
        return []
    query = " ".join([f"kind:{','.join(DOES)}", *(f"title:{word}" for word in words)])
    return list_candidates(tx, visible_papers_filter(tx, me, search.parse(query)), limit=_MAX_CANDIDATES)


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
