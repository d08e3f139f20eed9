"""Finds papers. A search is read (`query`), becomes a condition on papers, and is answered from an index of tokens.

The index lives outside migrations, in tables `search_…`: `ensure` makes it, and commands call `update_…` in the
transaction of their change. Whatever differs between SQLite and PostgreSQL is in `sqlite` and `postgres`.
"""

from collections.abc import Iterable, Mapping

import sqlalchemy as sa

from readtrack.db import Read, Write
from readtrack.search import upkeep
from readtrack.search.backend import backend
from readtrack.search.conditions import Asker, on_entries, on_papers
from readtrack.search.documents import ENTRIES, PAPERS, SUMMARIES, Document, of_entry
from readtrack.search.highlight import highlight
from readtrack.search.query import QUALIFIERS, parse
from readtrack.search.terms import Query, QueryError, Sort
from readtrack.search.upkeep import check, ensure, rebuild

__all__ = [
    "QUALIFIERS",
    "Document",
    "Query",
    "QueryError",
    "Sort",
    "add_entries",
    "check",
    "ensure",
    "highlight",
    "of_entry",
    "parse",
    "rebuild",
    "update_papers",
    "update_summaries",
    "where",
    "where_entries",
]


def where(tx: Read, query: Query, person_id: int | None) -> sa.ColumnElement[bool]:
    """The condition on models.Paper that a SELECT adds to its own; deleted and merged papers are its business."""
    return on_papers(query, Asker(tx, person_id))


def where_entries(tx: Read, query: Query) -> sa.ColumnElement[bool]:
    """The condition on models.Entry: lines of notes with these words, filters left aside."""
    return on_entries(query, backend(tx))


def update_papers(tx: Write, paper_ids: Iterable[int]) -> None:
    """To be called when a title, author, abstract, topic, identifier or line of notes of these changed."""
    upkeep.update(tx, PAPERS, paper_ids)


def update_summaries(tx: Write, summary_ids: Iterable[int]) -> None:
    upkeep.update(tx, SUMMARIES, summary_ids)


def add_entries(tx: Write, documents: Mapping[int, Document]) -> None:
    """New lines of notes by their ids, each as `of_entry` made it."""
    upkeep.add(tx, ENTRIES, documents)
