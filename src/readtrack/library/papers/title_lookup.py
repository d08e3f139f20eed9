"""Lookup of papers by title, as notes name them, and the test for titles distinctive enough for that."""

import re
from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Identifier, Paper
from readtrack.infra.models.columns import LONGEST_KEY
from readtrack.infra.permissions import find_surviving_paper
from readtrack.infra.text import normalize

BATCH_SIZE = 500  # titles in one statement
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEAST_WORDS, _LEAST_LETTERS, _LEAST_CJK = 4, 20, 8


class TitleMatch(NamedTuple):
    """A paper with a given title. `exists`: not deleted."""

    id: int
    exists: bool


def is_distinctive(title: str) -> bool:
    """Return True if a title is long enough to identify one work; “Gemini” is not."""
    key = normalize.key(title)
    words = _WORD.findall(key)
    is_long_enough = len(words) >= _LEAST_WORDS and sum(map(len, words)) >= _LEAST_LETTERS
    return is_long_enough or len(_CJK.findall(key)) >= _LEAST_CJK


def find_papers_by_title(
    tx: Read, titles: Collection[str], *, without_identifiers: bool = False
) -> dict[tuple[str, str], TitleMatch]:
    """Return papers by (kind, title key); the oldest that is not deleted if there are several.

    Merged papers are replaced by their surviving paper. `without_identifiers`: only papers without identifier, and no
    merged ones.
    """
    keys = sorted({to_title_key(title) for title in titles})
    batches = (keys[start : start + BATCH_SIZE] for start in range(0, len(keys), BATCH_SIZE))
    is_existing = col(Paper.deleted_at).is_(None).label("there")
    merged = col(Paper.merged_into).is_not(None).label("merged")
    query = sa.select(col(Paper.kind), col(Paper.title_key), col(Paper.id), is_existing, merged)
    query = query.order_by(is_existing.desc(), merged, col(Paper.id))
    if without_identifiers:
        query = query.where(without_identifier(), ~merged)
    matches: dict[tuple[str, str], TitleMatch] = {}
    for batch in batches:
        for kind, key, paper_id, exists, is_merged in tx.execute(query.where(col(Paper.title_key).in_(batch))).all():
            if (kind, key) not in matches:
                matches[kind, key] = _get_survivor(tx, paper_id) if is_merged else TitleMatch(paper_id, bool(exists))
    return matches


def _get_survivor(tx: Read, paper_id: int) -> TitleMatch:
    survivor = find_surviving_paper(tx, paper_id) or paper_id
    query = sa.select(col(Paper.id)).where(col(Paper.id) == survivor, col(Paper.deleted_at).is_(None))
    return TitleMatch(survivor, tx.scalar(query) is not None)


def to_title_key(title: str) -> str:
    """Return the title as stored for comparison."""
    return normalize.key(title)[:LONGEST_KEY]


def without_identifier() -> sa.ColumnElement[bool]:
    """Return the condition for papers without an identifier."""
    return ~sa.exists().where(col(Identifier.paper_id) == col(Paper.id))
