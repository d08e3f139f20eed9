"""Titles in the names of files."""

from readtrack.ingest import parser
from readtrack.ingest.parser.vocabulary.file_names import read_file_name
from readtrack.ingest.parser.vocabulary.venues import Venue
from tests.tables import cases


@cases(
    ("name", "found"),
    [
        ("Babbage_Caches_for_Difference-Engines.pdf", Venue("Babbage Caches for Difference-Engines")),
        ("Caches for Difference-Engines.pdf", Venue("Caches for Difference-Engines")),
        ("caches-for-engines.PDF", Venue("caches for engines")),
        ("NeurIPS-2031-caches-for-engines-Paper.pdf", Venue("caches for engines", "NeurIPS", 2031)),
        ("Babbage_Caches_for_Engines_CVPR_2031_paper.pdf", Venue("Babbage Caches for Engines", "CVPR", 2031)),
        ("osdi20-king.pdf", None),
        ("2305.15778.pdf", None),
        ("engines.pdf", None),
        ("Caches for Engines", None),
    ],
)
def test_the_words_of_a_file_name_are_a_title(name, found):
    assert read_file_name(name) == found


def test_a_linked_file_without_another_name_has_the_title_in_its_name():
    (paper,) = parser.parse("- [x] [[ICML-2031-caches-for-engines.pdf]]")
    assert (paper.title, paper.venue, paper.year, paper.status) == ("caches for engines", "ICML", 2031, "read")
