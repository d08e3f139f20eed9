"""Merging of metadata entered by people: fill the surviving paper's blanks, and clear them again."""

from collections.abc import Collection, Mapping
from typing import Any

from readtrack.infra.models import Paper
from readtrack.infra.text import normalize
from readtrack.library.enrichment.choose import SHOWN

TRIAGE = ("rejected", "inbox", "library")  # in ascending order; the merged paper gets the higher state
UNKNOWN = "page"  # the kind of an unclassified paper
Filled = dict[str, dict[str, Any]]


def fill_blank_fields(kept: Paper, gone: Paper, *, only: Collection[str] | None = None) -> Filled:
    """Fill blank fields of the surviving paper and return what was filled, optionally `only` these fields."""
    named = {name: value for name, value in gone.user_supplied.items() if name not in kept.user_supplied}
    if kept.title:
        named.pop("title", None)  # answers are judged by it, and those here fit the title that stands here
    locked = {name: stamp for name, stamp in gone.field_locks.items() if name not in kept.field_locks}
    fields = _fields(kept, gone, locked)
    if only is not None:
        named, locked, fields = (
            {name: said[name] for name in said if name in only} for said in (named, locked, fields)
        )
    for name in locked.keys() & set(SHOWN):
        setattr(kept, name, getattr(gone, name))
    for name, (_, after) in fields.items():
        setattr(kept, name, after)
    kept.user_supplied, kept.field_locks = {**named, **kept.user_supplied}, {**locked, **kept.field_locks}
    kept.title_key = normalize.key(kept.title)
    return {"named": named, "locked": locked, "fields": fields}


def clear_filled_fields(kept: Paper, filled: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """Clear the filled fields that nobody has changed since and return their names.

    The caller must recompute the displayed metadata.
    """
    named = {name for name, value in filled["named"].items() if kept.user_supplied.get(name) == value}
    locked = {name for name, stamp in filled["locked"].items() if kept.field_locks.get(name) == stamp}
    fields = {name for name, (_, after) in filled["fields"].items() if getattr(kept, name) == after}
    kept.user_supplied = {name: value for name, value in kept.user_supplied.items() if name not in named}
    kept.field_locks = {name: stamp for name, stamp in kept.field_locks.items() if name not in locked}
    for name in fields:
        setattr(kept, name, filled["fields"][name][0])
    return frozenset(named | locked | fields)


def _fields(kept: Paper, gone: Paper, locked: Mapping[str, Any]) -> dict[str, Any]:
    """Return (before, after) for the fields that do not come from metadata records."""
    found: dict[str, Any] = {}
    if "kind" in locked or ("kind" not in kept.field_locks and kept.kind == UNKNOWN != gone.kind):
        found["kind"] = [kept.kind, gone.kind]
    if TRIAGE.index(gone.triage) > TRIAGE.index(kept.triage):
        found["triage"] = [kept.triage, gone.triage]
    return found
