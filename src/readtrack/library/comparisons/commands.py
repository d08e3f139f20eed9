"""Commands for comparisons: create, edit, delete, restore; and their input models, shared by forms and the JSON API.

Anyone who may edit topics may use them.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Self

import sqlalchemy as sa
from pydantic import Field, model_validator
from sqlmodel import col

from readtrack.infra import action_quotas, events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, FieldError, Invalid, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comparison, ComparisonRow, Entry, Paper, Topic
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import OneLine, StrictModel
from readtrack.library.comparisons import scale as comparisons_scale
from readtrack.library.comparisons.parse_table import MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROWS, ComparisonGrid, as_markdown
from readtrack.library.comparisons.queries import not_found_message
from readtrack.library.topics.commands import get_topic_for_update

MAX_TITLE_CHARS = 200

CellText = Annotated[str, Field(max_length=MAX_CELL_CHARS), OneLine]
MAX_PER_TOPIC = 100


class ComparisonRowFields(StrictModel):
    """A row: one cell for each column, and the id of the paper it is about."""

    cells: list[CellText]
    paper: int | None = None


class ScaleSign(StrictModel):
    """A sign of the scale and its meaning."""

    sign: Annotated[str, Field(min_length=1, max_length=comparisons_scale.MAX_SIGN_CHARS), OneLine]
    meaning: Annotated[str, Field(max_length=comparisons_scale.MAX_MEANING_CHARS), OneLine] = ""


class ComparisonFields(StrictModel):
    """A whole table. `scale`: the best sign first."""

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARS), OneLine]
    columns: Annotated[list[CellText], Field(min_length=1, max_length=MAX_COLUMNS)]
    rows: Annotated[list[ComparisonRowFields], Field(max_length=MAX_ROWS)] = Field(default_factory=list)
    scale: Annotated[list[ScaleSign], Field(max_length=comparisons_scale.MAX_SIGNS)] = Field(default_factory=list)

    @model_validator(mode="after")
    def _validate_shape(self) -> Self:
        for number, row in enumerate(self.rows, 1):
            if len(row.cells) != len(self.columns):
                message = _("Row {number} has {cells} cells, but the table has {columns} columns.").format(
                    number=number, cells=len(row.cells), columns=len(self.columns)
                )
                raise ValueError(message)
        twice = [
            sign
            for sign, count in Counter(comparisons_scale.normalize_sign(each.sign) for each in self.scale).items()
            if count > 1
        ]
        if twice:
            message = _("Sign {sign} is used twice.").format(sign=twice[0])
            raise ValueError(message)
        return self


def add_comparison(
    tx: Write, me: CurrentUser, slug: str, data: ComparisonFields, *, entry_id: int | None = None
) -> Comparison:
    """Create a comparison table in a topic.

    Raise NotFound, Invalid if a paper does not exist, TooManyRequests, or Conflict if the topic has too many tables.
    """
    permissions.require(me, "edit")
    action_quotas.require(tx, me, "comparison.added")
    return make_comparison(tx, me, get_topic_for_update(tx, slug), data, entry_id=entry_id)


def add_comparison_once(tx: Write, me: CurrentUser, slug: str, data: ComparisonFields) -> Comparison:
    """Create a table, or return an identical unchanged one of mine, so that a resubmitted form adds none."""
    permissions.require(me, "edit")
    permissions.lock_person(tx, me)
    conditions = (
        col(Comparison.created_by) == me.id,
        col(Comparison.version) == 1,
        col(Comparison.title) == data.title,
    )
    query = sa.select(Comparison).join(Topic, col(Topic.id) == col(Comparison.topic_id))
    tables = tx.scalars(query.where(*conditions, col(Topic.slug) == slug).order_by(col(Comparison.id).desc())).all()
    content = data.model_dump()
    identical = (table for table in tables if _dump_comparison(table, _list_rows(tx, table))["table"] == content)
    return next(identical, None) or add_comparison(tx, me, slug, data)


def make_comparison(
    tx: Write, me: CurrentUser, topic: Topic, data: ComparisonFields, *, entry_id: int | None = None
) -> Comparison:
    """Create a table without the quota check, which imports are exempt from.

    `entry_id`: the entry of the notes from which the table is made.
    """
    permissions.require(me, "edit")
    _refuse_crowd(tx, topic)
    _refuse_papers(tx, data, known=())
    table = Comparison(
        topic_id=topic.id,
        title=data.title,
        columns=data.columns,
        scale=_scale(data),
        entry_id=entry_id,
        created_by=me.id,
        updated_by=me.id,
    )
    tx.add(table)
    tx.flush()
    _add_rows(tx, table, data)
    events.record_event(tx, me, "comparison.added", data=_event_data(table, topic))
    return table


def edit_comparison(
    tx: Write, me: CurrentUser, comparison_id: int, edit: ComparisonFields, *, version: int
) -> Comparison:
    """Replace the whole table. Raise StaleVersion with the current version if it was saved in the meantime.

    Return without a change if the content is identical, whatever the version, because a request may arrive twice.
    """
    permissions.require(me, "edit")
    table = _get_comparison_for_update(tx, comparison_id)
    rows = _list_rows(tx, table)
    dump = _dump_comparison(table, rows)
    if dump["table"] == edit.model_dump():
        return table
    if table.version != version:
        raise _build_stale_error(table, rows, version)
    _refuse_papers(tx, edit, known={row.paper_id for row in rows})
    tx.execute(sa.delete(ComparisonRow).where(col(ComparisonRow.comparison_id) == table.id))
    table.title, table.columns, table.scale = edit.title, edit.columns, _scale(edit)
    table.version, table.updated_at, table.updated_by = version + 1, now(), me.id
    tx.flush()
    _add_rows(tx, table, edit)
    events.record_event(tx, me, "comparison.edited", data=_event_data(table, _get_topic(tx, table)), before=dump)
    return table


def delete_comparison(tx: Write, me: CurrentUser, comparison_id: int) -> int:
    """Delete a table and return the id of the undo entry, which can restore it for thirty days."""
    permissions.require(me, "edit")
    table = _get_comparison_for_update(tx, comparison_id)
    topic, rows = _get_topic(tx, table), _list_rows(tx, table)
    undo_data = {
        "title": table.title,
        "was": table.id,
        "topic": topic.id,
        "entry": table.entry_id,
        **_dump_comparison(table, rows),
    }
    undo_id = undo_log.record_undo_entry(tx, me, "comparison.deleted", undo_data)
    events.record_event(tx, me, "comparison.deleted", data=_event_data(table, topic))
    tx.execute(sa.delete(ComparisonRow).where(col(ComparisonRow.comparison_id) == table.id))
    tx.delete(table)
    tx.flush()
    return undo_id


def restore_comparison(tx: Write, me: CurrentUser, undo_data: Mapping[str, Any]) -> int:
    """Restore a deleted table and return its id. Raise Conflict if its topic is gone.

    Rows lose their link to papers that are gone.
    """
    permissions.require(me, "edit")
    topic = tx.get(Topic, undo_data["topic"], with_for_update=True)
    if topic is None:
        raise Conflict(_("The topic no longer exists. Restore it first."))
    data = ComparisonFields.model_validate(undo_data["table"])
    for row in data.rows:
        row.paper = _find_present_paper(tx, row.paper)
    taken_query = sa.select(col(Comparison.id)).where(col(Comparison.entry_id) == undo_data["entry"])
    is_entry_free = (
        undo_data["entry"] is not None
        and tx.scalar(taken_query) is None
        and tx.get(Entry, undo_data["entry"]) is not None
    )
    return make_comparison(tx, me, topic, data, entry_id=undo_data["entry"] if is_entry_free else None).id or 0


def _find_present_paper(tx: Write, paper_id: int | None) -> int | None:
    if paper_id is None:
        return None
    paper_id = permissions.find_surviving_paper(tx, paper_id) or paper_id
    return paper_id if paper_id in _lock_present_papers(tx, {paper_id}) else None


def _lock_present_papers(tx: Write, paper_ids: Collection[int]) -> set[int]:
    """Return the papers that exist, and lock them against deletion until the transaction ends."""
    query = sa.select(col(Paper.id)).where(col(Paper.id).in_(paper_ids), permissions.is_present(Paper))
    return {paper_id for paper_id in tx.scalars(query.with_for_update(read=True, key_share=True)) if paper_id}


def _refuse_papers(tx: Write, data: ComparisonFields, *, known: Collection[int | None]) -> None:
    """Raise Invalid if a row refers to a missing paper, unless the table referred to it before."""
    paper_ids = {row.paper for row in data.rows if row.paper is not None} - {*known}
    missing_ids = paper_ids - _lock_present_papers(tx, paper_ids) if paper_ids else set()
    problems = [
        FieldError(f"/rows/{index}/paper", "unknown-paper", _("Paper {paper_id} not found.").format(paper_id=paper))
        for index, row in enumerate(data.rows)
        if (paper := row.paper) in missing_ids
    ]
    if problems:
        raise Invalid(problems[0].detail, problems)


def _refuse_crowd(tx: Write, topic: Topic) -> None:
    count_query = sa.select(sa.func.count()).where(col(Comparison.topic_id) == topic.id)
    if (tx.scalar(count_query) or 0) >= MAX_PER_TOPIC:
        message = _("This topic already has {most} tables, the maximum. Delete one first.").format(most=MAX_PER_TOPIC)
        raise Conflict(message, code="too-many-tables")


def _add_rows(tx: Write, table: Comparison, data: ComparisonFields) -> None:
    tx.add_all(
        ComparisonRow(comparison_id=table.id or 0, position=position, cells=row.cells, paper_id=row.paper)
        for position, row in enumerate(data.rows)
    )
    tx.flush()


def _list_rows(tx: Write, table: Comparison) -> list[ComparisonRow]:
    query = sa.select(ComparisonRow).where(col(ComparisonRow.comparison_id) == table.id)
    return list(tx.scalars(query.order_by(col(ComparisonRow.position), col(ComparisonRow.id))))


def _scale(data: ComparisonFields) -> list[list[str]]:
    return [[level.sign, level.meaning] for level in data.scale]


def _dump_comparison(table: Comparison, rows: Collection[ComparisonRow]) -> dict[str, Any]:
    """Return the data from which the table can be recreated."""
    scale = [{"sign": sign, "meaning": meaning} for sign, meaning in table.scale]
    row_data = [ComparisonRowFields(cells=row.cells, paper=row.paper_id).model_dump() for row in rows]
    return {"table": {"title": table.title, "columns": table.columns, "rows": row_data, "scale": scale}}


def _event_data(table: Comparison, topic: Topic) -> dict[str, Any]:
    return {"comparison": table.id, "slug": topic.slug, "name": topic.name, "title": table.title}


def _get_topic(tx: Write, table: Comparison) -> Topic:
    return tx.get_one(Topic, table.topic_id)


def _get_comparison_for_update(tx: Write, comparison_id: int) -> Comparison:
    table = tx.get(Comparison, comparison_id, with_for_update=True, populate_existing=True)
    if table is None or table.topic_id is None:
        raise NotFound(not_found_message(comparison_id))
    return table


def _build_stale_error(table: Comparison, rows: Collection[ComparisonRow], version: int) -> StaleVersion:
    message = _("Someone else saved version {version}. Your version isn't saved.").format(version=table.version)
    markdown = as_markdown(ComparisonGrid(table.columns, [row.cells for row in rows]))
    current = {"version": table.version, "yours": version, "title": table.title, "markdown": markdown}
    return StaleVersion(message, current=current)
