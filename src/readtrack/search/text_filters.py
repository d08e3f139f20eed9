"""Where words are looked for: the papers in whose texts they stand, those that the asker may read."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.models import Comment, Summary
from readtrack.search.ast import TextTerm
from readtrack.search.context import Condition, SearchContext
from readtrack.search.documents import COMMENTS, PAPERS, SUMMARIES, Index
from readtrack.search.tokens import Needle, needle

OF_PAPERS = {  # field of a search: field of the index of papers
    "title": "title",
    "author": "authors",
    "abstract": "abstract",
    "venue": "venue",
    "topic": "topics",
    "note": "notes",
    "id": "ids",
}
ANYWHERE = (*OF_PAPERS, "summary")  # where plain words are looked for


def select_papers_with_text(text: TextTerm, asker: SearchContext) -> Any:  # noqa: ANN401 - a select, or several in one
    """UNION ALL, not OR: SQLite then reads each index once, in any order of the list (measured: 4 ms, not 50)."""
    wanted, named = asker.needles(text), paper_fields(text)
    fields = text.fields or ANYWHERE
    selects = [asker.backend.hits(PAPERS, wanted, named)] if named or not text.fields else []
    if "summary" in fields:
        selects.append(papers_with_readable_summaries(asker).where(_inside(SUMMARIES, wanted, asker)))
    if "comment" in fields:
        selects.append(papers_with_visible_comments().where(_inside(COMMENTS, wanted, asker)))
    selects = [asker.bounded(select) for select in selects]
    return sa.union_all(*selects) if len(selects) > 1 else selects[0]


def paper_fields(text: TextTerm) -> list[str]:
    """The fields of papers that are meant, as their index has them; none: all, when the text names no field at all."""
    return [OF_PAPERS[field] for field in text.fields if field in OF_PAPERS]


def select_papers_mentioning(name: str, asker: SearchContext) -> Any:  # noqa: ANN401 - two selects in one
    """The papers in whose summaries or discussion somebody of that name is mentioned."""
    wanted = needle(name, exact=True)
    if wanted is None:
        return papers_with_visible_comments().where(sa.false())
    mention = [wanted.after_sign()]
    in_summaries = papers_with_readable_summaries(asker).where(_inside(SUMMARIES, mention, asker, "mentions"))
    return sa.union_all(
        in_summaries, papers_with_visible_comments().where(_inside(COMMENTS, mention, asker, "mentions"))
    )


def papers_with_readable_summaries(asker: SearchContext) -> sa.Select[Any]:
    """The papers of the summaries that the asker may read."""
    seen = permissions.shared_or_own(Summary, asker.id)
    return sa.select(col(Summary.paper_id)).where(col(Summary.deleted_at).is_(None), seen)


def papers_with_visible_comments() -> sa.Select[Any]:
    """The papers of the comments that everybody may read."""
    shown = (col(Comment.deleted_at).is_(None), col(Comment.hidden_at).is_(None))
    return sa.select(col(Comment.paper_id)).where(col(Comment.paper_id).is_not(None), *shown)


def select_containing(index: Index, phrases: Sequence[str], asker: SearchContext) -> Any:  # noqa: ANN401 - a select of ids
    """The summaries, or comments, in which one of these phrases stands."""
    wanted = [found for phrase in phrases if (found := needle(phrase, exact=True))]
    return asker.backend.hits(index, wanted, ["text"]) if wanted else sa.select(index.ids).where(sa.false())


def _inside(index: Index, wanted: Sequence[Needle], asker: SearchContext, field: str = "text") -> Condition:
    inside: Condition = index.ids.in_(asker.backend.hits(index, wanted, [field]))
    return inside
