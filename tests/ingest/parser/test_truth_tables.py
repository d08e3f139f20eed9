"""Every form of note with its truth table: what is found, what it is called, where it stands, and nothing made up."""

import pytest

from readtrack.infra.i18n import use_language
from readtrack.ingest import parser
from readtrack.ingest.imports.reasons import translate_reason
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


@pytest.fixture(scope="module")
def entries_by_form():
    texts = {name: parser.decode(note.read_bytes()) for name, (note, _) in SAMPLES.items()}
    return {name: (text, parser.parse(text)) for name, text in texts.items()}


@cases("name", SAMPLES)
def test_a_note_of_this_form_is_read_as_its_truth_table_says(entries_by_form, name):
    records = parser.preview_json(entries_by_form[name][1], name)
    figures = truth.figures(records, truth.rows_of(SAMPLES[name][1]))
    assert {what: figures[what] for what, least in AT_LEAST.items() if figures[what] < least} == {}
    assert figures["noise"] <= MOST_NOISE * len(records)
    assert figures["dup"] == 0


def test_every_line_of_each_form_is_accounted_for(entries_by_form):
    texts = {name: (text, sum(parser.tally(entries).values())) for name, (text, entries) in entries_by_form.items()}
    assert [name for name, (text, lines) in texts.items() if lines != len(text.splitlines())] == []


def test_every_reason_of_the_parser_is_a_known_one(entries_by_form):
    stored = {entry.reason for _, entries in entries_by_form.values() for entry in entries} - {""}
    with use_language("ja"):
        assert [reason for reason in stored if translate_reason(reason) == reason] == []


def test_every_truth_table_has_its_note():
    assert len(SAMPLES) == len(list(truth.FORMS.glob("*.truth.tsv")))
