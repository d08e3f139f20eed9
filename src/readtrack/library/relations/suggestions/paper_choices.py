"""Choice of a paper by part of its title."""

import re
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.library.papers.lists import format_publication, visible_papers_filter

MAX_CHOICES = 12
_MAX_WORDS = 6  # words of the input
_MAX_QUERY_CHARS = 300  # characters of the input
_WORD = re.compile(r"\w+")


class PaperChoice(NamedTuple):
    """A paper to choose. `note`: its first author, venue and year."""

    id: int
    title: str
    language: str
    note: str


def find_paper_choices(tx: Read, me: CurrentUser, text: str, *, exclude_id: int | None = None) -> list[PaperChoice]:
    """Return papers with these words in the title, an exact match first, then the newest."""
    permissions.require(me, "see")
    words = _WORD.findall(text[:_MAX_QUERY_CHARS])[:_MAX_WORDS]
    if not words:
        return []
    query_text = " ".join(f"title:{word}" for word in words)
    columns: Any = [getattr(Paper, name) for name in ("id", "title", "language", "authors", "venue", "year")]
    exact_first = sa.case((col(Paper.title_key) == normalize.key(text), 0), else_=1)
    query: sa.Select[Any] = sa.select(*columns).where(
        visible_papers_filter(tx, me, search.parse(query_text)), col(Paper.id) != (exclude_id or 0)
    )
    rows = tx.execute(query.order_by(exact_first, col(Paper.id).desc()).limit(MAX_CHOICES))
    return [PaperChoice(row.id, row.title, row.language, _note(row)) for row in rows]


def _note(row: sa.Row[Any]) -> str:
    author_text = f"{row.authors[0]} …" if len(row.authors) > 1 else "".join(row.authors)
    return " · ".join(filter(None, (author_text, format_publication(row.venue, row.year))))
