"""Choice of the displayed metadata: one record's fields together, except where a person edited them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from readtrack.infra.models.columns import STAGES
from readtrack.infra.text.person_names import decode_names, encode_names
from readtrack.metadata import sources

TOGETHER = ("title", "authors", "year", "published_on", "venue")  # taken from one record, even if blank there
APART = ("publication_type", "abstract", "language")  # may come from another record
SHOWN = (*TOGETHER, *APART)
LAST_RANK = 10_000  # rank of records whose service is not registered: the local catalogue, and removed services


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
    candidates: Iterable[CandidateRecord], user_values: Mapping[str, Any], locked: Mapping[str, Any]
) -> FieldSelection:
    """Choose the record of each field by rank.

    Published records precede preprints, and these pages; then authorities, the order of the services, and newer records
    come first.
    """
    ranked_records = sorted(candidates, key=_rank)
    main_record = next((record for record in ranked_records if record.latest), None)
    records = {name: _select_record(name, main_record, ranked_records) for name in SHOWN if name not in locked}
    values = {
        name: record.values[name] if record else _user_supplied_value(user_values, name)
        for name, record in records.items()
    }
    origins = {
        name: record.id for name, record in records.items() if record and (name in TOGETHER or record.values[name])
    }
    return FieldSelection(main_record.id if main_record else None, values, origins)


def user_supplied_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata given by notes or a person, as stored apart from the records."""
    supplied = {name: values[name] for name in SHOWN if values.get(name)}
    return {name: _to_json(value) for name, value in supplied.items()}


def _to_json(value: Any) -> Any:  # noqa: ANN401 - type of the column
    if isinstance(value, date):
        return str(value)
    return encode_names(value) if isinstance(value, list | tuple) else value


def _rank(record: CandidateRecord) -> tuple[bool, int, bool, int, int]:
    service_orders = {service.name: service.order for service in sources.all_services()}
    return (
        not record.latest,
        STAGES.index(record.stage),
        not record.authority,
        service_orders.get(record.service, LAST_RANK),
        -record.id,
    )


def _select_record(
    name: str, main_record: CandidateRecord | None, ranked_records: Sequence[CandidateRecord]
) -> CandidateRecord | None:
    if name in TOGETHER:
        return main_record
    return next((record for record in ranked_records if record.values[name]), None)


def _user_supplied_value(user_values: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - type of the column
    supplied = user_values.get(name)
    if name == "published_on":
        return date.fromisoformat(supplied) if supplied else None
    if name == "authors":
        return decode_names(supplied or ())
    return supplied or (None if name == "year" else "")
