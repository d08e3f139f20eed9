"""Real notes, when they are at hand: their counts are pinned."""

import os
from collections import Counter
from pathlib import Path

import pytest

from readtrack.ingest import parser
from tests.tables import cases

SAMPLES = os.environ.get("READTRACK_TEST_SAMPLES")
pytestmark = pytest.mark.skipif(not SAMPLES, reason="READTRACK_TEST_SAMPLES names no folder with sample notes")

LINES = {
    "000": {"blank": 16, "snippet": 5, "question": 1, "topic": 7, "paper": 25, "junk": 2},
    "001": {"blank": 25, "table": 13, "snippet": 8, "topic": 10, "question": 1, "paper": 36, "junk": 2},
    "003": {"paper": 68, "blank": 44, "lead": 2, "junk": 18, "mention": 2},
    "004": {"junk": 3, "topic": 5, "lead": 49},
}


def entries(name):
    return parser.parse(parser.decode((Path(SAMPLES or "") / "team" / f"{name}.txt").read_bytes()))


@pytest.mark.deep
@cases("name", LINES)
def test_every_line_of_the_notes_is_accounted_for(name):
    assert parser.tally(entries(name)) == LINES[name]


def test_each_paper_of_the_notes_is_found_once():
    found = Counter(
        each for name in LINES for entry in entries(name) if entry.kind == "paper" for each in entry.identifiers
    )
    arxiv = [each for each in found if each.startswith("arxiv:")]
    assert len(arxiv) == 12
    assert "arxiv:2309.14509" in arxiv
    assert {each for each in found if each.startswith("usenix:")} == {
        "usenix:osdi23/ren",
        "usenix:nsdi24/huang",
        "usenix:nsdi24/hu",
    }
    assert found["doi:10.1145/3627703.3650085"] == 1


def test_internal_and_account_pages_are_junk_without_identifiers():
    junk = [each for each in entries("003") if each.kind == "junk"]
    assert len(junk) == 9
    assert all(each.decision == "skip" and each.reason and not each.identifiers for each in junk)


def test_a_reference_list_without_links_gives_unresolved_references_and_no_papers():
    found = Counter(each.kind for each in entries("004"))
    assert found == {"lead": 49, "topic": 5, "junk": 3}


def test_identifiers_in_earlier_notes_appear_in_later_ones_too():
    earlier, later = ({each for entry in entries(name) for each in entry.identifiers} for name in ("000", "001"))
    assert earlier < later


@cases(("name", "arxiv"), [("amadeus.md", 80), ("kuangjux.md", 10), ("hanfried.org", 6), ("onetab.txt", 1)])
def test_notes_by_other_people_are_read_to_the_last_line(name, arxiv):
    text = parser.decode((Path(SAMPLES or "") / "public" / name).read_bytes())
    found = parser.parse(text)
    assert sum(parser.tally(found).values()) == len(text.splitlines())
    assert len({each for entry in found for each in entry.identifiers if each.startswith("arxiv:")}) >= arxiv
