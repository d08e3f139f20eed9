"""The grid of a form: what was typed, one more row or column of it, a table pasted into it; and what it makes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.comparison_tables import papers_of_rows
from readtrack.library.comparisons import parse_table as tables
from readtrack.library.comparisons import scale as comparisons_scale
from readtrack.library.comparisons.parse_table import MOST_COLUMNS, MOST_ROWS, read_table
from readtrack.library.comparisons.queries import ComparisonDetail
from readtrack.library.comparisons.schemas import ComparisonIn
from readtrack.library.relations.links import find_meant
from readtrack.web.dependencies.forms import Fields, check, whole

ADDRESS = "/papers/{}"


@dataclass(frozen=True)
class TypedRow:
    """A row of the form. `paper`: as a person names it; `about`: its title, where that is known."""

    cells: Sequence[str]
    paper: str = ""
    about: str = ""


@dataclass(frozen=True)
class Typed:
    """A table as it stands in the form."""

    title: str
    columns: Sequence[str]
    rows: Sequence[TypedRow]
    scale: Sequence[tuple[str, str]]
    pasted: str = ""

    @property
    def width(self) -> int:
        return len(self.columns)


EMPTY = Typed("", ("", "", ""), (TypedRow(("", "", "")),) * 3, ())


def typed_of(fields: Fields) -> Typed:
    """What the form sent."""
    wide = min(whole(fields.get("columns")), MOST_COLUMNS)
    high = min(whole(fields.get("rows")), MOST_ROWS)
    rows = [TypedRow([fields.get(f"r{row}c{at}") for at in range(wide)], fields.get(f"r{row}p")) for row in range(high)]
    scale = [
        (fields.get(f"s{at}"), fields.get(f"m{at}"))
        for at in range(min(whole(fields.get("signs")), comparisons_scale.MOST_SIGNS))
    ]
    columns = [fields.get(f"c{at}") for at in range(wide)]
    return Typed(fields.get("title"), columns, rows, scale, fields.get("pasted"))


def shown_of(table: ComparisonDetail) -> Typed:
    """What stands there now."""
    rows = [
        TypedRow(row.cells, ADDRESS.format(row.paper_id) if row.paper_id else "", row.title or "") for row in table.rows
    ]
    return Typed(table.title, table.columns, rows, table.scale)


def as_markdown(said: Typed) -> str:
    """The same as a text, to be copied: with the papers that rows are about, and what the signs mean."""
    papers = any(row.paper for row in said.rows)
    columns = [*said.columns, *([_("Paper")] if papers else [])]
    rows = [[*row.cells, *([row.paper] if papers else [])] for row in said.rows]
    scale = "".join(f"{sign} {meaning}\n" for sign, meaning in said.scale)
    return "\n".join(filter(None, (tables.as_markdown(tables.Grid(columns, rows)), scale)))


def changed(tx: Read, typed: Typed, act: str) -> Typed:
    """The form after one of its buttons: "row", "drop-row-2", "up-2", "column", "drop-column-0", "sign", "paste"."""
    name, _dash, number = act.rpartition("-")
    if name in _AT:
        return _AT[name](typed, whole(number))
    return _pasted(tx, typed) if act == "paste" else _MORE[act](typed)


def is_change(act: str) -> bool:
    """Whether a button changes the form only, and saves nothing."""
    return act in {*_MORE, "paste"} or act.rpartition("-")[0] in _AT


def made_of(tx: Read, typed: Typed, *, known: Collection[int] = ()) -> tuple[ComparisonIn | None, dict[str, str]]:
    """The table of the form, and what is wrong by field. `known`: papers that its rows had, which may be gone."""
    errors: dict[str, str] = {}
    typed = _without_blank_columns(typed)
    rows = []
    for number, row in enumerate(typed.rows):
        if any(cell.strip() for cell in row.cells) or row.paper.strip():
            try:
                rows.append({"cells": row.cells, "paper": _meant(tx, row.paper.strip(), known)})
            except Invalid as problem:
                errors[f"r{number}p"] = problem.errors[0].detail
    scale = [{"sign": sign, "meaning": meaning} for sign, meaning in typed.scale if sign.strip()]
    checked = check(ComparisonIn, {"title": typed.title, "columns": typed.columns, "rows": rows, "scale": scale})
    named = {_FIELDS.get(name, name): sentence for name, sentence in checked.errors.items()}
    return checked.value if not errors else None, {**errors, **named}


_FIELDS = {"": "title", "columns": "c0", "rows": "r0c0", "scale": "s0"}


def _meant(tx: Read, text: str, known: Collection[int]) -> int | None:
    kept = next((number for number in known if text == ADDRESS.format(number)), None)
    return (kept or find_meant(tx, text)) if text else None


def _more_rows(typed: Typed) -> Typed:
    empty = TypedRow([""] * typed.width)
    return replace(typed, rows=[*typed.rows, empty][:MOST_ROWS])


def _more_columns(typed: Typed) -> Typed:
    if typed.width >= MOST_COLUMNS:
        return typed
    return replace(
        typed, columns=[*typed.columns, ""], rows=[replace(row, cells=[*row.cells, ""]) for row in typed.rows]
    )


def _more_signs(typed: Typed) -> Typed:
    """One more; the first time those that the cells begin with."""
    cells = (cell for row in typed.rows for cell in row.cells)
    found = [] if typed.scale else comparisons_scale.scale_of(cells, {})
    return replace(typed, scale=(found or [*typed.scale, ("", "")])[: comparisons_scale.MOST_SIGNS])


def _without_row(typed: Typed, at: int) -> Typed:
    return replace(typed, rows=[row for number, row in enumerate(typed.rows) if number != at])


def _without_column(typed: Typed, at: int) -> Typed:
    if typed.width < 2:
        return typed

    def left(cells: Sequence[str]) -> list[str]:
        return [cell for number, cell in enumerate(cells) if number != at]

    rows = [replace(row, cells=left(row.cells)) for row in typed.rows]
    return replace(typed, columns=left(typed.columns), rows=rows)


def _without_blank_columns(typed: Typed) -> Typed:
    """Without those that nobody began; one stays."""
    for at in reversed(range(typed.width)):
        if not any(text.strip() for text in (typed.columns[at], *(row.cells[at] for row in typed.rows))):
            typed = _without_column(typed, at)
    return typed


def _row_up(typed: Typed, at: int) -> Typed:
    rows = list(typed.rows)
    if 0 < at < len(rows):
        rows[at - 1], rows[at] = rows[at], rows[at - 1]
    return replace(typed, rows=rows)


def _sign_up(typed: Typed, at: int) -> Typed:
    scale = list(typed.scale)
    if 0 < at < len(scale):
        scale[at - 1], scale[at] = scale[at], scale[at - 1]
    return replace(typed, scale=scale)


_MORE: Mapping[str, Callable[[Typed], Typed]] = {"row": _more_rows, "column": _more_columns, "sign": _more_signs}
_AT: Mapping[str, Callable[[Typed, int], Typed]] = {
    "drop-row": _without_row,
    "drop-column": _without_column,
    "up": _row_up,
    "sign-up": _sign_up,
}


def _pasted(tx: Read, typed: Typed) -> Typed:
    """The table that was pasted in the place of the grid, rows that name papers linked. Raises Invalid for no table."""
    grid = read_table(typed.pasted)
    if grid is None:
        raise Invalid(
            _("This is no table: paste its first row too, and two columns or more. Nothing was changed."),
        )
    if len(grid.rows) > MOST_ROWS or len(grid.columns) > MOST_COLUMNS:
        message = _("A table may have {rows} rows and {columns} columns; this one has more. Nothing was changed.")
        raise Invalid(message.format(rows=MOST_ROWS, columns=MOST_COLUMNS))
    papers = papers_of_rows(tx, grid.rows)
    rows = [
        TypedRow(cells, ADDRESS.format(paper) if paper else "") for cells, paper in zip(grid.rows, papers, strict=True)
    ]
    scale = typed.scale or comparisons_scale.scale_of((cell for row in grid.rows for cell in row), {})
    return replace(typed, columns=grid.columns, rows=rows, scale=scale, pasted="")


def context_of(typed: Typed, errors: Mapping[str, str]) -> dict[str, Any]:
    """What the template is given."""
    return {"typed": typed, "errors": errors, "most_rows": MOST_ROWS, "most_columns": MOST_COLUMNS}
