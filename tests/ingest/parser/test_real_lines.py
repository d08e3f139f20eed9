"""Lines as large public lists write them, end to end: what is title, what is beside it."""

from readtrack.ingest import parser
from tests.tables import cases


def first_paper(text):
    return next(entry for entry in parser.parse(text) if entry.kind == "paper")


@cases(
    ("line", "title", "venue", "year"),
    [
        (
            '**[3]** He et al. "**A Story of Two Caches**." arXiv:1512.03385 (2015) [[pdf]](https://arxiv.org/pdf/1512.03385)',
            "A Story of Two Caches",
            "arXiv",
            2015,
        ),
        (
            '* **Tale**: "A Story of Two Caches", ICLR, 2021 (*Example*). [[Paper](https://arxiv.org/abs/2101.00001)]',
            "A Story of Two Caches",
            "ICLR",
            2021,
        ),
        (
            "+ [**A Story of Two Caches**](https://arxiv.org/abs/2101.00001) <br> A. One, B. Two <br> *NeurIPS 2020*",
            "A Story of Two Caches",
            "NeurIPS",
            2020,
        ),
        (
            "- **[Tale]** A Story of Two Caches [[Paper](https://arxiv.org/abs/2101.00001)]",
            "A Story of Two Caches",
            "",
            None,
        ),
        (
            "- [A Story of Caches](https://arxiv.org/abs/2101.00001) by Author et al. (ICML'21)",
            "A Story of Caches",
            "ICML",
            2021,
        ),
        (
            "- [Author et al., A Story of Two Caches, MLSys 2020](https://arxiv.org/abs/2101.00001).",
            "A Story of Two Caches",
            "MLSys",
            2020,
        ),
        (
            '["A Story of Caches," A. Lovelace et al. (2018)](https://arxiv.org/abs/2101.00001)',
            "A Story of Caches",
            "",
            2018,
        ),
        (
            "Ada K. Lovelace. [Caches We Own]({{ page.url.ada }}). TOIS, 1945.",
            "Caches We Own",
            "TOIS",
            1945,
        ),
        ("[A Story of Caches](https://example.org/a.pdf), eLife, 2024", "A Story of Caches", "eLife", 2024),
        (
            "[A Story of Caches](https://example.org/a.pdf), *Nature Quiet Wires*, 2024",
            "A Story of Caches",
            "Nature Quiet Wires",
            2024,
        ),
        (
            "1. (CCF-A-2021) A Story of Two Caches <https://github.com/ada/caches>",
            "A Story of Two Caches",
            "CCF-A",
            2021,
        ),
        (
            "- 【ICLR 2023】A Story of Two Caches.[[paper]](https://openreview.net/forum?id=EBS4C77p_5S)",
            "A Story of Two Caches",
            "ICLR",
            2023,
        ),
    ],
)
def test_the_title_is_found_among_tags_authors_and_venue(line, title, venue, year):
    paper = first_paper(line)
    assert (paper.title, paper.venue, paper.year) == (title, venue, year)


def test_a_translated_title_directly_below_is_not_a_second_heading():
    text = "## Caches\n\n**A Story of Two Caches**\n**两个缓存的故事**\n\n- Paper: https://arxiv.org/abs/2101.00001\n"
    paper = first_paper(text)
    assert (paper.title, paper.identifiers, paper.topics) == (
        "A Story of Two Caches",
        ("arxiv:2101.00001",),
        ("Caches",),
    )


def test_unindented_authors_directly_below_an_item_belong_to_it():
    text = "1. **A Story of Two Caches.**\n*Ann One, Bob Two.* ICML 2005. [paper](https://a.org/1.pdf)\n"
    paper = first_paper(text)
    assert (paper.title, paper.authors, paper.venue, paper.last) == (
        "A Story of Two Caches",
        ("Ann One", "Bob Two"),
        "ICML",
        2,
    )


def test_a_subject_of_notes_beside_the_list_is_a_paper_without_a_url():
    paper = first_paper("* Recursive story telling for unknown caches [[note]](./notes/recursive%20story.md)")
    assert (paper.title, paper.identifiers) == ("Recursive story telling for unknown caches", ())


@cases(
    ("line", "found"),
    [
        (
            "* [A Story of Two Caches](https://a.org/1.pdf) (2003) and [A Tale of Rats](https://a.org/2.pdf) (2006)",
            [("A Story of Two Caches", 2003), ("A Tale of Rats", 2006)],
        ),
        (
            "* (2003) [A Story of Two Caches](https://a.org/1.pdf) (2006) [A Tale of Rats](https://a.org/2.pdf)",
            [("A Story of Two Caches", 2003), ("A Tale of Rats", 2006)],
        ),
        ("8. Caches in Non-Linear Models: https://arxiv.org/abs/2101.00001", [("Caches in Non-Linear Models", None)]),
        ("8. Models: https://example.org/a", [("", None)]),
    ],
)
def test_words_and_years_between_links_belong_to_the_right_one(line, found):
    assert [(entry.title, entry.year) for entry in parser.parse(line)] == found


def test_no_identifier_of_a_row_with_several_papers_is_lost():
    labels = ("Paper", "ALBERT", "BERT")
    row = " ".join(f"[{label}](https://arxiv.org/abs/2101.0000{number})" for number, label in enumerate(labels, 1))
    table = (
        f"| Date | Topic | Resources |\n|---|---|---|\n| 2024-10-16 | Models | {row} |\n| 2024-10-23 | Data | {row} |\n"
    )
    found = {name for entry in parser.parse(table) for name in entry.identifiers}
    assert found == {"arxiv:2101.00001", "arxiv:2101.00002", "arxiv:2101.00003"}


def test_what_a_line_says_about_its_linked_title_is_no_other_title():
    remark = "An important companion paper to the one above. " + 30 * "It gives a model of them. "
    line = f"[A Story of Caches](https://arxiv.org/abs/2101.00001): {remark}"
    (paper,) = parser.parse(line)
    assert (paper.kind, paper.title) == ("paper", "A Story of Caches")
