"""Verbs of series: add, edit, end and go on."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import FieldError, Invalid, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Series
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.queries.series import find_names
from readtrack.team.meetings.schemas import SeriesEdit


def add_series(tx: Write, me: CurrentUser, wanted: SeriesEdit) -> Series:
    """A new series; its meetings are planned one by one."""
    permissions.require(me, "schedule")
    require_people(tx, wanted.presenter_order, "presenter_order")
    series = Series(**wanted.model_dump(), created_by=me.id)
    tx.add(series)
    tx.flush()
    events.record_event(
        tx, me, "series.added", data={"series": series.id, "name": series.name}, after=_audit_values(series)
    )
    return series


def edit_series(tx: Write, me: CurrentUser, series_id: int, edit: SeriesEdit, *, version: int) -> Series:
    """Replaces what a series is; meetings that are planned stay as they are. Raises Stale."""
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
    """No more meetings are planned of it; those that are stay. Again: the same."""
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.ended_at is None:
        series.ended_at = now()
        events.record_event(tx, me, "series.ended", data={"series": series.id, "name": series.name})


def resume_series(tx: Write, me: CurrentUser, series_id: int) -> None:
    """It goes on. Again: the same."""
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.ended_at is not None:
        series.ended_at = None
        events.record_event(tx, me, "series.resumed", data={"series": series.id, "name": series.name})


def get_series_for_update(tx: Write, series_id: int) -> Series:
    """The series, held until the transaction ends. Raises NotFound."""
    wanted = sa.select(Series).where(col(Series.id) == series_id).with_for_update()
    series = tx.scalar(wanted.execution_options(populate_existing=True))
    if series is None:
        message = _("There is no series {series_id} of meetings. Nothing was changed.").format(series_id=series_id)
        raise NotFound(message)
    return series


def require_people(tx: Write, people: list[int], field: str) -> None:
    """Raises Invalid when one of them is nobody, or cannot come any more."""
    missing = sorted({*people} - find_names(tx, people).keys())
    if missing:
        detail = _("Nobody active here has the number {list}.").format(list=", ".join(map(str, missing)))
        raise Invalid(
            _("{detail} Nothing was changed.").format(detail=detail),
            [FieldError(f"/{field}", "unknown-person", detail)],
        )


def _audit_values(series: Series) -> dict[str, object]:
    return series.model_dump(mode="json", include={*SeriesEdit.model_fields})
