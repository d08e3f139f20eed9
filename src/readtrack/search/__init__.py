"""Finds papers. A search is read (`query`), becomes a condition on papers, and is answered from an index of tokens.

The index lives outside migrations, in tables `search_…`: `ensure` makes it, and commands call `update_…` in the
transaction of their change. Whatever differs between SQLite and PostgreSQL is in `sqlite` and `postgres`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from readtrack.infra.db import Read, Write
from readtrack.infra.permissions import Visitor
from readtrack.infra.saved_texts import Edit, Kind, on_text_saved
from readtrack.search import index_maintenance
from readtrack.search.ast import Query, QueryError, Sort, Text, all_of
from readtrack.search.autocomplete import complete
from readtrack.search.backend import backend
from readtrack.search.canonical_text import canonical, without_one
from readtrack.search.conditions import on_entries, on_papers
from readtrack.search.context import Asker
from readtrack.search.documents import COMMENTS, ENTRIES, PAPERS, SUMMARIES, Document, of_entry
from readtrack.search.highlight import highlight
from readtrack.search.index_maintenance import check, ensure, rebuild
from readtrack.search.parser import LONGEST, QUALIFIERS, parse
from readtrack.search.qualifiers import SORTED
from readtrack.search.ranking import Wanted, by_relevance, can_rank
from readtrack.search.sort_keys import KEYS
from readtrack.search.sparse_sorts import by_stages, is_staged
from readtrack.search.text_filters import saying
from readtrack.search.tokens import needle

__all__ = [
    "KEYS",
    "LONGEST",
    "QUALIFIERS",
    "SORTED",
    "Document",
    "Query",
    "QueryError",
    "Sort",
    "Wanted",
    "add_entries",
    "by_relevance",
    "by_stages",
    "can_rank",
    "canonical",
    "check",
    "comments_saying",
    "complete",
    "ensure",
    "highlight",
    "is_staged",
    "of_entry",
    "papers_titled",
    "parse",
    "rebuild",
    "summaries_saying",
    "together",
    "update_comments",
    "update_entries",
    "update_papers",
    "update_summaries",
    "where",
    "where_entries",
    "without_one",
    "words",
]


_LATER = "search.papers"  # in the notes of a transaction: those that wait to be indexed


def words(text: str) -> Query:
    """Each of these words, and nothing that the language of searches would take them for."""
    return Query(all_of(Text(word) for word in text.split()))


def where(tx: Read, query: Query, me: Visitor | None, *, clustered: bool = False) -> sa.ColumnElement[bool]:
    """The condition on models.Paper that a SELECT adds to its own; deleted and merged papers are its business.

    `clustered`: the list is in an order in which what is found may stand close together, as groups do.
    """
    return on_papers(query, Asker(tx, me, clustered=clustered))


def where_entries(tx: Read, query: Query, me: Visitor | None = None) -> sa.ColumnElement[bool]:
    """The condition on models.Entry: lines of notes with these words, filters left aside."""
    return on_entries(query, Asker(tx, me))


def summaries_saying(tx: Read, phrases: Sequence[str]) -> sa.Select[Any]:
    """The ids of summaries in which one of these phrases stands, whoever may read them."""
    selected: sa.Select[Any] = saying(SUMMARIES, phrases, Asker(tx, None))
    return selected


def comments_saying(tx: Read, phrases: Sequence[str]) -> sa.Select[Any]:
    """The ids of comments in which one of these phrases stands, whoever may read them."""
    selected: sa.Select[Any] = saying(COMMENTS, phrases, Asker(tx, None))
    return selected


def papers_titled(tx: Read, beginning: str) -> sa.Select[Any]:
    """The ids of papers with these words in their titles, the last of which may go on."""
    wanted = needle(beginning, exact=False)
    nobody = sa.select(PAPERS.ids).where(sa.false())
    return backend(tx).hits(PAPERS, [wanted], ["title"]) if wanted else nobody


def update_papers(tx: Write, paper_ids: Iterable[int]) -> None:
    """To be called when a title, author, abstract, venue, topic, identifier, link or line of notes of these changed."""
    if _LATER in tx.info:
        tx.info[_LATER].update(paper_ids)
    else:
        index_maintenance.update(tx, PAPERS, paper_ids)


@contextmanager
def together(tx: Write) -> Iterator[None]:
    """Papers that change within it, however often, are indexed once, at its end: for long jobs."""
    tx.info[_LATER] = set()
    try:
        yield
    finally:
        waiting = tx.info.pop(_LATER)
    index_maintenance.update(tx, PAPERS, waiting)


def update_summaries(tx: Write, summary_ids: Iterable[int]) -> None:
    index_maintenance.update(tx, SUMMARIES, summary_ids)


def update_comments(tx: Write, comment_ids: Iterable[int]) -> None:
    """To be called when the text of these changed, or they are gone."""
    index_maintenance.update(tx, COMMENTS, comment_ids)


@on_text_saved("search index")
def _update_texts(tx: Write, kind: Kind, ids: Sequence[int], _edit: Edit | None) -> None:
    """Summaries and comments are searched by their text; topics only by their names, with their papers."""
    if kind == "summary":
        update_summaries(tx, ids)
    elif kind == "comment":
        update_comments(tx, ids)


def update_entries(tx: Write, entry_ids: Iterable[int]) -> None:
    """To be called when the title, text or lines of these changed, or they are gone."""
    index_maintenance.update(tx, ENTRIES, entry_ids)


def add_entries(tx: Write, documents: Mapping[int, Document]) -> None:
    """New lines of notes by their ids, each as `of_entry` made it."""
    index_maintenance.add(tx, ENTRIES, documents)
