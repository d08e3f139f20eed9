"""Papers that are compared with one: few, found by the indexes of a library of any size."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.permissions import is_listed

_ALIKE = 200  # papers whose titles begin alike
_LAST = "\U0010ffff"
_SHOWN: Sequence[Any] = [
    getattr(Paper, name) for name in ("id", "kind", "title", "title_key", "authors", "year", "venue", "language")
]


class RelationCandidate(NamedTuple):
    """A paper as far as it is compared."""

    id: int
    kind: str
    title: str
    title_key: str
    authors: Sequence[str]
    year: int | None
    venue: str
    language: str


class RelatedPair(NamedTuple):
    """Two papers that may belong together, and a sentence that tells why."""

    from_id: int
    to_id: int
    kind: str
    reason: str


def get_candidate(tx: Read, paper_id: int) -> RelationCandidate:
    """One paper. Raises NotFound."""
    permissions.require_present(tx, paper_id)
    return list_candidates(tx, col(Paper.id) == paper_id)[0]


def list_candidates(tx: Read, *which: sa.ColumnElement[bool], most: int = _ALIKE) -> list[RelationCandidate]:
    """The newest first."""
    query: sa.Select[Any] = sa.select(*_SHOWN).where(*which).order_by(col(Paper.id).desc()).limit(most)
    return [RelationCandidate(*row) for row in tx.execute(query)]


def find_listed_papers(tx: Read, paper_ids: Sequence[int]) -> dict[int, RelationCandidate]:
    """These papers, without those that are gone or rejected."""
    rows = list_candidates(tx, col(Paper.id).in_(paper_ids), is_listed(Paper)) if paper_ids else []
    return {row.id: row for row in rows}


def list_by_title_prefix(tx: Read, prefix: str, *which: sa.ColumnElement[bool]) -> list[RelationCandidate]:
    """Those whose titles, as they are compared, begin so: a stretch of the index of titles."""
    begins = [col(Paper.title_key) >= prefix, col(Paper.title_key).startswith(prefix, autoescape=True)]
    if tx.is_in_process:  # whose order is that of code points
        begins.append(col(Paper.title_key) < prefix + _LAST)
    return list_candidates(tx, *begins, is_listed(Paper), *which) if prefix else []
