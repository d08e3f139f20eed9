"""People at their browsers, papers and a series, at a fixed time."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine

from readtrack.infra.db import Database
from tests import make

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)  # a Monday


@pytest.fixture(autouse=True)
def _that_day() -> Iterator[None]:
    with time_machine.travel(NOW):
        yield


@pytest.fixture
def team(database: Database) -> Any:
    """Ed schedules; Ann, Bo and Cy present in turn; Vi only looks. One paper, one weekly series on Wednesdays."""
    with database.write() as tx:
        people = {name: make.visitor(tx, name) for name in ("Ann", "Bo", "Cy")}
        people |= {"Ed": make.visitor(tx, "Ed", role="editor"), "Vi": make.visitor(tx, "Vi", role="viewer")}
        rota = [people[name].id for name in ("Ann", "Bo", "Cy")]
        series = make.series(
            tx, weekday=2, start_time="15:00", time_zone="Asia/Tokyo", location="Room 3", presenter_order=rota
        )
        paper = make.paper(tx, "Just-in-Time Checkpointing", identifier="arxiv:2305.15778")
    return SimpleNamespace(**{name.lower(): one for name, one in people.items()}, series=series.id, paper=paper.id)
