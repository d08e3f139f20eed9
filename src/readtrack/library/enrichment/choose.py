"""What is shown of a paper: the fields of one answer, whole; what a person typed stays. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from readtrack.infra.models.columns import STAGES
from readtrack.metadata import registry

TOGETHER = ("title", "authors", "year", "published_on", "venue")  # come from one answer, blank or not
APART = ("abstract", "language")  # may come from another
SHOWN = (*TOGETHER, *APART)
LAST = 10_000  # in the order of services: the local catalogue, and services that are gone


class CandidateRecord(NamedTuple):
    """An answer that fits, as far as it can be shown."""

    id: int
    service: str
    stage: str
    values: Mapping[str, Any]  # of SHOWN
    authority: bool = False  # who said it publishes or registers that very work
    latest: bool = True  # an older answer of the same service gives nothing but an abstract that the latest lacks


@dataclass(frozen=True)
class FieldSelection:
    """The fields to show, and the record that each comes from; those that notes or people said have none."""

    record_id: int | None
    values: Mapping[str, Any]
    field_sources: Mapping[str, int]


def choose_fields(
    answers: Iterable[CandidateRecord], named: Mapping[str, Any], locked: Mapping[str, Any]
) -> FieldSelection:
    """Published beats preprint beats page; of several the authority, else whose service is asked first; the latest."""
    ranked = sorted(answers, key=_rank)
    first = next((said for said in ranked if said.latest), None)
    chosen = {name: _select_record(name, first, ranked) for name in SHOWN if name not in locked}
    values = {name: said.values[name] if said else _user_supplied_value(named, name) for name, said in chosen.items()}
    origins = {name: said.id for name, said in chosen.items() if said and (name in TOGETHER or said.values[name])}
    return FieldSelection(first.id if first else None, values, origins)


def user_supplied_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """What notes or a person said of a paper, as it is kept beside the answers."""
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


def _user_supplied_value(named: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - what the column holds
    said = named.get(name)
    if name == "published_on":
        return date.fromisoformat(said) if said else None
    return said or {"authors": [], "year": None}.get(name, "")
