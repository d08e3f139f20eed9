"""Parsing of the preview form: changed fields, the pressed button, and the position in the list."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from readtrack.infra.validation_messages import validation_message
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
    def narrowed(self) -> EntryFilter:
        return EntryFilter(show=self.show, kind=self.kind, q=self.q)

    def address(self, import_id: int, **changes: Any) -> str:  # noqa: ANN401 - other values of its fields
        """Return the URL of this position, with changes."""
        there = replace(self, **changes)
        page = {"after": there.after or None, "edit": there.edit or None}
        return with_query(f"/imports/{import_id}", show=there.show, kind=there.kind, q=there.q, **page)


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

    def leads_to(self, place: PreviewPosition) -> PreviewPosition:
        """Return the position after the action."""
        match self.word:
            case "after":
                return replace(place, after=parse_int(self.value))
            case "show":
                return replace(place, after=0, show=self.value)
            case "kind":
                return replace(place, after=0, kind=self.value)
            case "edit":
                return replace(place, edit=self.position)
        return place


def action_from_form(fields: Fields) -> PreviewAction:
    """Return the pressed button."""
    word, _, value = fields.get("then").partition(":")
    return PreviewAction(word, value)


@dataclass(frozen=True)
class PreviewEdits:
    """The edits by position, and the errors by form field."""

    edits: Mapping[int, EntryUpdate]
    errors: Mapping[str, str]


def parse_preview_edits(
    values: Mapping[str, str], entries: Mapping[int, Any], then: PreviewAction = PreviewAction("", "")
) -> PreviewEdits:
    """Return the edits of these entries by position; fields that are as shown change nothing.

    The form sends the decision of every entry on the page, and others or a rule may have decided meanwhile, so only
    decisions that differ from the one shown count.
    """
    said: dict[int, dict[str, Any]] = {}
    for field, typed in values.items():
        word, _, number = field.partition("-")
        entry = entries.get(parse_int(number))
        if word == FIELDS["decision"] and typed == values.get(f"{ORIGINAL}-{number}"):
            continue
        if word in _FIELD_NAMES and entry is not None and not _is_unchanged(_FIELD_NAMES[word], typed, entry):
            said.setdefault(entry.position, {})[_FIELD_NAMES[word]] = _parse_field(_FIELD_NAMES[word], typed)
    if then.word in {"twin", "alias"} and then.position in entries:
        said.setdefault(then.position, {})[then.word] = then.choice
    checked = {position: _validate_edit(words) for position, words in said.items()}
    return PreviewEdits(
        {position: edit for position, (edit, _) in checked.items() if edit is not None},
        {f"{FIELDS.get(name, name)}-{n}": why for n, (_, errors) in checked.items() for name, why in errors.items()},
    )


def shown_kind(entry: Any) -> str:  # noqa: ANN401 - a row of the table
    """Return the kind as shown: for papers, the kind of paper."""
    return entry.paper_kind or "paper" if entry.kind in PAPER_ENTRY_KINDS else entry.kind


def _validate_edit(words: Mapping[str, Any]) -> tuple[EntryUpdate | None, Mapping[str, str]]:
    try:
        return EntryUpdate.model_validate(words), {}
    except ValidationError as error:
        return None, {str(problem["loc"][0]): validation_message(problem) for problem in error.errors()}


def _is_unchanged(name: str, typed: str, entry: Any) -> bool:  # noqa: ANN401 - a row of the table
    if name == "topics":
        return _topics(typed) == [topic.strip() for topic in entry.topics]
    shown = {
        "decision": entry.decision,
        "title": " ".join(entry.title.split()),
        "identifier": entry.identifiers[0] if entry.identifiers else "",
        "kind": shown_kind(entry),
        "venue": " ".join(entry.venue.split()),
        "year": str(entry.year or ""),
        "status": entry.status or NONE,
        "keep_rule": "",
    }
    return bool(shown[name] == " ".join(typed.split()))


def _parse_field(name: str, typed: str) -> Any:  # noqa: ANN401 - as EntryUpdate takes it
    """Parse a field; blank means cleared."""
    match name:
        case "topics":
            return _topics(typed)
        case "status":
            return "" if typed == NONE else typed
        case "year":
            return typed.strip() or 0
    return typed


def _topics(text: str) -> list[str]:
    """Return the topics, one per line because names may contain commas."""
    return [name.strip() for name in text.splitlines() if name.strip()]
