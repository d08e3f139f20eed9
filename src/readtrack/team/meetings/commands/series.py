"""Commands of series: add, edit, end and resume."""

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import NotFound, StaleVersion, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Series
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.queries.series import find_names
from readtrack.team.meetings.schemas import SeriesFields


def add_series(tx: Write, me: CurrentUser, data: SeriesFields) -> Series:
    """Add a series. Its meetings are planned one by one."""
    permissions.require(me, "schedule")
    require_people(tx, data.presenter_order, "presenter_order")
    series = Series(**data.model_dump(), created_by=me.id)
    tx.add(series)
    tx.flush()
    events.record_event(
        tx, me, "series.added", data={"series": series.id, "name": series.name}, after=_audit_values(series)
    )
    return series


def edit_series(tx: Write, me: CurrentUser, series_id: int, edit: SeriesFields, *, version: int) -> Series:
    """Change a series, but not its planned meetings.

    Raise StaleVersion after a concurrent change.
    """
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.version != version:
        message = _("Somebody changed this series since you opened it. Yours was not saved over it; look at both.")
        raise StaleVersion(message, current={**_audit_values(series), "version": series.version})
    require_people(
        tx, [person for person in edit.presenter_order if person not in series.presenter_order], "presenter_order"
    )
    before = _audit_values(series)
    for name, value in edit.model_dump().items():
        setattr(series, name, value)
    series.version += 1
    data = {"series": series.id, "name": series.name}
    events.record_event(tx, me, "series.edited", data=data, before=before, after=_audit_values(series))
    return series


def end_series(tx: Write, me: CurrentUser, series_id: int) -> None:
    """End a series: no further meetings can be planned. No change if it has ended."""
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.ended_at is None:
        series.ended_at = now()
        events.record_event(tx, me, "series.ended", data={"series": series.id, "name": series.name})


def resume_series(tx: Write, me: CurrentUser, series_id: int) -> None:
    """Resume a series. No change if it has not ended."""
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.ended_at is not None:
        series.ended_at = None
        events.record_event(tx, me, "series.resumed", data={"series": series.id, "name": series.name})


def get_series_for_update(tx: Write, series_id: int) -> Series:
    """Return the series, locked until the transaction ends. Raise NotFound."""
    series = tx.get(Series, series_id, with_for_update=True, populate_existing=True)
    if series is None:
        message = _("There is no series {series_id} of meetings. Nothing was changed.").format(series_id=series_id)
        raise NotFound(message)
    return series


def require_people(tx: Write, people: list[int], field: str) -> None:
    """Raise Invalid if a person does not exist or is disabled."""
    unknown_ids = sorted({*people} - find_names(tx, people).keys())
    if unknown_ids:
        detail = _("Nobody active here has the number {list}.").format(list=", ".join(map(str, unknown_ids)))
        raise invalid_field(f"/{field}", "unknown-person", detail)


def _audit_values(series: Series) -> dict[str, object]:
    return series.model_dump(mode="json", include={*SeriesFields.model_fields})
