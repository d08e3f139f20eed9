"""Single lines and small blocks of notes, as people write them, and the papers in them."""

from readtrack.ingest import parser
from tests.tables import cases

TITLE = "Notes on the Analytical Engine"
LINK = "https://arxiv.org/abs/2211.10438"


def papers(text):
    return [(each.title, each.identifiers) for each in parser.parse(text) if each.kind == "paper"]


@cases(
    ("line", "title"),
    [
        ("- smoothquant (arxiv 2211.10438)", "smoothquant"),
        (f"- Skimmed [[{TITLE}]] {LINK}", TITLE),
        (f"- {TITLE}, https://https://arxiv.org/abs/2211.10438", TITLE),
        (f"- {LINK} ({TITLE})", TITLE),
        (f"[ada 10:02] {TITLE} {LINK}\n[bob 10:03] thanks\n[ada 10:04] welcome\n[bob 10:05] bye", TITLE),
        (f"read half of: {TITLE} and of looms that weave alone in mills\ntodo: Looms {LINK}", "Looms"),
    ],
)  # fmt: skip
def test_the_words_beside_an_address_are_the_title(line, title):
    assert (title, ("arxiv:2211.10438",)) in papers(f"{line}\n")


def test_a_page_above_an_item_that_begins_with_names_is_an_entry_of_its_own():
    text = f"* [engines.example](https://engines.example.org/)\n* Ada Lovelace, Project Zero, [{TITLE}]({LINK})\n"
    assert papers(text)[-1] == (TITLE, ("arxiv:2211.10438",))


def test_a_title_with_its_venue_above_another_with_an_address_keeps_apart():
    text = f'engines:\n  "{TITLE} and of the Looms of the Old World" FAST 2021\n  monkey looms {LINK}\n'
    assert papers(text)[0] == (f"{TITLE} and of the Looms of the Old World", ())


@cases(
    "row",
    [
        f"| | `by Scaling`: Ada Lovelace, Charles Babbage. **{TITLE}**. ACL 2015 |",
        f"| | Dual learning: Lovelace et al., **{TITLE}**. ACL 2015 |",
    ],
)
def test_a_label_before_the_authors_in_a_cell_is_no_part_of_the_title(row):
    text = f"| Date | Paper |\n|--|--|\n| 1/3 | `Limitations of Engines:` |\n{row}\n"
    found = [(each.title, each.venue, each.year) for each in parser.parse(text) if each.kind == "paper"]
    assert found == [(TITLE, "ACL", 2015)]


def test_a_session_whose_topic_is_the_title_of_its_paper_is_that_paper():
    session = '- date: 2026-06-26\n  topic: "{0}"\n  materials:\n    - name: "Paper"\n      link: "https://a.org/{1}"\n'
    session += '    - name: "Code"\n      link: "https://github.com/a/{1}"\n'
    found = papers(session.format(TITLE, "one") + session.format("Looms: A Story of Wires", "two"))
    assert found == [(TITLE, ("url:a.org/one",)), ("Looms: A Story of Wires", ("url:a.org/two",))]


def test_the_place_of_a_file_is_no_venue_that_makes_a_heading_a_paper():
    table = f"| 论文标题 | DOI |\n|--|--|\n| {TITLE} | — |\n"
    text = f"## Looms of Many Wires\n\n> 来源：`~/Desktop/looms/`\n\n### Frames\n\n{table}"
    (paper,) = (each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.title, paper.topics[-1]) == (TITLE, "Frames")


@cases(
    ("title", "line"),
    [
        (f"{TITLE} (the Engine Itself)", "- {0}"),
    ],
)
def test_brackets_at_the_end_that_go_on_with_the_title_stay_in_it(title, line):
    assert papers(f"## Papers read\n{line.format(title)}\n")[0][0] == title


def test_a_point_within_brackets_ends_no_title():
    (paper,) = parser.parse(f"{TITLE} and of Looms (Arxiv, Mar. 2023)\n")
    assert (paper.title, paper.venue, paper.year) == (f"{TITLE} and of Looms", "Arxiv", 2023)


def test_the_name_of_a_column_may_have_its_range_in_brackets():
    (_, paper) = parser.parse(f"Paper Title,Year,Conf,My rating (1-5),Finished\n{TITLE},2018,NeurIPS,5,yes\n")
    assert (paper.title, paper.rating, paper.status) == (TITLE, "5", "read")


def test_the_topic_of_a_note_on_a_paper_is_not_its_title():
    text = f"---\ntopic: machine learning\npaper: {LINK}\n---\n\n# {TITLE}\n"
    paper = next(each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.title, paper.topics) == (TITLE, ("machine learning",))


@cases(
    ("source", "venue", "year"),
    [
        ("**source**: The 38th AAAI Conference on Artificial Intelligence (AAAI-24)", "AAAI", 2024),
        ("**code**: https://github.com/ada/engine", "", None),
    ],
)
def test_a_source_or_code_below_a_title_makes_it_a_paper(source, venue, year):
    (entry,) = [
        each for each in parser.parse(f"**title**: A Story of Engines and Looms\n\n{source}\n") if each.kind == "paper"
    ]
    assert (entry.title, entry.venue, entry.year) == ("A Story of Engines and Looms", venue, year)


def test_remarks_that_end_in_full_width_stops_are_no_titles():
    text = "## TCP\n\n- [A Story of Engines](https://arxiv.org/abs/2301.00001)\n\n{0}\n{0}\n{0}\n"
    assert len(papers(text.format("TCPの輻輳制御アルゴリズムの設計，実装および評価．"))) == 1


def test_a_heading_with_many_authors_is_read_whole():
    names = ", ".join(f"Lovelace, {letter}." for letter in "ABCDEFGHIJKLMNOPQRST")
    (entry,) = [
        each
        for each in parser.parse(f"# Reading\n\n## TODO {names} (2016): A Story of Engines\n")
        if each.kind == "paper"
    ]
    assert (entry.title, len(entry.authors), entry.status) == ("A Story of Engines", 20, "to_read")


@cases("mark", ["+ ", "- ", ""])
def test_an_address_below_an_item_is_that_of_its_title(mark):
    text = "* A Story of Engines, OSDI 2020\n    {0}https://arxiv.org/abs/2301.00001\n" * 3
    found = [each for each in parser.parse(text.format(mark)) if each.kind != "blank"]
    assert [(each.first, each.title) for each in found] == [(line, "A Story of Engines") for line in (1, 3, 5)]


def test_an_item_that_is_an_address_belongs_to_the_number_above_it():
    text = "# Papers\n1. A deep story of engines\n+ https://arxiv.org/abs/2301.00001\n\n2. A deep story of looms\n"
    assert ("A deep story of engines", ("arxiv:2301.00001",)) in papers(text)


def test_a_title_with_its_venue_below_an_address_is_the_next_paper():
    text = "https://arxiv.org/abs/2301.00001\nA Story of Engines, CVPR 2016\nhttps://arxiv.org/abs/2301.00002\n"
    assert papers(text) == [("", ("arxiv:2301.00001",)), ("A Story of Engines", ("arxiv:2301.00002",))]


@cases(
    "text",
    [
        "Books\n=====\n\n* `A Story of Engines and Looms\n  <https://arxiv.org/abs/2301.00001>`_ (Lovelace, 2009)\n",
        """
\\begin{itemize}
% Looms
\\item
\\textit{A Story of Engines and Looms} \\cite{Lovelace1843}

\\item \\textit{Another Story of Engines} \\cite{Babbage}
\\item \\emph{A Third Story of Engines}
""",
    ],
    ids=["reStructuredText", "LaTeX"],
)
def test_titles_in_other_markup_are_read_whole(text):
    assert papers(text)[0][0] == "A Story of Engines and Looms"


def test_rows_without_names_of_columns_may_have_blank_lines_between_them():
    row = "{} Story of Engines,http://sci-hub.tw/https://link.springer.com/article/10.1023/A:{},2002,{}\n"
    rows = [("A", 10_195, "A Lovelace"), ("Another", 10_196, "C Babbage"), ("My", 10_197, "L Menabrea")]
    found = [each for each in parser.parse("\n".join(row.format(*cells) for cells in rows)) if each.kind != "blank"]
    assert [(each.title, each.identifiers, each.year, each.authors) for each in found] == [
        (f"{first} Story of Engines", (f"doi:10.1023/a:{number}",), 2002, (name,)) for first, number, name in rows
    ]


def test_a_heading_above_its_labelled_paper_is_its_name_where_several_are():
    names = ["Dreamer", "MuZero", "Slot Attention"]
    text = "".join(
        f"### {n}. {name}\n\n**Why:** fun\n\n- Paper: https://arxiv.org/abs/2301.0000{n}\n\n---\n\n"
        for n, name in enumerate(names, 1)
    )
    assert [title for title, _ in papers(f"# Plan\n\n{text}")] == names


@cases(
    ("label", "title", "authors"),
    [("Lovelace & Babbage, 1943", "Lovelace & Babbage", ()), ("Lovelace et al., 1943", "", ("Lovelace",))],
)
def test_a_citation_as_the_text_of_a_link_tells_its_year(label, title, authors):
    link = f"[{label}](https://doi.org/10.1000/a)"
    table = f"| Week | Readings |\n|--|--|\n| 1 | {link} [Li et al., 2017](https://doi.org/10.1000/b) |\n"
    for text in (f"- {link}\n", table):
        entry = next(each for each in parser.parse(text) if each.kind == "paper")
        assert (entry.title.removesuffix(", 1943"), entry.year, entry.authors) == (title, 1943, authors)


def test_what_a_method_does_is_no_author():
    assert (
        papers(f"- [Learning Features by Sorting Sequences]({LINK})\n")[0][0]
        == "Learning Features by Sorting Sequences"
    )


def test_a_venue_alone_below_the_authors_is_that_of_the_paper():
    text = f"**2014:**\n\n* [{TITLE}](https://example.org/a.pdf)\n  * Ada Lovelace and Charles Babbage\n  * NIPS\n"
    (entry,) = [each for each in parser.parse(text) if each.kind == "paper"]
    assert (entry.venue, entry.year) == ("NIPS", 2014)


def test_the_last_word_of_a_numbered_title_may_be_on_the_line_above_its_address():
    text = f"1. {TITLE}\n{LINK}\n\n2. A Unified Tool for Measuring the Speed of Time-series\nForecasting\n{LINK}1\n"
    assert papers(text)[1][0] == "A Unified Tool for Measuring the Speed of Time-series Forecasting"


def test_a_fold_in_bold_is_the_paper_of_the_link_in_it():
    fold = f" **<details><summary>A Story of Engines and Looms(2024)**</summary>\n  About.\n\n\n  [[link]]({LINK})\n"
    text = f"{fold}  [[code]]()\n</details>\n"
    assert papers(text) == [("A Story of Engines and Looms", ("arxiv:2211.10438",))]


def test_words_in_bold_behind_an_address_are_the_title():
    (entry,) = [
        each for each in parser.parse(f"- [ ] {LINK} - **{TITLE}** | JACM 1999 (Looms/cards)\n") if each.kind == "paper"
    ]
    assert (entry.title, entry.venue, entry.year, entry.status) == (TITLE, "JACM", 1999, "to_read")
