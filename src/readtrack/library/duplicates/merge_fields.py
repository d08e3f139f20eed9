"""What people said of a paper fills the blanks of the one that it became part of, and is taken back from it. Pure."""

from collections.abc import Collection, Mapping
from typing import Any

from readtrack.infra.models import Paper
from readtrack.infra.text import normalize
from readtrack.library.enrichment.choose import SHOWN

TRIAGE = ("rejected", "inbox", "library")  # what the team has of one of them, it has
UNKNOWN = "page"  # the kind of which nothing is known
Filled = dict[str, dict[str, Any]]


def fill_blank_fields(kept: Paper, gone: Paper, *, only: Collection[str] | None = None) -> Filled:
    """Takes over what the one that stays has not; what that was. `only`: of these fields."""
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
    """The fields that are blank again; those that a person changed since stay. What is shown is to be settled."""
    named = {name for name, value in filled["named"].items() if kept.user_supplied.get(name) == value}
    locked = {name for name, stamp in filled["locked"].items() if kept.field_locks.get(name) == stamp}
    fields = {name for name, (_, after) in filled["fields"].items() if getattr(kept, name) == after}
    kept.user_supplied = {name: value for name, value in kept.user_supplied.items() if name not in named}
    kept.field_locks = {name: stamp for name, stamp in kept.field_locks.items() if name not in locked}
    for name in fields:
        setattr(kept, name, filled["fields"][name][0])
    return frozenset(named | locked | fields)


def _fields(kept: Paper, gone: Paper, locked: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that no record gives: before and after."""
    found: dict[str, Any] = {}
    if "kind" in locked or ("kind" not in kept.field_locks and kept.kind == UNKNOWN != gone.kind):
        found["kind"] = [kept.kind, gone.kind]
    if TRIAGE.index(gone.triage) > TRIAGE.index(kept.triage):
        found["triage"] = [kept.triage, gone.triage]
    return found
