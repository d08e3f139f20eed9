"""Ordinary notes that look like references and citing links, and are none."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

PAGE = "https://example.org/sinking-stones"
DOI = "https://doi.org/10.1038/343049a0"
ARXIV = "https://arxiv.org/abs/2301.00001"


def papers(text):
    return [each for each in parser.parse(text) if each.kind == "paper"]


def glossed(*titles):
    return "".join(f"{title}\n去年のこと\n\n" for title in titles)


def said(text):
    return [
        (each.title, each.authors, each.venue or "") for each in parser.parse(text) if each.kind in {"paper", "lead"}
    ]


@cases(
    "note",
    [
        "- Kuhn, Thomas S. [The Structure](https://example.org/k). 1962.\n- ———. *The Essential Tension*. 1977.\n",
        "- Adams, John (ed.). 1990. *A Handbook of Looms*.\n- ———. 1993. *A Handbook of Cards*.\n",
        "\nI loved the chapter on action.\n\n- ———. *Of Looms and Cards*. 1963.\n",
    ],
)
def test_dashes_behind_names_that_cannot_be_read_do_not_stand_for_older_ones(note):
    found = parser.parse(f"- Hume, David. *A Treatise of Looms*. 1739.\n{note}")
    assert all(each.authors != ("David Hume",) for each in found[1:])


@cases(
    "line",
    ['____. "Let It Be" was released in 1970.', "---, said the fox.", "_____. Signature here please", "---. So what."],
)
@pytest.mark.parametrize(
    "above", ['The Beatles released "Abbey Road" in 1969.', "Once *there was a loom*", "Date: 2020"]
)
def test_dashes_below_prose_stay_as_they_are(above, line):
    assert not any(above[:8] in (each.text or each.title) for each in parser.parse(f"{above}\n{line}\n")[1:])


def test_titles_below_a_reference_in_plain_words_stay_apart():
    note = "- Scott, James C. Seeing Like a State. Yale, 1998\n- ---. Weapons of the Weak. Yale, 1985\n"
    assert [title.lstrip(". ") for title, _, _ in said(note)] == ["Seeing Like a State", "Weapons of the Weak"]


@cases("below", [ARXIV, "doi: 10.1038/nature14539", f"NIPS 2017\n{ARXIV}"])
def test_a_byline_above_an_address_does_not_tear_it_from_its_title(below):
    (entry,) = papers(f"Attention to Looms and Cards\nby Ada Lovelace\n{below}\n")
    assert entry.title.startswith("Attention to Looms")
    assert entry.identifiers


@cases(
    "note",
    [
        "Photo of the harbour\nby Ken Abe\n",
        "Two roads diverged in a yellow wood\nAnd sorry I could not travel both\nBy Robert Frost\n",
        "The book was translated into English\nby David McDuff\nand published by Penguin\n",
        glossed("San Francisco", "Taylor Swift", "Visual Studio Code", "Green Tea"),
        glossed("What is attention?", "How does it work?", "Why does it scale well?", "Where is it used now?"),
    ],
)
def test_a_single_byline_and_names_with_a_remark_are_no_papers(note):
    assert not papers(note)


@cases(
    "item",
    [
        "The birth of the loom, An Archaeology of Medical Looms (1963)",
        "Robust estimation for mixed looms, Huber 2019, 12-14",
        "Concert in the big hall, Paris (2018) 20:00",
        "Lessons from rocket science 101: 5",
        "The Laws of Nature 3, 10-20",
        "Handbook of Modern Poetry and Science 3: 12-15",
    ],
)
def test_people_subtitles_and_hours_behind_a_title_are_no_journal(item):
    assert not any(venue for _, _, venue in said(f"- {item}\n"))


def test_surnames_behind_a_title_are_its_authors():
    note = (
        "- Structure and Interpretation of Computer Programs, Abelson & Sussman (1985)\n"
        "- An Introduction to Statistical Looms, James, Witten, Hastie & Tibshirani (2013)\n"
    )
    assert [(len(authors), venue) for _, authors, venue in said(note)] == [(2, ""), (4, "")]


@cases(
    ("label", "behind"),
    [
        ("Pride and Prejudice", ': "It is a truth universally acknowledged"'),
        ("Johnson & Johnson", ' "a company that makes many things"'),
        ("Windows95", ': "the operating system that changed the PC"'),
    ],
)
def test_a_quotation_behind_a_name_is_no_title(label, behind):
    (entry,) = parser.parse(f"- [{label}]({PAGE}){behind}\n")[:1]
    assert (entry.title, entry.authors) == (label, ())


@cases(
    ("name", "behind"),
    [
        ("Dune", '): "I must not fear. Fear is the mind-killer."'),
        ("Nosferatu", "). Watched with Ken on Friday."),
        ("Ulysses", "), James Joyce"),
        ("Adam", "): A Method for Stochastic Looms"),
        ("Rust and Go", ') "Which is faster in practice"'),
    ],
)
def test_words_behind_a_name_with_a_linked_year_are_no_title(name, behind):
    (entry,) = parser.parse(f"- {name} ([1965]({PAGE}){behind}\n")[:1]
    assert entry.title == name


@cases("label", ["Editorial 2020 (Nature)", "Dropout 2014 (Science)", "Genome 2001, Nature"])
def test_a_single_word_with_a_year_and_journal_is_kept(label):
    assert papers(f"- [{label}]({DOI})\n")[0].title == label


def test_a_remark_behind_a_citing_link_is_no_title():
    (entry,) = papers(f"- [Smith 2019 (Nature)]({DOI}) — worth rereading\n")
    assert entry.title != "worth rereading"


@cases(
    "words",
    [
        " Updated (2020)",
        " Talk (2018)",
        ", Tokyo (2019)",
        ". Gelman and Loken (2013)",
        " *Stewart Brand* (1994)",
        ", talk at Google, May 2016",
        " PDF (2016)",
    ],
)
def test_a_word_with_a_year_behind_a_page_is_no_venue(words):
    (entry,) = parser.parse(f"- [Why stones sink]({PAGE}){words}\n")[:1]
    assert (entry.paper_kind, entry.title, entry.venue or "") == ("page", "Why stones sink", "")


@cases(
    ("item", "title"),
    [
        ("Bourdieu, Pierre. *Homo academicus* trad. Ariel Dilon. Buenos Aires: Siglo XXI, 2008.", "Homo academicus"),
        ("*Clean code* handbook by Robert Martin, chapters one to five, https://example.org/cc", "Clean code"),
    ],
)
def test_a_title_of_two_words_in_italics_is_no_species(item, title):
    assert title in [each.title for each in parser.parse(f"- {item}\n")]


@cases(
    "item",
    [
        "<i>Smith, J. and Doe, A.</i> A study of looms and cards. 2019",
        "<i>In vivo loom editing</i> of mice: a review, Nature 2019",
    ],
)
def test_italics_of_html_at_the_beginning_do_not_hide_a_paper(item):
    assert len(papers(f"- {item}\n")) == 1


@cases(
    "item",
    ["Explain Figure 3 of the [paper]", "Fix the bug in [code]", "Fix login bug [code]", "[x] Pay rent [website]"],
)
def test_what_is_no_paper_keeps_its_words_in_brackets(item):
    assert all("[" in (each.text or each.title) for each in parser.parse(f"- {item}\n") if each.kind != "blank")


@cases("label", ["(Smith, 2019)", "(Vaswani et al.)", "(Ann Lee)", "(Optional)"])
def test_names_and_remarks_in_bold_brackets_are_kept(label):
    (entry,) = parser.parse(f"- **{label}** A Study of Looms and Cards\n")[:1]
    assert label.strip("()").split()[0].strip(",") in f"{entry.title} {entry.text} {entry.authors}"


@cases(
    "table",
    [
        "| Title | Author |\n|---|---|\n| Dune | Frank Herbert |\n| Notes | Ann Smith |\n| Summary | Ken Abe |\n",
        "| Column | Meaning |\n|---|---|\n| title | name of the work |\n| authors | who wrote it |\n| year | when |\n",
        "| Section | Status |\n|---|---|\n| Abstract | done |\n| Title | draft |\n| Authors | ask Ken |\n",
        "| Name | Value |\n|---|---|\n| Title | Lamp |\n| Price | 12 |\n| Year | 2020 |\n",
    ],
)
def test_other_tables_with_names_of_fields_stay_tables(table):
    assert {each.title for each in papers(table)} <= {"Dune"}
    assert parser.parse(table)[0].kind == "table"


@cases(
    "heading",
    [
        "Week 3: Attention to Looms and Cards",
        "Day 1 - Attention to Looms and Cards",
        "Unit 731 and the Ethics of Looms",
    ],
)
def test_a_session_without_a_date_may_name_its_paper(heading):
    (entry,) = papers(f"## {heading}\nPaper: {ARXIV}\n")
    assert entry.title == heading


@cases(
    ("table", "venue"),
    [
        ("Title,Authors,Citation Key,Reference\nAttention to all looms,Vaswani,vaswani2017,NIPS 2017\n", "NIPS"),
    ],
)
def test_a_column_of_references_may_hold_something_else(table, venue):
    (entry,) = papers(table)
    assert (entry.title, entry.venue, entry.year) == ("Attention to all looms", venue, 2017)


def test_each_address_in_a_column_of_references_is_a_paper():
    table = f'Topic,References\nNLP,"{ARXIV}, {ARXIV[:-1]}2"\nCV,"{ARXIV[:-1]}3 {ARXIV[:-1]}4"\n'
    assert sum(len(each.identifiers) for each in papers(table)) == 4


@cases(
    "table",
    [
        "Reference,Amount,Date\nINV-2020-01,300,2020-01-02\n",
        "Part,Reference,Qty\nResistor,R1,3\n",
        "Reference,Finding,Sample\nSmith 2019,looms help,100\n",
        "Citation,Summary\nvaswani2017,uses attention\n",
    ],
)
def test_columns_of_invoices_and_parts_are_no_references(table):
    assert not papers(table)


@cases(
    "item",
    [
        "ウィトゲンシュタイン『論理哲学論考』岩波文庫, 2003",
        "ドストエフスキー『カラマーゾフの兄弟』光文社古典新訳文庫",
        "シュレーディンガー、『生命とは何か』、岩波文庫、2008年",
    ],
)
def test_long_foreign_names_in_kana_are_authors(item):
    (entry,) = papers(f"- {item}\n")
    assert entry.authors == (item.replace("、", "『").split("『")[0],)


@cases("item", ['**"Done is better than perfect always"**', '**"I think therefore I am"** (Descartes)'])
def test_quotations_in_bold_are_no_papers(item):
    assert not papers(f"- {item}\n")


@cases("remark", ["To be read", "Unpublished manuscript", "Very good", "Skimmed"])
def test_a_remark_in_italics_is_no_venue(remark):
    assert not any(venue for _, _, venue in said(f"- Silva, A. and Abe, K. A study of looms. *{remark}*.\n"))


@cases(
    "item",
    ['"The Loom and the Sea", Penguin 2019', '"Why Boats Float", Springer 2020', '"The Loom and I", Summer 2019'],
)
def test_a_publisher_or_season_behind_a_quoted_title_is_no_author(item):
    assert not any(authors for _, authors, _ in said(f"- {item}\n"))


def test_initials_before_a_quoted_title_keep_their_stops():
    (entry,) = papers("- Thompson, E. P., 'Time and Industrial Looms', Past & Present, 38 (1967)\n")
    assert (entry.authors, entry.venue) == (("E. P. Thompson",), "Past & Present")


@cases("item", ["报告, 草稿, 第2版, 周五交", "开会, 讨论预算, 第2版", "佐藤, 仕様書, 第 3 版, 金曜まで"])
def test_drafts_of_anything_are_no_books(item):
    assert not papers(f"- {item}\n")


@cases("name", ["Book the flight to Lisbon", "Pay the conference fee", "Papers on graph neural looms"])
def test_tasks_and_lists_above_an_address_are_no_title_of_its_page(name):
    assert name not in [each.title for each in papers(f"- {name}\n  - {PAGE}\n")]


def test_places_in_bold_are_no_authors():
    assert not papers('- **Paris, France.** "The Louvre was closed on Tuesday, so we walked along the river"\n')


def test_a_remark_below_an_item_of_latex_is_no_part_of_its_title():
    note = "\\begin{itemize}\n\\item Deep Residual Looms for Image Recognition\nI liked it a lot\n\\end{itemize}\n"
    assert "Deep Residual Looms for Image Recognition" in [each.title for each in parser.parse(note)]


def test_two_editors_are_not_one_person():
    assert "Ken Abe Ana Silva" not in str(parser.parse("- Ana Silva, Ken Abe, Editors. A study of looms. 2010\n"))


@cases("heading", ["Training", "Evaluation results", "Homework"])
def test_parts_of_a_course_are_no_titles(heading):
    parts = "".join(f"## {number}.{heading}\nLink: https://arxiv.org/abs/1810.0480{number}\n" for number in range(1, 5))
    assert heading not in [each.title for each in papers(parts)]


@cases("task", ["Call the dentist", "Buy milk"])
def test_a_task_as_an_empty_link_is_no_paper(task):
    assert not papers(f"- [ ] [{task}]()\n")


def test_the_names_before_a_colon_are_no_part_of_a_book():
    (entry,) = papers("- 佐藤 健, 田中 実: 機械学習の基礎, 第2版, 東京: 共立出版, 2015\n")
    assert (entry.title, len(entry.authors)) == ("機械学習の基礎", 2)


def test_a_sentence_of_latex_keeps_its_citation():
    note = "\\begin{itemize}\n\\item We follow \\cite{smith2019} here\n\\end{itemize}\n"
    assert "We follow \\cite{smith2019} here" in [each.text for each in parser.parse(note)]
