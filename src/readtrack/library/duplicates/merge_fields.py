"""Merging of metadata entered by people: fill the surviving paper's blanks, and clear them again."""

from collections.abc import Collection, Mapping
from typing import Any

from readtrack.infra.models import Paper
from readtrack.infra.text import normalize
from readtrack.library.enrichment.choose import SHOWN

TRIAGE = ("rejected", "inbox", "library")  # in ascending order; the merged paper gets the higher state
UNKNOWN = "page"  # the kind of an unclassified paper
Filled = dict[str, dict[str, Any]]


def fill_blank_fields(survivor: Paper, merged_paper: Paper, *, only: Collection[str] | None = None) -> Filled:
    """Fill blank fields of the surviving paper and return what was filled, optionally `only` these fields."""
    user_values = {
        name: value for name, value in merged_paper.user_supplied.items() if name not in survivor.user_supplied
    }
    if survivor.title:
        # Records are verified against the title, and those of the surviving paper match its own.
        user_values.pop("title", None)
    locks = {name: stamp for name, stamp in merged_paper.field_locks.items() if name not in survivor.field_locks}
    fields = _fields(survivor, merged_paper, locks)
    if only is not None:
        user_values, locks, fields = (
            {name: values[name] for name in values if name in only} for values in (user_values, locks, fields)
        )
    for name in locks.keys() & set(SHOWN):
        setattr(survivor, name, getattr(merged_paper, name))
    for name, (_, after) in fields.items():
        setattr(survivor, name, after)
    survivor.user_supplied, survivor.field_locks = (
        {**user_values, **survivor.user_supplied},
        {**locks, **survivor.field_locks},
    )
    survivor.title_key = normalize.key(survivor.title)
    return {"named": user_values, "locked": locks, "fields": fields}


def clear_filled_fields(survivor: Paper, filled: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """Clear the filled fields that nobody has changed since and return their names.

    The caller must recompute the displayed metadata.
    """
    user_names = {name for name, value in filled["named"].items() if survivor.user_supplied.get(name) == value}
    lock_names = {name for name, stamp in filled["locked"].items() if survivor.field_locks.get(name) == stamp}
    fields = {name for name, (_, after) in filled["fields"].items() if getattr(survivor, name) == after}
    survivor.user_supplied = {name: value for name, value in survivor.user_supplied.items() if name not in user_names}
    survivor.field_locks = {name: stamp for name, stamp in survivor.field_locks.items() if name not in lock_names}
    for name in fields:
        setattr(survivor, name, filled["fields"][name][0])
    return frozenset(user_names | lock_names | fields)


def _fields(survivor: Paper, merged_paper: Paper, locks: Mapping[str, Any]) -> dict[str, Any]:
    """Return (before, after) for the fields that do not come from metadata records."""
    fields: dict[str, Any] = {}
    if "kind" in locks or ("kind" not in survivor.field_locks and survivor.kind == UNKNOWN != merged_paper.kind):
        fields["kind"] = [survivor.kind, merged_paper.kind]
    if TRIAGE.index(merged_paper.triage) > TRIAGE.index(survivor.triage):
        fields["triage"] = [survivor.triage, merged_paper.triage]
    return fields
