"""What the columns of an imported CSV file are read as: chosen by a person, remembered, or found by the parser."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import NoteRevision
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.ingest.imports.rules import add_column_rule, find_column_rule, has_room
from readtrack.ingest.parser.column_fields import COLUMN_FIELDS, FileColumns, cut_name

Source = Literal["parser", "text", "rule", "person"]  # text: the parser reads the lines as free text, not as a table


NO_COLUMNS = N_("These notes are no CSV or TSV file, so columns can’t be chosen.")


class ColumnError(Invalid):
    """A choice of columns that does not fit the file. `column`: the name of the wrong one, "" if it is none."""

    def __init__(self, message: str, column: str = "") -> None:
        pointer = f"/columns/{column.replace('~', '~0').replace('/', '~1')}" if column else "/columns"
        super().__init__(message, [FieldError(pointer, "columns", message)])
        self.column = column


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of a file, and who says what they are read as."""

    columns: FileColumns
    source: Source

    @property
    def mapping(self) -> FileColumns | None:
        """The columns by which the parser is to read, None if it finds them itself."""
        return self.columns if self.source in {"rule", "person"} else None

    @property
    def fields(self) -> dict[str, str]:
        """What each column is read as by its name, "" if it is not used."""
        names = self.columns.names
        return dict(zip(names, self.columns.fields, strict=True)) if self.source != "text" else dict.fromkeys(names, "")

    def to_json(self) -> dict[str, Any]:
        """Return what is stored with a revision."""
        values = asdict(self.columns)
        columns = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"columns": columns, "source": self.source}


def choose_columns(
    tx: Read | None, text: str, chosen: Mapping[str, str] | None = None, *, has_header: bool | None = None
) -> ColumnChoice | None:
    """Return the columns of a text: those chosen by name, else remembered, else as the parser finds them.

    `tx`: None if there is no library. `text`: whole lines from the beginning. `has_header`: whether the first row is
    one, if a person said so. None if the text is no table. Raise ColumnError if `chosen` does not fit.
    """
    from readtrack.ingest.parser.file_columns import find_file_columns  # the parser is loaded when it is needed

    found = find_file_columns(text, has_header=has_header)
    if found is None:
        if chosen:
            raise ColumnError(_(NO_COLUMNS))
        return None
    rule = find_column_rule(tx, found.names) if tx and found.has_header else None
    if has_header is None and not found.has_header:
        with_header = find_file_columns(text, has_header=True)
        rule = find_column_rule(tx, with_header.names) if tx and with_header else None
        if with_header and (rule or _has_any(with_header, chosen or {})):
            found = with_header
    source: Source = "parser" if found.is_table else "text"
    if rule is not None:
        found, source = found.with_fields(rule[1]), "rule"
    return _choose(found, chosen) if chosen else ColumnChoice(found, source)


def change_choice(
    stored: ColumnChoice | None,
    text: str,
    chosen: Mapping[str, str] | Sequence[str],
    *,
    has_header: bool | None = None,
) -> ColumnChoice:
    """Return the stored columns of a text with those chosen by name or, if all are chosen, in their order.

    The others stay as they are, whatever the parser or a rule says now. Raise ColumnError if `chosen` does not fit.
    """
    from readtrack.ingest.parser.file_columns import find_file_columns  # the parser is loaded when it is needed

    columns = stored.columns if stored else find_file_columns(text)
    if columns and has_header not in {None, columns.has_header}:
        columns = find_file_columns(text, has_header=has_header)
    elif columns and has_header is None and not columns.has_header and not _has_any(columns, chosen):
        with_header = find_file_columns(text, has_header=True)  # the first row may have been taken for a paper
        columns = with_header if with_header and _has_any(with_header, chosen) else columns
    if columns is None:
        raise ColumnError(_(NO_COLUMNS))
    if isinstance(chosen, Mapping):
        return _choose(columns, chosen)
    if len(chosen) != len(columns.names):
        message = _("Choose what each of the {count:,} columns is. Load the page again.")
        raise ColumnError(message.format(count=len(columns.names)))
    return _choose(columns, dict(zip(columns.names, chosen, strict=True)))


def _choose(columns: FileColumns, chosen: Mapping[str, str]) -> ColumnChoice:
    columns = columns.with_fields(_check_names(columns, chosen))
    if not columns.has_paper_names:
        raise ColumnError(_("Choose the column with the title, the reference, the address, the DOI or the arXiv ID."))
    return ColumnChoice(columns, "person")


def _has_any(columns: FileColumns, names: Iterable[str]) -> bool:
    """Return True if one of the names is that of a column."""
    return any(_find_name(columns, name) for name in names)


def _find_name(columns: FileColumns, name: str) -> str:
    """Return the name of a column as it is stored, "" if there is none. A long one may be given in full."""
    names = {normalize.key(own_name): own_name for own_name in columns.names}
    return names.get(normalize.key(name)) or names.get(normalize.key(cut_name(name)), "")


def _check_names(columns: FileColumns, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the chosen fields by the names as the file spells them. Raise ColumnError."""
    fields: dict[str, str] = {}
    for name, field in chosen.items():
        own_name = _find_name(columns, name)
        if not own_name:
            message = _("There is no column “{name}”. The columns are: {names}.")
            if not name.strip():
                message = _("The name of a column is missing. The columns are: {names}.")
            raise ColumnError(message.format(name=name[:100], names=", ".join(columns.names)[:1000]), name[:100])
        if field and field not in COLUMN_FIELDS:
            message = _("A column can’t be read as “{field}”. Use one of {fields}, or nothing for a column not used.")
            raise ColumnError(message.format(field=field[:100], fields=", ".join(COLUMN_FIELDS)), name[:100])
        fields[own_name] = field
    return fields


def remember_columns(tx: Write, me: CurrentUser, choice: ColumnChoice) -> None:
    """Have files with the same header read the same way.

    Columns without a header are not remembered, nor are those of one header more than the team may have rules.
    """
    if choice.columns.has_header and has_room_for_columns(tx, choice.columns):
        add_column_rule(tx, me, choice.fields)


def has_room_for_columns(tx: Read, columns: FileColumns) -> bool:
    """Return True if columns with this header can be remembered: a rule on it can be changed, or one be added."""
    return find_column_rule(tx, columns.names) is not None or has_room(tx)


def get_columns(tx: Read, import_id: int) -> ColumnChoice | None:
    """Return the columns by which an import was read, None if it is no table."""
    return from_reading(tx.scalar(sa.select(col(NoteRevision.reading)).where(col(NoteRevision.id) == import_id)) or {})


def from_reading(reading: Mapping[str, Any]) -> ColumnChoice | None:
    """Return the columns that are stored with a revision."""
    stored = reading.get("columns")
    if not stored:
        return None
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored["columns"].items()
    }
    return ColumnChoice(FileColumns(**values), stored["source"])
