"""Merging of topics: papers, subtopics, names, text, links and discussions move to the other topic."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    Comment,
    Comparison,
    Entry,
    Lead,
    Notification,
    PaperTopic,
    Question,
    ReadMarker,
    TextReference,
    Topic,
    TopicAlias,
    TopicLink,
)
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.saved_texts import text_saved
from readtrack.library.topics import queries
from readtrack.library.topics.commands import (
    MOST_ALIASES,
    get_topic_for_deletion,
    get_topic_for_update,
    list_topic_paper_ids,
)
from readtrack.library.topics.reading_order import append_papers, find_positions
from readtrack.library.topics.undo_merge import build_undo_data
from readtrack.library.topics.versions.store import save_version
from readtrack.markdown import MAX_BYTES
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.reading.drafts.reassign import move_drafts


def merge_topics(tx: Write, me: CurrentUser, slug: str, into: str) -> tuple[Topic, int]:
    """Merge a topic into another; return that topic and the id of the undo entry.

    The names become aliases. Raise Conflict if text or aliases exceed the limits.
    """
    permissions.require(me, "delete")
    if slug == into:
        message = _("A topic cannot be merged into itself. Nothing was changed.")
        raise Invalid(message)
    gone, kept = get_topic_for_deletion(tx, slug), get_topic_for_update(tx, into)
    text = combine_texts(tx, gone, kept)
    papers = list_topic_paper_ids(tx, gone)
    deed_id = undo_log.record_undo_entry(tx, me, "topic.merged", build_undo_data(tx, gone, kept))
    _move_papers(tx, gone, kept)
    _move_subtopics(tx, gone, kept)
    _move_discussions(tx, gone, kept)
    _move_knowledge(tx, gone, kept)
    move_drafts(tx, DraftSubject("topic", gone.id or 0), kept.id or 0)
    tx.execute(sa.update(Entry).where(col(Entry.topic_id) == gone.id).values(topic_id=kept.id))
    tx.execute(
        sa.update(TopicAlias).where(col(TopicAlias.topic_id) == gone.id).values(topic_id=kept.id, is_canonical=False)
    )
    data = {"slug": slug, "into": into, "name": gone.name}
    before = {"markdown": gone.markdown, "papers": papers}
    events.record_event(tx, me, "topic.merged", data=data, before=before)
    kept.markdown, kept.version, kept.updated_at = text, kept.version + 1, now()
    tx.delete(gone)
    save_version(tx, me, kept)
    search.update_papers(tx, list_topic_paper_ids(tx, kept))
    text_saved(tx, "topic", [gone.id or 0, kept.id or 0])
    return kept, deed_id


def combine_texts(tx: Read, gone: Topic, kept: Topic) -> str:
    """Return both texts combined. Raise Conflict if texts or aliases exceed the limits of a topic."""
    _refuse_crowd(tx, gone, kept)
    text = "\n\n".join(part for part in (kept.markdown, gone.markdown) if part)
    if len(text.encode()) > MAX_BYTES:
        message = _(
            "The two texts have more than {max_bytes:,} bytes. Nothing was changed: shorten one of them first."
        ).format(max_bytes=MAX_BYTES)
        raise Conflict(message, code="text-too-long")
    return text


def _refuse_crowd(tx: Read, gone: Topic, kept: Topic) -> None:
    both = col(TopicAlias.topic_id).in_([gone.id, kept.id])
    aliases = (tx.scalar(sa.select(sa.func.count()).select_from(TopicAlias).where(both)) or 0) - 1
    if aliases > MOST_ALIASES:
        message = _(
            "Both have {aliases} aliases; {most_aliases} are the most. Nothing was changed: remove some first."
        ).format(aliases=aliases, most_aliases=MOST_ALIASES)
        raise Conflict(message, code="too-many-aliases")


def _move_papers(tx: Write, gone: Topic, kept: Topic) -> None:
    """Move papers; those in a reading order are appended to the other topic's."""
    ordered = list(find_positions(tx, gone))
    there = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id) == kept.id)
    mine = col(PaperTopic.topic_id) == gone.id
    tx.execute(sa.delete(PaperTopic).where(mine, col(PaperTopic.paper_id).in_(there)))
    tx.execute(sa.update(PaperTopic).where(mine).values(topic_id=kept.id, position=None))
    append_papers(tx, kept, ordered)


def _move_subtopics(tx: Write, gone: Topic, kept: Topic) -> None:
    """Move subtopics.

    If the target is one of them, it takes the merged topic's place, to avoid a cycle.
    """
    if gone.id in {row.id for row in queries.list_ancestors(tx, kept.id)}:
        kept.parent_id = gone.parent_id
        tx.flush()
    tx.execute(sa.update(Topic).where(col(Topic.parent_id) == gone.id).values(parent_id=kept.id))


def _move_discussions(tx: Write, gone: Topic, kept: Topic) -> None:
    """Move comments, questions and the notifications about them."""
    for table in (Comment, Question, Notification):
        tx.execute(sa.update(table).where(col(table.topic_id) == gone.id).values(topic_id=kept.id))
    _merge_read_markers(tx, gone, kept)


def _move_knowledge(tx: Write, gone: Topic, kept: Topic) -> None:
    for table in (TopicLink, Comparison, TextReference, Lead):
        tx.execute(sa.update(table).where(col(table.topic_id) == gone.id).values(topic_id=kept.id))


def _merge_read_markers(tx: Write, gone: Topic, kept: Topic) -> None:
    """Keep the earlier of a person's two read markers, so that no unread comment becomes read."""
    of_both = (col(ReadMarker.subject) == "topic", col(ReadMarker.subject_id).in_([gone.id, kept.id]))
    seen: dict[int, list[int]] = {}
    for person_id, comment_id in tx.execute(
        sa.select(col(ReadMarker.person_id), col(ReadMarker.comment_id)).where(*of_both)
    ):
        seen.setdefault(person_id, []).append(comment_id)
    tx.execute(sa.delete(ReadMarker).where(*of_both))
    for person_id, upto in seen.items():
        if len(upto) > 1:
            tx.add(ReadMarker(person_id=person_id, subject="topic", subject_id=kept.id or 0, comment_id=min(upto)))
