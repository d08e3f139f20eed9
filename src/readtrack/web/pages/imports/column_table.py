"""The table of an import's columns: what each is read as."""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.imports import rules
from readtrack.ingest.imports.columns import get_columns, has_room_for_columns

MAX_OPEN_COLUMNS = 12  # a longer table is folded
FIELD_LABELS = {
    "": N_("Not used"),
    "title": N_("Title"),
    "reference": N_("Reference"),
    "authors": N_("Authors"),
    "year": N_("Year"),
    "date": N_("Date published"),
    "venue": N_("Venue"),
    "publisher": N_("Publisher"),
    "url": N_("Link"),
    "doi": N_("DOI"),
    "arxiv": N_("arXiv ID"),
    "topics": N_("Topic"),
    "tags": N_("Tags"),
    "folders": N_("Folders"),
    "status": N_("Status"),
    "read_on": N_("Date read"),
    "rating": N_("Rating"),
    "notes": N_("Notes"),
    "abstract": N_("Abstract"),
    "citation_key": N_("Citation key"),
    "type": N_("Type"),
    "code": N_("Code"),
    "video": N_("Video"),
    "slides": N_("Slides"),
    "link": N_("Other link"),
    "extra": N_("Extra"),
}


@dataclass(frozen=True)
class ColumnRow:
    """A column. `field`: what it is read as, a key of FIELD_LABELS."""

    number: int
    name: str
    sample: str
    field: str
    label: str


@dataclass(frozen=True)
class ColumnTable:
    """The columns of an import.

    `is_text`: its lines are read as free text so far. `is_read_by_rule`: as chosen for an earlier file.
    `is_remembered`: a rule says what they are. `obstacle`: why a choice would not be remembered, "" if it would be.
    `options`: the choices, as pairs of field and label.
    """

    rows: Sequence[ColumnRow]
    has_header: bool
    is_text: bool
    is_read_by_rule: bool
    is_remembered: bool
    obstacle: str
    is_open: bool
    options: Sequence[tuple[str, str]]

    @property
    def used_rows(self) -> Sequence[ColumnRow]:
        return [row for row in self.rows if row.field]


def build_column_table(tx: Read, import_id: int, typed: Sequence[str] = ()) -> ColumnTable | None:
    """Return the columns of an import, None if it is no table. `typed`: the rejected choice to show again."""
    choice = get_columns(tx, import_id)
    if choice is None:
        return None
    columns = choice.columns
    is_typed = len(typed) == len(columns.names)
    fields = typed if is_typed else columns.fields
    labels = field_labels()
    rows = [
        ColumnRow(number, _display_name(name, number), sample, field, labels.get(field, field))
        for number, (name, sample, field) in enumerate(zip(columns.names, columns.samples, fields, strict=True), 1)
    ]
    rule = rules.find_column_rule(tx, columns.names) if columns.has_header else None
    return ColumnTable(
        rows,
        columns.has_header,
        is_text=choice.source == "text",
        is_read_by_rule=choice.source == "rule",
        is_remembered=rule is not None and dict(rule[1]) == choice.fields,
        obstacle="" if has_room_for_columns(tx, columns) else rules.describe_limit(),
        is_open=is_typed or (choice.mapping is None and len(rows) <= MAX_OPEN_COLUMNS) or not columns.has_paper_names,
        options=list(labels.items()),
    )


def field_labels() -> dict[str, str]:
    """Return the names of what columns can be read as, in the current language."""
    return {field: _(label) for field, label in FIELD_LABELS.items()}


def _display_name(name: str, number: int) -> str:
    return _("Column {number}").format(number=number) if name == f"Column {number}" else name
