"""Puts back what was taken away: a topic, question, meeting, relation, item of an agenda, rule, a paper in a topic.

Each goes in by the command that adds such a thing where there is one, with its rights and refusals.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Deed, Entry, Lead, Meeting, Paper, Person, Question, Series, Topic
from readtrack.infra.permissions import Visitor, present
from readtrack.library.comparisons.commands import restore_comparison
from readtrack.library.latex_macros.commands import add_macro
from readtrack.library.latex_macros.schemas import MacroAdd
from readtrack.library.references.index import lead_again
from readtrack.library.relations.links import RelationAdd, add_relation
from readtrack.library.topics.assign import file_again
from readtrack.library.topics.commands import TopicAdd, add_topic
from readtrack.library.topics.links import put_again, put_with
from readtrack.library.topics.reading_order import order_again
from readtrack.library.topics.split import join_again
from readtrack.library.topics.undo_merge import part_topics
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.schedule import ON_AGAIN, about, tell_all
from readtrack.team.meetings.schemas import ItemAdd

Kept = Mapping[str, Any]
PuttingBack = Callable[[Write, Visitor, Kept], str]


def restores(verb: str) -> Callable[[PuttingBack], PuttingBack]:
    """Register what restores things removed by an event of this verb; for packages above this one."""

    def register(function: PuttingBack) -> PuttingBack:
        PUTTING_BACK[verb] = function
        return function

    return register


def put_back(tx: Write, me: Visitor, deed: Deed) -> str:
    """Where it stands now. Raises what adding it would raise, and Conflict when what it belonged to is gone."""
    address = PUTTING_BACK[deed.verb](tx, me, deed.undo)
    deed.undone_at = now()
    tx.flush()
    return address


def _topic(tx: Write, me: Visitor, kept: Kept) -> str:
    said = kept["add"]
    if said["parent"] and not _there(tx, col(Topic.slug) == said["parent"]):
        said = {**said, "parent": None}
    topic = add_topic(tx, me, TopicAdd(**said), again=kept.get("again", {}))
    lines = sa.update(Entry).where(col(Entry.id).in_(kept["entries"]), col(Entry.topic_id).is_(None))
    tx.execute(lines.values(topic_id=topic.id).execution_options(synchronize_session=False))
    leads = sa.update(Lead).where(col(Lead.id).in_(kept.get("leads", ())), col(Lead.topic_id).is_(None))
    tx.execute(leads.values(topic_id=topic.id).execution_options(synchronize_session=False))
    put_with(tx, topic.id or 0, kept.get("links", []))
    lead_again(tx, topic.id or 0, kept.get("references", []))
    return f"/topics/{topic.slug}"


def _merged_topic(tx: Write, me: Visitor, kept: Kept) -> str:
    return f"/topics/{part_topics(tx, me, kept).slug}"


def _split_topic(tx: Write, me: Visitor, kept: Kept) -> str:
    return f"/topics/{join_again(tx, me, kept).slug}"


def _place_in_order(tx: Write, me: Visitor, kept: Kept) -> str:
    return order_again(tx, me, kept)


def _topic_link(tx: Write, me: Visitor, kept: Kept) -> str:
    return put_again(tx, me, kept["row"])


def _question(tx: Write, me: Visitor, kept: Kept) -> str:
    row = dict(kept["row"])
    for name, here in (
        ("topic_id", col(Topic.id) == row["topic_id"]),
        ("paper_id", sa.and_(col(Paper.id) == row["paper_id"], present(Paper))),
    ):
        row[name] = row[name] if row[name] and _there(tx, here) else None
    row |= {"state": "open", "closed_at": None, "closed_by": None} if row["state"] == "answered" else {}
    question = Question.model_validate({**row, "version": row["version"] + 1})
    tx.add(question)
    tx.flush()
    events.record(tx, me, "question.restored", paper_id=question.paper_id, data={"question": question.id})
    return f"/questions/{question.id}"


def _meeting(tx: Write, me: Visitor, kept: Kept) -> str:
    """With the number it had: calendars know it by that. They take it for a newer form of the same meeting."""
    row = dict(kept["row"])
    if row["series_id"] and not _there(tx, col(Series.id) == row["series_id"]):
        row["series_id"] = None
    row |= {"version": row["version"] + 1, "sequence": row["sequence"] + 2, "updated_at": now()}
    meeting = Meeting.model_validate(row)
    tx.add(meeting)
    tx.flush()
    for item in kept["items"]:
        if _has_subject(tx, item):
            tx.add(AgendaItem.model_validate(item))
    tx.flush()
    events.record(tx, me, "meeting.restored", data=about(meeting))
    if meeting.state == "planned":
        tell_all(tx, me, meeting, ON_AGAIN)
    return f"/meetings/{meeting.id}"


def _item(tx: Write, me: Visitor, kept: Kept) -> str:
    said = dict(kept["add"])
    active = sa.and_(col(Person.id) == said["presenter"], col(Person.disabled_at).is_(None))
    if said["presenter"] and not _there(tx, active):
        said["presenter"] = None
    add_item(tx, me, kept["meeting"], ItemAdd(**said))
    return f"/meetings/{kept['meeting']}"


def _relation(tx: Write, me: Visitor, kept: Kept) -> str:
    if not add_relation(tx, me, kept["from"], RelationAdd(**kept["add"])):
        raise Conflict(_("Somebody related them so again meanwhile. Nothing was changed."), code="there-already")
    return f"/papers/{kept['from']}"


def _filing(tx: Write, me: Visitor, kept: Kept) -> str:
    return f"/papers/{file_again(tx, me, kept)}"


def _comparison(tx: Write, me: Visitor, kept: Kept) -> str:
    return f"/comparisons/{restore_comparison(tx, me, kept)}"


def _macro(tx: Write, me: Visitor, kept: Kept) -> str:
    add_macro(tx, me, MacroAdd(**kept["add"]))
    return "/settings/macros"


def _has_subject(tx: Write, item: Kept) -> bool:
    if item["paper_id"]:
        return _there(tx, sa.and_(col(Paper.id) == item["paper_id"], present(Paper)))
    return _there(tx, col(Question.id) == item["question_id"])


def _there(tx: Write, which: sa.ColumnElement[bool]) -> bool:
    return tx.scalar(sa.select(sa.exists().where(which))) or False


PUTTING_BACK: dict[str, PuttingBack] = {
    "topic.deleted": _topic,
    "topic.merged": _merged_topic,
    "topic.unlinked": _filing,
    "topic.split": _split_topic,
    "topic.unordered": _place_in_order,
    "topic.link-removed": _topic_link,
    "question.deleted": _question,
    "meeting.deleted": _meeting,
    "agenda.removed": _item,
    "relation.removed": _relation,
    "macro.removed": _macro,
    "comparison.deleted": _comparison,
}
NEEDS: Mapping[str, str] = {  # what the policy asks of who puts it back; a question's own deleter may without
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


def puttable(me: Visitor) -> sa.ColumnElement[bool]:
    """The deeds that they may undo: what the policy lets them, and a question that they deleted."""
    verbs = [verb for verb, act in NEEDS.items() if permissions.may(me, act)]
    mine = sa.and_(col(Deed.verb) == "question.deleted", col(Deed.person_id) == me.id)
    return sa.or_(col(Deed.verb).in_(verbs), mine)
