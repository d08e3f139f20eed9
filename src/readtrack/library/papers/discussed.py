"""Dates of papers' discussions in meetings."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import to_local
from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import in_id_list
from readtrack.infra.models import AgendaItem, Meeting


def find_discussion_dates(tx: Read, paper_ids: Iterable[int]) -> dict[int, date]:
    """Return the last day on which a meeting discussed each paper, in the meeting's time zone."""
    return {row[0]: to_local(row[1], row[2]).date() for row in tx.rows(_DISCUSSED, {"ids": list(paper_ids)})}


_DISCUSSED: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(AgendaItem.paper_id), col(Meeting.starts_at), col(Meeting.time_zone))
    .join(Meeting, col(Meeting.id) == col(AgendaItem.meeting_id))
    .where(in_id_list(col(AgendaItem.paper_id), "ids"), col(AgendaItem.state) == "discussed")
    .where(col(Meeting.state) != "cancelled")
    .order_by(col(Meeting.starts_at), col(Meeting.id))
)
