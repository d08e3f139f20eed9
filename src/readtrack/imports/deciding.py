"""The form of a preview: what it says of the entries on it. Only what a person changed counts. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from readtrack.imports.correcting import EntryEdit
from readtrack.web.forms import check, whole

FIELDS = {"decision": "do", "title": "title", "identifier": "id", "topics": "topics"}  # as the form calls them: do-7
_MEANS = {field: name for name, field in FIELDS.items()}


@dataclass(frozen=True)
class Decided:
    """The changes by position, and what is wrong by field of the form."""

    edits: Mapping[int, EntryEdit]
    errors: Mapping[str, str]


def decided(values: Mapping[str, str], entries: Mapping[int, Any]) -> Decided:
    """What the form changes of these entries, by their positions. A field as it was shown changes nothing."""
    said: dict[int, dict[str, Any]] = {}
    for field, typed in values.items():
        word, _, number = field.partition("-")
        entry = entries.get(whole(number))
        if word in _MEANS and entry is not None and not _untouched(_MEANS[word], typed, entry):
            said.setdefault(entry.position, {})[_MEANS[word]] = _meant(_MEANS[word], typed)
    checked = {position: check(EntryEdit, words) for position, words in said.items()}
    return Decided(
        {position: edit.value for position, edit in checked.items() if edit.value is not None},
        {f"{FIELDS[name]}-{n}": why for n, edit in checked.items() for name, why in edit.errors.items()},
    )


def _untouched(name: str, typed: str, entry: Any) -> bool:  # noqa: ANN401 - a row of the table
    shown = {
        "decision": entry.decision,
        "title": " ".join(entry.title.split()),
        "identifier": entry.identifiers[0] if entry.identifiers else "",
        "topics": [topic.strip() for topic in entry.topics],
    }
    return bool(shown[name] == (_topics(typed) if name == "topics" else " ".join(typed.split())))


def _meant(name: str, typed: str) -> Any:  # noqa: ANN401 - as EntryEdit takes it
    """An emptied field is a word too; `check` would take "" for one that was not sent."""
    if name == "topics":
        return _topics(typed)
    return typed or " "


def _topics(text: str) -> list[str]:
    """One a line: headings of notes have commas of their own."""
    return [name.strip() for name in text.splitlines() if name.strip()]
