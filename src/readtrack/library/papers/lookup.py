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
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

_ADDRESS = re.compile(r"\S*://|(?:javascript|data|vbscript|file|blob):\S", re.IGNORECASE)  # anything else is a title
MOST_IN_A_LINE = 100
_BETWEEN = re.compile(r"[\s,;、，；]+")


def find_by_ref(tx: Read, ref: Ref) -> int | None:
    """Return the paper with this identifier, even if deleted: an identifier is never reused."""
    query = sa.select(col(Identifier.paper_id)).where(
        col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key
    )
    return tx.scalar(query)


def find_by_refs(tx: Read, refs: Sequence[Ref]) -> dict[Ref, int]:
    """Return the paper of each identifier in one statement, even if deleted."""
    if not refs:
        return {}
    query = sa.select(col(Identifier.scheme), col(Identifier.value), col(Identifier.paper_id))
    is_listed_ref = is_one_of_pairs(
        col(Identifier.scheme), col(Identifier.value), [(ref.scheme, ref.key) for ref in refs]
    )
    return {Ref(row.scheme, row.value): row.paper_id for row in tx.execute(query.where(is_listed_ref))}


def find_by_title(tx: Read, title: str) -> int | None:
    """Return the oldest paper without identifier that has exactly this title.

    If it was merged, return the surviving paper.
    """
    is_unidentified = ~sa.exists().where(col(Identifier.paper_id) == col(Paper.id))
    query = (
        sa.select(col(Paper.id))
        .where(col(Paper.title_key) == normalize.key(title), is_unidentified)
        .order_by(col(Paper.id))
    )
    paper_id = tx.scalar(query.limit(1))
    return paper_id and (find_surviving_paper(tx, paper_id) or paper_id)


def find_by_text(tx: Read, text: str) -> tuple[str | None, int | None]:
    """Parse an identifier and return it with the visible paper that has it; None for each if unknown."""
    ref = sources.parse_ref(text)
    if ref is None:
        return None, None
    query = sa.select(col(Paper.id)).join(Identifier, col(Identifier.paper_id) == col(Paper.id))
    return str(ref), tx.scalar(
        query.where(is_present(Paper), col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key)
    )


def parse_paper_line(line: str) -> list[dict[str, str]]:
    """Parse a line into inputs for adding papers.

    If it consists of identifiers and links, each is an input; otherwise the line is one title.
    """
    parts = [part for part in _BETWEEN.split(line) if part][:MOST_IN_A_LINE]
    if len(parts) > 1 and all(map(sources.parse_ref, parts)):
        return [{"identifier": part} for part in parts]
    return [{"identifier": line} if sources.parse_ref(line) or _ADDRESS.match(line) else {"title": line}]
