"""Every form of note with its truth table: what is found, what it is called, where it stands, and nothing made up."""

import pytest

from readtrack.ingest import parser
from tests.ingest.parser import truth
from tests.tables import cases

AT_LEAST = {
    "ids found": 99.5,
    "ids right": 99.5,
    "links found": 97,
    "titles": 95,
    "title-only": 90,
    "headings": 99,
    "lines": 99,
}
MOST_NOISE = 0.03  # of all records
SAMPLES = {note.name: (note, table) for note, table in truth.samples()}


def records_of(note):
    return parser.preview_json(parser.parse(parser.decode(note.read_bytes())), note.name)


@pytest.mark.deep
@cases("name", SAMPLES)
def test_a_note_of_this_form_is_read_as_its_truth_table_says(name):
    note, table = SAMPLES[name]
    records = records_of(note)
    figures = truth.figures(records, truth.rows_of(table))
    assert {what: figures[what] for what, least in AT_LEAST.items() if figures[what] < least} == {}
    assert figures["noise"] <= MOST_NOISE * len(records)
    assert figures["dup"] == 0


@cases("name", SAMPLES)
def test_every_line_of_the_form_is_accounted_for(name):
    text = parser.decode(SAMPLES[name][0].read_bytes())
    assert sum(parser.tally(parser.parse(text)).values()) == len(text.splitlines())


def test_every_truth_table_has_its_note():
    assert len(SAMPLES) == len(list(truth.FORMS.glob("*.truth.tsv")))
