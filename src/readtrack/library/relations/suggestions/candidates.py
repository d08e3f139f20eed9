"""Candidates for relations, found by index so that the cost does not grow with the library."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.permissions import is_listed

_MAX_CANDIDATES = 200  # papers with the same beginning of the title
_LAST = "\U0010ffff"
_SHOWN: Sequence[Any] = [
    getattr(Paper, name) for name in ("id", "kind", "title", "title_key", "authors", "year", "venue", "language")
]


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
