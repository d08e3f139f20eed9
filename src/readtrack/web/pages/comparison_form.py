"""The form of a comparison table: parsing, its buttons, pasted tables, and validation."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.comparison_tables import list_row_papers
from readtrack.library.comparisons import parse_table as tables
from readtrack.library.comparisons import scale as comparisons_scale
from readtrack.library.comparisons.parse_table import MOST_COLUMNS, MOST_ROWS, read_table
from readtrack.library.comparisons.queries import ComparisonDetail
from readtrack.library.comparisons.schemas import ComparisonFields
from readtrack.library.relations.links import get_paper_by_text
from readtrack.web.dependencies.forms import Fields, parse_int, validate_form

ADDRESS = "/papers/{}"


@dataclass(frozen=True)
class GridRow:
    """A row of the form. `paper`: as entered; `about`: title of the paper, if known."""

    cells: Sequence[str]
    paper: str = ""
    about: str = ""


@dataclass(frozen=True)
class ComparisonForm:
    """A table as entered in the form."""

    title: str
    columns: Sequence[str]
    rows: Sequence[GridRow]
    scale: Sequence[tuple[str, str]]
    pasted: str = ""

    @property
    def width(self) -> int:
        return len(self.columns)


EMPTY_GRID = ComparisonForm("", ("", "", ""), (GridRow(("", "", "")),) * 3, ())


def grid_from_form(fields: Fields) -> ComparisonForm:
    """Parse the submitted form."""
    wide = min(parse_int(fields.get("columns")), MOST_COLUMNS)
    high = min(parse_int(fields.get("rows")), MOST_ROWS)
    rows = [GridRow([fields.get(f"r{row}c{at}") for at in range(wide)], fields.get(f"r{row}p")) for row in range(high)]
    scale = [
        (fields.get(f"s{at}"), fields.get(f"m{at}"))
        for at in range(min(parse_int(fields.get("signs")), comparisons_scale.MOST_SIGNS))
    ]
    columns = [fields.get(f"c{at}") for at in range(wide)]
    return ComparisonForm(fields.get("title"), columns, rows, scale, fields.get("pasted"))


def grid_from_comparison(table: ComparisonDetail) -> ComparisonForm:
    """Return the form for a stored table."""
    rows = [
        GridRow(row.cells, ADDRESS.format(row.paper_id) if row.paper_id else "", row.title or "") for row in table.rows
    ]
    return ComparisonForm(table.title, table.columns, rows, table.scale)


def grid_to_markdown(said: ComparisonForm) -> str:
    """Return the table as Markdown to copy, with the papers of rows and the meaning of signs."""
    papers = any(row.paper for row in said.rows)
    columns = [*said.columns, *([_("Paper")] if papers else [])]
    rows = [[*row.cells, *([row.paper] if papers else [])] for row in said.rows]
    scale = "".join(f"{sign} {meaning}\n" for sign, meaning in said.scale)
    return "\n".join(filter(None, (tables.as_markdown(tables.ComparisonGrid(columns, rows)), scale)))


def apply_button(tx: Read, typed: ComparisonForm, act: str) -> ComparisonForm:
    """Apply a button of the form: "row", "drop-row-2", "up-2", "column", "drop-column-0", "sign", "paste"."""
    name, _dash, number = act.rpartition("-")
    if name in _POSITION_BUTTONS:
        return _POSITION_BUTTONS[name](typed, parse_int(number))
    return _paste_table(tx, typed) if act == "paste" else _ADD_BUTTONS[act](typed)


def is_grid_button(act: str) -> bool:
    """Return True if a button only changes the form and saves nothing."""
    return act in {*_ADD_BUTTONS, "paste"} or act.rpartition("-")[0] in _POSITION_BUTTONS


def comparison_from_grid(
    tx: Read, typed: ComparisonForm, *, known: Collection[int] = ()
) -> tuple[ComparisonFields | None, dict[str, str]]:
    """Return the table and errors by field.

    `known`: papers that rows already had, which are accepted even if gone.
    """
    errors: dict[str, str] = {}
    typed = _remove_blank_columns(typed)
    rows = []
    for number, row in enumerate(typed.rows):
        if any(cell.strip() for cell in row.cells) or row.paper.strip():
            try:
                rows.append({"cells": row.cells, "paper": _find_row_paper(tx, row.paper.strip(), known)})
            except Invalid as problem:
                errors[f"r{number}p"] = problem.errors[0].detail
    scale = [{"sign": sign, "meaning": meaning} for sign, meaning in typed.scale if sign.strip()]
    checked = validate_form(
        ComparisonFields, {"title": typed.title, "columns": typed.columns, "rows": rows, "scale": scale}
    )
    named = {_FIELDS.get(name, name): sentence for name, sentence in checked.errors.items()}
    return checked.value if not errors else None, {**errors, **named}


_FIELDS = {"": "title", "columns": "c0", "rows": "r0c0", "scale": "s0"}


def _find_row_paper(tx: Read, text: str, known: Collection[int]) -> int | None:
    kept = next((number for number in known if text == ADDRESS.format(number)), None)
    return (kept or get_paper_by_text(tx, text)) if text else None


def _add_row(typed: ComparisonForm) -> ComparisonForm:
    empty = GridRow([""] * typed.width)
    return replace(typed, rows=[*typed.rows, empty][:MOST_ROWS])


def _add_column(typed: ComparisonForm) -> ComparisonForm:
    if typed.width >= MOST_COLUMNS:
        return typed
    return replace(
        typed, columns=[*typed.columns, ""], rows=[replace(row, cells=[*row.cells, ""]) for row in typed.rows]
    )


def _add_sign(typed: ComparisonForm) -> ComparisonForm:
    """Add a sign; for an empty scale, those the cells begin with."""
    cells = (cell for row in typed.rows for cell in row.cells)
    found = [] if typed.scale else comparisons_scale.build_scale(cells, {})
    return replace(typed, scale=(found or [*typed.scale, ("", "")])[: comparisons_scale.MOST_SIGNS])


def _remove_row(typed: ComparisonForm, at: int) -> ComparisonForm:
    return replace(typed, rows=[row for number, row in enumerate(typed.rows) if number != at])


def _remove_column(typed: ComparisonForm, at: int) -> ComparisonForm:
    if typed.width < 2:
        return typed

    def remaining_cells(cells: Sequence[str]) -> list[str]:
        return [cell for number, cell in enumerate(cells) if number != at]

    rows = [replace(row, cells=remaining_cells(row.cells)) for row in typed.rows]
    return replace(typed, columns=remaining_cells(typed.columns), rows=rows)


def _remove_blank_columns(typed: ComparisonForm) -> ComparisonForm:
    """Remove blank columns, but keep at least one."""
    for at in reversed(range(typed.width)):
        if not any(text.strip() for text in (typed.columns[at], *(row.cells[at] for row in typed.rows))):
            typed = _remove_column(typed, at)
    return typed


def _move_row_up(typed: ComparisonForm, at: int) -> ComparisonForm:
    rows = list(typed.rows)
    if 0 < at < len(rows):
        rows[at - 1], rows[at] = rows[at], rows[at - 1]
    return replace(typed, rows=rows)


def _move_sign_up(typed: ComparisonForm, at: int) -> ComparisonForm:
    scale = list(typed.scale)
    if 0 < at < len(scale):
        scale[at - 1], scale[at] = scale[at], scale[at - 1]
    return replace(typed, scale=scale)


_ADD_BUTTONS: Mapping[str, Callable[[ComparisonForm], ComparisonForm]] = {
    "row": _add_row,
    "column": _add_column,
    "sign": _add_sign,
}
_POSITION_BUTTONS: Mapping[str, Callable[[ComparisonForm, int], ComparisonForm]] = {
    "drop-row": _remove_row,
    "drop-column": _remove_column,
    "up": _move_row_up,
    "sign-up": _move_sign_up,
}


def _paste_table(tx: Read, typed: ComparisonForm) -> ComparisonForm:
    """Replace the grid by the pasted table, linking rows that name papers.

    Raise Invalid if it is not a table.
    """
    grid = read_table(typed.pasted)
    if grid is None:
        raise Invalid(
            _("This is no table: paste its first row too, and two columns or more. Nothing was changed."),
        )
    if len(grid.rows) > MOST_ROWS or len(grid.columns) > MOST_COLUMNS:
        message = _("A table may have {rows} rows and {columns} columns; this one has more. Nothing was changed.")
        raise Invalid(message.format(rows=MOST_ROWS, columns=MOST_COLUMNS))
    papers = list_row_papers(tx, grid.rows)
    rows = [
        GridRow(cells, ADDRESS.format(paper) if paper else "") for cells, paper in zip(grid.rows, papers, strict=True)
    ]
    scale = typed.scale or comparisons_scale.build_scale((cell for row in grid.rows for cell in row), {})
    return replace(typed, columns=grid.columns, rows=rows, scale=scale, pasted="")


def build_grid_context(typed: ComparisonForm, errors: Mapping[str, str]) -> dict[str, Any]:
    """Return the context of the template."""
    return {"typed": typed, "errors": errors, "most_rows": MOST_ROWS, "most_columns": MOST_COLUMNS}
