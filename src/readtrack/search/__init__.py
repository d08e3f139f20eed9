"""Paper search.

A query is parsed, turned into a SQL condition, and answered from a full-text index of tokens. The index is not part of
the migrations: it lives in tables `search_…`, which `ensure` creates, and commands call `update_…` in the transaction
of their change. Differences between SQLite and PostgreSQL are in `sqlite` and `postgres`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from readtrack.infra.db import Read, Write
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.saved_texts import Kind, TextEdit, on_text_saved
from readtrack.search import index
from readtrack.search.ast import Query, QueryError, Sort, TextTerm, all_of
from readtrack.search.autocomplete import complete
from readtrack.search.canonical_text import canonicalize_query, queries_without_term
from readtrack.search.conditions import entry_condition, paper_condition
from readtrack.search.context import SearchContext
from readtrack.search.documents import COMMENTS, ENTRIES, PAPERS, SUMMARIES, Document, entry_document
from readtrack.search.highlight import highlight
from readtrack.search.index import backend, check, ensure, rebuild
from readtrack.search.paper_filters import find_unknown_topics
from readtrack.search.parser import MAX_QUERY_CHARS, QUALIFIERS, parse
from readtrack.search.qualifiers import SORTED
from readtrack.search.ranking import PaperListing, can_rank, list_by_relevance
from readtrack.search.scopes import is_personal
from readtrack.search.sorts import KEYS, is_sparse_sort, list_by_stages
from readtrack.search.text_filters import select_containing
from readtrack.search.tokens import needle

__all__ = [
    "KEYS",
    "MAX_QUERY_CHARS",
    "QUALIFIERS",
    "SORTED",
    "Document",
    "PaperListing",
    "Query",
    "QueryError",
    "Sort",
    "add_entries",
    "build_word_query",
    "can_rank",
    "canonicalize_query",
    "check",
    "complete",
    "defer_indexing",
    "ensure",
    "entry_document",
    "entry_filter",
    "find_unknown_topics",
    "highlight",
    "is_personal",
    "is_sparse_sort",
    "list_by_relevance",
    "list_by_stages",
    "paper_filter",
    "parse",
    "queries_without_term",
    "rebuild",
    "select_comments_containing",
    "select_papers_by_title",
    "select_summaries_containing",
    "update_comments",
    "update_entries",
    "update_papers",
    "update_summaries",
]


_LATER = "search.papers"  # Key in the session's info for papers whose indexing is deferred.


def build_word_query(text: str) -> Query:
    """Return a query for each of these words, without query syntax."""
    return Query(all_of(TextTerm(word) for word in text.split()))


def paper_filter(tx: Read, query: Query, me: CurrentUser | None, *, clustered: bool = False) -> sa.ColumnElement[bool]:
    """Return the condition on models.Paper; the caller excludes deleted and merged papers.

    `clustered`: matches may be adjacent in the order of the list, as in groups.
    """
    return paper_condition(query, SearchContext(tx, me, clustered=clustered))


def entry_filter(tx: Read, query: Query, me: CurrentUser | None = None) -> sa.ColumnElement[bool]:
    """Return the condition on models.Entry for note lines with these words; filters are ignored."""
    return entry_condition(query, SearchContext(tx, me))


def select_summaries_containing(tx: Read, phrases: Sequence[str]) -> sa.Select[Any]:
    """Return a SELECT of the IDs of summaries that contain one of the phrases, regardless of permissions."""
    query: sa.Select[Any] = select_containing(SUMMARIES, phrases, SearchContext(tx, None))
    return query


def select_comments_containing(tx: Read, phrases: Sequence[str]) -> sa.Select[Any]:
    """Return a SELECT of the IDs of comments that contain one of the phrases, regardless of permissions."""
    query: sa.Select[Any] = select_containing(COMMENTS, phrases, SearchContext(tx, None))
    return query


def select_papers_by_title(tx: Read, prefix: str) -> sa.Select[Any]:
    """Return a SELECT of the IDs of papers with these words in the title.

    The last word may be a prefix.
    """
    prefix_needle = needle(prefix, exact=False)
    empty = sa.select(PAPERS.ids).where(sa.false())
    return backend(tx).hits(PAPERS, [prefix_needle], ["title"]) if prefix_needle else empty


def update_papers(tx: Write, paper_ids: Iterable[int]) -> None:
    """Reindex papers.

    Call it when a title, author, abstract, venue, topic, identifier, link or note line has changed.
    """
    if _LATER in tx.info:
        tx.info[_LATER].update(paper_ids)
    else:
        index.update(tx, PAPERS, paper_ids)


@contextmanager
def defer_indexing(tx: Write) -> Iterator[None]:
    """Index papers changed within the block only once, at its end. For long jobs."""
    tx.info[_LATER] = set()
    try:
        yield
    finally:
        paper_ids = tx.info.pop(_LATER)
    index.update(tx, PAPERS, paper_ids)


def update_summaries(tx: Write, summary_ids: Iterable[int]) -> None:
    index.update(tx, SUMMARIES, summary_ids)


def update_comments(tx: Write, comment_ids: Iterable[int]) -> None:
    """Reindex comments. Call it when their text has changed or they were deleted."""
    index.update(tx, COMMENTS, comment_ids)


@on_text_saved("search index")
def _reindex_texts(tx: Write, kind: Kind, ids: Sequence[int], _edit: TextEdit | None) -> None:
    """Reindex summaries and comments. Topics are searched by name only, as part of their papers."""
    if kind == "summary":
        update_summaries(tx, ids)
    elif kind == "comment":
        update_comments(tx, ids)


def update_entries(tx: Write, entry_ids: Iterable[int]) -> None:
    """Reindex note entries.

    Call it when their title, text or lines have changed or they were deleted.
    """
    index.update(tx, ENTRIES, entry_ids)


def add_entries(tx: Write, documents: Mapping[int, Document]) -> None:
    """Index new note entries by ID, with documents from `entry_document`."""
    index.add(tx, ENTRIES, documents)
