"""Choice of the displayed metadata: one record's fields together, except where a person edited them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from readtrack.infra.models.columns import STAGES
from readtrack.metadata import registry

TOGETHER = ("title", "authors", "year", "published_on", "venue")  # taken from one record, even if blank there
APART = ("abstract", "language")  # may come from another record
SHOWN = (*TOGETHER, *APART)
LAST = 10_000  # rank of records whose service is not registered: the local catalogue, and removed services


class CandidateRecord(NamedTuple):
    """A verified record with the values it can contribute."""

    id: int
    service: str
    stage: str
    values: Mapping[str, Any]  # of SHOWN
    authority: bool = False  # the service publishes or registers this work
    latest: bool = True  # an older record of a service only contributes an abstract that its latest one lacks


@dataclass(frozen=True)
class FieldSelection:
    """The fields to display and the record of each. User-supplied fields have no record."""

    record_id: int | None
    values: Mapping[str, Any]
    field_sources: Mapping[str, int]


def choose_fields(
    answers: Iterable[CandidateRecord], named: Mapping[str, Any], locked: Mapping[str, Any]
) -> FieldSelection:
    """Choose the record of each field by rank.

    Published records precede preprints, and these pages; then authorities, the order of the services, and newer records
    come first.
    """
    ranked = sorted(answers, key=_rank)
    first = next((said for said in ranked if said.latest), None)
    chosen = {name: _select_record(name, first, ranked) for name in SHOWN if name not in locked}
    values = {name: said.values[name] if said else _user_supplied_value(named, name) for name, said in chosen.items()}
    origins = {name: said.id for name, said in chosen.items() if said and (name in TOGETHER or said.values[name])}
    return FieldSelection(first.id if first else None, values, origins)


def user_supplied_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata given by notes or a person, as stored apart from the records."""
    said = {name: values[name] for name in SHOWN if values.get(name)}
    return {name: str(value) if isinstance(value, date) else value for name, value in said.items()}


def _rank(said: CandidateRecord) -> tuple[bool, int, bool, int, int]:
    known = {service.name: service.order for service in registry.all_services()}
    return not said.latest, STAGES.index(said.stage), not said.authority, known.get(said.service, LAST), -said.id


def _select_record(
    name: str, first: CandidateRecord | None, ranked: Sequence[CandidateRecord]
) -> CandidateRecord | None:
    if name in TOGETHER:
        return first
    return next((said for said in ranked if said.values[name]), None)


def _user_supplied_value(named: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - type of the column
    said = named.get(name)
    if name == "published_on":
        return date.fromisoformat(said) if said else None
    return said or {"authors": [], "year": None}.get(name, "")
