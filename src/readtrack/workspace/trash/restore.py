"""Restoring of items from the trash by the command of their kind, or from undo entries.

Where possible, the object is added by its usual command, with the same permissions and errors.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Entry, Lead, Meeting, Paper, Person, Question, Topic, UndoEntry
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.library.comparisons.commands import restore_comparison
from readtrack.library.latex_macros.commands import MacroCreate, add_macro
from readtrack.library.papers.commands import restore_paper
from readtrack.library.references.index import rebind_references
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.commands import TopicCreate, add_topic
from readtrack.library.topics.delete import restore_to_topic
from readtrack.library.topics.links import restore_link, restore_links
from readtrack.library.topics.reading_order import restore_order
from readtrack.library.topics.split import undo_split
from readtrack.library.topics.undo_merge import unmerge_topic
from readtrack.reading.summaries.commands import restore_summary
from readtrack.team.discussion.commands import restore_comment
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.schedule import ON_AGAIN, meeting_event_data, notify_participants
from readtrack.team.meetings.schemas import AgendaItemCreate
from readtrack.workspace.saved_searches.commands import restore_view

UndoData = Mapping[str, Any]
RestoreHandler = Callable[[Write, CurrentUser, UndoData], str]
NEEDS: Mapping[str, str] = {  # Permission needed to restore; the person who deleted a question may restore it without.
    "topic.deleted": "delete",
    "topic.merged": "delete",
    "topic.unlinked": "edit",
    "topic.split": "delete",
    "topic.unordered": "edit",
    "topic.link-removed": "edit",
    "question.deleted": "delete",
    "meeting.deleted": "schedule",
    "agenda.removed": "schedule",
    "relation.removed": "edit",
    "rule.removed": "import",
    "macro.removed": "edit",
    "comparison.deleted": "edit",
}


def restore_handler(verb: str) -> Callable[[RestoreHandler], RestoreHandler]:
    """Register the handler that restores objects deleted with this verb, for packages above this one."""

    def register(function: RestoreHandler) -> RestoreHandler:
        RESTORE_HANDLERS[verb] = function
        return function

    return register


def restore_undo_entry(tx: Write, me: CurrentUser, undo_entry: UndoEntry) -> str:
    """Restore the object and return its URL.

    Raise the errors of adding it, or Conflict if what it belonged to is gone.
    """
    address = RESTORE_HANDLERS[undo_entry.verb](tx, me, undo_entry.undo)
    undo_entry.undone_at = now()
    tx.flush()
    return address


def _restore_topic(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    topic_data = undo_data["add"]
    if topic_data["parent"] and not _has_row(tx, col(Topic.slug) == topic_data["parent"]):
        topic_data = {**topic_data, "parent": None}
    topic = add_topic(tx, me, TopicCreate(**topic_data), fixed_fields=undo_data.get("again", {}))
    entries_update = sa.update(Entry).where(col(Entry.id).in_(undo_data["entries"]), col(Entry.topic_id).is_(None))
    tx.bulk_execute(entries_update.values(topic_id=topic.id))
    leads_update = sa.update(Lead).where(col(Lead.id).in_(undo_data.get("leads", ())), col(Lead.topic_id).is_(None))
    tx.bulk_execute(leads_update.values(topic_id=topic.id))
    restore_links(tx, topic.id or 0, undo_data.get("links", []))
    rebind_references(tx, topic.id or 0, undo_data.get("references", []))
    return f"/topics/{topic.slug}"


def _restore_merged_topic(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    return f"/topics/{unmerge_topic(tx, me, undo_data).slug}"


def _restore_split_topic(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    return f"/topics/{undo_split(tx, me, undo_data).slug}"


def _restore_topic_position(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    return restore_order(tx, me, undo_data)


def _restore_topic_link(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    return restore_link(tx, me, undo_data["row"])


def _restore_question(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    row = dict(undo_data["row"])
    for name, condition in (
        ("topic_id", col(Topic.id) == row["topic_id"]),
        ("paper_id", sa.and_(col(Paper.id) == row["paper_id"], is_present(Paper))),
    ):
        row[name] = row[name] if row[name] and _has_row(tx, condition) else None
    row |= {"state": "open", "closed_at": None, "closed_by": None} if row["state"] == "answered" else {}
    question = Question.model_validate({**row, "version": row["version"] + 1})
    tx.add(question)
    tx.flush()
    events.record_event(tx, me, "question.restored", paper_id=question.paper_id, data={"question": question.id})
    return f"/questions/{question.id}"


def _restore_meeting(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    """Restore a meeting with its old id, by which calendars know it.

    A higher sequence number makes them update the event.
    """
    row = dict(undo_data["row"])
    row |= {"version": row["version"] + 1, "sequence": row["sequence"] + 2, "updated_at": now()}
    meeting = Meeting.model_validate(row)
    tx.add(meeting)
    tx.flush()
    for item in undo_data["items"]:
        if _has_subject(tx, item):
            tx.add(AgendaItem.model_validate(item))
    tx.flush()
    events.record_event(tx, me, "meeting.restored", data=meeting_event_data(meeting))
    if meeting.state == "planned":
        notify_participants(tx, me, meeting, ON_AGAIN)
    return f"/meetings/{meeting.id}"


def _restore_agenda_item(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    item_data = dict(undo_data["add"])
    is_active = sa.and_(col(Person.id) == item_data["presenter"], col(Person.disabled_at).is_(None))
    if item_data["presenter"] and not _has_row(tx, is_active):
        item_data["presenter"] = None
    add_item(tx, me, undo_data["meeting"], AgendaItemCreate(**item_data))
    return f"/meetings/{undo_data['meeting']}"


def _restore_relation(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    if not add_relation(tx, me, undo_data["from"], RelationCreate(**undo_data["add"])):
        raise Conflict(_("These papers are already linked."), code="there-already")
    return f"/papers/{undo_data['from']}"


def _restore_filing(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    return f"/papers/{restore_to_topic(tx, me, undo_data)}"


def _restore_comparison(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    return f"/comparisons/{restore_comparison(tx, me, undo_data)}"


def _restore_macro(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    add_macro(tx, me, MacroCreate(**undo_data["add"]))
    return "/settings/macros"


def _has_subject(tx: Write, item: UndoData) -> bool:
    if item["paper_id"]:
        return _has_row(tx, sa.and_(col(Paper.id) == item["paper_id"], is_present(Paper)))
    return _has_row(tx, col(Question.id) == item["question_id"])


def _has_row(tx: Write, condition: sa.ColumnElement[bool]) -> bool:
    return tx.scalar(sa.select(sa.exists().where(condition))) or False


RESTORE_HANDLERS: dict[str, RestoreHandler] = {
    "topic.deleted": _restore_topic,
    "topic.merged": _restore_merged_topic,
    "topic.unlinked": _restore_filing,
    "topic.split": _restore_split_topic,
    "topic.unordered": _restore_topic_position,
    "topic.link-removed": _restore_topic_link,
    "question.deleted": _restore_question,
    "meeting.deleted": _restore_meeting,
    "agenda.removed": _restore_agenda_item,
    "relation.removed": _restore_relation,
    "macro.removed": _restore_macro,
    "comparison.deleted": _restore_comparison,
}


def restorable_filter(me: CurrentUser) -> sa.ColumnElement[bool]:
    """Return the condition for undo entries that this person may restore."""
    verbs = [verb for verb, permission in NEEDS.items() if permissions.has_permission(me, permission)]
    is_own = sa.and_(col(UndoEntry.verb) == "question.deleted", col(UndoEntry.person_id) == me.id)
    return sa.or_(col(UndoEntry.verb).in_(verbs), is_own)


def restore_item(tx: Write, me: CurrentUser, kind: str, number: int) -> str:
    """Restore an item and return its URL. Raise NotFound if it is not in this person's trash."""
    return RESTORE_COMMANDS[kind](tx, me, number)


def _restore_paper(tx: Write, me: CurrentUser, paper_id: int) -> str:
    restore_paper(tx, me, paper_id)
    return f"/papers/{paper_id}"


def _restore_summary(tx: Write, me: CurrentUser, summary_id: int) -> str:
    return f"/papers/{restore_summary(tx, me, summary_id).paper_id}"


def _restore_comment(tx: Write, me: CurrentUser, comment_id: int) -> str:
    restore_comment(tx, me, comment_id)
    return f"/comments/{comment_id}"


def _restore_view(tx: Write, me: CurrentUser, view_id: int) -> str:
    restore_view(tx, me, view_id)
    return f"/views/{view_id}"


def _restore_from_undo_log(tx: Write, me: CurrentUser, undo_id: int) -> str:
    permissions.require(me, "keep")
    return restore_undo_entry(tx, me, undo_log.get_undo_entry(tx, undo_id, restorable_filter(me)))


RESTORE_COMMANDS: Mapping[str, Callable[[Write, CurrentUser, int], str]] = {
    "papers": _restore_paper,
    "summaries": _restore_summary,
    "comments": _restore_comment,
    "views": _restore_view,
    "others": _restore_from_undo_log,
}
