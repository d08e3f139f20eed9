"""Ranking of title search results."""

from collections.abc import Iterable

from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata, Ref

MAX_RESULTS = 10
_STAGES = ("published", "preprint", "page")


def rank_by_title(title: str, works: Iterable[Metadata]) -> list[Metadata]:
    """Return works without duplicates, most similar first.

    At equal similarity, published works come before preprints; otherwise the service's order is kept.
    """
    works_by_ref: dict[Ref, Metadata] = {}
    for work in works:
        if work.title:
            works_by_ref.setdefault(work.ref, work)

    def sort_key(work: Metadata) -> tuple[float, int]:
        return -round(compare.title_similarity(title, work.title), 2), _STAGES.index(work.stage)

    return sorted(works_by_ref.values(), key=sort_key)[:MAX_RESULTS]
