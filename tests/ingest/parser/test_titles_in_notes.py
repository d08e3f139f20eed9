"""Titles and what is written around them: verbs of a diary, the journal, the role of an author, signs of quotation."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

LINK = "[Meta-Learning with Implicit Gradients](https://arxiv.org/abs/1909.04630)"
WAVE = "Flip motion of solitary wave in an Ising-type model"
VILLI = "Intestinal Villus Structure Contributes to Even Shedding of Cells"


def read(text):
    (found,) = (entry for entry in parser.parse(text) if entry.kind in {"paper", "lead", "snippet"})
    return found


@cases(
    ("line", "status"),
    [
        (f"Glanced over {LINK}", "read"),
        (f"First-pass read{LINK}", "read"),
        (f"Today I read {LINK} on the train", "read"),
        (f"Started reading {LINK}", "reading"),
        (f"Gave up on {LINK}", "dropped"),
        (f"Read {LINK}", None),  # a task as well
        ("Read `Predicting Splicing from Primary Sequence' and saved references.", "read"),
    ],
)
def test_a_verb_before_a_title_states_its_status(line, status):
    entry = read(f"# Plan\n\n### Jan 26, 2020\n\n1. {line}\n")
    assert entry.status == status
    assert entry.title in {"Meta-Learning with Implicit Gradients", "Predicting Splicing from Primary Sequence"}


@cases(
    ("page_title", "title", "venue", "year"),
    [
        (f"Phys. Rev. E 100, 052113 (2019) - {WAVE}", WAVE, "Phys. Rev. E", 2019),
        (f"{WAVE} | Science Advances", WAVE, "Science Advances", None),
        (f"{VILLI}: Biophysical Journal", VILLI, "Biophysical Journal", None),
        ("Fast consensus: a survey", "Fast consensus: a survey", "", None),
        ("The Rise of Language - Mind", "The Rise of Language - Mind", "", None),
    ],
)
@pytest.mark.parametrize("form", ["- [{t}]({a})", "#\n> {t}\n[{a}]({a})"])
def test_the_title_of_a_page_names_its_journal(form, page_title, title, venue, year):
    entry = read(form.format(t=page_title, a="https://www.cell.com/cell/fulltext/S0006-3495") + "\n")
    assert (entry.title, entry.venue, entry.year) == (title, venue, year)


@cases(
    ("line", "title", "authors"),
    [
        ("現代暗号の誕生と発展：新しい暗号 岡本 龍明 (著)", "現代暗号の誕生と発展：新しい暗号", ("岡本 龍明",)),
        ("現代暗号への招待 (情報学テキスト) 黒澤 馨（著）", "現代暗号への招待", ("黒澤 馨",)),
        ("初学者のための代数幾何 (著: 永田雅宜)", "初学者のための代数幾何", ("永田雅宜",)),
    ],
)
def test_the_role_in_brackets_behind_a_book_tells_its_author(line, title, authors):
    entry = read(f"## 本\n\n{line}\n")
    assert (entry.kind, entry.title, entry.authors) == ("paper", title, authors)


def test_authors_left_out_before_the_last_one_are_no_title():
    entry = read(
        "- Luk, C. K., Cohn, R., Muth, R., ... & Hazelwood, K. (2005). Pin: building program analysis tools. "
        "ACM SIGPLAN Notices, 40(6), 190-200.\n"
    )
    assert (entry.title, entry.year) == ("Pin: building program analysis tools", 2005)
    assert entry.authors == ("C. K. Luk", "R. Cohn", "R. Muth", "K. Hazelwood")


@cases(
    ("line", "title", "authors", "year"),
    [
        (
            '- [Marr (1969) "A theory of cerebellar cortex](https://doi.org/10.1113/p68)',
            "A theory of cerebellar cortex",
            ("Marr",),
            1969,
        ),
        (
            "- Hinde, R.A. (1976.) Interactions and Social Structure. Man 11, 1: 1-17.",
            "Interactions and Social Structure",
            ("R.A. Hinde",),
            1976,
        ),
        (
            '- Rosenblum, Mendel and Ousterhout, John K. (February 1992) - "A Log-Structured File System". ACM TOCS.',
            "A Log-Structured File System",
            ("Mendel Rosenblum", "John K Ousterhout"),
            1992,
        ),
    ],
)
def test_a_year_in_brackets_parts_names_from_the_title_however_it_is_written(line, title, authors, year):
    entry = read(line + "\n")
    assert (entry.title, entry.authors, entry.year) == (title, authors, year)


def test_two_addresses_with_or_between_them_are_of_one_paper():
    entry = read(f"- {VILLI} https://arxiv.org/abs/2101.10657 or https://ieeexplore.ieee.org/document/9553133\n")
    assert (entry.title, entry.identifiers) == (VILLI, ("arxiv:2101.10657", "ieee:9553133"))


def test_items_of_a_quoted_list_are_items_with_what_is_nested_below_them():
    entries = parser.parse(f"哲学方法：\n> - {LINK}\n>   - read twice\n> - {VILLI} (Biophysical Journal 2020)\n")
    papers = [entry for entry in entries if entry.kind == "paper"]
    assert [(paper.title, paper.topics) for paper in papers] == [
        ("Meta-Learning with Implicit Gradients", ("哲学方法",)),
        (VILLI, ("哲学方法",)),
    ]
    assert papers[0].text == "read twice"


def test_a_reference_to_another_work_below_a_paper_tells_nothing_about_it():
    entry = read(f"- {LINK}\n  - 引用：Ma J, Song Y. Another work[J]. Frontiers of milling, 2020, 14(4): 450-469.\n")
    assert (entry.venue, entry.year) == ("", None)
