"""YAML files that list works as mappings in braces."""

from readtrack.ingest import parser
from tests.tables import cases

ITEM = '- {num: 2, year: 2021, title: "Caches, and: Wires", authors: "Ada Lovelace, Ken Abe", arxiv: "2101.00001"}'


@cases("above", ["", "# written by a program\n# do not edit\n", "\n"])
def test_mappings_in_braces_are_papers_and_comments_are_not_topics(above):
    entries = parser.parse(f"{above}{ITEM}\n{ITEM.replace('00001', '00002').replace('Wires', 'Ropes')}\n")
    papers = [entry for entry in entries if entry.kind == "paper"]
    assert [(paper.title, paper.identifiers, paper.year) for paper in papers] == [
        ("Caches, and: Wires", ("arxiv:2101.00001",), 2021),
        ("Caches, and: Ropes", ("arxiv:2101.00002",), 2021),
    ]
    assert {entry.kind for entry in entries} <= {"paper", "blank"}


def test_other_braces_are_no_list_of_works():
    assert not [entry for entry in parser.parse("- {a: 1, b: 2}\n- {a: 3}\n") if entry.kind == "paper"]
