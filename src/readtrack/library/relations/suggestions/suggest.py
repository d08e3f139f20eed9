"""Suggested relations of a paper, computed on request, without existing and dismissed ones."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.db.pair_match import is_one_of_pairs
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import DismissedRelation, Identifier, MatchSuggestion, Relation
from readtrack.infra.permissions import CurrentUser
from readtrack.library.relations.links import WORDS
from readtrack.library.relations.suggestions.by_identifier import find_identifier_mentions
from readtrack.library.relations.suggestions.by_title import find_title_mentions
from readtrack.library.relations.suggestions.candidates import (
    RelatedPair,
    RelationCandidate,
    find_listed_papers,
    get_candidate,
)
from readtrack.library.relations.suggestions.series import find_series

MAX_SUGGESTIONS = 12


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
        _suggestion(pair, pair.from_id == paper_id, papers[other_id])
        for other_id, pair in pairs_by_paper.items()
        if other_id in papers
    ]


def _suggestion(pair: RelatedPair, is_outward: bool, paper: RelationCandidate) -> RelationSuggestion:  # noqa: FBT001 - direction
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
