"""Talks and articles whose titles name a paper that is here."""

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

DOES = {  # kind of a paper that is about another: what it does to it
    "article": "discusses", "page": "discusses", "video": "presents", "slides": "presents", "code": "implements",
}  # fmt: skip
REASON = N_("The title names “{title}”.")
_NAMING = 50  # papers whose titles have the words of another's
_BEGINNING = re.compile(r"\w+(?: \w+){0,2}")  # up to the first mark between words
_WORDS = 5


def find_title_mentions(tx: Read, me: CurrentUser, paper: RelationCandidate) -> list[RelatedPair]:
    """What it is about, or what is about it."""
    if paper.kind == "paper":
        pairs = [(other, paper) for other in _find_by_first_words(tx, me, paper) if _is_named(other, paper)]
    elif paper.kind in DOES:
        pairs = [(paper, other) for other in _find_named_papers(tx, paper)]
    else:
        pairs = []
    return [
        RelatedPair(about.id, other.id, DOES[about.kind], _(REASON).format(title=other.title)) for about, other in pairs
    ]


def _find_named_papers(tx: Read, paper: RelationCandidate) -> list[RelationCandidate]:
    from readtrack.library.matching.commentary import find_discussed_work

    work = find_discussed_work(paper.title)
    begun = _BEGINNING.match(normalize.key(work.title)) if work else None
    if work is None or begun is None:
        return []
    alike = list_by_title_prefix(tx, begun[0], col(Paper.kind) == "paper")
    sure = _find_certain_matches(work, alike)
    return [other for other in alike if other.id in sure]


def _find_by_first_words(tx: Read, me: CurrentUser, paper: RelationCandidate) -> list[RelationCandidate]:
    """Talks and articles whose titles have the first words of this one's."""
    begun = _BEGINNING.match(paper.title_key)
    words = re.findall(r"\w+", begun[0])[:_WORDS] if begun else []
    if not words:
        return []
    wanted = " ".join([f"kind:{','.join(DOES)}", *(f"title:{word}" for word in words)])
    return list_candidates(tx, visible_papers_filter(tx, me, search.parse(wanted)), most=_NAMING)


def _is_named(other: RelationCandidate, paper: RelationCandidate) -> bool:
    from readtrack.library.matching.commentary import find_discussed_work

    work = find_discussed_work(other.title)
    return work is not None and paper.id in _find_certain_matches(work, [paper])


def _find_certain_matches(work: "DiscussedWork", papers: Iterable[RelationCandidate]) -> set[int]:
    """The one that is meant for sure; none when there are several."""
    wanted = WantedWork(work.title, (), work.year, work.venue, by_name=work.by_name, cut=work.cut)
    likely = {
        paper.id: weighed[0].likeness for paper in papers if (weighed := rank_matches(wanted, [_to_metadata(paper)]))
    }
    best = {paper_id for paper_id, likeness in likely.items() if likeness == max(likely.values())}
    return best if len(best) == 1 and likely[min(best)] >= SURE else set()


def _to_metadata(paper: RelationCandidate) -> Metadata:
    ref = Ref("paper", str(paper.id))
    return Metadata(
        ref, "library", "published", "paper", paper.title, tuple(paper.authors), paper.year, venue=paper.venue
    )
