"""Venues by the names people use, whatever publishers and indexes call them."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.metadata.parsing.venues import short_venue
from tests.metadata.recorded import own, recorded
from tests.tables import cases


def _row(line: str) -> tuple[str, int | None, str]:
    shown, year, container = line.split(" | ")
    return container, int(year) if year else None, shown


CONTAINERS = [_row(line) for line in own("venues.txt").decode().split("\n") if line]  # shown | year | said
EVENTS = [
    ("Lecture Notes in Tea", 2021, "SIGMOD/PODS '21: International Conference on Management of Data", "SIGMOD 2021"),
    ("Lecture Notes in Tea", 2024, "EuroSys '24", "EuroSys 2024"),
    ("Lecture Notes in Tea", 2024, "EuroSys '24: Nineteenth European Conference on Computer Systems", "EuroSys 2024"),
    ("", 2025, "SIGCOMM '25: ACM SIGCOMM 2025 Conference", "SIGCOMM 2025"),
    ("Proceedings of the First International Conference on Tea", 2015, "ictea-15", "ICTEA 2015"),
    ("Journal of Tea", 2015, "TEA '15", "Journal of Tea"),
    ("TQC", 2013, "TQC 2013", "TQC 2013"),
    ("International Conference on Tea", 2023, "TeaConf", "TeaConf 2023"),
    ("International Conference on Tea", 2023, "Tea", "International Conference on Tea"),
    (
        "Proceedings of the 2024 Workshop on Tea in Networks",
        2024,
        "ACM SIGCOMM '24: ACM SIGCOMM 2024 Conference",
        "Proceedings of the 2024 Workshop on Tea in Networks",
    ),
    ("Proceedings of the 2024 Workshop on Tea in Networks", 2024, "TiN '24", "TiN 2024"),
    ("Proceedings of the 23rd ACM Workshop on Hot Topics in Networks", 2024, "HotNets '24", "HotNets 2024"),
    ("Proceedings of the SC '23 Workshops of the Conference", 2023, "SC-W 2023: Workshops", "SC 2023 Workshops"),
]


@cases(("container", "year", "shown"), CONTAINERS)
def test_a_known_conference_becomes_acronym_and_year_and_other_venues_stay(container, year, shown):
    assert short_venue(container, year) == shown


@cases(("container", "year", "event", "shown"), EVENTS)
def test_the_event_helps_where_the_proceedings_have_a_different_title(container, year, event, shown):
    assert short_venue(container, year, event=event) == shown


@cases("shown", sorted({shown for *_, shown in CONTAINERS}))
def test_a_short_name_stays_unchanged(shown):
    assert short_venue(shown) == shown
    assert short_venue(shown, 1999) in {shown, f"{shown} 1999"}


@given(st.text("(OSDI '23) &ProceedingsConference,.", max_size=80), st.none() | st.integers(1900, 2100))
def test_any_venue_can_be_parsed(container, year):
    assert isinstance(short_venue(container, year, event=container), str)


def test_every_usenix_proceedings_title_has_its_short_name():
    manifest = json.loads(recorded("manifest.json"))
    files = [one["file"] for one in (manifest["files"] if isinstance(manifest, dict) else manifest)]
    for name in (name for name in files if name.startswith("usenix/biblio/")):
        bib = recorded(name).decode()
        booktitle = re.search(r"booktitle = \{(.*)\}", bib)
        tag = booktitle and re.search(r"\((?:USENIX )?(\w+) (\d\d)\)", booktitle[1])
        assert booktitle, name
        assert tag, name
        assert short_venue(booktitle[1], 1999) == f"{tag[1]} 20{tag[2]}"


@cases(
    ("name", "shown"),
    [
        ("10.1145_3184558.3186235", "WWW 2018 Companion"),
        ("10.1145_3448016.3452841", "SIGMOD 2021"),
        ("10.1109_iccv.2007.4408927", "ICCV 2007"),
        ("10.1371_journal.pone.0033693", "PLoS ONE"),
    ],
)
def test_recorded_crossref_proceedings_have_their_short_names(name, shown):
    said = json.loads(recorded(f"crossref/{name}.json"))["message"]
    event = said.get("event") or {}
    assert short_venue(said["container-title"][0], event=event.get("name", "")) in {shown, shown.split()[0]}
    assert short_venue(said["container-title"][0], said["issued"]["date-parts"][0][0]) == shown


@pytest.mark.parametrize("name", ["facts.json", "facts_more.json"])
def test_the_venues_of_the_expected_facts_are_in_short_form(name):
    facts = json.loads(recorded(name))
    listed = facts["papers"] if isinstance(facts, dict) else facts
    venues = {fact["venue"] for fact in listed if fact.get("venue")}
    assert {short_venue(venue) for venue in venues} == venues
    dated = [venue.rpartition(" ") for venue in venues if re.fullmatch(r".* \d{4}", venue)]
    assert {short_venue(acronym, int(year)) for acronym, _, year in dated} == {"".join(parts) for parts in dated}
