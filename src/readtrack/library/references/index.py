"""The index of references: updated when a text is saved, rebound when papers and topics change."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack import markdown
from readtrack.infra.db import Read, Write
from readtrack.infra.db.conditions import in_text_list
from readtrack.infra.models import Comment, Summary, TextReference, Topic
from readtrack.infra.saved_texts import Kind, TextEdit, on_text_saved
from readtrack.library.references.resolve import Place, find_places, find_short, find_survivors
from readtrack.markdown import references as markdown_references

BATCH_SIZE = 200  # texts or names in one statement
TEXTS: Mapping[str, tuple[Any, Any]] = {  # Id and text of each kind.
    "summary": (col(Summary.id), col(Summary.markdown)),
    "topic": (col(Topic.id), col(Topic.markdown)),
    "comment": (col(Comment.id), col(Comment.markdown)),
}
_MARKS = ("%[[%", "%://%", "%arxiv%", "%doi%")  # every text with a reference contains one of these
_UNBOUND = (col(TextReference.paper_id).is_(None), col(TextReference.topic_id).is_(None))
_BY_KEY = sa.select(col(TextReference.key), col(TextReference.paper_id), col(TextReference.topic_id)).where(
    in_text_list(col(TextReference.key), "keys")
)


def index_references(tx: Write, subject: str, numbers: Iterable[int]) -> None:
    """Index the references of these texts; remove those of deleted or empty ones.

    References that a text already had stay bound to their target.
    """
    subject_ids = sorted({*numbers})
    tx.flush()
    for start in range(0, len(subject_ids), BATCH_SIZE):
        _index_texts(tx, subject, subject_ids[start : start + BATCH_SIZE])


@on_text_saved("links")
def _index_saved(tx: Write, kind: Kind, ids: Sequence[int], _edit: TextEdit | None) -> None:
    index_references(tx, kind, ids)


def bind_names(tx: Write, titles: Iterable[str]) -> None:
    """Bind unresolved references to these titles. Call this when something gets a new name."""
    name_keys = {
        markdown_references.key_of_name(name)
        for title in titles
        for name in (title, markdown_references.short_title(title))
    } - {""}
    rows = tx.rows(_BY_KEY, {"keys": sorted(name_keys)})
    keys = {row.key for row in rows if row.paper_id is None and row.topic_id is None}
    for key, target in _resolve_names(tx, keys).items() if keys else ():
        statement = sa.update(TextReference).where(col(TextReference.key) == key, *_UNBOUND)
        tx.bulk_execute(statement.values(_binding(target)))


def list_topic_references(tx: Read, topic_id: int) -> list[int]:
    """Return the ids of references bound to a topic."""
    return [*tx.scalars(sa.select(col(TextReference.id)).where(col(TextReference.topic_id) == topic_id)).all()]  # type: ignore[list-item]


def rebind_references(tx: Write, topic_id: int, reference_ids: Sequence[int]) -> None:
    """Bind references to a restored topic again, except those bound to something else by now."""
    for start in range(0, len(reference_ids), BATCH_SIZE):
        in_batch = col(TextReference.id).in_(reference_ids[start : start + BATCH_SIZE])
        tx.bulk_execute(sa.update(TextReference).where(in_batch, *_UNBOUND).values(topic_id=topic_id))


def move_references(
    tx: Write, names: Iterable[str], *, from_topic_id: int, to_topic_id: int, after_id: int = 0
) -> None:
    """Rebind references by these names from one topic to another.

    `after_id`: only references with a higher id than this.
    """
    keys = sorted({markdown_references.key_of_name(name) for name in names} - {""})
    statement = sa.update(TextReference).where(
        col(TextReference.topic_id) == from_topic_id, col(TextReference.key).in_(keys)
    )
    tx.bulk_execute(statement.where(col(TextReference.id) > after_id).values(topic_id=to_topic_id))


def latest_reference_id(tx: Read) -> int:
    """Return the highest reference id; 0 if there is none."""
    return tx.scalar(sa.select(sa.func.max(col(TextReference.id)))) or 0


def delete_topic_references(tx: Write, topic_id: int) -> None:
    """Delete the references in a topic's text, and unbind those that lead to it."""
    tx.bulk_execute(sa.delete(TextReference).where(_text_filter("topic", [topic_id])))
    tx.bulk_execute(sa.update(TextReference).where(col(TextReference.topic_id) == topic_id).values(topic_id=None))


def unbind_papers(tx: Write, paper_ids: Sequence[int]) -> None:
    """Unbind references to papers that are being purged."""
    tx.bulk_execute(sa.update(TextReference).where(col(TextReference.paper_id).in_(paper_ids)).values(paper_id=None))


def index_missing_references(tx: Write) -> None:
    """Index all texts if the index is empty, as after an upgrade from a version without it.

    If several processes start at once, only one of them does the work.
    """
    if tx.scalar(sa.select(sa.exists(sa.select(col(TextReference.id))))):
        return
    try:
        with tx.begin_nested():
            reindex_references(tx)
    except IntegrityError:  # another process is doing it
        return


def reindex_references(tx: Write) -> None:
    """Index every text that contains a reference."""
    for subject, (number, text) in TEXTS.items():
        lower_text = sa.func.lower(text)
        has_reference = sa.or_(*(lower_text.like(mark) for mark in _MARKS))
        index_references(tx, subject, tx.scalars(sa.select(number).where(has_reference)).all())


def _index_texts(tx: Write, subject: str, numbers: Sequence[int]) -> None:
    keys = {number: {*markdown.list_reference_keys(text)} for number, text in _texts(tx, subject, numbers).items()}
    columns = (col(TextReference.id), col(TextReference.subject_id), col(TextReference.key))
    old_rows = tx.execute(sa.select(*columns).where(_text_filter(subject, numbers))).all()
    removed_ids = [row.id for row in old_rows if row.key not in keys.get(row.subject_id, ())]
    if removed_ids:
        tx.bulk_execute(sa.delete(TextReference).where(col(TextReference.id).in_(removed_ids)))
    existing = {(row.subject_id, row.key) for row in old_rows}
    new_references = [
        (number, key)
        for number, text_keys in keys.items()
        for key in sorted(text_keys)
        if (number, key) not in existing
    ]
    _add(tx, subject, new_references)


def _add(tx: Write, subject: str, references: Sequence[tuple[int, str]]) -> None:
    targets = (
        _resolve_names(tx, {key for _number, key in references if key.startswith(markdown_references.BY_NAME)})
        if references
        else {}
    )
    rows = [
        {"subject": subject, "subject_id": number, "key": key, **_binding(targets.get(key))}
        for number, key in references
    ]
    if rows:
        tx.connection().execute(sa.insert(TextReference.__table__), rows)  # type: ignore[attr-defined]


def _resolve_names(tx: Write, keys: set[str]) -> dict[str, Place]:
    """Resolve names to topics and present papers.

    The topics are locked against deletion until the commit.
    """
    targets = find_places(tx, keys)
    targets |= find_short(tx, keys - targets.keys())
    papers = find_survivors(tx, {number for kind, number in targets.values() if kind == "paper"})
    topics = _lock_present_topics(tx, {number for kind, number in targets.values() if kind == "topic"})
    return {
        key: target if target[0] == "topic" else ("paper", papers[target[1]])
        for key, target in targets.items()
        if target[1] in (topics if target[0] == "topic" else papers)
    }


def _lock_present_topics(tx: Write, topics: Collection[int]) -> set[int]:
    """Return the topics that exist, waiting for concurrent deletions."""
    query = sa.select(col(Topic.id)).where(col(Topic.id).in_(topics)).order_by(col(Topic.id))
    return {*tx.scalars(query.with_for_update(read=True, key_share=True))} if topics else set()


def _binding(target: Place | None) -> dict[str, int | None]:
    kind, number = target or ("", None)
    return {"paper_id": number if kind == "paper" else None, "topic_id": number if kind == "topic" else None}


def _texts(tx: Read, subject: str, numbers: Sequence[int]) -> dict[int, str]:
    number, text = TEXTS[subject]
    return {row[0]: row[1] for row in tx.connection().execute(sa.select(number, text).where(number.in_(numbers)))}


def _text_filter(subject: str, numbers: Sequence[int]) -> sa.ColumnElement[bool]:
    return sa.and_(col(TextReference.subject) == subject, col(TextReference.subject_id).in_(numbers))
