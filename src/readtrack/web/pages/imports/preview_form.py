"""Parsing of the preview form: changed fields, the pressed button, and the position in the list."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from readtrack.infra.validation import validation_message
from readtrack.ingest.imports.edit_entries import EntryUpdate
from readtrack.ingest.imports.queries import PAPER_ENTRY_KINDS, EntryFilter
from readtrack.web.dependencies.forms import Fields, parse_int
from readtrack.web.templating.environment import with_query

FIELDS = {  # Names of form fields, such as do-7.
    "decision": "do",
    "title": "title",
    "identifier": "id",
    "topics": "topics",
    "kind": "kind",
    "venue": "venue",
    "year": "year",
    "status": "my",
    "keep_rule": "rule",
}
ORIGINAL = "saw"  # the decision that the form showed: saw-7
NONE = "none"  # value for "no status", as a blank field counts as missing
ANSWERS = {"twin", "alias", "ends"}  # buttons that change their entry
_FIELD_NAMES = {field: name for name, field in FIELDS.items()}


@dataclass(frozen=True)
class PreviewPosition:
    """The filter, the page, and the entry being edited."""

    show: str = ""
    kind: str = ""
    q: str = ""
    after: int = 0
    edit: int = 0

    @property
    def entry_filter(self) -> EntryFilter:
        return EntryFilter(show=self.show, kind=self.kind, q=self.q)

    def address(self, import_id: int, **changes: Any) -> str:  # noqa: ANN401 - other values of its fields
        """Return the URL of this position, with changes."""
        position = replace(self, **changes)
        page = {"after": position.after or None, "edit": position.edit or None}
        return with_query(f"/imports/{import_id}", show=position.show, kind=position.kind, q=position.q, **page)


def position_from_form(fields: Fields) -> PreviewPosition:
    """Return the position from the form; a changed search text starts from the first page."""
    q = fields.get("q").strip()
    after = parse_int(fields.get("at")) if q == fields.get("was", q) else 0
    return PreviewPosition(fields.get("show"), fields.get("kind"), q, after)


@dataclass(frozen=True)
class PreviewAction:
    """The pressed button, such as "after:200" or "split:7"; "" for the commit."""

    word: str
    value: str

    @property
    def position(self) -> int:
        return parse_int(self.value.partition(":")[0])

    @property
    def choice(self) -> str:
        """The last part of the value: "same" in "twin:7:same"."""
        return self.value.rpartition(":")[2]

    def get_next_position(self, position: PreviewPosition) -> PreviewPosition:
        """Return the position after the action."""
        match self.word:
            case "after":
                return replace(position, after=parse_int(self.value))
            case "show":
                return replace(position, after=0, show=self.value)
            case "kind":
                return replace(position, after=0, kind=self.value)
            case "edit":
                return replace(position, edit=self.position)
        return position


def action_from_form(fields: Fields) -> PreviewAction:
    """Return the pressed button."""
    action_name, _, value = fields.get("then").partition(":")
    return PreviewAction(action_name, value)


@dataclass(frozen=True)
class PreviewEdits:
    """The edits by position, and the errors by form field."""

    edits: Mapping[int, EntryUpdate]
    errors: Mapping[str, str]


def parse_preview_edits(
    values: Mapping[str, str], entries: Mapping[int, Any], action: PreviewAction = PreviewAction("", "")
) -> PreviewEdits:
    """Return the edits of these entries by position; fields that are as shown change nothing.

    The form sends the decision of every entry on the page, and others or a rule may have decided meanwhile, so only
    decisions that differ from the one shown count.
    """
    values_by_position: dict[int, dict[str, Any]] = {}
    for field, text in values.items():
        prefix, _, number = field.partition("-")
        entry = entries.get(parse_int(number))
        if prefix == FIELDS["decision"] and text == values.get(f"{ORIGINAL}-{number}"):
            continue
        if prefix in _FIELD_NAMES and entry is not None and not _is_unchanged(_FIELD_NAMES[prefix], text, entry):
            values_by_position.setdefault(entry.position, {})[_FIELD_NAMES[prefix]] = _parse_field(
                _FIELD_NAMES[prefix], text
            )
    if action.word in ANSWERS and action.position in entries:
        values_by_position.setdefault(action.position, {})[action.word] = _parse_answer(
            action, entries[action.position]
        )
    edits = {position: _validate_edit(entry_values) for position, entry_values in values_by_position.items()}
    return PreviewEdits(
        {position: edit for position, (edit, _) in edits.items() if edit is not None},
        {
            f"{FIELDS.get(name, name)}-{n}": message
            for n, (_, errors) in edits.items()
            for name, message in errors.items()
        },
    )


def shown_kind(entry: Any) -> str:  # noqa: ANN401 - a row of the table
    """Return the kind as shown: for papers, the kind of paper."""
    return entry.paper_kind or "paper" if entry.kind in PAPER_ENTRY_KINDS else entry.kind


def _validate_edit(values: Mapping[str, Any]) -> tuple[EntryUpdate | None, Mapping[str, str]]:
    try:
        return EntryUpdate.model_validate(values), {}
    except ValidationError as error:
        return None, {str(problem["loc"][0]): validation_message(problem) for problem in error.errors()}


def _parse_answer(action: PreviewAction, entry: Any) -> str:  # noqa: ANN401 - a row of the table
    """Return the choice; of a heading that ends, its name: the form sends its place among the topics."""
    if action.word != "ends":
        return action.choice
    return next(iter(entry.topics[parse_int(action.choice) :]), "")


def _is_unchanged(name: str, text: str, entry: Any) -> bool:  # noqa: ANN401 - a row of the table
    if name == "topics":
        return _topics(text) == [topic.strip() for topic in entry.topics]
    shown_values = {
        "decision": entry.decision,
        "title": " ".join(entry.title.split()),
        "identifier": entry.identifiers[0] if entry.identifiers else "",
        "kind": shown_kind(entry),
        "venue": " ".join(entry.venue.split()),
        "year": str(entry.year or ""),
        "status": entry.status or NONE,
        "keep_rule": "",
    }
    return bool(shown_values[name] == " ".join(text.split()))


def _parse_field(name: str, text: str) -> Any:  # noqa: ANN401 - as EntryUpdate takes it
    """Parse a field; blank means cleared."""
    match name:
        case "topics":
            return _topics(text)
        case "status":
            return "" if text == NONE else text
        case "year":
            return text.strip() or 0
    return text


def _topics(text: str) -> list[str]:
    """Return the topics, one per line because names may contain commas."""
    return [name.strip() for name in text.splitlines() if name.strip()]
