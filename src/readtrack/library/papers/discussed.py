"""When meetings discussed papers."""

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
    """Of those of these papers that a meeting discussed: the last day, as the calendar there showed it. For lists."""
    return {row[0]: to_local(row[1], row[2]).date() for row in tx.rows(_DISCUSSED, {"ids": list(paper_ids)})}


_DISCUSSED: sa.Select[*tuple[Any, ...]] = (  # made once, as every list of papers asks it
    sa.select(col(AgendaItem.paper_id), col(Meeting.starts_at), col(Meeting.time_zone))
    .join(Meeting, col(Meeting.id) == col(AgendaItem.meeting_id))
    .where(in_id_list(col(AgendaItem.paper_id), "ids"), col(AgendaItem.state) == "discussed")
    .where(col(Meeting.state) != "cancelled")
    .order_by(col(Meeting.starts_at), col(Meeting.id))
)
