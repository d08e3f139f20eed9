"""Lookup of papers by identifier, title or free text."""

import re
from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.pair_match import is_one_of_pairs
from readtrack.infra.models import Identifier, Paper
from readtrack.infra.permissions import find_surviving_paper, is_present
from readtrack.infra.text import normalize
from readtrack.metadata import registry
from readtrack.metadata.types import Ref

_ADDRESS = re.compile(r"\S*://|(?:javascript|data|vbscript|file|blob):\S", re.IGNORECASE)  # anything else is a title
MOST_IN_A_LINE = 100
_BETWEEN = re.compile(r"[\s,;、，；]+")


def find_by_ref(tx: Read, ref: Ref) -> int | None:
    """Return the paper with this identifier, even if deleted: an identifier is never reused."""
    here = sa.select(col(Identifier.paper_id)).where(
        col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key
    )
    return tx.scalar(here)


def find_by_refs(tx: Read, refs: Sequence[Ref]) -> dict[Ref, int]:
    """Return the paper of each identifier in one statement, even if deleted."""
    if not refs:
        return {}
    here = sa.select(col(Identifier.scheme), col(Identifier.value), col(Identifier.paper_id))
    named = is_one_of_pairs(col(Identifier.scheme), col(Identifier.value), [(ref.scheme, ref.key) for ref in refs])
    return {Ref(row.scheme, row.value): row.paper_id for row in tx.execute(here.where(named))}


def find_by_title(tx: Read, title: str) -> int | None:
    """Return the oldest paper without identifier that has exactly this title.

    If it was merged, return the surviving paper.
    """
    bare = ~sa.exists().where(col(Identifier.paper_id) == col(Paper.id))
    here = sa.select(col(Paper.id)).where(col(Paper.title_key) == normalize.key(title), bare).order_by(col(Paper.id))
    found = tx.scalar(here.limit(1))
    return found and (find_surviving_paper(tx, found) or found)


def find_by_text(tx: Read, text: str) -> tuple[str | None, int | None]:
    """Parse an identifier and return it with the visible paper that has it; None for each if unknown."""
    ref = registry.parse_ref(text)
    if ref is None:
        return None, None
    here = sa.select(col(Paper.id)).join(Identifier, col(Identifier.paper_id) == col(Paper.id))
    return str(ref), tx.scalar(
        here.where(is_present(Paper), col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key)
    )


def parse_paper_line(line: str) -> list[dict[str, str]]:
    """Parse a line into inputs for adding papers.

    If it consists of identifiers and links, each is an input; otherwise the line is one title.
    """
    pieces = [piece for piece in _BETWEEN.split(line) if piece][:MOST_IN_A_LINE]
    if len(pieces) > 1 and all(map(registry.parse_ref, pieces)):
        return [{"identifier": piece} for piece in pieces]
    return [{"identifier": line} if registry.parse_ref(line) or _ADDRESS.match(line) else {"title": line}]
