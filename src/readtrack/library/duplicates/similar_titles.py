"""Papers of the library that have nearly the title of works that are not in it yet, such as lines of notes."""

from collections.abc import Iterable, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.models import DuplicateKey
from readtrack.library.duplicates import blocking
from readtrack.library.duplicates.blocking import ComparedPaper
from readtrack.library.duplicates.jobs import load_papers

# Of a key that many papers share, the oldest: the whole title is a key too, and few papers share it.
_OLDEST = (
    sa.select(col(DuplicateKey.key), sa.func.min(col(DuplicateKey.paper_id)).label("paper_id"))
    .where(in_id_list(col(DuplicateKey.key), "keys"))
    .group_by(col(DuplicateKey.key))
)


def find_similar_papers(tx: Read, works: Iterable[ComparedPaper]) -> dict[int, int]:
    """Return the likeliest paper of the library for each work that resembles one, by the work's id.

    The ids of the works must be negative, so that they differ from those of papers.
    """
    traits = blocking.find_traits(works)
    keys = {work_id: blocking.find_title_keys(found) for work_id, found in traits.items()}
    all_keys = sorted({key for own_keys in keys.values() for key in own_keys})
    papers_by_key = {row.key: row.paper_id for row in tx.rows(_OLDEST, {"keys": all_keys})} if all_keys else {}
    pairs = sorted(
        {(papers_by_key[key], work_id) for work_id, own_keys in keys.items() for key in own_keys & papers_by_key.keys()}
    )
    return _choose_likeliest(tx, traits, pairs) if pairs else {}


def _choose_likeliest(tx: Read, traits: dict[int, blocking.Traits], pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    papers = [row.paper for row in load_papers(tx, sorted({paper_id for paper_id, _ in pairs})) if row.is_listed]
    traits = traits | blocking.find_traits(papers)
    candidates = blocking.score_candidates(
        (traits[paper_id], traits[work_id]) for paper_id, work_id in pairs if paper_id in traits
    )
    likeliest: dict[int, int] = {}
    for candidate in candidates:  # the likeliest first
        work_id, paper_id = sorted((candidate.one, candidate.other))
        likeliest.setdefault(work_id, paper_id)
    return likeliest
