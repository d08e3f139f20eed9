"""Lists with the authors behind or before each title. Any capitalised words may be names: the whole list tells."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

TITLES = (
    "How to 0wn the Internet in your Spare Time",
    "See through walls with Wi-Fi!",
    "BGP routing policies in ISP networks",
    "Why Is It Taking So Long to Secure Internet Routing?",
    "Intentional Naming System",
    "Kerberos: An Authentication Service for Computer Networks",
    'A Look Back at "Security Problems in the TCP/IP Protocol Suite"',
    "Population genetics of sparse coding in mice",
)
TITLES_FIRST = [
    "{t} - {n}",
    "{t} — {n} (1998)",
    "{t} by {n}",
    "{t}, by {n}",
    "{t} ({n}, 1998)",
    "*{t}* by **{n}** (1998)",
]


def papers_of(text):
    return [entry for entry in parser.parse(text) if entry.kind == "paper"]


def listed(items, mark="- "):
    return "# Networks\n\n" + "".join(f"{mark}{item}\n" for item in items)


@pytest.mark.parametrize("form", [*TITLES_FIRST, "{t}, {n}, 1998", "{n} - {t}", "**{n}**: {t}"])
@pytest.mark.parametrize(
    ("names", "authors"),
    [
        ("Adib and Katabi", ("Adib", "Katabi")),
        ("Appenzeller, Keslassy, and McKeown", ("Appenzeller", "Keslassy", "McKeown")),
        ("Greenberg et. al.", ("Greenberg",)),
        ("Leila Schneps & Pierre Lochak", ("Leila Schneps", "Pierre Lochak")),
    ],
)
def test_titles_and_names_in_one_form_are_parted(form, names, authors):
    found = papers_of(listed(form.format(t=title, n=names) for title in TITLES))
    assert [(paper.title, paper.authors) for paper in found] == [(title, authors) for title in TITLES]
    assert {paper.year for paper in found} == ({1998} if "1998" in form else {None})


@pytest.mark.parametrize("form", TITLES_FIRST)
def test_one_full_name_behind_each_title_is_its_author(form):
    found = papers_of(listed(form.format(t=title, n="Gerald Weinberg") for title in TITLES))
    assert [(paper.title, paper.authors) for paper in found] == [(title, ("Gerald Weinberg",)) for title in TITLES]


def test_lines_without_list_marks_are_parted_too():
    found = papers_of(listed((f"{title} - Adib and Katabi" for title in TITLES), mark=""))
    assert [(paper.title, paper.authors) for paper in found] == [(title, ("Adib", "Katabi")) for title in TITLES]


def test_sections_of_one_item_follow_the_rest_of_the_note_and_an_item_without_names_is_a_title():
    sections = "".join(f"## Part {n}\n\n- {title} - Gao and Rexford\n\n" for n, title in enumerate(TITLES))
    found = papers_of(f"# Papers\n\n{sections}- The Peering Playbook\n")
    assert [paper.title for paper in found] == [*TITLES, "The Peering Playbook"]
    assert found[-1].authors == ()


def test_names_before_the_address_below_a_title_are_no_part_of_it():
    items = (f"{title} - Richard Jozsa\n      https://arxiv.org/abs/2101.0000{n}" for n, title in enumerate(TITLES))
    found = papers_of(listed(items))
    assert [paper.title for paper in found] == list(TITLES)
    assert {paper.authors for paper in found} == {("Richard Jozsa",)}
    assert [paper.identifiers for paper in found] == [(f"arxiv:2101.0000{n}",) for n in range(len(TITLES))]


def test_a_word_behind_each_title_may_be_anybody_and_is_kept_as_a_remark():
    who = ("Bo", "Ada", "Chen", "Dana")
    titles = (
        "Attention Is All You Need",
        "Mastering the Game of Go",
        "Language Models are Few-Shot Learners",
        TITLES[5],
    )
    found = papers_of(listed(f"{title} ({name})" for title, name in zip(titles, who, strict=True)))
    assert [(paper.title, paper.authors, paper.text) for paper in found] == [
        (title, (), name) for title, name in zip(titles, who, strict=True)
    ]


@cases(
    "items",
    [
        (
            "Fix the flaky test in CI - Bo",
            "Review PR backlog - Ada",
            "Write the design doc - Chen",
            "Update docs - Dana",
        ),
        ("Ada Lovelace - MIT", "Charles Babbage - Cambridge", "Alan Turing - Princeton", "Grace Hopper - Yale"),
        ("Redis (Cache)", "PostgreSQL (Database)", "Kafka (Queue)", "Grafana (Dashboards)"),
        ("Slides were made by Bo", "The demo was shown by Ada", "Minutes were taken by Chen", "Tea was made by Dana"),
        (
            "Bo: Working on the import queue",
            "Ada: Reviewing caches",
            "Chen: Out on Friday",
            "Dana: Blocked by a release",
        ),
    ],
)
def test_lists_of_other_things_name_no_papers(items):
    assert papers_of(listed(items)) == []


def test_a_short_name_before_a_title_is_no_author():
    items = (
        "Spanner - Google's Globally Distributed Database",
        "Raft - In Search of an Understandable Consensus Algorithm",
        "Dynamo - Amazon's Highly Available Key Value Store",
        "Bigtable - A Distributed Storage System for Structured Data",
    )
    assert [(paper.title, paper.authors) for paper in papers_of(listed(items))] == [(item, ()) for item in items]


def test_a_list_that_is_called_one_of_topics_names_no_papers():
    topics = ("Quantum protocol design", "Programmable quantum gates", "Quantum repeater architectures", "Ion traps")
    assert (
        papers_of("# Notes\n\nRecurring topics on this list are:\n" + "".join(f"- {topic}\n" for topic in topics)) == []
    )
