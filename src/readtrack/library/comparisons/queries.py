"""Queries for comparisons: one table, the tables of a topic, rows sorted by a column."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comparison, ComparisonRow, Entry, NoteRevision, Paper, Person, Topic
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.infra.text import normalize
from readtrack.library.comparisons import scale as comparisons_scale
from readtrack.library.comparisons.parse_table import ComparisonGrid
from readtrack.library.references.resolve import get_render_context
from readtrack.markdown.render_context import RenderContext

MAX_TABLES_SHOWN = 10  # tables shown on a topic's page; further ones are only listed by title
FIRST_ROWS = 20  # rows of each table shown there
_LEADS_ON = re.compile(r"://|\[\[|@|＠|\barxiv\s?:|\bdoi\s?:|\b10\.\d{4}", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[-−+]?\d[\d,]*(?:\.\d+)?")


class ComparisonCell(NamedTuple):
    """A cell split for display.

    `sign`: the scale sign it begins with; `meaning`: of the sign; `text`: the text after it; `scale_position`: position
    of the sign on the scale, from 0; `has_reference`: True if the text may contain linkable references.
    """

    sign: str
    meaning: str
    text: str
    scale_position: int | None
    has_reference: bool


class ComparisonDetailRow(NamedTuple):
    """A stored row. `title`: of its paper, None if that is not in the library."""

    id: int
    cells: Sequence[str]
    paper_id: int | None
    title: str | None
    language: str | None


@dataclass(frozen=True)
class ComparisonDetail:
    """A table with everything its page shows. `note`: its source as (note, revision, line)."""

    id: int
    topic: str  # slug
    topic_name: str
    title: str
    columns: Sequence[str]
    scale: Sequence[tuple[str, str]]
    rows: Sequence[ComparisonDetailRow]
    version: int
    created_at: datetime
    updated_at: datetime
    updated_by: str
    note: tuple[int, int, int] | None

    @property
    def grid(self) -> ComparisonGrid:
        return ComparisonGrid(self.columns, [row.cells for row in self.rows])

    @property
    def texts(self) -> list[str]:
        """The cells that may mention people, papers or topics."""
        return _linkable_cells(self.rows)

    def split_cells(self, row: ComparisonDetailRow) -> list[ComparisonCell]:
        """Return the cells of a row with their signs split off."""
        return [_parse_cell(cell, self.scale) for cell in row.cells]

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The signs of the scale that have a meaning, with that meaning."""
        return [
            (sign, label)
            for sign, meaning in self.scale
            if (label := meaning or _(comparisons_scale.default_meaning(sign)))
        ]

    def sort_rows(self, column: int, *, reverse: bool = False) -> list[ComparisonDetailRow]:
        """Return the rows sorted by a column (from 0): scale signs, best first, then numbers, then text.

        Blank cells come last in either direction.
        """
        if not 0 <= column < len(self.columns):
            return list(self.rows)
        filled = [row for row in self.rows if row.cells[column]]
        sorted_rows = sorted(filled, key=lambda row: _sort_key(row.cells[column], self.scale), reverse=reverse)
        return [*sorted_rows, *(row for row in self.rows if not row.cells[column])]


class TopicComparisons(NamedTuple):
    """The tables of a topic. `further_tables`: id and title of those beyond the limit of the page."""

    tables: Sequence[ComparisonDetail]
    further_tables: Sequence[Any]
    render_context: RenderContext


def get_comparison(tx: Read, me: CurrentUser, comparison_id: int) -> ComparisonDetail:
    """Return a comparison. Raise NotFound."""
    permissions.require(me, "see")
    comparisons = _find_comparisons(tx, col(Comparison.id) == comparison_id)
    if not comparisons:
        raise NotFound(not_found_message(comparison_id))
    return comparisons[0]


def find_comparisons(tx: Read, me: CurrentUser, comparison_ids: Sequence[int]) -> dict[int, ComparisonDetail]:
    """Return comparisons by id; missing ones are left out."""
    permissions.require(me, "see")
    found = _find_comparisons(tx, col(Comparison.id).in_(comparison_ids), len(comparison_ids))
    return {comparison.id: comparison for comparison in found}


def not_found_message(comparison_id: int) -> str:
    return _("Table {number} not found.").format(number=comparison_id)


def list_comparisons(
    tx: Read, me: CurrentUser, topic_id: int | None, *, limit: int = MAX_TABLES_SHOWN
) -> list[ComparisonDetail]:
    """Return the tables of a topic, oldest first, in two statements (no N+1)."""
    permissions.require(me, "see")
    return _find_comparisons(tx, col(Comparison.topic_id) == topic_id, limit)


def get_topic_comparisons(tx: Read, me: CurrentUser, topic_id: int) -> TopicComparisons:
    """Return the tables that a topic's page shows."""
    tables = list_comparisons(tx, me, topic_id)
    further_tables: Sequence[Any] = ()
    if len(tables) == MAX_TABLES_SHOWN:
        conditions = (col(Comparison.topic_id) == topic_id, col(Comparison.id) > tables[-1].id)
        further_tables = tx.execute(
            sa.select(col(Comparison.id), col(Comparison.title)).where(*conditions).order_by(col(Comparison.id))
        ).all()
    return TopicComparisons(
        tables,
        further_tables,
        get_render_context(tx, [text for table in tables for text in _linkable_cells(table.rows[:FIRST_ROWS])]),
    )


_SHOWN: Sequence[Any] = (
    col(Comparison.id),
    col(Topic.slug).label("topic"),
    col(Topic.name).label("topic_name"),
    col(Comparison.title),
    col(Comparison.columns),
    col(Comparison.scale),
    col(Comparison.version),
    col(Comparison.created_at),
    col(Comparison.updated_at),
    col(Person.name).label("person"),
    col(NoteRevision.note_id),
    col(NoteRevision.number),
    col(Entry.first_line),
)
_TABLES: sa.Select[Any] = (
    sa.select(*_SHOWN)
    .join(Topic, col(Topic.id) == col(Comparison.topic_id))
    .join(Person, col(Person.id) == col(Comparison.updated_by), isouter=True)
    .join(Entry, col(Entry.id) == col(Comparison.entry_id), isouter=True)
    .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id), isouter=True)
    .order_by(col(Comparison.id))
)
_OF_ROW: Sequence[Any] = (
    col(ComparisonRow.comparison_id),
    col(ComparisonRow.id),
    col(ComparisonRow.cells),
    col(ComparisonRow.paper_id),
    col(Paper.title),
    col(Paper.language),
)
_ROWS: sa.Select[Any] = (
    sa.select(*_OF_ROW)
    .join(Paper, sa.and_(col(Paper.id) == col(ComparisonRow.paper_id), is_present(Paper)), isouter=True)
    .order_by(col(ComparisonRow.position), col(ComparisonRow.id))
)


def _find_comparisons(tx: Read, condition: sa.ColumnElement[bool], limit: int = 1) -> list[ComparisonDetail]:
    tables = tx.execute(_TABLES.where(condition).limit(limit)).all()
    rows: dict[int, list[ComparisonDetailRow]] = {table.id: [] for table in tables}
    for row in tx.execute(_ROWS.where(col(ComparisonRow.comparison_id).in_(rows))) if rows else ():
        rows[row.comparison_id].append(ComparisonDetailRow(*row[1:]))
    return [_build_detail(table, rows[table.id]) for table in tables]


def _linkable_cells(rows: Sequence[ComparisonDetailRow]) -> list[str]:
    return [cell for row in rows for cell in row.cells if _LEADS_ON.search(cell)]


def _build_detail(table: sa.Row[Any], rows: Sequence[ComparisonDetailRow]) -> ComparisonDetail:
    return ComparisonDetail(
        id=table.id,
        topic=table.topic,
        topic_name=table.topic_name,
        title=table.title,
        columns=table.columns,
        scale=[(sign, meaning) for sign, meaning in table.scale],
        rows=rows,
        version=table.version,
        created_at=table.created_at,
        updated_at=table.updated_at,
        updated_by=table.person or "",
        note=(table.note_id, table.number, table.first_line) if table.note_id else None,
    )


def _parse_cell(cell: str, scale: comparisons_scale.Scale) -> ComparisonCell:
    sign = comparisons_scale.find_leading_sign(cell, scale)
    position = comparisons_scale.find_scale_position(scale, sign)
    if position is None:
        return ComparisonCell("", "", cell, None, _LEADS_ON.search(cell) is not None)
    meaning, rest = scale[position][1] or _(comparisons_scale.default_meaning(sign)), cell.strip()[len(sign) :]
    return ComparisonCell(sign, meaning, rest, position, _LEADS_ON.search(rest) is not None)


def _sort_key(cell: str, scale: comparisons_scale.Scale) -> tuple[int, float, str]:
    """Return the sort key of a cell: scale signs first, then numbers, then text."""
    position = comparisons_scale.find_scale_position(scale, comparisons_scale.find_leading_sign(cell, scale))
    if position is not None:
        return 0, position, normalize.key(cell)
    number = _NUMBER.match(cell)
    if number:
        return 1, float(number[0].replace(",", "").replace("−", "-")), normalize.key(cell)
    return 2, 0, normalize.key(cell)
