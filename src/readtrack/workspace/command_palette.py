"""What the palette finds: a few of each kind, in a number of statements that no library changes."""

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

LONGEST = 200  # characters that are looked for
MOST_WORDS = 6
MOST_PAPERS = 8
MOST_OTHERS = 4
NEWEST = 300  # people, views, meetings and questions, of each; older ones are found on their own pages
_WORD = re.compile(r"\w+")


class Hit(NamedTuple):
    """Something to go to. `note`: a few words beside its title, as data has them; `language`: that of its title."""

    kind: str  # paper, topic, person, view, meeting, question
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
    .limit(MOST_PAPERS)
)


def list_current_papers(tx: Read, me: CurrentUser) -> list[Hit]:
    """Before anything is typed: what I am reading."""
    return [_paper(row) for row in tx.execute(_AT_HAND, {"me": me.id})]


def search_palette(tx: Read, me: CurrentUser, typed: str) -> list[Hit]:
    """What has these words in its title or name: papers, topics, then the rest."""
    text = normalize.key(typed[:LONGEST])
    if not text:
        return []
    return [*_papers(tx, me, typed[:LONGEST]), *_topics(tx, text), *_others(tx, me, text)]


def _papers(tx: Read, me: CurrentUser, typed: str) -> list[Hit]:
    """The one that the text names by an identifier, else the newest with its words in their titles."""
    _, named = find_by_text(tx, typed)
    words = _WORD.findall(typed)[:MOST_WORDS]
    if named is None and not words:
        return []
    wanted = " ".join(f"title:{word}" for word in words)
    found = col(Paper.id) == named if named else visible_papers_filter(tx, me, search.parse(wanted))
    query = _PAPERS.where(is_present(Paper), found).order_by(col(Paper.id).desc()).limit(MOST_PAPERS)
    return [_paper(row) for row in tx.execute(query)]


def _paper(row: Any) -> Hit:  # noqa: ANN401 - a row of _PAPERS
    authors = _shorten_authors(row.authors)
    note = " · ".join(filter(None, (authors, format_publication(row.venue, row.year))))
    return Hit("paper", row.title or f"#{row.id}", f"/papers/{row.id}", note, row.language)


def _shorten_authors(authors: Sequence[str]) -> str:
    return f"{authors[0]} …" if len(authors) > 1 else "".join(authors)


def _topics(tx: Read, text: str) -> Iterable[Hit]:
    return (Hit("topic", name, f"/topics/{slug}") for slug, name in suggest_topics(tx, text, MOST_OTHERS))


def _others(tx: Read, me: CurrentUser, text: str) -> list[Hit]:
    """People, views, meetings and questions in one statement; few of each.

    Compared here, not by the database: SQLite knows no capitals but those of ASCII.
    """
    found = [row for row in tx.execute(_LATELY, {"me": me.id}) if text in normalize.key(row.title)]
    kinds = [[row for row in found if row.kind == kind][:MOST_OTHERS] for kind in _ADDRESSES]
    return [Hit(row.kind, row.title, _ADDRESSES[row.kind].format(row.id)) for rows in kinds for row in rows]


_ADDRESSES = {
    "person": "/people/{}",
    "view": "/views/{}",
    "meeting": "/meetings/{}",
    "question": "/questions/{}",
}


def _newest_rows_query(kind: str, table: Any, name: Any, *conditions: Any, by: str = "id") -> sa.Select[Any]:  # noqa: ANN401 - tables and columns
    """Its newest rows; `by` tells their order."""
    newest = sa.select(col(table.id).label("id"), name.label("title")).where(*conditions)
    lately = newest.order_by(col(getattr(table, by)).desc()).limit(NEWEST).subquery()
    return sa.select(sa.literal(kind).label("kind"), lately.c.id, lately.c.title)


_MY_VIEWS = sa.and_(
    sa.or_(col(SavedSearch.shared), col(SavedSearch.person_id) == sa.bindparam("me")),
    col(SavedSearch.deleted_at).is_(None),
)
_LATELY = sa.union_all(
    _newest_rows_query("person", Person, col(Person.name), col(Person.disabled_at).is_(None)),
    _newest_rows_query("view", SavedSearch, col(SavedSearch.name), _MY_VIEWS, by="created_at"),
    _newest_rows_query("meeting", Meeting, col(Meeting.title)),
    _newest_rows_query("question", Question, col(Question.text)),
)
