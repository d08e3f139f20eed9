"""Days and clocks of people elsewhere."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime

import pytest
import time_machine

from readtrack.infra import clock

EVENING = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)  # the night in which Europe puts its clocks forward


@pytest.mark.parametrize(
    ("zone", "day", "shown"),
    [
        ("", date(2026, 3, 28), "23:30"),
        ("UTC", date(2026, 3, 28), "23:30"),
        ("Asia/Tokyo", date(2026, 3, 29), "08:30"),
        ("America/Los_Angeles", date(2026, 3, 28), "16:30"),
        ("Europe/Berlin", date(2026, 3, 29), "00:30"),
        ("Asia/Kathmandu", date(2026, 3, 29), "05:15"),
    ],
)
def test_a_day_is_that_of_the_time_zone(zone, day, shown):
    with time_machine.travel(EVENING, tick=False):
        assert clock.today_of(zone) == day
        assert f"{clock.to_local(clock.now(), zone):%H:%M}" == shown


def test_daylight_saving_time_is_followed():
    after = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert f"{clock.to_local(after, 'Europe/Berlin'):%H:%M}" == "03:30"


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../etc/passwd", "/etc/passwd", "\0", "x" * 500])
def test_an_invalid_time_zone_falls_back_to_utc(zone):
    assert clock.to_local(EVENING, zone) == EVENING
    assert clock.to_local(EVENING, zone).utcoffset() == UTC.utcoffset(None)


def test_time_zones_work_on_a_system_without_zone_files():
    code = (
        "from readtrack.infra.clock import now, to_local, zones;"
        "print(len(zones()), to_local(now(), 'Asia/Tokyo').tzname())"
    )
    bare = {**os.environ, "PYTHONTZPATH": ""}
    said = subprocess.run([sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=True).stdout
    known, name = said.split()
    assert int(known) > 300
    assert name == "JST"


def test_people_choose_from_a_list_of_time_zones():
    assert clock.zones()[0] == "UTC"
    assert {"Asia/Tokyo", "Europe/Berlin", "America/Argentina/Buenos_Aires"} < set(clock.zones())
    assert not [zone for zone in clock.zones() if zone.startswith(("Etc/", "SystemV/", "US/"))]
