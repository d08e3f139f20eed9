"""Indexed texts of papers, summaries, comments and note entries, read with few statements per batch."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.models import (
    Comment,
    Entry,
    Identifier,
    Link,
    Paper,
    PaperTopic,
    Summary,
    TopicAlias,
    TranslatedTitle,
)
from readtrack.metadata import sources
from readtrack.search.tokens import hosts_text, index_names, index_text, mention_text

BATCH_SIZE = 1_000  # Rows per statement, far below the parameter limits of both databases.

Rows: TypeAlias = sa.Select[*tuple[Any, ...]]
Document: TypeAlias = tuple[str, ...]  # Tokens of each field, in the order of Index.fields.


@dataclass(frozen=True)
class Index:
    """An index of one kind of object. `table` is its table, and `read` returns documents by ID."""

    noun: str
    table: str
    fields: tuple[str, ...]
    ids: Any  # The column of its IDs.
    read: Callable[[Read, Sequence[int]], dict[int, Document]]


def batches(ids: Iterable[int]) -> Iterable[list[int]]:
    """Yield the IDs, without duplicates, in batches for one statement."""
    unique = sorted(set(ids))
    return (unique[start : start + BATCH_SIZE] for start in range(0, len(unique), BATCH_SIZE))


def read(tx: Read, index: Index, ids: Sequence[int]) -> dict[int, Document]:
    """Return the documents of existing objects, including pending changes of the session."""
    tx.flush()
    return index.read(tx, ids)


def entry_document(title: str, text: str, raw: str) -> Document:
    """Return the document of a note entry.

    No database access, so that long notes are tokenized before locks are taken.
    """
    return (index_text(_distinct_texts(title, text, raw)),)


def _distinct_texts(title: str, text: str, raw: str) -> list[str]:
    """Return the texts of an entry without those that its lines contain anyway."""
    return [*(part for part in dict.fromkeys((title, text)) if not _contains(raw, part)), raw]


def _contains(raw: str, part: str) -> bool:
    """Return True if the part occurs in the raw text as whole words, so that its tokens are there already."""
    start = raw.find(part)
    end = start + len(part)
    neighbors = raw[max(start - 1, 0) : start] + raw[end : end + 1]
    return start >= 0 and not any(letter.isalnum() or letter in "+#" for letter in neighbors)


def _papers(tx: Read, ids: Sequence[int]) -> dict[int, Document]:
    topics, identifiers, links, translations = (
        _texts(tx, query, ids) for query in (_TOPIC_NAMES, _IDENTIFIERS, _LINKS, _TRANSLATIONS)
    )
    notes = _note_texts(tx, ids)
    return {
        number: (
            index_text([title, *translations[number]]),
            index_names(authors),
            index_text([abstract]),
            index_text([venue]),
            index_text(topics[number]),
            index_text(notes[number]),
            index_names(identifiers[number]),
            hosts_text((*links[number], *map(_address, identifiers[number]))),
        )
        for number, title, authors, abstract, venue in _rows(tx, _PAPERS, ids)
    }


def _address(identifier: str) -> str:
    """Return the URL of an identifier."""
    scheme, _separator, key = identifier.partition(":")
    source = sources.sources_by_name().get(scheme)
    return source.url(key) if source else ""


def _note_texts(tx: Read, ids: Sequence[int]) -> defaultdict[int, dict[str, None]]:
    texts_by_id: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for number, *texts in _rows(tx, _NOTES, ids):
        texts_by_id[number or 0].update(dict.fromkeys(_distinct_texts(*texts)))
    return texts_by_id


def _summaries(tx: Read, ids: Sequence[int]) -> dict[int, Document]:
    rows = _rows(tx, _SUMMARIES, ids)
    return {row[0]: (index_text(row[1:]), " ".join(filter(None, map(mention_text, row[1:])))) for row in rows}


def _comments(tx: Read, ids: Sequence[int]) -> dict[int, Document]:
    return {number: (index_text([text]), mention_text(text)) for number, text in _rows(tx, _COMMENTS, ids)}


def _entries(tx: Read, ids: Sequence[int]) -> dict[int, Document]:
    return {row[0]: entry_document(*row[1:]) for row in _rows(tx, _ENTRIES, ids)}


def _rows(tx: Read, query: Rows, ids: Sequence[int]) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    return tx.connection().execute(query, {"ids": ids}).all()


def _texts(tx: Read, query: Rows, ids: Sequence[int]) -> defaultdict[int, dict[str, None]]:
    """Map paper IDs to their texts in order, without duplicates.

    Several revisions of a note may repeat a line.
    """
    texts_by_id: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for number, text in _rows(tx, query, ids):
        texts_by_id[number][text] = None
    return texts_by_id


def _select_by_id(*columns: Any) -> Rows:  # noqa: ANN401
    """Return a query of the rows whose first column is one of the IDs bound as `ids`."""
    return sa.select(*columns).where(in_id_list(columns[0], "ids"))


# Built once: building one takes longer than running it.
_PAPERS = _select_by_id(Paper.id, Paper.title, Paper.authors, Paper.abstract, Paper.venue)
_TOPIC_NAMES = (
    _select_by_id(PaperTopic.paper_id, TopicAlias.alias)
    .join(TopicAlias, col(TopicAlias.topic_id) == col(PaperTopic.topic_id))
    .order_by(col(PaperTopic.paper_id), col(TopicAlias.id))
)
_IDENTIFIERS = _select_by_id(Identifier.paper_id, col(Identifier.scheme) + ":" + col(Identifier.value)).order_by(
    col(Identifier.id)
)
_LINKS = _select_by_id(Link.paper_id, Link.url).order_by(col(Link.id))
_TRANSLATIONS = _select_by_id(TranslatedTitle.paper_id, TranslatedTitle.title).order_by(col(TranslatedTitle.id))
_NOTES = _select_by_id(Entry.paper_id, Entry.title, Entry.text, Entry.raw).order_by(col(Entry.id))
_SUMMARIES = _select_by_id(Summary.id, Summary.tldr, Summary.markdown)
_COMMENTS = _select_by_id(Comment.id, Comment.markdown)
_ENTRIES = _select_by_id(Entry.id, Entry.title, Entry.text, Entry.raw)
PAPERS = Index(
    "paper",
    "search_paper",
    ("title", "authors", "abstract", "venue", "topics", "notes", "ids", "hosts"),
    col(Paper.id),
    _papers,
)
SUMMARIES = Index("summary", "search_summary", ("text", "mentions"), col(Summary.id), _summaries)
COMMENTS = Index("comment", "search_comment", ("text", "mentions"), col(Comment.id), _comments)
ENTRIES = Index("entry", "search_entry", ("text",), col(Entry.id), _entries)
INDEXES = (PAPERS, SUMMARIES, COMMENTS, ENTRIES)
