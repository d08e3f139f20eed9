"""File names of papers and topics in a folder, and the names by which texts refer to them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.models import Identifier, Paper, PaperTopic, Summary, TextReference, Topic, TopicAlias
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.markdown_folder.links import NoteResolver, map_paper_names, resolve_note
from readtrack.ingest.markdown_folder.notes import ABOUT, assign_file_names
from readtrack.library.references.resolve import find_survivors
from readtrack.markdown.references import BY_NAME, BY_REF, key_of
from readtrack.workspace.export.stream import find_ids

# by paper or topic id: the link target in its text -> the note it was resolved to
Bindings = Mapping[int, Mapping[str, str]]
_KEPT: Sequence[Any] = (TextReference.key, TextReference.paper_id, TextReference.topic_id)


@dataclass
class FolderNames:
    """The file names of papers and topics by id.

    `targets_by_name`: file names by the names used in texts.
    """

    papers: Mapping[int, str]
    topics: Mapping[int, str]
    targets_by_name: dict[str, str] = field(default_factory=dict)

    def build_resolver(self, bindings: Mapping[str, str]) -> NoteResolver:
        """Return a function that resolves links in a text.

        Links `bindings` when the text was saved take precedence over current names.
        """

        def resolve_name(name: str) -> str:
            return bindings.get(key_of(name)) or resolve_note(self.targets_by_name, name)

        return resolve_name


def build_folder_names(tx: Read, me: CurrentUser, q: str) -> FolderNames:
    """Assign file names to the papers of a search, their topics and all parent topics.

    Raise search.QueryError.
    """
    papers = _find_titles(tx, find_ids(tx, me, q))
    topics = _find_topics(tx, list(papers))
    topic_files = assign_file_names(topics.items(), [ABOUT])
    names = FolderNames(assign_file_names(papers.items(), [ABOUT, *topic_files.values()]), topic_files)
    names.targets_by_name.update(map_paper_names((title, names.papers[number]) for number, title in papers.items()))
    names.targets_by_name.update(_iter_exact_names(tx, names))
    return names


def summary_bindings(tx: Read, names: FolderNames, paper_ids: Sequence[int]) -> Bindings:
    """Return what the links in the shared summaries of these papers resolved to when they were saved."""
    conditions = (col(Summary.deleted_at).is_(None), sa.not_(col(Summary.private)))
    query = sa.select(col(Summary.paper_id).label("of"), *map(col, _KEPT)).join(
        Summary, col(Summary.id) == col(TextReference.subject_id)
    )
    query = query.where(col(TextReference.subject) == "summary", *conditions, in_id_list(col(Summary.paper_id), "ids"))
    return _group_bindings(tx, names, tx.rows(query, {"ids": list(paper_ids)}))


def topic_bindings(tx: Read, names: FolderNames, topic_ids: Sequence[int]) -> Bindings:
    """Return what the links in the texts of topics resolved to when they were saved."""
    query = sa.select(col(TextReference.subject_id), *map(col, _KEPT))
    query = query.where(col(TextReference.subject) == "topic", in_id_list(col(TextReference.subject_id), "ids"))
    return _group_bindings(tx, names, tx.rows(query, {"ids": list(topic_ids)}))


def _group_bindings(tx: Read, names: FolderNames, rows: Sequence[sa.Row[Any]]) -> Bindings:
    survivors = find_survivors(tx, {row.paper_id for row in rows if row.paper_id})
    bindings: dict[int, dict[str, str]] = {}
    for row in rows:
        file = names.topics.get(row.topic_id) if row.topic_id else names.papers.get(survivors.get(row.paper_id, 0))
        if file:
            bindings.setdefault(row[0], {})[row.key] = file
    return bindings


def _find_titles(tx: Read, ids: Sequence[int]) -> dict[int, str]:
    query = sa.select(col(Paper.id), col(Paper.title)).where(in_id_list(col(Paper.id), "ids")).order_by(col(Paper.id))
    return {row.id: row.title or f"Paper {row.id}" for row in tx.rows(query, {"ids": list(ids)})}


def _find_topics(tx: Read, paper_ids: Sequence[int]) -> dict[int, str]:
    """Return the names of the topics of the papers and of all their parents, by id."""
    query = sa.select(col(PaperTopic.topic_id)).where(in_id_list(col(PaperTopic.paper_id), "ids")).distinct()
    topic_ids = {row[0] for row in tx.rows(query, {"ids": list(paper_ids)})}
    rows_by_id = {row.id: row for row in tx.execute(sa.select(col(Topic.id), col(Topic.name), col(Topic.parent_id)))}
    level = [*topic_ids]
    while level:
        level = [
            parent_id for number in level if (parent_id := rows_by_id[number].parent_id) and parent_id not in topic_ids
        ]
        topic_ids.update(level)
    return {number: row.name for number, row in sorted(rows_by_id.items()) if number in topic_ids}


def _iter_exact_names(tx: Read, names: FolderNames) -> Iterator[tuple[str, str]]:
    """Yield unambiguous names: identifiers, and topic names, which go before paper titles."""
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    for row in tx.rows(query.where(in_id_list(col(Identifier.paper_id), "ids")), {"ids": list(names.papers)}):
        yield f"{BY_REF}{row.scheme}:{row.value}", names.papers[row.paper_id]
    alias_query = sa.select(col(TopicAlias.alias_key), col(TopicAlias.topic_id))
    for alias in tx.rows(alias_query.where(in_id_list(col(TopicAlias.topic_id), "ids")), {"ids": list(names.topics)}):
        yield f"{BY_NAME}{alias.alias_key}", names.topics[alias.topic_id]
