"""The team's reading order of a topic's papers.

It may contain some of the papers assigned to the topic itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, PaperTopic, Topic
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.library.papers.lists import PaperRow, list_rows
from readtrack.library.topics.commands import get_topic_for_update
from readtrack.reading.readings import positions
from readtrack.reading.readings.schemas import QueueMove

MAX_PAPERS = 100  # papers in an order
MAX_OFFERED_PAPERS = 50  # papers without a position offered on the page


class ReadingOrderMove(QueueMove):
    """The target position of a paper, which is added to the order if needed."""


_ORDERED = (
    sa.select(col(PaperTopic.paper_id))
    .join(Paper, col(Paper.id) == col(PaperTopic.paper_id))
    .where(
        col(PaperTopic.topic_id) == sa.bindparam("topic_id"), col(PaperTopic.position).is_not(None), is_listed(Paper)
    )
    .order_by(col(PaperTopic.position), col(PaperTopic.paper_id))
)
_PLACES = _ORDERED.add_columns(col(PaperTopic.position))
_LEFT: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(Paper.id), col(Paper.title), col(Paper.language))
    .join(PaperTopic, col(PaperTopic.paper_id) == col(Paper.id))
    .where(col(PaperTopic.topic_id) == sa.bindparam("topic_id"), col(PaperTopic.position).is_(None), is_listed(Paper))
    .order_by(col(Paper.id).desc())
    .limit(MAX_OFFERED_PAPERS)
)


def list_order(tx: Read, me: CurrentUser, topic_id: int) -> list[PaperRow]:
    """Return the papers in reading order, with my reading of each."""
    ids = [row.paper_id for row in tx.rows(_ORDERED, {"topic_id": topic_id})]
    rows = list_rows(tx, me, ids)
    return [rows[paper_id] for paper_id in ids if paper_id in rows]


def list_unordered_papers(tx: Read, topic_id: int) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """Return id, title and language of the topic's newest papers without a position."""
    return tx.rows(_LEFT, {"topic_id": topic_id})


def move_in_order(tx: Write, me: CurrentUser, slug: str, paper_id: int, *, step: ReadingOrderMove) -> bool:
    """Move a paper within the order or add it; False if nothing changed.

    The topic is locked, so concurrent moves apply one after the other. Raise Conflict if the paper or its new neighbour
    is not in the topic or the order.
    """
    permissions.require(me, "edit")
    permissions.lock_present_paper(tx, paper_id)
    topic = get_topic_for_update(tx, slug)
    _refuse_unfiled(tx, topic, paper_id)
    position_by_paper = _find_all_positions(tx, topic)
    old_order = list(position_by_paper)
    if paper_id not in position_by_paper and len(old_order) >= MAX_PAPERS:
        raise Conflict(_("A reading order can have at most {most} papers.").format(most=MAX_PAPERS))
    new_order = _reorder_papers(old_order, paper_id, step)
    if new_order == old_order:
        return False
    _write_positions(
        tx, topic, positions.new_positions(new_order, {paper_id: None, **position_by_paper}, moved_item=paper_id)
    )
    _record_event(tx, me, topic, paper_id)
    return True


def remove_paper_from_order(tx: Write, me: CurrentUser, slug: str, paper_id: int) -> int | None:
    """Remove a paper from the order and return the undo entry's id; None if it was not in it.

    The paper stays in the topic.
    """
    permissions.require(me, "edit")
    permissions.lock_present_paper(tx, paper_id)
    topic = get_topic_for_update(tx, slug)
    order = list(_find_all_positions(tx, topic))
    if paper_id not in order:
        return None
    index = order.index(paper_id)
    _write_positions(tx, topic, {paper_id: None})
    _record_event(tx, me, topic, paper_id, verb="topic.unordered")
    title = tx.scalar(sa.select(col(Paper.title)).where(col(Paper.id) == paper_id))
    undo_data = {
        "title": f"{topic.name}: {title}",
        "topic": topic.id,
        "paper": paper_id,
        "behind": order[index - 1 : index],
    }
    return undo_log.record_undo_entry(tx, me, "topic.unordered", undo_data)


def restore_order(tx: Write, me: CurrentUser, undo_data: Mapping[str, Any]) -> str:
    """Restore a removed position and return the topic's URL.

    The paper goes behind the same paper as before, or else to the end. Raise Conflict if the topic is gone or the paper
    is no longer in it.
    """
    slug = tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.id) == undo_data["topic"]))
    if slug is None:
        raise Conflict(_("The topic no longer exists. Restore it first."))
    order = [*_find_all_positions(tx, get_topic_for_update(tx, slug))]
    predecessor = next((paper_id for paper_id in undo_data["behind"] if paper_id in order), None)
    first_ids = order[:1] if not undo_data["behind"] else []
    step = (
        ReadingOrderMove(after=predecessor)
        if predecessor
        else ReadingOrderMove(before=first_ids[0])
        if first_ids
        else ReadingOrderMove(to="bottom")
    )
    move_in_order(tx, me, slug, undo_data["paper"], step=step)
    return f"/topics/{slug}#order"


def append_papers(tx: Write, topic: Topic, papers: Sequence[int]) -> None:
    """Append papers of another order, up to the maximum."""
    position_by_paper = _find_all_positions(tx, topic)
    last_position = max((position or 0 for position in position_by_paper.values()), default=0)
    new_papers = [paper_id for paper_id in papers if paper_id not in position_by_paper][
        : max(MAX_PAPERS - len(position_by_paper), 0)
    ]
    _write_positions(
        tx,
        topic,
        {
            paper_id: last_position + positions.POSITION_GAP * number
            for number, paper_id in enumerate(new_papers, start=1)
        },
    )


def find_positions(tx: Write, topic: Topic) -> dict[int, int]:
    """Return the position of each paper for undo, including papers that are not listed now."""
    query = sa.select(col(PaperTopic.paper_id), col(PaperTopic.position)).where(
        col(PaperTopic.topic_id) == topic.id, col(PaperTopic.position).is_not(None)
    )
    return {row.paper_id: row.position or 0 for row in tx.rows(query.order_by(col(PaperTopic.position)))}


def set_positions(tx: Write, topic: Topic, position_by_paper: Mapping[int, int | None]) -> None:
    """Set the positions of papers in the topic; None removes one from the order."""
    _write_positions(tx, topic, position_by_paper)


def _record_event(tx: Write, me: CurrentUser, topic: Topic, paper_id: int, *, verb: str = "topic.ordered") -> None:
    events.record_event(tx, me, verb, paper_id=paper_id, data={"slug": topic.slug, "name": topic.name})


def _find_all_positions(tx: Write, topic: Topic) -> dict[int, int | None]:
    return {row.paper_id: row.position for row in tx.rows(_PLACES, {"topic_id": topic.id})}


def _reorder_papers(order: Sequence[int], paper_id: int, step: ReadingOrderMove) -> list[int]:
    if paper_id in {step.before, step.after}:
        return list(order)
    if step.to is not None:
        return positions.move_by_step(order if paper_id in order else [*order, paper_id], paper_id, step.to)
    for neighbour in (step.before, step.after):
        if neighbour is not None and neighbour not in order:
            raise Conflict(_not_ordered(neighbour), code="not-in-order")
    return positions.move_next_to(order, paper_id, before=step.before, after=step.after)


def _write_positions(tx: Write, topic: Topic, position_by_paper: Mapping[int, int | None]) -> None:
    statement = sa.update(PaperTopic).where(
        col(PaperTopic.topic_id) == topic.id, col(PaperTopic.paper_id) == sa.bindparam("of")
    )
    rows = [{"of": paper_id, "to": position} for paper_id, position in position_by_paper.items()]
    if rows:
        tx.flush()
        tx.connection().execute(statement.values(position=sa.bindparam("to")), rows)
        tx.expire_all()


def _refuse_unfiled(tx: Write, topic: Topic, paper_id: int) -> None:
    if tx.get(PaperTopic, (paper_id, topic.id)) is None:
        message = _("Paper {number} isn't directly in this topic.")
        raise Conflict(message.format(number=paper_id), code="not-filed")


def _not_ordered(paper_id: int) -> str:
    return _("Paper {number} isn't in the reading order.").format(number=paper_id)
