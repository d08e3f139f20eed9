"""Search of the command palette: a few hits of each kind, in a fixed number of statements."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import Meeting, Paper, Person, Question, Reading, SavedSearch
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.infra.text import normalize
from readtrack.library.papers.lists import format_publication, visible_papers_filter
from readtrack.library.papers.lookup import find_by_text
from readtrack.library.topics.queries import suggest_topics

MAX_QUERY_CHARS = 200  # characters of the input
MAX_WORDS = 6
MAX_PAPERS = 8
MAX_OTHERS = 4
# Newest people, saved searches, meetings and questions that are searched; older ones have their own pages.
MAX_RECENT = 300
_WORD = re.compile(r"\w+")


class Hit(NamedTuple):
    """A search result. `note`: short untranslated text beside the title; `language`: of the title."""

    kind: str  # paper, topic, person, view, meeting or question
    title: str
    address: str
    note: str = ""
    language: str = ""


_PAPERS = sa.select(
    col(Paper.id), col(Paper.title), col(Paper.authors), col(Paper.venue), col(Paper.year), col(Paper.language)
)
_AT_HAND = (
    _PAPERS.join(Reading, col(Reading.paper_id) == col(Paper.id))
    .where(
        col(Reading.person_id) == sa.bindparam("me"),
        col(Reading.current),
        col(Reading.status).in_(("reading", "paused")),
        is_present(Paper),
    )
    .order_by(col(Reading.updated_at).desc(), col(Reading.id).desc())
    .limit(MAX_PAPERS)
)


def list_current_papers(tx: Read, me: CurrentUser) -> list[Hit]:
    """Return what I am reading, shown before anything is typed."""
    return [_paper(row) for row in tx.execute(_AT_HAND, {"me": me.id})]


def search_palette(tx: Read, me: CurrentUser, query: str) -> list[Hit]:
    """Return papers, topics and others with these words in title or name."""
    text = normalize.key(query[:MAX_QUERY_CHARS])
    if not text:
        return []
    return [*_papers(tx, me, query[:MAX_QUERY_CHARS]), *_topics(tx, text), *_others(tx, me, text)]


def _papers(tx: Read, me: CurrentUser, text: str) -> list[Hit]:
    """Return the paper with this identifier, or the newest papers with these words in the title."""
    _, paper_id = find_by_text(tx, text)
    words = _WORD.findall(text)[:MAX_WORDS]
    if paper_id is None and not words:
        return []
    title_query = " ".join(f"title:{word}" for word in words)
    condition = col(Paper.id) == paper_id if paper_id else visible_papers_filter(tx, me, search.parse(title_query))
    query = _PAPERS.where(is_present(Paper), condition).order_by(col(Paper.id).desc()).limit(MAX_PAPERS)
    return [_paper(row) for row in tx.execute(query)]


def _paper(row: Any) -> Hit:  # noqa: ANN401 - a row of _PAPERS
    authors = _shorten_authors(row.authors)
    note = " · ".join(filter(None, (authors, format_publication(row.venue, row.year))))
    return Hit("paper", row.title or f"#{row.id}", f"/papers/{row.id}", note, row.language)


def _shorten_authors(authors: Sequence[str]) -> str:
    return f"{authors[0]} …" if len(authors) > 1 else "".join(authors)


def _topics(tx: Read, text: str) -> Iterable[Hit]:
    return (Hit("topic", name, f"/topics/{slug}") for slug, name in suggest_topics(tx, text, MAX_OTHERS))


def _others(tx: Read, me: CurrentUser, text: str) -> list[Hit]:
    """Return people, saved searches, meetings and questions, a few of each, in one statement.

    Case is folded here and not in SQL, because SQLite only folds ASCII letters.
    """
    matches = [row for row in tx.execute(_LATELY, {"me": me.id}) if text in normalize.key(row.title)]
    kinds = [[row for row in matches if row.kind == kind][:MAX_OTHERS] for kind in _ADDRESSES]
    return [Hit(row.kind, row.title, _ADDRESSES[row.kind].format(row.id)) for rows in kinds for row in rows]


_ADDRESSES = {
    "person": "/people/{}",
    "view": "/views/{}",
    "meeting": "/meetings/{}",
    "question": "/questions/{}",
}


def _newest_rows_query(kind: str, table: Any, name: Any, *conditions: Any, order_column: str = "id") -> sa.Select[Any]:  # noqa: ANN401 - tables and columns
    """Return the query for a table's newest rows; `order_column`: the column that orders them."""
    newest = sa.select(col(table.id).label("id"), name.label("title")).where(*conditions)
    latest = newest.order_by(col(getattr(table, order_column)).desc()).limit(MAX_RECENT).subquery()
    return sa.select(sa.literal(kind).label("kind"), latest.c.id, latest.c.title)


_MY_VIEWS = sa.and_(
    sa.or_(col(SavedSearch.shared), col(SavedSearch.person_id) == sa.bindparam("me")),
    col(SavedSearch.deleted_at).is_(None),
)
_LATELY = sa.union_all(
    _newest_rows_query("person", Person, col(Person.name), col(Person.disabled_at).is_(None)),
    _newest_rows_query("view", SavedSearch, col(SavedSearch.name), _MY_VIEWS, order_column="created_at"),
    _newest_rows_query("meeting", Meeting, col(Meeting.title)),
    _newest_rows_query("question", Question, col(Question.text)),
)
