"""Labels and latest versions of papers."""

import re
from collections.abc import Sequence
from datetime import date

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Identifier, Version
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

_NUMBERED = re.compile(r"v(\d{1,3})")


_PUBLISHED_VERSION_RANK = 1_000  # sorts after all numbered versions


def latest_version(tx: Read, paper_id: int, *, day: date) -> str:
    """Return the label of the latest version that existed on that day, "" if none is known."""
    query = sa.select(col(Version.label), col(Version.dated)).where(col(Version.paper_id) == paper_id)
    labels = [row.label for row in tx.execute(query) if row.dated is None or row.dated.date() <= day]
    return max(labels, key=version_number, default="")


def version_number(label: str) -> int:
    """Return a sort key: v1 < v2 < … < published, and 0 for other labels."""
    match = _NUMBERED.fullmatch(label)
    return int(match[1]) if match else _PUBLISHED_VERSION_RANK if label == "published" else 0


def labels_of(tx: Read, paper_ids: Sequence[int]) -> dict[int, str]:
    """Return the first identifier of each paper for display, in one statement."""
    if not paper_ids:
        return {}
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    rows = tx.execute(query.where(col(Identifier.paper_id).in_(paper_ids)).order_by(col(Identifier.id).desc()))
    return {row.paper_id: _label(Ref(row.scheme, row.value)) for row in rows}


def _label(ref: Ref) -> str:
    return sources.by_name(ref.scheme).label(ref.key)
