"""What public lists write beside a title or in its place, a row a cause: none of it is taken for the title or a paper."""

import pytest

from readtrack import notes

A = "https://arxiv.org/abs/2305.15778"
TITLE = "A Story of Two Caches"


def only(text):
    (entry,) = notes.parse(text)
    return entry


def papers(text):
    return [entry for entry in notes.parse(text) if entry.kind == "paper"]


@pytest.mark.parametrize(
    ("line", "title", "venue"),
    [
        (f"- OSDI 16 -- Story: A Tale of Two Caches [pdf]({A})", "Story: A Tale of Two Caches", "OSDI"),
        (f"- Mobisys '13 -- {TITLE} [pdf]({A})", TITLE, "Mobisys"),
        (f"- [OSDI'04-Story: A Tale of Two Caches]({A})", "Story: A Tale of Two Caches", "OSDI"),
        (f"- [SOSP'03-{TITLE}]({A})", TITLE, "SOSP"),
        (f"- Lovelace et al, SoCC'16, Story: A Tale of Two Caches, ([paper])({A})", "Story: A Tale of Two Caches", "SoCC"),
        (f'- **Story** "Where Are We in the Search for Two Caches?" *arXiv, Mar 2023*. [[Paper]({A})]',
         "Where Are We in the Search for Two Caches?", "arXiv"),
        (f"- [{TITLE} - Lovelace et al.]({A})", TITLE, ""),
        (f"- [{TITLE} by Ada Lovelace and Charles Babbage]({A})", TITLE, ""),
        (f"- [Caches at Scale: Methods, Performance Optimizations and Hardware Implications]({A})",
         "Caches at Scale: Methods, Performance Optimizations and Hardware Implications", ""),
        (f"- Caches at Scale: Methods, Performance Optimizations and Hardware Implications [pdf]({A})",
         "Caches at Scale: Methods, Performance Optimizations and Hardware Implications", ""),
        (f"- [Two Caches: Accelerating Training by Bubble Exploitation]({A})",
         "Two Caches: Accelerating Training by Bubble Exploitation", ""),
    ],
)  # fmt: skip
def test_what_stands_before_and_behind_a_title_is_told_from_it(line, title, venue):
    found = only(line)
    assert (found.identifiers, found.title, found.venue) == (("arxiv:2305.15778",), title, venue)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("[3] The design of two caches for one machine, 1964", "The design of two caches for one machine"),
        ("[4] Two Caches for One Machine, 2023, MICRO", "Two Caches for One Machine"),
        ("[5] Two Caches: A Survey of One Machine, 2017, IEEE Micro", "Two Caches: A Survey of One Machine"),
        ("[6] Two Caches: A Survey of One Machine, CCR 2015", "Two Caches: A Survey of One Machine"),
        ("[7] Two Caches: A Survey of One Machine, FGCS, 2014", "Two Caches: A Survey of One Machine"),
    ],
)
def test_a_numbered_line_with_its_year_names_a_paper(line, title):
    numbered = f"{line}\n[8] A third work on two caches, 1999\n[9] A fourth work on two caches, 2001"
    assert papers(numbered)[0].title == title


def test_a_remark_below_a_numbered_line_belongs_to_it():
    first, second, _ = notes.parse(
        "[1] The design of one machine with caches, 1964\n    - First of its kind\n"
        "[2] A second machine with caches, 1964\n[3] A third machine with caches, 1965"
    )
    assert (first.last, first.text, second.first) == (2, "First of its kind", 3)


def test_remarks_below_a_linked_line_are_no_papers_though_papers_follow():
    text = (
        f"[{TITLE}]({A})\n- Using a cache to keep what was said in the conversation.\n\n"
        "[Another Story of Caches](https://arxiv.org/abs/2101.00001)\n\n"
        "[The Third Story of Caches](https://arxiv.org/abs/2101.00002)"
    )
    assert [entry.title for entry in papers(text)] == [TITLE, "Another Story of Caches", "The Third Story of Caches"]


def test_a_list_of_conferences_with_years_holds_no_papers():
    assert papers("- IoTDI (2017, 2016)\n- Sensys (2016, 2015, 2014)\n- Mobicom (2016)") == []


@pytest.mark.parametrize(
    "line",
    [
        f"- [{TITLE}]()",
        f":question: **medical** [{TITLE}]()",
        f"- [{TITLE} (**2015.06**)](./notes/a-story.md)",
        f"- [{TITLE}](a story of two caches)",
    ],
)
def test_a_link_that_leads_nowhere_still_names_its_paper(line):
    assert only(line).title == TITLE


def test_beside_notes_on_papers_a_short_name_is_one_too():
    text = (
        "- [A Story of Two Caches](n/a.md)\n- [The Tale of Three Caches](n/b.md)\n"
        "- [Chain Replication for Many Caches](n/c.md)\n- [Let there be Color](n/d.md)\n- [consensus](n/index.md)"
    )
    assert [entry.title for entry in papers(text)][-1] == "Let there be Color"


def test_a_link_over_two_lines_may_lead_to_a_file():
    found = only("* [A Story of Two Caches:\nOne Machine with Both](a-story.pdf)")
    assert (found.identifiers, found.title) == (("file:a-story.pdf",), "A Story of Two Caches: One Machine with Both")


def test_hyphens_of_other_lengths_are_part_of_an_address():
    found = only("* [A Story of Two Caches](https://www.usenix.org/conference/osdi25/presentation/ada\u2011lovelace)")
    assert found.identifiers == ("usenix:osdi25/ada-lovelace",)


def test_a_programme_page_is_the_paper_not_its_slides():
    found = only("- [A Story of Two Caches](https://www.usenix.org/conference/hotcloud17/program/presentation/ada)")
    assert found.paper_kind == "paper"


def test_a_collection_is_no_paper_though_its_first_line_is_dated():
    text = (
        "# NeurIPS 2025: Efficient Caches for Many\n\n## Policy Optimization Methods\n\n"
        "### 1. A Story of Two Caches\n- **Link:** https://neurips.cc/virtual/2025/poster/119641"
    )
    (paper,) = papers(text)
    assert paper.topics == ("Policy Optimization Methods",)
