"""Provenance of a paper's metadata: the records side by side, and who chose or typed each field.

The value of a record is shown as a word-level diff against the displayed one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.i18n import N_, format_day, format_number
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person
from readtrack.infra.text.diff import CellBudget, CommonRun, common_runs
from readtrack.library.enrichment.choose import TOGETHER
from readtrack.library.enrichment.pending import service_label
from readtrack.library.papers.detail import PaperDetail
from readtrack.library.papers.display_options import PUBLICATION_TYPE_WORDS
from readtrack.metadata import sources

MIN_SIMILARITY = 0.4  # share of the words; beneath it, marking single words tells nothing
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# A formula counts as one word, so that it is rendered whole.
_WORD = re.compile(rf"\$[^\s$][^$]*\$|\s+|[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")
WORDS = {  # labels of the fields
    "title": N_("Title"),
    "authors": N_("Authors"),
    "year": N_("Year"),
    "published_on": N_("Date"),
    "venue": N_("Venue"),
    "publication_type": N_("Publication type"),
    "abstract": N_("Abstract"),
    "language": N_("Language"),
}
STAGES = {"published": N_("published"), "preprint": N_("preprint"), "page": N_("web page")}
MAX_AUTHORS = 40
_ORDER = ("agrees", "disagrees", "refused", "superseded")


class DiffFragment(NamedTuple):
    """A run of words, and whether the other text lacks it."""

    text: str
    is_different: bool


def diff_fragments(old: str, new: str) -> list[DiffFragment]:
    """Split `new` where it differs from `old`, ignoring case.

    Return a single fragment if the texts are too different or too long.
    """
    new_words, old_words = _WORD.findall(new), _WORD.findall(old)
    if not new_words or not old_words:
        return [DiffFragment(new, is_different=False)] if new_words else []
    runs = common_runs(_fold_case(old_words), _fold_case(new_words), CellBudget()) or []
    same = [word for run in runs for word in new_words[run.other : run.other + run.size]]
    if 2 * _count_words(same) < MIN_SIMILARITY * (_count_words(old_words) + _count_words(new_words)):
        return [DiffFragment(new, is_different=True)]
    return list(_fragments(new_words, runs))


def _fragments(words: Sequence[str], runs: Sequence[CommonRun]) -> Iterator[DiffFragment]:
    """What is in no run differs, but for blanks."""
    at = 0
    for run in [*runs, CommonRun(0, len(words), 0)]:
        before, same = "".join(words[at : run.other]), "".join(words[run.other : run.other + run.size])
        at = run.other + run.size
        if before:
            yield DiffFragment(before, is_different=not before.isspace())
        if same:
            yield DiffFragment(same, is_different=False)


def _count_words(words: Sequence[str]) -> int:
    return sum(not word.isspace() for word in words)


def _fold_case(words: list[str]) -> list[str]:
    return [" " if word.isspace() else word.casefold() for word in words]


class RecordCell(NamedTuple):
    """A record's value of a field, as a diff against the displayed one.

    `is_usable`: it can be chosen instead.
    """

    fragments: Sequence[DiffFragment]
    is_displayed: bool
    is_usable: bool

    @property
    def is_different(self) -> bool:
        return any(fragment.is_different for fragment in self.fragments)


class RecordColumn(NamedTuple):
    """A record as a column.

    `name`, `url`: of the identifier it is about; `can_split`: that identifier can be split off as a new paper.
    """

    id: int
    service: str
    stage: str
    state: str
    problem: str
    name: str
    url: str
    checked_at: datetime
    remark: str
    canonical: bool
    can_split: bool
    title: str
    cells: Mapping[str, RecordCell]


class FieldProvenance(NamedTuple):
    """A displayed field and its source.

    `attribution`: in short; `is_manual`: typed or chosen by a person; `from_record`: a record has this value.
    """

    name: str
    word: str
    text: str
    attribution: str
    is_manual: bool
    from_record: bool


@dataclass(frozen=True)
class Provenance:
    """The fields and records of a paper.

    `columns`: current records, including those a person may accept; `earlier_records`: superseded records.
    """

    fields: Sequence[FieldProvenance]
    columns: Sequence[RecordColumn]
    earlier_records: Sequence[RecordColumn]

    @property
    def attribution(self) -> str:
        """The attribution line below the authors: the main source, then the fields that come from elsewhere."""
        fields = [field for field in self.fields if field.name in TOGETHER and field.attribution]
        attributions = [field.attribution for field in fields]
        main_source = max(dict.fromkeys(attributions), key=attributions.count, default="")
        other_fields = [field for field in fields if field.attribution != main_source]
        exceptions = [
            _("{field}: {said}").format(field=field.word.lower(), said=field.attribution) for field in other_fields
        ]
        return "; ".join(filter(None, (main_source, *exceptions)))

    @property
    def disagreeing(self) -> Sequence[RecordColumn]:
        return [column for column in self.columns if column.state == "disagrees"]

    @property
    def remarks(self) -> Sequence[RecordColumn]:
        """The agreeing records that report the work as withdrawn or retracted."""
        prefixes = ("withdrawn", "retracted", "removed")
        return [column for column in self.columns if column.state == "agrees" and column.remark.startswith(prefixes)]

    @property
    def published(self) -> RecordColumn | None:
        """The agreeing record of the published form."""
        return next(
            (column for column in self.columns if (column.state, column.stage) == ("agrees", "published")), None
        )


def get_provenance(tx: Read, paper: PaperDetail, records: Iterable[sa.Row[Any]], *, in_notes: bool) -> Provenance:
    """Return the provenance of a paper's fields. `in_notes`: the paper appears in imported notes."""
    values = {name: _text(name, _value(paper, name)) for name in WORDS}
    columns = sorted((_column(paper, record, values) for record in records), key=_rank)
    manual_edits = _find_manual_edits(tx, paper.field_locks)
    sourced_names = {*paper.field_sources, *(name for name, stamp in paper.field_locks.items() if stamp.get("record"))}
    field_rows = [
        FieldProvenance(
            name,
            _(word),
            values[name],
            _format_attribution(paper, name, manual_edits, in_notes=in_notes),
            name in manual_edits,
            name in sourced_names,
        )
        for name, word in WORDS.items()
        if values[name] or any(column.cells[name].fragments for column in columns)
    ]
    current = [column for column in columns if column.state != "superseded"]
    return Provenance(field_rows, current, [column for column in columns if column.state == "superseded"])


def _value(paper: PaperDetail, name: str) -> Any:  # noqa: ANN401 - any type of field
    return (
        getattr(paper, name) if name in {"abstract", "published_on", "publication_type"} else getattr(paper.row, name)
    )


def _text(name: str, value: Any) -> str:  # noqa: ANN401
    if name == "publication_type":
        return _(PUBLICATION_TYPE_WORDS[value]) if value else ""
    if isinstance(value, list):
        names, remaining = ", ".join(value[:MAX_AUTHORS]), len(value) - MAX_AUTHORS
        return (
            _("{names} and {count} more").format(names=names, count=format_number(remaining))
            if remaining > 0
            else names
        )
    if hasattr(value, "isoformat"):
        return format_day(value)
    return "" if value is None else str(value)


def _column(paper: PaperDetail, record: sa.Row[Any], values: Mapping[str, str]) -> RecordColumn:
    source, identifier = sources.by_name(record.scheme), f"{record.scheme}:{record.value}"
    return RecordColumn(
        id=record.id,
        service=service_label(record.service),
        stage=_(STAGES[record.stage]),
        state=record.state,
        problem=record.problem,
        name=source.label(record.value),
        url=source.url(record.value),
        checked_at=record.checked_at,
        remark=record.remark,
        canonical=record.id == paper.record_id,
        can_split=identifier in paper.row.identifiers and len(paper.row.identifiers) > 1,
        title=record.title,
        cells={name: _cell(paper, record, name, values[name]) for name in WORDS},
    )


def _cell(paper: PaperDetail, record: sa.Row[Any], name: str, displayed: str) -> RecordCell:
    value = getattr(record, name)
    origin, locked = paper.field_sources.get(name), paper.field_locks.get(name, {})
    is_displayed = locked.get("record") == record.id if locked else bool(origin and origin.record_id == record.id)
    is_usable = bool(value) and value != _value(paper, name)
    return RecordCell(diff_fragments(displayed, _text(name, value)), is_displayed=is_displayed, is_usable=is_usable)


def _format_attribution(paper: PaperDetail, name: str, manual_edits: Mapping[str, str], *, in_notes: bool) -> str:
    """Return the attribution of a field, or "".

    Examples: "from USENIX, 21 Nov 2026", "set by Ada", "from the notes".
    """
    if name in manual_edits:
        return manual_edits[name]
    if not _value(paper, name):
        return ""
    if (origin := paper.field_sources.get(name)) is not None:
        return _("from {service}, {day}").format(service=origin.label, day=format_day(origin.checked_at))
    if in_notes:
        return _("from the notes")
    return _("set by {name}").format(name=paper.added_by) if paper.added_by else ""


def _find_manual_edits(tx: Read, locked: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return, by field, the attribution to a person, in at most one statement."""
    ids = {stamp.get("by") for stamp in locked.values()} - {None}
    query = sa.select(col(Person.id), col(Person.name)).where(col(Person.id).in_(sorted(ids)))
    people = {row.id: row.name for row in tx.execute(query)} if ids else {}
    return {name: _format_manual_edit(stamp, people) for name, stamp in locked.items()}


def _format_manual_edit(stamp: Mapping[str, Any], people: Mapping[int, str]) -> str:
    person = people.get(stamp.get("by") or 0) or _("someone")
    attribution = _("set by {name}").format(name=person)
    edited_at = stamp.get("at")
    return (
        _("{said}, {day}").format(said=attribution, day=format_day(datetime.fromisoformat(edited_at)))
        if edited_at
        else attribution
    )


def _rank(column: RecordColumn) -> tuple[bool, int, int]:
    return not column.canonical, _ORDER.index(column.state), -column.id
