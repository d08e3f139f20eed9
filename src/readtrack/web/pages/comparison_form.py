"""The form of a comparison table: parsing, its buttons, pasted tables, and validation."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.comparison_tables import list_row_papers
from readtrack.library.comparisons import parse_table as tables
from readtrack.library.comparisons import scale as comparisons_scale
from readtrack.library.comparisons.commands import ComparisonFields
from readtrack.library.comparisons.parse_table import MAX_COLUMNS, MAX_ROWS, read_table
from readtrack.library.comparisons.queries import ComparisonDetail
from readtrack.library.relations.links import get_paper_by_text
from readtrack.web.dependencies.forms import Fields, parse_int, validate_form

ADDRESS = "/papers/{}"


@dataclass(frozen=True)
class GridRow:
    """A row of the form. `paper`: as entered; `title`: title of the paper, if known."""

    cells: Sequence[str]
    paper: str = ""
    title: str = ""


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
    column_count = min(parse_int(fields.get("columns")), MAX_COLUMNS)
    row_count = min(parse_int(fields.get("rows")), MAX_ROWS)
    rows = [
        GridRow([fields.get(f"r{row}c{index}") for index in range(column_count)], fields.get(f"r{row}p"))
        for row in range(row_count)
    ]
    scale = [
        (fields.get(f"s{index}"), fields.get(f"m{index}"))
        for index in range(min(parse_int(fields.get("signs")), comparisons_scale.MAX_SIGNS))
    ]
    columns = [fields.get(f"c{index}") for index in range(column_count)]
    return ComparisonForm(fields.get("title"), columns, rows, scale, fields.get("pasted"))


def grid_from_comparison(table: ComparisonDetail) -> ComparisonForm:
    """Return the form for a stored table."""
    rows = [
        GridRow(row.cells, ADDRESS.format(row.paper_id) if row.paper_id else "", row.title or "") for row in table.rows
    ]
    return ComparisonForm(table.title, table.columns, rows, table.scale)


def grid_to_markdown(form: ComparisonForm) -> str:
    """Return the table as Markdown to copy, with the papers of rows and the meaning of signs."""
    papers = any(row.paper for row in form.rows)
    columns = [*form.columns, *([_("Paper")] if papers else [])]
    rows = [[*row.cells, *([row.paper] if papers else [])] for row in form.rows]
    scale = "".join(f"{sign} {meaning}\n" for sign, meaning in form.scale)
    return "\n".join(filter(None, (tables.as_markdown(tables.ComparisonGrid(columns, rows)), scale)))


def apply_button(tx: Read, form: ComparisonForm, button: str) -> ComparisonForm:
    """Apply a button of the form: "row", "drop-row-2", "up-2", "column", "drop-column-0", "sign", "paste"."""
    name, _separator, number = button.rpartition("-")
    if name in _POSITION_BUTTONS:
        return _POSITION_BUTTONS[name](form, parse_int(number))
    return _paste_table(tx, form) if button == "paste" else _ADD_BUTTONS[button](form)


def is_grid_button(button: str) -> bool:
    """Return True if a button only changes the form and saves nothing."""
    return button in {*_ADD_BUTTONS, "paste"} or button.rpartition("-")[0] in _POSITION_BUTTONS


def comparison_from_grid(
    tx: Read, me: CurrentUser, form: ComparisonForm, *, known_papers: Collection[int] = ()
) -> tuple[ComparisonFields | None, dict[str, str]]:
    """Return the table and errors by field.

    `known_papers`: papers that rows already had, which are accepted even if gone.
    """
    errors: dict[str, str] = {}
    form = _remove_blank_columns(form)
    rows = []
    for number, row in enumerate(form.rows):
        if any(cell.strip() for cell in row.cells) or row.paper.strip():
            try:
                rows.append({"cells": row.cells, "paper": _find_row_paper(tx, me, row.paper.strip(), known_papers)})
            except Invalid as error:
                errors[f"r{number}p"] = error.errors[0].detail
    scale = [{"sign": sign, "meaning": meaning} for sign, meaning in form.scale if sign.strip()]
    form_result = validate_form(
        ComparisonFields, {"title": form.title, "columns": form.columns, "rows": rows, "scale": scale}
    )
    form_errors = {_FIELDS.get(name, name): message for name, message in form_result.errors.items()}
    return form_result.value if not errors else None, {**errors, **form_errors}


_FIELDS = {"": "title", "columns": "c0", "rows": "r0c0", "scale": "s0"}


def _find_row_paper(tx: Read, me: CurrentUser, text: str, known_papers: Collection[int]) -> int | None:
    known_paper = next((number for number in known_papers if text == ADDRESS.format(number)), None)
    return (known_paper or get_paper_by_text(tx, me, text)) if text else None


def _add_row(form: ComparisonForm) -> ComparisonForm:
    empty = GridRow([""] * form.width)
    return replace(form, rows=[*form.rows, empty][:MAX_ROWS])


def _add_column(form: ComparisonForm) -> ComparisonForm:
    if form.width >= MAX_COLUMNS:
        return form
    return replace(form, columns=[*form.columns, ""], rows=[replace(row, cells=[*row.cells, ""]) for row in form.rows])


def _add_sign(form: ComparisonForm) -> ComparisonForm:
    """Add a sign; for an empty scale, those the cells begin with."""
    cells = (cell for row in form.rows for cell in row.cells)
    proposed = [] if form.scale else comparisons_scale.build_scale(cells, {})
    return replace(form, scale=(proposed or [*form.scale, ("", "")])[: comparisons_scale.MAX_SIGNS])


def _remove_row(form: ComparisonForm, index: int) -> ComparisonForm:
    return replace(form, rows=[row for number, row in enumerate(form.rows) if number != index])


def _remove_column(form: ComparisonForm, index: int) -> ComparisonForm:
    if form.width < 2:
        return form

    def remaining_cells(cells: Sequence[str]) -> list[str]:
        return [cell for number, cell in enumerate(cells) if number != index]

    rows = [replace(row, cells=remaining_cells(row.cells)) for row in form.rows]
    return replace(form, columns=remaining_cells(form.columns), rows=rows)


def _remove_blank_columns(form: ComparisonForm) -> ComparisonForm:
    """Remove blank columns, but keep at least one."""
    for index in reversed(range(form.width)):
        if not any(text.strip() for text in (form.columns[index], *(row.cells[index] for row in form.rows))):
            form = _remove_column(form, index)
    return form


def _move_row_up(form: ComparisonForm, index: int) -> ComparisonForm:
    rows = list(form.rows)
    if 0 < index < len(rows):
        rows[index - 1], rows[index] = rows[index], rows[index - 1]
    return replace(form, rows=rows)


def _move_sign_up(form: ComparisonForm, index: int) -> ComparisonForm:
    scale = list(form.scale)
    if 0 < index < len(scale):
        scale[index - 1], scale[index] = scale[index], scale[index - 1]
    return replace(form, scale=scale)


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


def _paste_table(tx: Read, form: ComparisonForm) -> ComparisonForm:
    """Replace the grid by the pasted table, linking rows that name papers.

    Raise Invalid if it is not a table.
    """
    grid = read_table(form.pasted)
    if grid is None:
        raise Invalid(
            _("Paste a table with a header row and at least two columns."),
        )
    if len(grid.rows) > MAX_ROWS or len(grid.columns) > MAX_COLUMNS:
        message = _("A table can have at most {rows} rows and {columns} columns.")
        raise Invalid(message.format(rows=MAX_ROWS, columns=MAX_COLUMNS))
    papers = list_row_papers(tx, grid.rows)
    rows = [
        GridRow(cells, ADDRESS.format(paper) if paper else "") for cells, paper in zip(grid.rows, papers, strict=True)
    ]
    scale = form.scale or comparisons_scale.build_scale((cell for row in grid.rows for cell in row), {})
    return replace(form, columns=grid.columns, rows=rows, scale=scale, pasted="")


def build_grid_context(form: ComparisonForm, errors: Mapping[str, str]) -> dict[str, Any]:
    """Return the context of the template."""
    return {"typed": form, "errors": errors, "most_rows": MAX_ROWS, "most_columns": MAX_COLUMNS}
