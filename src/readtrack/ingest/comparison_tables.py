"""Import of tables from notes as comparisons.

A table that only lists papers is not a comparison.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comparison, Entry, NoteRevision, Paper, Topic
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports.stored_text import is_long, read_text, split_lines
from readtrack.library.comparisons import scale
from readtrack.library.comparisons.commands import MAX_TITLE_CHARS, ComparisonFields, add_comparison, make_comparison
from readtrack.library.comparisons.parse_table import (
    MAX_CELL_CHARS,
    MAX_COLUMNS,
    MAX_ROWS,
    ComparisonGrid,
    is_row,
    is_rule,
    read_table,
)
from readtrack.library.papers.lookup import find_by_refs, find_papers_by_title, is_distinctive, to_title_key
from readtrack.library.topics.commands import find_or_add_topic, get_or_add_topic, to_topic_name
from readtrack.library.topics.queries import find_id

MAX_TABLES = 50  # tables imported automatically from one note
_PAPERS = ("paper", "mention")


class TableBlock(NamedTuple):
    """A table in a note.

    `lines`: the line number of each row. `legend`: the meanings of signs, from the line next to the table.
    """

    grid: ComparisonGrid
    lines: Sequence[int]
    legend: Mapping[str, str]


def import_tables(tx: Write, me: CurrentUser, import_id: int, topics: Sequence[str]) -> None:
    """Import the comparison tables of an import, each under the topic of its heading.

    Without such a topic, the first topic chosen for the whole import is used. A table without any topic, a table over
    the size limits, and a table that an earlier revision of the note already had are left in the notes.
    """
    is_new_table = (col(Entry.kind) == "table", col(Entry.decision) == "add")
    if tx.scalar(sa.select(col(Entry.id)).where(col(Entry.revision_id) == import_id, *is_new_table).limit(1)) is None:
        return
    entries = _entries(tx, import_id)
    papers = _papers_by_line(entries)
    for entry, block in _new_blocks(_lines(tx, import_id), entries):
        if _is_comparison(block, papers) and not _is_in_earlier_revision(tx, import_id, entry.title):
            _import_block(tx, me, entry, block, papers=papers, topics=topics)


def import_table(tx: Write, me: CurrentUser, entry_id: int, topic: str) -> Comparison:
    """Import one table of a note as a comparison of the given topic.

    Raise NotFound, Invalid or Conflict.
    """
    permissions.require(me, "edit")
    entry = tx.get(Entry, entry_id)
    block = (
        find_table_block(_lines(tx, entry.revision_id), entry.first_line) if entry and entry.kind == "table" else None
    )
    if entry is None or block is None:
        raise NotFound(_("No table in these lines."))
    existing_id = tx.scalar(sa.select(col(Comparison.id)).where(col(Comparison.entry_id) == entry_id))
    if existing_id is not None:
        raise Conflict(_("This table is already saved."), code="there-already")
    comparison = _build_comparison(tx, block, _papers_by_line(_entries(tx, entry.revision_id)))
    if isinstance(comparison, str):
        raise Invalid(comparison)
    slug = tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.id) == get_or_add_topic(tx, me, topic)))
    return add_comparison(tx, me, slug or "", comparison, entry_id=entry_id)


def find_table_block(lines: Sequence[str], number: int) -> TableBlock | None:
    """Return the Markdown table at a line (1-based), with the legend right above or below it."""
    unquoted = [line.lstrip("> ") for line in lines]
    start = end = number - 1
    if not 0 <= start < len(unquoted) or not is_row(unquoted[start]):
        return None
    while start > 0 and is_row(unquoted[start - 1]):
        start -= 1
    while end + 1 < len(unquoted) and is_row(unquoted[end + 1]):
        end += 1
    grid = read_table("\n".join(unquoted[start : end + 1]))
    if grid is None:
        return None
    rows = [index for index in range(start, end + 1) if not (index == start + 1 and is_rule(unquoted[index]))]
    return TableBlock(grid, [index + 1 for index in rows[1:]], _legend(unquoted, start, end))


def list_row_papers(tx: Read, rows: Sequence[Sequence[str]]) -> list[int | None]:
    """Return the paper that each row names, by identifier, address or full title in a cell."""
    from readtrack.ingest.parser.items.find_links import find_links

    refs = [[found.ref for cell in row for found in find_links(cell)] for row in rows]
    papers_by_ref = find_by_refs(tx, sorted({ref for row_refs in refs for ref in row_refs}))
    titles = {cell for row in rows for cell in row if is_distinctive(cell)}
    ids_by_title = {key: paper.id for (_kind, key), paper in find_papers_by_title(tx, titles).items() if paper.exists}
    candidates = [
        next((papers_by_ref[ref] for ref in row_refs if ref in papers_by_ref), None)
        or next((ids_by_title[key] for cell in row if (key := to_title_key(cell)) in ids_by_title), None)
        for row_refs, row in zip(refs, rows, strict=True)
    ]
    query = sa.select(col(Paper.id)).where(
        col(Paper.id).in_({paper_id for paper_id in candidates if paper_id}), permissions.is_present(Paper)
    )
    present_ids = {*tx.scalars(query)} if any(candidates) else set()
    return [paper_id if paper_id in present_ids else None for paper_id in candidates]


def _legend(lines: Sequence[str], start: int, end: int) -> Mapping[str, str]:
    """Return the legend next to a table, separated from it by at most one blank line."""
    line_below = next((line for line in lines[end + 1 : end + 3] if line.strip()), "")
    line_above = next((line for line in reversed(lines[max(start - 2, 0) : start]) if line.strip()), "")
    return scale.parse_legend(line_below) or scale.parse_legend(line_above)


def _entries(tx: Read, import_id: int) -> Sequence[Entry]:
    conditions = (col(Entry.revision_id) == import_id, col(Entry.joined_to).is_(None))
    is_kind = col(Entry.kind).in_(("table", *_PAPERS))
    return tx.scalars(
        sa.select(Entry).where(*conditions, is_kind).order_by(col(Entry.first_line), col(Entry.part))
    ).all()


def _lines(tx: Read, import_id: int) -> Sequence[str]:
    """Return the lines of a note; none of a long text, which consists of records."""
    return [] if is_long(tx, import_id) else split_lines(read_text(tx, import_id))


def _papers_by_line(entries: Sequence[Entry]) -> dict[int, int]:
    papers = [(entry.first_line, entry.paper_id) for entry in entries if entry.kind in _PAPERS and entry.paper_id]
    return dict(reversed(papers))


def _is_comparison(block: TableBlock, papers: Mapping[int, int]) -> bool:
    """Return False if more than half of the rows are papers: such a table is a list of papers."""
    return 2 * sum(line in papers for line in block.lines) <= len(block.lines)


def _new_blocks(lines: Sequence[str], entries: Sequence[Entry]) -> Iterator[tuple[Entry, TableBlock]]:
    """Yield the tables with at least one new line, each with its first entry.

    The rows of one table may be separated by entries of papers.
    """
    tables = [entry for entry in entries if entry.kind == "table"]
    block_by_entry = {entry.id: find_table_block(lines, entry.first_line) for entry in tables if entry.title}
    entry_blocks = [(entry, block) for entry in tables if (block := block_by_entry.get(entry.id))][:MAX_TABLES]
    for entry, block in entry_blocks:
        line_range = range(entry.first_line, block.lines[-1] + 1)
        if any(table.decision == "add" and table.first_line in line_range for table in tables):
            yield entry, block


def _topic(tx: Write, me: CurrentUser, headings: Sequence[str], topics: Sequence[str]) -> Topic | None:
    """Return the topic of the innermost heading, or else the first topic chosen for the whole import."""
    ids = (find_id(tx, to_topic_name(name)) for name in reversed(headings))
    topic_id = next((candidate for candidate in ids if candidate is not None), None)
    if topic_id is None and topics:
        topic_id = find_or_add_topic(tx, me, topics[0])
    # keeps the topic from being deleted until the table is stored
    lock: dict[str, bool] = {"read": True, "key_share": True}
    return tx.get(Topic, topic_id, with_for_update=lock) if topic_id is not None else None


def _is_in_earlier_revision(tx: Read, import_id: int, title: str) -> bool:
    """Return True if an earlier revision of this note had a table with the same columns.

    The team has then already imported or dismissed that table, and later revisions do not overwrite its edits.
    """
    note = sa.select(col(NoteRevision.note_id)).where(col(NoteRevision.id) == import_id).scalar_subquery()
    revisions = sa.select(col(NoteRevision.id)).where(
        col(NoteRevision.note_id) == note, col(NoteRevision.id) != import_id, col(NoteRevision.state) == "committed"
    )
    conditions = (col(Entry.kind) == "table", col(Entry.title) == title, col(Entry.revision_id).in_(revisions))
    return tx.scalar(sa.select(col(Entry.id)).where(*conditions).limit(1)) is not None


def _import_block(
    tx: Write, me: CurrentUser, entry: Entry, block: TableBlock, *, papers: Mapping[int, int], topics: Sequence[str]
) -> None:
    comparison = _build_comparison(tx, block, papers)
    topic = None if isinstance(comparison, str) else _topic(tx, me, entry.topics, topics)
    if topic is None or isinstance(comparison, str):
        return
    # The topic has reached its limit of tables. It can be imported by hand once there is room.
    with suppress(Conflict):
        make_comparison(tx, me, topic, comparison, entry_id=entry.id)


def _build_comparison(tx: Read, block: TableBlock, papers: Mapping[int, int]) -> ComparisonFields | str:
    """Return the comparison to create, or a message that says why the table cannot be imported."""
    columns, rows = block.grid
    papers_in_cells = list_row_papers(tx, rows)
    row_papers = [papers.get(line) or paper for line, paper in zip(block.lines, papers_in_cells, strict=True)]
    cells = (cell for row in rows for cell in row)
    fields = {
        "title": (" · ".join(filter(None, columns)) or _("Table"))[:MAX_TITLE_CHARS],
        "columns": columns,
        "rows": [{"cells": row, "paper": paper} for row, paper in zip(rows, row_papers, strict=True)],
        "scale": [{"sign": sign, "meaning": meaning} for sign, meaning in scale.build_scale(cells, block.legend)],
    }
    try:
        return ComparisonFields.model_validate(fields)
    except ValidationError:
        return _(
            "This table is too large. The limits are {rows} rows, {columns} columns and {letters} characters per cell."
        ).format(rows=MAX_ROWS, columns=MAX_COLUMNS, letters=MAX_CELL_CHARS)
