"""YAML files that list works: as mappings in braces, or in the weeks of a course."""

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


COURSE = """- week: week1
  weektitle: Welcome
  days:
    - date: Tuesday, September 1
      title: Caches
      required:
        - paper-title: "A Story of Caches: Their Wires"
          paper-link: https://example.org/caches.pdf
          paper-author: Ada Lovelace, and Ken Abe
          paper-published: SIGCOMM
          paper-year: 2015
- week: week2
  weektitle: Networks
  days:
    - date: Tuesday, September 8
      title: Wires
      required:
      recommended:
        - paper-title: A Book of Wires
          paper-link: https://example.org/wires.html
          paper-author: Kim Silva
          paper-published:
          paper-year: 2001
"""


def test_the_papers_in_the_weeks_of_a_course_stand_under_their_sessions():
    found = [entry for entry in parser.parse(COURSE) if entry.kind == "paper"]
    assert [(entry.title, entry.authors, entry.venue, entry.year, entry.topics) for entry in found] == [
        ("A Story of Caches: Their Wires", ("Ada Lovelace", "Ken Abe"), "SIGCOMM", 2015, ("Caches",)),
        ("A Book of Wires", ("Kim Silva",), "", 2001, ("Wires",)),
    ]


def test_a_published_page_names_no_venue():
    text = "---\ntitle: A Story of Caches\narxiv: 2101.00001\npublished: true\nyear: 2021\n---\n"
    (entry,) = [entry for entry in parser.parse(text) if entry.kind == "paper"]
    assert (entry.venue, entry.year) == ("", 2021)


def test_what_stands_beside_papers_in_deeper_lists_is_not_passed_over():
    for other in ("    - Wires and their Owners", "    - title: A Blog\n      url: https://example.org/blog"):
        entries = parser.parse(
            COURSE.replace("        - paper-title: A Book", f"    {other}\n        - paper-title: A Book")
        )
        said = " ".join(f"{entry.title} {entry.text} {entry.identifiers}" for entry in entries)
        assert "Owners" in said or "example.org/blog" in said


@cases("mark", ["- ", "-\n  "], ids=["beside", "above"])
def test_the_mark_of_an_item_may_stand_above_its_fields(mark):
    text = "".join(
        f"{mark}week: {week}\n  title: {subject}\n  reading:\n    -\n      author: {author}\n      title: {title}\n"
        f"      url: https://aclanthology.org/www.mt-archive.info/00/{author}.pdf\n"
        for week, subject, author, title in [
            (2, "Machine Translation in the 1930s", "Hutchins", "Two precursors of machine translation"),
            (3, "The Noisy Channel", "Weaver", "The Mathematics of Communications"),
        ]
    )
    assert [(entry.title, entry.topics) for entry in parser.parse(text) if entry.kind == "paper"] == [
        ("Two precursors of machine translation", ("Machine Translation in the 1930s",)),
        ("The Mathematics of Communications", ("The Noisy Channel",)),
    ]


def test_a_note_of_a_dash_alone_is_read():
    assert [(entry.kind, entry.decision) for entry in parser.parse("-\n")] == [("blank", "skip")]


def test_topics_and_authors_may_be_lists():
    text = (
        "- title: A Story of Many Caches\n  url: https://arxiv.org/abs/2301.00001\n  authors:\n  - Ada Lovelace\n"
        "  - Ken Abe\n  tags:\n    - caches\n    - key-value stores\n"
        "- title: A Story of Wires\n  url: https://arxiv.org/abs/2301.00002\n  tags: [wires]\n"
    )
    found = [entry for entry in parser.parse(text) if entry.kind == "paper"]
    assert [(entry.authors, entry.topics, entry.text) for entry in found] == [
        (("Ada Lovelace", "Ken Abe"), ("caches", "key-value stores"), ""),
        ((), ("wires",), ""),
    ]
