"""The index of references: updated when a text is saved, rebound when papers and topics change."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack import markdown
from readtrack.infra.db import Read, Write
from readtrack.infra.models import Comment, Summary, TextReference, Topic
from readtrack.infra.saved_texts import Kind, TextEdit, on_text_saved
from readtrack.library.references.resolve import Place, find_places, find_short, find_survivors
from readtrack.markdown import reference_keys

PORTION = 200  # texts or names in one statement
TEXTS: Mapping[str, tuple[Any, Any]] = {  # of what: its number, its text
    "summary": (col(Summary.id), col(Summary.markdown)),
    "topic": (col(Topic.id), col(Topic.markdown)),
    "comment": (col(Comment.id), col(Comment.markdown)),
}
_MARKS = ("%[[%", "%://%", "%arxiv%", "%doi%")  # every text with a reference contains one of these
_UNBOUND = (col(TextReference.paper_id).is_(None), col(TextReference.topic_id).is_(None))


def index_references(tx: Write, subject: str, numbers: Iterable[int]) -> None:
    """Index the references of these texts; remove those of deleted or empty ones.

    References that a text already had stay bound to their target.
    """
    wanted = sorted({*numbers})
    tx.flush()
    for start in range(0, len(wanted), PORTION):
        _index_texts(tx, subject, wanted[start : start + PORTION])


@on_text_saved("links")
def _index_saved(tx: Write, kind: Kind, ids: Sequence[int], _edit: TextEdit | None) -> None:
    index_references(tx, kind, ids)


def bind_names(tx: Write, titles: Iterable[str]) -> None:
    """Bind unresolved references to these titles. Call this when something gets a new name."""
    spelled = {
        reference_keys.key_of_name(name) for title in titles for name in (title, reference_keys.short_title(title))
    } - {""}
    wanted = sorted(spelled)
    for start in range(0, len(wanted), PORTION):
        _bind(tx, wanted[start : start + PORTION])


def list_topic_references(tx: Read, topic_id: int) -> list[int]:
    """Return the ids of references bound to a topic."""
    return [*tx.scalars(sa.select(col(TextReference.id)).where(col(TextReference.topic_id) == topic_id)).all()]  # type: ignore[list-item]


def rebind_references(tx: Write, topic_id: int, names_of: Sequence[int]) -> None:
    """Bind references to a restored topic again, except those bound to something else by now."""
    for start in range(0, len(names_of), PORTION):
        these = col(TextReference.id).in_(names_of[start : start + PORTION])
        tx.bulk_execute(sa.update(TextReference).where(these, *_UNBOUND).values(topic_id=topic_id))


def move_references(tx: Write, said: Iterable[str], *, was: int, to: int, since: int = 0) -> None:
    """Rebind references by these names from one topic to another.

    `since`: only references with a higher id than this.
    """
    keys = sorted({reference_keys.key_of_name(name) for name in said} - {""})
    these = sa.update(TextReference).where(col(TextReference.topic_id) == was, col(TextReference.key).in_(keys))
    tx.bulk_execute(these.where(col(TextReference.id) > since).values(topic_id=to))


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
        lowered = sa.func.lower(text)
        naming_one = sa.or_(*(lowered.like(mark) for mark in _MARKS))
        index_references(tx, subject, tx.scalars(sa.select(number).where(naming_one)).all())


def _index_texts(tx: Write, subject: str, numbers: Sequence[int]) -> None:
    keys = {number: {*markdown.list_reference_keys(text)} for number, text in _texts(tx, subject, numbers).items()}
    columns = (col(TextReference.id), col(TextReference.subject_id), col(TextReference.key))
    old = tx.execute(sa.select(*columns).where(_text_filter(subject, numbers))).all()
    left = [row.id for row in old if row.key not in keys.get(row.subject_id, ())]
    if left:
        tx.bulk_execute(sa.delete(TextReference).where(col(TextReference.id).in_(left)))
    kept = {(row.subject_id, row.key) for row in old}
    new = [(number, key) for number, named in keys.items() for key in sorted(named) if (number, key) not in kept]
    _add(tx, subject, new)


def _add(tx: Write, subject: str, new: Sequence[tuple[int, str]]) -> None:
    places = _resolve_names(tx, {key for _number, key in new if key.startswith(reference_keys.BY_NAME)}) if new else {}
    rows = [{"subject": subject, "subject_id": number, "key": key, **_binding(places.get(key))} for number, key in new]
    if rows:
        tx.connection().execute(sa.insert(TextReference.__table__), rows)  # type: ignore[attr-defined]


def _bind(tx: Write, keys: Sequence[str]) -> None:
    waiting = sa.select(col(TextReference.key)).where(col(TextReference.key).in_(keys), *_UNBOUND).distinct()
    for key, place in _resolve_names(tx, {*tx.scalars(waiting)}).items():
        these = sa.update(TextReference).where(col(TextReference.key) == key, *_UNBOUND)
        tx.bulk_execute(these.values(_binding(place)))


def _resolve_names(tx: Write, keys: set[str]) -> dict[str, Place]:
    """Resolve names to topics and present papers.

    The topics are locked against deletion until the commit.
    """
    found = find_places(tx, keys)
    found |= find_short(tx, keys - found.keys())
    papers = find_survivors(tx, {number for kind, number in found.values() if kind == "paper"})
    topics = _lock_present_topics(tx, {number for kind, number in found.values() if kind == "topic"})
    return {
        key: place if place[0] == "topic" else ("paper", papers[place[1]])
        for key, place in found.items()
        if place[1] in (topics if place[0] == "topic" else papers)
    }


def _lock_present_topics(tx: Write, topics: Collection[int]) -> set[int]:
    """Return the topics that exist, waiting for concurrent deletions."""
    here = sa.select(col(Topic.id)).where(col(Topic.id).in_(topics)).order_by(col(Topic.id))
    return {*tx.scalars(here.with_for_update(read=True, key_share=True))} if topics else set()


def _binding(place: Place | None) -> dict[str, int | None]:
    kind, number = place or ("", None)
    return {"paper_id": number if kind == "paper" else None, "topic_id": number if kind == "topic" else None}


def _texts(tx: Read, subject: str, numbers: Sequence[int]) -> dict[int, str]:
    number, text = TEXTS[subject]
    return {row[0]: row[1] for row in tx.connection().execute(sa.select(number, text).where(number.in_(numbers)))}


def _text_filter(subject: str, numbers: Sequence[int]) -> sa.ColumnElement[bool]:
    return sa.and_(col(TextReference.subject) == subject, col(TextReference.subject_id).in_(numbers))
