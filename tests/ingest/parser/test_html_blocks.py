"""HTML without line ends: blocks that share a line are read one by one, and every line is in one entry of part 1."""

from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.ingest import parser
from tests.depth import examples

ITEM = "<li>{0}, A. and Babbage, C. (20{1}). The Story of {2} Engines. <em>Research Policy</em>.</li>"
MANY, FEW, WOODEN = (
    ITEM.format(*each) for each in (("Lovelace", 21, "Many"), ("Byron", 22, "Few"), ("Li", 23, "Wooden"))
)
PAGE = f"<div><h3>Looms</h3><p>What weaves.</p><ul>{MANY}{FEW}</ul></div>\n<div><h3>Mills</h3><ul>{WOODEN}</ul></div>\n"
LINKED = '<li><a href="https://arxiv.org/abs/2301.00001">A Title of Words</a>'
TABLE = "<table><tr><td>x</td></tr></table>"
BLOCKS = ["<h2>Topic</h2>", "<p>Some words.</p>", "<ul>", "</ul>", "<div>", "</div>", "<p>", "text", "\n", "- an item"]


def test_items_of_one_line_are_papers_below_their_headings():
    papers = [each for each in parser.parse(PAGE) if each.kind == "paper"]
    found = [(each.title, each.venue, each.year, each.topics, each.first) for each in papers]
    assert found == [
        ("The Story of Many Engines", "Research Policy", 2021, ("Looms",), 1),
        ("The Story of Few Engines", "Research Policy", 2022, ("Looms",), 1),
        ("The Story of Wooden Engines", "Research Policy", 2023, ("Mills",), 2),
    ]
    assert [each.part for each in parser.parse(PAGE) if each.first == 1] == [1, 2, 3, 4, 5]
    assert "\n".join(each.raw for each in parser.parse(PAGE) if each.part == 1) == PAGE.rstrip("\n")


def test_a_reference_whose_only_address_is_a_search_is_a_paper_without_an_address():
    (paper,) = parser.parse(
        "- Lovelace, A. (2007). The Story of Many Engines. *Research Policy*. [Find](https://scholar.google.com/scholar?q=The+Story)\n"
    )
    assert (paper.kind, paper.title, paper.identifiers) == ("paper", "The Story of Many Engines", ())
    (page,) = parser.parse("[The Story of Many Engines](https://scholar.google.com/scholar?q=The+Story)\n")
    assert page.kind != "paper"


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.sampled_from([*BLOCKS, MANY, LINKED, TABLE]), max_size=25).map("".join))
def test_every_line_of_any_html_is_in_exactly_one_entry_of_part_1(text):
    entries = parser.parse(text)
    lines = [number for each in entries if each.part == 1 for number in range(each.first, each.last + 1)]
    assert lines == [*range(1, len(text.removesuffix("\n").split("\n")) + 1)] if text else entries == []
