"""Papers that may belong to one: what is found when somebody asks, without what is linked or was refused."""

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

MOST = 12


class RelationSuggestion(NamedTuple):
    """Another paper that may belong to this one. `outward`: the relation would go out from this one."""

    from_id: int
    to_id: int
    kind: str
    outward: bool
    words: str
    paper: RelationCandidate
    reason: str


def list_suggestions(tx: Read, me: CurrentUser, paper_id: int) -> list[RelationSuggestion]:
    """The likeliest first, each other paper once. Raises NotFound."""
    permissions.require(me, "see")
    paper = get_candidate(tx, paper_id)
    found = [*find_identifier_mentions(tx, paper), *find_title_mentions(tx, me, paper), *find_series(tx, paper)]
    done = _find_decided_papers(tx, paper_id)
    return _build_suggestions(tx, paper_id, [pair for pair in found if _other_paper_id(pair, paper_id) not in done])


def _build_suggestions(tx: Read, paper_id: int, found: Iterable[RelatedPair]) -> list[RelationSuggestion]:
    first: dict[int, RelatedPair] = {}
    for pair in found:
        first.setdefault(_other_paper_id(pair, paper_id), pair)
    others = find_listed_papers(tx, list(first)[:MOST])
    return [
        _suggestion(pair, pair.from_id == paper_id, others[other]) for other, pair in first.items() if other in others
    ]


def _suggestion(pair: RelatedPair, outward: bool, other: RelationCandidate) -> RelationSuggestion:  # noqa: FBT001 - which end is told
    words = _(WORDS[pair.kind][0 if outward else 1])
    return RelationSuggestion(pair.from_id, pair.to_id, pair.kind, outward, words, other, pair.reason)


def _other_paper_id(pair: RelatedPair, paper_id: int) -> int:
    return pair.to_id if pair.from_id == paper_id else pair.from_id


def _find_decided_papers(tx: Read, paper_id: int) -> set[int]:
    """Papers that are linked to it in any way, that a person said are not, or that are proposed to it elsewhere."""
    found: set[int] = set()
    for table in (Relation, DismissedRelation):
        ends = (col(table.from_id), col(table.to_id))
        for here, there in (ends, ends[::-1]):
            found |= set(tx.scalars(sa.select(there).where(here == paper_id)))
    return found | set(_find_proposed_papers(tx, paper_id))


def _find_proposed_papers(tx: Read, paper_id: int) -> Sequence[int]:
    """What was found for its title, which its page shows; and those for whose titles it was found, and rejected."""
    named = col(Identifier.scheme) + ":" + col(Identifier.value)
    mine = sa.select(col(MatchSuggestion.identifier)).where(
        col(MatchSuggestion.paper_id) == paper_id, col(MatchSuggestion.kind) == "discusses"
    )
    said = [name.partition(":")[::2] for name in tx.scalars(mine)]
    named_so = is_one_of_pairs(col(Identifier.scheme), col(Identifier.value), said)
    there = tx.scalars(sa.select(col(Identifier.paper_id)).where(named_so)).all() if said else []
    of_mine = sa.select(named).where(col(Identifier.paper_id) == paper_id)
    about = sa.select(col(MatchSuggestion.paper_id)).where(
        col(MatchSuggestion.kind) == "discusses",
        col(MatchSuggestion.identifier).in_(of_mine),
        col(MatchSuggestion.state) == "rejected",
    )
    return [*there, *(other for other in tx.scalars(about) if other)]
