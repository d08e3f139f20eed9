"""Papers found by their titles alone, as notes name them; and which titles are long enough for that."""

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

AT_ONCE = 500  # titles in one statement
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEAST_WORDS, _LEAST_LETTERS, _LEAST_CJK = 4, 20, 8


class TitleMatch(NamedTuple):
    """A paper that has a title. `present`: not deleted."""

    id: int
    present: bool


def is_distinctive(title: str) -> bool:
    """Whether one work alone may have this title: “Gemini” is the name of many, a line of words is not."""
    key = normalize.key(title)
    words = _WORD.findall(key)
    long_enough = len(words) >= _LEAST_WORDS and sum(map(len, words)) >= _LEAST_LETTERS
    return long_enough or len(_CJK.findall(key)) >= _LEAST_CJK


def find_papers_by_title(tx: Read, titles: Collection[str], *, bare: bool = False) -> dict[tuple[str, str], TitleMatch]:
    """The papers of these very titles by kind and key of the title; of several the oldest that is not deleted.

    One that became part of another stands for that one. `bare`: those without any identifier only, that never had one.
    """
    keys = sorted({to_title_key(title) for title in titles})
    portions = (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE))
    there = col(Paper.deleted_at).is_(None).label("there")
    merged = col(Paper.merged_into).is_not(None).label("merged")
    here = sa.select(col(Paper.kind), col(Paper.title_key), col(Paper.id), there, merged)
    here = here.order_by(there.desc(), merged, col(Paper.id))
    if bare:
        here = here.where(without_identifier(), ~merged)
    found: dict[tuple[str, str], TitleMatch] = {}
    for portion in portions:
        for kind, key, paper_id, present, is_part in tx.execute(here.where(col(Paper.title_key).in_(portion))).all():
            if (kind, key) not in found:
                found[kind, key] = _get_survivor(tx, paper_id) if is_part else TitleMatch(paper_id, bool(present))
    return found


def _get_survivor(tx: Read, paper_id: int) -> TitleMatch:
    """The paper that this one is part of."""
    survivor = find_surviving_paper(tx, paper_id) or paper_id
    present = sa.select(col(Paper.id)).where(col(Paper.id) == survivor, col(Paper.deleted_at).is_(None))
    return TitleMatch(survivor, tx.scalar(present) is not None)


def to_title_key(title: str) -> str:
    """The title as the table has it for comparing."""
    return normalize.key(title)[:LONGEST_KEY]


def without_identifier() -> sa.ColumnElement[bool]:
    """Papers that are only named."""
    return ~sa.exists().where(col(Identifier.paper_id) == col(Paper.id))
