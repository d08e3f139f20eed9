"""What public lists write beside a title or in its place, a row a cause: none of it is taken for the title."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

A = "https://arxiv.org/abs/2305.15778"
TITLE = "A Story of Two Caches"


def only(text):
    (entry,) = parser.parse(text)
    return entry


def papers(text):
    return [entry for entry in parser.parse(text) if entry.kind == "paper"]


@cases(
    ("line", "title", "venue"),
    [
        (f"- OSDI 16 -- Story: A Tale of Two Caches [pdf]({A})", "Story: A Tale of Two Caches", "OSDI"),
        (f"- Mobisys '13 -- {TITLE} [pdf]({A})", TITLE, "Mobisys"),
        (f"- [OSDI'04-Story: A Tale of Two Caches]({A})", "Story: A Tale of Two Caches", "OSDI"),
        (f"- [SOSP'03-{TITLE}]({A})", TITLE, "SOSP"),
        (f"- Ada et al, SoCC'16, Story: A Tale of Two Caches, ([paper])({A})", "Story: A Tale of Two Caches", "SoCC"),
        (f'- **Story** "Where Are We in the Search for Two Caches?" *arXiv, Mar 2023*. [[Paper]({A})]',
         "Where Are We in the Search for Two Caches?", "arXiv"),
        (f"- [{TITLE} - Lovelace et al.]({A})", TITLE, ""),
        (f"- [{TITLE} by Ada Lovelace and Charles Babbage]({A})", TITLE, ""),
        (f"- [Caches at Scale: Methods, Performance Optimizations and Hardware Implications]({A})",
         "Caches at Scale: Methods, Performance Optimizations and Hardware Implications", ""),
        (f"- Caches at Scale: Methods, Performance Optimizations and Hardware Implications [pdf]({A})",
         "Caches at Scale: Methods, Performance Optimizations and Hardware Implications", ""),
        (f"- **[2016 CVPR] {TITLE}** Ada Lovelace, Charles Babbage [[paper]({A})]", TITLE, "CVPR"),
        (f"- **Two Caches for One Machine** Ada Lovelace, Charles Babbage [[paper]({A})]",
         "Two Caches for One Machine", ""),
        (f"- [{TITLE} — PDF]({A})", TITLE, ""),
        (f"* \\[SOSP '21] {TITLE} \\[[paper]({A})] \\[[code](https://github.com/ada/b)]", TITLE, "SOSP"),
        (f"* {TITLE}(@Somewhere etc) [[pdf]]({A})", TITLE, ""),
        (f"- [{TITLE} (Lovelace & Babbage, 2021)]({A})", TITLE, ""),
        (f"- [Two Caches: Accelerating Training by Bubble Exploitation]({A})",
         "Two Caches: Accelerating Training by Bubble Exploitation", ""),
    ],
)  # fmt: skip
def test_text_before_and_after_a_title_is_separated_from_it(line, title, venue):
    found = only(line)
    assert (found.identifiers, found.title, found.venue) == (("arxiv:2305.15778",), title, venue)


@cases(
    ("line", "title"),
    [
        ("[3] The design of two caches for one machine, 1964", "The design of two caches for one machine"),
        ("[4] Two Caches for One Machine, 2023, MICRO", "Two Caches for One Machine"),
        ("[5] Two Caches: A Survey of One Machine, 2017, IEEE Micro", "Two Caches: A Survey of One Machine"),
        ("[6] Two Caches: A Survey of One Machine, CCR 2015", "Two Caches: A Survey of One Machine"),
        ("[7] Two Caches: A Survey of One Machine, FGCS, 2014", "Two Caches: A Survey of One Machine"),
    ],
)
def test_a_numbered_line_with_a_year_is_a_paper(line, title):
    numbered = f"{line}\n[8] A third work on two caches, 1999\n[9] A fourth work on two caches, 2001"
    assert papers(numbered)[0].title == title


def test_a_remark_below_a_numbered_line_belongs_to_it():
    first, second, _ = parser.parse(
        "[1] The design of one machine with caches, 1964\n    - First of its kind\n"
        "[2] A second machine with caches, 1964\n[3] A third machine with caches, 1965"
    )
    assert (first.last, first.text, second.first) == (2, "First of its kind", 3)


def test_remarks_below_a_linked_line_are_not_papers_though_papers_follow():
    text = (
        f"[{TITLE}]({A})\n- Using a cache to keep what was said in the conversation.\n\n"
        "[Another Story of Caches](https://arxiv.org/abs/2101.00001)\n\n"
        "[The Third Story of Caches](https://arxiv.org/abs/2101.00002)"
    )
    assert [entry.title for entry in papers(text)] == [TITLE, "Another Story of Caches", "The Third Story of Caches"]


@pytest.mark.parametrize(
    "line",
    [
        "E. Casalicchio. 2019. Two Caches: A Survey of Both. Springer, Cham, 221-235",
        "N.D. Nguyen, L. Phan, and T. Kim. 2020. Two Caches: A Survey of Both. IEEE Access 8 (2020), 183-190.",
        "M. Carvalho and D. F. Macedo. 2021. Two Caches: A Survey of Both. In 2021 IFIP/IEEE Symposium. 28-29.",
    ],
)
def test_the_title_of_a_reference_follows_its_authors_and_year(line):
    assert only(line).title == "Two Caches: A Survey of Both"


@pytest.mark.parametrize(
    "line",
    [
        f"- Ada Lovelace et al., *Two Caches for One Machine*, OSDI '20 — {A}",
        f'- Ada Lovelace, Charles Babbage, "Two Caches for One Machine", OSDI \'20 — {A}',
        f"Ada Lovelace, Charles Babbage, Two Caches for One Machine, OSDI '20 — {A}",
    ],
)
def test_a_reference_before_its_url_is_not_a_tab_title(line):
    found = only(line)
    assert (found.title, found.authors[0], found.venue) == ("Two Caches for One Machine", "Ada Lovelace", "OSDI")


@pytest.mark.parametrize("label", ["Required Reading", "Optional", "Suggested readings"])
def test_course_instructions_are_not_a_topic(label):
    assert only(f"* {label}: [{TITLE}]({A})").topics == ()


def test_a_short_heading_with_its_citation_and_a_link_below_is_a_paper():
    text = f"## Papers I've read\n\n### Chain-of-Thought (Wei et al., 2022)\n[arXiv]({A})\n\n- Steps help."
    (paper,) = papers(text)
    assert (paper.identifiers, paper.title, paper.published) == (("arxiv:2305.15778",), "Chain-of-Thought", "2022")


def test_a_list_of_conferences_with_years_contains_no_papers():
    assert papers("- IoTDI (2017, 2016)\n- Sensys (2016, 2015, 2014)\n- Mobicom (2016)") == []


@cases(
    "line",
    [
        f"- [{TITLE}]()",
        f":question: **medical** [{TITLE}]()",
        f"- [{TITLE} (**2015.06**)](./notes/a-story.md)",
        f"- [{TITLE}](a story of two caches)",
    ],
)
def test_a_broken_link_still_names_its_paper(line):
    assert only(line).title == TITLE


def test_next_to_notes_on_papers_a_short_name_is_a_paper_too():
    text = (
        "- [A Story of Two Caches](n/a.md)\n- [The Tale of Three Caches](n/b.md)\n"
        "- [Chain Replication for Many Caches](n/c.md)\n- [Let there be Color](n/d.md)\n- [consensus](n/index.md)"
    )
    assert [entry.title for entry in papers(text)][-1] == "Let there be Color"


def test_a_link_over_two_lines_may_point_to_a_file():
    found = only("* [A Story of Two Caches:\nOne Machine with Both](a-story.pdf)")
    assert (found.identifiers, found.title) == (("file:a-story.pdf",), "A Story of Two Caches: One Machine with Both")


def test_unicode_hyphens_are_part_of_a_url():
    found = only("* [A Story of Two Caches](https://www.usenix.org/conference/osdi25/presentation/ada\u2011lovelace)")
    assert found.identifiers == ("usenix:osdi25/ada-lovelace",)


def test_a_programme_page_is_the_paper_not_its_slides():
    found = only("- [A Story of Two Caches](https://www.usenix.org/conference/hotcloud17/program/presentation/ada)")
    assert found.paper_kind == "paper"


def test_a_collection_is_not_a_paper_though_its_first_line_is_dated():
    text = (
        "# NeurIPS 2025: Efficient Caches for Many\n\n## Policy Optimization Methods\n\n"
        "### 1. A Story of Two Caches\n- **Link:** https://neurips.cc/virtual/2025/poster/119641"
    )
    (paper,) = papers(text)
    assert paper.topics == ("Policy Optimization Methods",)


def test_a_remark_after_a_bracketed_venue_takes_nothing_from_it():
    found = only(f"1. [{TITLE}]({A}) (NeurIPS 2022). Skimmed; the proof is nice.")
    assert (found.venue, found.year, found.text) == ("NeurIPS", 2022, "Skimmed; the proof is nice")


@cases(
    ("label", "title", "authors"),
    [
        ("A Story of Two Caches by Ada VanderPlas", "A Story of Two Caches", ("Ada VanderPlas",)),
        ("A Story of Two Caches — Ada Lovelace (2019)", "A Story of Two Caches", ("Ada Lovelace",)),
        ("A Story of Caches (2019) - Peters and Smith", "A Story of Caches", ("Peters", "Smith")),
        ("A Story of Caches, Long, Darrell, 2014", "A Story of Caches", ("Long", "Darrell")),
        ("Zeiler, M. D. A Story of Caches(2012)", "A Story of Caches", ("M. D. Zeiler",)),
        ("A Story of Caches - Papers Explained", "A Story of Caches - Papers Explained", ()),
        ("A Story of Sorting Files by Merging", "A Story of Sorting Files by Merging", ()),
        ("Many Caches in One by Iterative Pruning", "Many Caches in One by Iterative Pruning", ()),
        ("Learning of Caches by Gradient Descent", "Learning of Caches by Gradient Descent", ()),
    ],
)
def test_a_person_named_in_a_link_is_not_part_of_the_title(label, title, authors):
    found = only(f"- [{label}]({A})")
    assert (found.title, found.authors) == (title, authors)


@cases(
    "line",
    [
        f"* {TITLE}, dec 2015, Google, [arxiv]({A})",
        f"* {A} -- {TITLE}",
        f"* {TITLE} (with [Ada Lovelace](https://ada.org/me)). Journal of Caches. [arXiv]({A})",
        f"- {TITLE}\n  - {A}",
    ],
)
def test_text_next_to_a_title_is_not_part_of_it(line):
    found = only(line)
    assert (found.title, found.identifiers) == (TITLE, only(f"- [{TITLE}]({A})").identifiers)


@cases(
    "line",
    [
        f"- [{TITLE}]\n  - 2018",
        f"- {TITLE}\n  - 2016 RecSys, Google",
        f"- Halevy, Norvig, and Pereira, “{TITLE}”",
        f"- He et al., “3-{TITLE}”",
    ],
)
def test_a_clearly_stated_title_is_a_paper_without_a_url(line):
    found = only(line)
    assert (found.title, found.identifiers) == (TITLE, ())


def test_an_open_quotation_continues_on_the_next_line():
    found = only(f'* **Gaussians** : "A Story of Two\nCaches for Many Machines", *OSDI 2024*, [[Paper]({A})]')
    assert found.title == "A Story of Two Caches for Many Machines"


def test_a_call_for_papers_is_not_a_paper():
    text = "* [SIGCOMM'25](https://conferences.sigcomm.org/sigcomm/2025/cfp/) Review results’ notification Tuesday"
    assert [entry.paper_kind for entry in papers(text)] == ["page"]


def test_words_in_backticks_above_papers_are_their_heading():
    (paper,) = papers(f"- `Air Quality Sensing`\n  - [{TITLE}]({A})")
    assert paper.topics == ("Air Quality Sensing",)


def test_a_heading_of_venue_and_year_links_to_no_paper():
    text = "## [HPCA 2024](https://ieeexplore.ieee.org/document/10476401)\n* A Story of Two Caches for Many Machines\n"
    assert [(entry.kind, entry.paper_kind) for entry in parser.parse(text)][:2] == [("junk", ""), ("paper", "page")]


def test_struck_out_text_is_a_title_and_the_following_text_a_remark():
    found = only(f"- ~~A Story of Two Caches for Many Machines~~: worth a second look [pdf]({A})")
    assert found.title == "A Story of Two Caches for Many Machines"


def test_a_quoted_title_after_a_bold_description_is_the_title():
    found = only(f'* **Caches for Whole Machines**: "{TITLE} and One More", *OSDI 2024*. [[Paper]({A})]')
    assert found.title == f"{TITLE} and One More"


def test_a_nested_link_points_where_the_inner_one_does():
    found = only(f"* {TITLE} [link]([https://arxiv.org/abs/2401.00588]({A}))")
    assert (found.title, found.identifiers) == (TITLE, ("arxiv:2305.15778",))


@pytest.mark.parametrize(
    "line",
    [
        "- a paper on predicting disk failures by a group at a storage company, FAST 2020",
        "- another short paper about checkpoints in the cloud, HotOS 2021",
    ],
)
def test_a_paper_that_is_only_described_is_an_unresolved_reference_whatever_venue_follows(line):
    papers = "".join(f"- [Paper {n}](https://arxiv.org/abs/2401.0000{n})\n" for n in range(1, 4))
    lead = parser.parse(papers + line)[-1]
    assert (lead.kind, lead.title) == ("lead", "")
    assert "description" in lead.reason.casefold()


@cases(
    ("line", "venue", "year"),
    [
        (f"[{TITLE}]({A}) [2022 AAAI]", "AAAI", 2022),
        (f"- [{TITLE}]({A}) (2022 AAAI)", "AAAI", 2022),
        (f"[{TITLE}]({A}) [AAAI 2022]", "AAAI", 2022),
        (f"[{TITLE}]({A}) [Disk+Memory] [2022 ECCV]", "ECCV", 2022),
        (f"[{TITLE}]({A}) (1927, EJ)", "EJ", 1927),
        (f"[{TITLE}]({A}) (1933, REStat)", "REStat", 1933),
        (f"[{TITLE}]({A}) [2023 TITS]", "TITS", 2023),  # a venue not known, in capitals
        (f"- [ATC 22'] [{TITLE}]({A})", "ATC", 2022),
        (f"- [SOSP24'] {TITLE} [[pdf]({A})]", "SOSP", 2024),
        (f"IEEE CLOUD 2019, [{TITLE}]({A})", "IEEE CLOUD", 2019),
        (f"Information Systems Frontiers 2014, [{TITLE}]({A})", "Information Systems Frontiers", 2014),
        (f"Ada Lovelace 2019, [{TITLE}]({A})", "", 2019),
    ],
)
def test_a_venue_beside_a_linked_title_is_read_in_any_order(line, venue, year):
    found = only(line)
    assert (found.title, found.venue, found.year) == (TITLE, venue, year)


def test_a_date_behind_a_link_is_that_of_the_paper():
    found = only(f"- [{TITLE}]({A}) 2024.3")
    assert (found.title, found.published, found.text) == (TITLE, "2024-03", "")


def test_links_and_remarks_on_lines_of_their_own_belong_to_the_numbered_title_above():
    text = (
        f"1. (ICML 2024) {TITLE}\n[[paper]]({A}) 2024.11 good on disks\n[[code]](https://github.com/ada/two)\n\n"
        "*2. Another Story: Caches of One Machine\n[[paper]](https://arxiv.org/abs/2101.00001) 2025.3\n"
    )
    first, second = papers(text)
    assert (first.first, first.last, first.title, first.venue, first.published) == (1, 3, TITLE, "ICML", "2024-11")
    assert (first.text, len(first.links)) == ("good on disks", 2)
    assert (second.title, second.published) == ("Another Story: Caches of One Machine", "2025-03")


def linked_names(*titles):
    names = ("OSDI22 Story", "SOSP21 TwoTales", "19 Machine")
    return "\n\n".join(
        f"[{name}](https://arxiv.org/abs/2101.0000{number})\n{title}"
        for number, (name, title) in enumerate(zip(names, titles, strict=True))
    )


def test_the_title_below_a_linked_short_name_is_the_title():
    found = papers(linked_names("A Story of Two Caches", "Two Tales: One Machine", "The design of one machine"))
    assert [(paper.title, paper.venue, paper.year, paper.text) for paper in found] == [
        ("A Story of Two Caches", "OSDI", 2022, "Story"),
        ("Two Tales: One Machine", "SOSP", 2021, "TwoTales"),
        ("The design of one machine", "", 2019, "Machine"),
    ]
    assert [(paper.first, paper.last) for paper in found] == [(1, 2), (4, 5), (7, 8)]


def test_remarks_below_linked_short_names_are_not_their_titles():
    found = papers(linked_names("I liked this one very much.", "We should read it again;", "see also the other:"))
    assert not {"I liked this one very much", "We should read it again"} & {paper.title for paper in found}


def test_a_column_of_venues_with_the_apostrophe_behind_the_year_is_read_whatever_it_is_called():
    rows = [("SOSP24'", TITLE, A), ("ASPLOS 20'", "Another Story of Caches", "https://arxiv.org/abs/2101.00001")]
    lines = [f"| {venue} | Short | [{title}]({address}) |" for venue, title, address in rows]
    text = "\n".join(
        ["| Cite | Nickname | Paper |", "|---|---|---|", *lines, "| OSDI 23' | S | [A Third Story of Caches]() |"]
    )
    assert [(paper.title, paper.venue, paper.year) for paper in papers(text)] == [
        (TITLE, "SOSP", 2024),
        ("Another Story of Caches", "ASPLOS", 2020),
        ("A Third Story of Caches", "OSDI", 2023),
    ]


def test_a_badge_above_a_title_in_a_cell_says_the_venue():
    badge = "[![Publish](https://img.shields.io/badge/ICCV-2025-blue)]()"
    star = "[![Star](https://img.shields.io/github/stars/ada/two.svg)](https://github.com/ada/two)"
    cell = f"{badge} {star}<br>[{TITLE}]({A})<br>Ada Lovelace, Charles Babbage"
    (paper,) = papers(f"| Title & Authors | Areas |\n|---|---|\n| {cell} | Disks |")
    assert (paper.title, paper.venue, paper.year) == (TITLE, "ICCV", 2025)
    assert paper.authors == ("Ada Lovelace", "Charles Babbage")


@cases(("said", "status"), [("読了・メモあり", "read"), ("PDFのみ", None), ("未読、印刷済み", "to_read")])
def test_the_status_of_a_cell_may_have_other_words_beside_it(said, status):
    (paper,) = papers(f"| 文献 | 状態 |\n|---|---|\n| {TITLE} | {said} |\n")
    assert paper.status == status
