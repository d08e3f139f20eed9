"""The keys under which compared papers are stored, and which papers have yet to be compared."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.db.conditions import aggregate_ids, in_id_list
from readtrack.infra.models import DuplicateKey, Paper
from readtrack.library.duplicates.blocking import MAX_PAPERS_PER_KEY

# Core tables: inserting plain rows is several times faster than ORM objects.
_KEYS: sa.Table = DuplicateKey.__table__  # type: ignore[attr-defined]
_PAPERS: sa.Table = Paper.__table__  # type: ignore[attr-defined]

# New papers, and those whose version has changed. Sorted by id, or PostgreSQL would not use ix_paper_uncompared.
_UNCOMPARED = sa.select(col(Paper.id)).where(col(Paper.version) != col(Paper.compared_version)).order_by(col(Paper.id))
_STORED = sa.select(col(DuplicateKey.paper_id), col(DuplicateKey.key)).where(
    in_id_list(col(DuplicateKey.paper_id), "ids")
)


class ComparedVersion(NamedTuple):
    """The version of a paper that is compared, and the one that was compared before."""

    id: int
    version: int
    compared_version: int


class KeyChange(NamedTuple):
    """The keys of a paper that are not stored yet, and the stored ones that it has no more."""

    paper_id: int
    added: Sequence[int]
    removed: Sequence[int]


def list_uncompared(tx: Read, limit: int) -> list[int]:
    """Return the ids of papers that are new or were changed since they were compared, the oldest first."""
    return [row.id for row in tx.rows(_UNCOMPARED.limit(limit)) if row.id]


def has_uncompared(tx: Read) -> bool:
    return bool(list_uncompared(tx, 1))


def count_uncompared(tx: Read) -> int:
    return tx.scalar(sa.select(sa.func.count()).select_from(_UNCOMPARED.subquery())) or 0


def mark_uncompared(tx: Write, paper_ids: Collection[int]) -> None:
    """Have papers compared again. Call it for changes that leave the version as it is, such as new identifiers."""
    # Less each time, so that `mark_compared` notices a change during the comparison.
    statement = sa.update(Paper).values(compared_version=col(Paper.compared_version) - 1)
    tx.execute(statement.where(col(Paper.id).in_(paper_ids)))


def mark_compared(tx: Write, papers: Sequence[ComparedVersion]) -> None:
    """Mark papers as compared, except those changed meanwhile."""
    statement = sa.update(_PAPERS).values(compared_version=sa.bindparam("compared"))
    statement = statement.where(
        _PAPERS.c.id == sa.bindparam("paper"), _PAPERS.c.compared_version == sa.bindparam("old")
    )
    rows = [{"paper": paper.id, "compared": paper.version, "old": paper.compared_version} for paper in sorted(papers)]
    if rows:
        tx.connection().execute(statement, rows)


def list_key_changes(tx: Read, keys: Mapping[int, Collection[int]]) -> list[KeyChange]:
    """Return what to store and what to delete so that papers, given by id, have these keys; most times nothing."""
    stored_keys: defaultdict[int, set[int]] = defaultdict(set)
    for row in tx.rows(_STORED, {"ids": list(keys)}):
        stored_keys[row.paper_id].add(row.key)
    changes = (
        KeyChange(paper_id, sorted({*own_keys} - stored_keys[paper_id]), sorted(stored_keys[paper_id] - {*own_keys}))
        for paper_id, own_keys in keys.items()
    )
    return [change for change in changes if change.added or change.removed]


def apply_key_changes(tx: Write, changes: Sequence[KeyChange]) -> None:
    removed = [{"paper": change.paper_id, "old": key} for change in changes for key in change.removed]
    added = [{"paper_id": change.paper_id, "key": key} for change in changes for key in change.added]
    if removed:
        statement = sa.delete(_KEYS).where(
            _KEYS.c.paper_id == sa.bindparam("paper"), _KEYS.c.key == sa.bindparam("old")
        )
        tx.connection().execute(statement, removed)
    if added:
        tx.connection().execute(sa.insert(_KEYS), added)


def find_blocks(tx: Read, paper_ids: Sequence[int]) -> dict[int, Sequence[int]]:
    """Return the papers of each key that one of these papers has, the oldest MAX_PAPERS_PER_KEY of them."""
    return {row.key: row.paper_ids for row in tx.rows(_BLOCKS, {"ids": paper_ids})}


def _blocks_query() -> sa.Select[*tuple[Any, ...]]:
    """Return a query that reads a limited number of rows per key, however many papers share it."""
    own_keys = sa.select(col(DuplicateKey.key)).where(in_id_list(col(DuplicateKey.paper_id), "ids")).distinct()
    own, other = own_keys.subquery("own"), aliased(DuplicateKey)
    has_key = sa.select(col(other.paper_id)).where(col(other.key) == own.c.key).correlate(own)
    block = has_key.order_by(col(other.paper_id)).limit(MAX_PAPERS_PER_KEY).subquery("block")
    return sa.select(own.c.key, sa.select(aggregate_ids(block.c.paper_id)).scalar_subquery().label("paper_ids"))


_BLOCKS = _blocks_query()
