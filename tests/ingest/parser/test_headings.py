"""Headings: topics with their outer ones, titles of notes, folds, sections about the list itself."""

import pytest

from readtrack.ingest import parser
from readtrack.ingest.parser.headings.venue_names import venue_named
from tests.tables import cases

A, B, C = (f"https://arxiv.org/abs/2305.1577{n}" for n in (7, 8, 9))


def papers(text):
    return {each.identifiers[0][-1]: each.topics for each in parser.parse(text) if each.identifiers}


def became(text):
    return [(each.first, each.kind, each.title) for each in parser.parse(text) if each.kind != "blank"]


@cases(
    ("heading", "topic"),
    [
        ("## Training", "Training"),
        ("##Training", "Training"),
        ("== Training", "Training"),
        ("=== Training ===", "Training"),
        ("  ## Training ##", "Training"),
        ("## 🚀 Training :rocket:", "Training"),
        ("## **Training**", "Training"),
        ("## 2. Training", "Training"),
        ("## 1.2.3 Training:", "Training"),
        ("## (3) Training", "Training"),
        ("## IV. Training", "Training"),
        ("## 二、训练", "训练"),
        ("## Training {#training}", "Training"),
        ("## [Training](#training)", "Training"),
        ("## Training [⬆](#top)", "Training"),
        ("## <a name='t'></a>Training", "Training"),
        ("## Q&amp;A", "Q&A"),
        ("<h2>Training</h2>", "Training"),
        ("<h2 align=center>\n  <b>Training</b>\n</h2>", "Training"),
        ("Training\n--------", "Training"),
        ("Training of Very Large Models on Few Machines\n===", "Training of Very Large Models on Few Machines"),
        ("**Training**", "Training"),
        ("**Training:**", "Training"),
        ("__Training__", "Training"),
        ("<summary>Training</summary>", "Training"),
        ("<details><summary><b>Training</b></summary>", "Training"),
        ("<summary>\n  Training\n</summary>", "Training"),
        ("## Papers > Misc", "Papers > Misc"),
        ("## 3D Vision", "3D Vision"),
        ("## Top papers (March 31 - April 6)", "Top papers (March 31 - April 6)"),
    ],
)
def test_a_heading_gives_a_topic_without_its_markup(heading, topic):
    assert papers(f"{heading}\n\n- {A}\n") == {"7": (topic,)}


@cases(
    "heading",
    [
        "## 2023",
        "## 2023年",
        "## 2024 Papers",
        "## 2025 (4)",
        "## 2023-05",
        "## May 2023",
        "## Week 3, (06/18/2018):",
        "## Wed 21 Nov 2018",
        "## References",
        "## 目次",
        "## Awesome X",
    ],
)
def test_years_and_generic_list_words_give_no_topic(heading):
    assert papers(f"## {heading}\n\n- {A}\n") == {"7": ()}
    assert parser.parse(f"## {heading}")[0].reason


def test_a_single_top_level_heading_is_the_title_of_the_note():
    text = f"# My caches\nIntro.\n## Training\n- {A}\n### Deep\n- {B}\n## Serving\n- {C}"
    assert papers(text) == {"7": ("Training",), "8": ("Training", "Deep"), "9": ("Serving",)}
    assert became(text)[0] == (1, "junk", "My caches")


def test_entries_without_a_heading_are_filed_under_the_note_title():
    assert papers(f"# My caches\n- {A}\n## Training\n- {B}") == {"7": ("My caches",), "8": ("Training",)}


def test_the_note_title_is_not_a_parent_topic_and_is_used_only_where_no_heading_applies():
    topics = [
        each for each in parser.parse(f"# My caches\n- {A}\n- Serving\n  - {B}\n## Training\n") if each.kind == "topic"
    ]
    assert [(each.title, each.topics) for each in topics] == [("My caches", ()), ("Serving", ()), ("Training", ())]
    assert parser.parse(f"# My caches\n## [A Story of Two Caches]({A})\n")[1].headings == ("My caches",)


@cases(
    ("heading", "status"),
    [
        ("Finished this week", "read"),
        ("Next up", "to_read"),
        ("来週読むもの", "to_read"),
        ("来月までに目を通す", "to_read"),
        ("下周要读的", "to_read"),
        ("Next week's seminar", None),
        ("## To Read", "to_read"),
        ("## 📚 To-read papers (12)", "to_read"),
        ("## Papers I've read ✅", "read"),
        ("**Done**", "read"),
        ("## 待读的论文", "to_read"),
        ("## 预计阅读", "to_read"),
        ("## 未読", "to_read"),
        ("## 未読（unread）", "to_read"),
        ("## 📚 Papers to read (soon, if ever)", "to_read"),
        ("## 雨の日に読んだ論文", "read"),
        ("## 読んだことのない論文", None),
        ("## OSDI '23 TOREAD", "to_read"),
        ("## Reading Backlog", "to_read"),
        ("## 已读文献汇总", "read"),
        ("## 読むかもしれない論文リスト", "to_read"),
        ("# Awesome articles I read", "read"),
        ("## NSDI 2020 (read)", "read"),
        ("## To read: SOSP 2021", "to_read"),
        ("## Reading", None),
        ("## Reading list", None),
        ("## New", None),
        ("## To Read a Paper", None),
        ("# Later\n## Finished\n## Reading", "reading"),
    ],
)
def test_a_heading_may_state_the_status_of_everything_below(heading, status):
    (paper,) = (each for each in parser.parse(f"{heading}\n\n- [A Story]({A})\n") if each.kind == "paper")
    assert (paper.status, bool(status) and bool(paper.topics)) == (status, False)


@cases("title", ["# Papers to read\n", "# Reading Backlog\n* by loom\n", "---\ntitle: Papers to read\n---\n"])
def test_the_title_of_a_note_may_state_the_status_of_everything_in_it(title):
    text = f"{title}\n# Caches\n- [A Story]({A})\n\n# Done\n- [Two Stories]({B})\n"
    assert [each.status for each in parser.parse(text) if each.kind == "paper"] == ["to_read", "read"]


def test_several_top_level_headings_are_topics():
    assert papers(f"# One\n## In\n- {A}\n# Two\n- {B}") == {"7": ("One", "In"), "8": ("Two",)}


def test_heading_levels_may_be_skipped():
    assert papers(f"## One\n##### Deep\n- {A}\n### Less\n- {B}\n## Two\n- {C}") == {
        "7": ("One", "Deep"),
        "8": ("One", "Less"),
        "9": ("Two",),
    }


def test_a_general_or_others_section_is_named_after_its_topic():
    assert papers(f"## Serving\n### General\n- {A}\n### Others\n- {B}\n## Others\n- {C}") == {
        "7": ("Serving", "Serving: General"),
        "8": ("Serving", "Serving: Others"),
        "9": (),
    }


def test_a_bold_line_is_a_heading_up_to_the_next_heading():
    text = f"## Serving\n**Caches**\n\n- {A}\n\n\n- {B}\n\n**2023**\n- {C}\n"
    assert papers(text) == {"7": ("Serving", "Caches"), "8": ("Serving", "Caches"), "9": ("Serving",)}


def test_a_details_block_ends_where_it_is_closed():
    text = (
        f"## Serving\n<details>\n<summary>Caches</summary>\n\n- {A}\n### Deep\n- {B}\n</details>\n\n- {C}\n"
        "<details><summary>More</summary>\n</details>\n## Other\n"
    )
    assert papers(text) == {"7": ("Serving", "Caches"), "8": ("Serving", "Caches", "Deep"), "9": ("Serving",)}


def test_a_details_block_with_an_abstract_is_not_a_topic():
    text = f"## Serving\n[A Story]({A})\n<details>\n<summary>Short abstract</summary>\nIt is.\n</details>\n\n- {B}\n"
    assert papers(text) == {"7": ("Serving",), "8": ("Serving",)}
    assert "Short abstract" not in [each.title for each in parser.parse(text) if each.kind == "topic"]


def test_sections_of_notes_on_an_unnamed_paper_are_not_topics():
    text = "# Background\nIt is.\n# Problem\nSlow.\n# Key Idea\nFast.\n# Solution: High Level\nYes.\n# Sketch\nNo.\n"
    assert {each.kind for each in parser.parse(text)} == {"snippet"}


def test_a_nested_details_block_is_a_subheading():
    inner = f"<details><summary>Two</summary>\n\n- {A}\n</details>"
    text = f"<details><summary>One</summary>\n{inner}\n\n- {B}\n</details>\n\n- {C}\n"
    assert papers(text) == {"7": ("One", "Two"), "8": ("One",), "9": ()}


def test_a_link_in_a_topic_heading_is_its_own_entry_under_it():
    text = f"## [vLLM](https://github.com/vllm-project/vllm)\n- [A Story]({A})\n- [A Tale]({B})\n"
    assert [(each.kind, each.part, each.topics) for each in parser.parse(text)][:2] == [
        ("topic", 1, ()),
        ("paper", 2, ("vLLM",)),
    ]
    assert papers(text)["7"] == ("vLLM",)


def test_code_fences_contain_no_headings():
    assert papers(f"## Serving\n```sh\n# a remark\n```\n- {A}\n") == {"7": ("Serving",)}


def test_an_unclosed_code_fence_has_no_effect():
    assert papers(f"```\n## Serving\n- {A}\n") == {"7": ("Serving",)}


@cases(
    "section",
    [
        "## License\nMIT, see [this](https://opensource.org/licenses/MIT).",
        "## 🤝 Contributing\n- Open a [request](https://github.com/a/b/pulls)\n- Be kind",
        "## Star History\n[![Chart](https://api.star-history.com/svg)](https://star-history.com/#a/b)",
        "## Citation\n```bibtex\n@misc{mine, title={Mine}, eprint={2401.00001}}\n```",
        "## 引用\n```\n@misc{mine}\n```",
        "### 贡献者\n<a href='https://github.com/a/b/graphs/contributors'><img src='https://contrib.rocks/x'/></a>",
    ],
)
def test_a_section_about_the_list_itself_is_one_entry_and_creates_nothing(section):
    (entry,) = parser.parse(section)
    assert (entry.kind, entry.decision, entry.identifiers) == ("junk", "skip", ())
    assert entry.reason.startswith("The section “")


def test_papers_under_such_a_heading_are_still_read():
    assert set(papers(f"## Contribution\n- [A Story]({A})\n- [A Tale]({B})\n")) == {"7", "8"}


def test_a_list_below_a_citation_heading_is_read():
    assert set(papers(f"## Citation\n- [A Story]({A})\n")) == {"7"}


def test_badge_lines_are_ignored_unless_one_links_to_a_paper():
    badge = "[![x](https://img.shields.io/x.svg)](https://github.com/a/b)"
    assert [each.kind for each in parser.parse(f"{badge} {badge}\n")] == ["blank"]
    assert set(papers(f"[![arXiv](https://img.shields.io/x.svg)]({A})\n")) == {"7"}


@cases(
    ("lines", "authors", "venue", "published"),
    [
        ("2023-05-04", (), "", "2023-05-04"),
        (
            "A. Lovelace, C. Babbage, Communications of the ACM",
            ("A. Lovelace", "C. Babbage"),
            "Communications of the ACM",
            "",
        ),
        ("The 12th Symposium on Caches, May 2020, Boston", (), "The 12th Symposium on Caches, May 2020, Boston", ""),
        ("Authors: Ada Lovelace\nVenue: 2020", ("Ada Lovelace",), "", ""),
        ("> Venue: OSDI\n> Authors: Ada Lovelace", ("Ada Lovelace",), "OSDI", ""),
    ],
)
def test_lines_between_a_heading_and_an_address_describe_the_paper(lines, authors, venue, published):
    (found,) = (
        each for each in parser.parse(f"# Papers\n\n## On the Training of Models\n{lines}\n{A}\n") if each.identifiers
    )
    assert (found.title, found.authors, found.venue) == ("On the Training of Models", authors, venue)
    assert published in {found.published, ""}


def test_a_second_title_below_a_heading_begins_the_next_paper():
    text = (
        f"# Papers\n\n## On Caches of Wires\nTitle: On Caches of Wires\nLink: {A}\nTitle: On Other Caches\nLink: {B}\n"
    )
    assert [title for _, kind, title in became(text) if kind == "paper"] == ["On Caches of Wires", "On Other Caches"]


def test_a_quotation_with_a_second_title_keeps_it_as_a_remark():
    text = (
        f"# Papers\n\n## On Caches of Wires\n> Venue: OSDI 2020\n> Title: On Caches of Wires\n> Title: Wired\n> {A}\n"
    )
    (found,) = (each for each in parser.parse(text) if each.identifiers)
    assert (found.venue, found.year, found.text) == ("OSDI", 2020, "Title: Wired")


def test_a_long_quotation_below_a_heading_describes_no_paper():
    quoted = "> Venue: OSDI\n" * 7
    assert (3, "topic", "On Caches of Wires") in became(f"# Papers\n\n## On Caches of Wires\n{quoted}{A}\n")


def test_a_summary_without_its_fold_ends_at_the_next_one():
    text = f"<summary>One</summary>\n\n- {A}\n\n<summary>Two</summary>\n\n- {B}\n</details>\n</details>\n\n- {C}\n"
    found = papers(text)
    assert (found["7"], found["8"]) == (("One",), ("Two",))


def test_a_linked_heading_with_nothing_to_list_below_is_what_it_links_to():
    text = "# [A Talk on Caches](https://example.org/talk)\n\nGood.\n\n# [Code](https://github.com/a/b)\n"
    assert [each.identifiers for each in parser.parse(text) if each.identifiers] == [
        ("url:example.org/talk",),
        ("github:a/b",),
    ]


def test_a_line_above_bare_addresses_is_their_topic():
    assert papers(f"Caching\n{A}\n{B}\n{C}\nhttps://arxiv.org/abs/2305.15770\n")["9"] == ("Caching",)


def test_a_line_above_a_quotation_without_details_is_no_paper():
    assert "paper" not in {kind for _, kind, _ in became("On the Training of Large Models\n> words only here\n")}


@cases(
    "heading",
    [
        "2024/3/1",
        "3月1日",
        "3月1日（金）",
        "3/1 (Fri)",
        "2024-03-01 (Fri)",
        "March 1st",
        "Friday 1 March",
        "March 4 - March 10",
        "Week of March 4",
        "Week 12: March 18",
        "2024-W12",
        "第12週",
        "令和6年3月1日",
        "Monday",
        "月曜日",
        "周一",
        "十二月",
        "Last week",
        "11/01 火 7℃",
        "2024年3月20日 星期三 晴转多云",
        "4月12日（金）晴れ",
        "Mon 3 March, rainy",
    ],
)
def test_a_date_gives_no_topic_in_any_form(heading):
    assert papers(f"## {heading}\n\n- {A}\n") == {"7": ()}
    assert parser.parse(f"## {heading}")[0].reason == f"“{heading}” is a date, not a topic."


@cases(
    "line",
    [
        "### March 4th: Building Trust",
        "### Fri, March 4 - Building Trust",
        "**March 4th, 3.30pm-4.30pm** Building Trust",
        "**March 4th, 3.30pm** Building Trust",
    ],
)
def test_the_day_of_a_session_is_no_part_of_its_topic(line):
    text = f"## Group\n\n{line}\n\n- [Caches and Wires]({A})\n- [Agreeing on Caches]({B})\n"
    assert papers(text)["8"][-1] == "Building Trust"


@cases("heading", ["September 11 attacks", "May 4th Movement", "March 3 Technologies"])
def test_a_day_that_may_be_part_of_a_name_stays_in_it(heading):
    assert papers(f"## {heading}\n\n- {A}\n") == {"7": (heading,)}


@cases("words", ["I read this paper today", "Presenter: Ada Lovelace"])
def test_words_behind_a_bold_day_that_name_no_session_are_no_topic(words):
    assert papers(f"**March 4th** {words}\n\n- [Caches and Wires]({A})\n- [Agreeing on Caches]({B})\n")["8"] == ()


@cases(
    "heading",
    ["4D Parallelism", "2PC", "Day trading", "March Madness", "SAT", "3月の読書会", "Spring", "Fall detection"],
)
def test_words_that_dates_also_contain_give_a_topic(heading):
    assert papers(f"## {heading}\n\n- {A}\n") == {"7": (heading,)}


def venues(text):
    return {each.identifiers[0][-1]: (each.venue, each.year) for each in parser.parse(text) if each.identifiers}


@cases(
    ("heading", "venue", "year"),
    [
        ("## OSDI '23", "OSDI", 2023),
        ("## OSDI (2023)", "OSDI", 2023),
        ("## 2023 OSDI", "OSDI", 2023),
        ("**NeurIPS 2019**", "NeurIPS", 2019),
        ("NeurIPS 2019", "NeurIPS", 2019),
        ("## ACM SIGMOD 2021 (Best papers)", "ACM SIGMOD", 2021),
        ("## Papers from OSDI 2023", "OSDI", 2023),
        ("## MLSys 2024 papers (12)", "MLSys", 2024),
        ("## CVPR2024论文", "CVPR", 2024),
        ("## OSDI '23 TOREAD", "OSDI", 2023),
        ("## NSDI 2020 (read)", "NSDI", 2020),
        ("## ICSE 2020 memo", "ICSE", 2020),
        ("## USENIX Security 2019 論文読み会", "USENIX Security", 2019),
        ("## SIGCOMM 2019 论文笔记", "SIGCOMM", 2019),
        ("## CVPR 2023 Workshops", "CVPR Workshop", 2023),
        ("## 17th USENIX Symposium on Operating Systems Design (OSDI 2023)", "OSDI", 2023),
        ("## IEEE Transactions on Computers 2021", "IEEE Transactions on Computers", 2021),
        ("## 情報処理学会 2023", "情報処理学会", 2023),
        ("## 第37回人工知能学会全国大会", "第37回人工知能学会全国大会", None),
    ],
)
def test_a_venue_as_heading_gives_no_topic_but_its_venue_to_the_papers_below(heading, venue, year):
    text = f"{heading}\n- [A Story]({A})\n- [Two Stories]({B}) (SOSP '21)\n"
    assert venues(text) == {"7": (venue, year), "8": ("SOSP", 2021)}
    assert papers(text) == {"7": (), "8": ()}


@cases(
    "heading",
    [
        "NeurIPS 2023: diffusion models",
        "Memory in MICRO 2022",
        "FPGA",
        "RLHF 2023",
        "Distributed training 2023",
        "機械学習",
    ],
)
def test_a_subject_with_the_words_of_a_venue_gives_a_topic(heading):
    assert papers(f"## {heading}\n\n- {A}\n") == {"7": (heading,)}
    assert venues(f"## {heading}\n\n- {A}\n") == {"7": ("", None)}


def test_a_venue_heading_in_org_gives_its_venue_to_the_papers_below():
    assert venues(f"* OSDI 2023\n** [[{A}][A Story of Caches]]\n* Caches\n** [[{B}][Two Stories]]\n") == {
        "7": ("OSDI", 2023),
        "8": ("", None),
    }


def test_a_venue_without_a_year_is_one_among_others_or_next_to_a_year():
    assert venues(f"# OSDI\n## 2023\n- {A}\n# Training\n- {B}\n") == {"7": ("OSDI", 2023), "8": ("", None)}
    assert venues(f"# Papers\n## FPGA\n- {A}\n## NSDI\n- {B}\n") == {"7": ("FPGA", None), "8": ("NSDI", None)}


def test_a_title_below_a_venue_is_a_paper_and_a_remark_is_none():
    entries = parser.parse("## OSDI '23\n- A Story of Two Caches for Many Machines\n- great talk\n")
    assert [(each.kind, each.venue) for each in entries[1:]] == [("paper", "OSDI"), ("topic", "")]


@cases(
    ("lines", "venue", "year", "status"),
    [
        ("> loomcomm 2031\n> 作者:\n> University of Nowhere (Ada Lovelace)", "loomcomm", 2031, None),
        ("TODO !!!\n> IMC 2018", "IMC", 2018, "to_read"),
        ("未読\n> IMC 2018", "IMC", 2018, "to_read"),
        ("> Ada Lovelace, 1843\n> said so\n> in a letter", "", None, None),
    ],
)
def test_a_quotation_below_a_title_states_its_venue_and_a_line_its_status(lines, venue, year, status):
    title, known = "#### A Story of Fast Caches: Bandwidth for Many", "> IMC 2018\n> Ada Lovelace, Ken Abe\n"
    text = f"## 2031.4.7\n{title} Engines\n{known}{title} Looms\n{known}{title} Tapes\n{lines}\n1. fast\n"
    (found,) = (entry for entry in parser.parse(text) if entry.title.endswith("Tapes"))
    assert (found.kind, found.venue, found.year, found.status) == ("paper", venue, year, status)


def test_titles_as_headings_below_a_venue_and_its_sessions_are_papers():
    titles = [
        "Tidy: Fast Logging for Flash Caches",
        "A Study of Failures in Cloud Storage",
        "Robust Query Scheduling at Scale",
    ]
    sections = [f"### {title}\nUniversity of Nowhereの成果。\n" for title in titles]
    entries = parser.parse("# OSDI 2020 summary\n## Storage and Queries in the Cloud\n" + "".join(sections))
    found = [(each.title, each.venue, each.year) for each in entries if each.kind == "paper"]
    assert found == [(title, "OSDI", 2020) for title in titles]


def test_subjects_below_a_venue_with_titles_as_items_are_topics():
    subjects = ["Distributed Storage Systems in Data Centers", "Query Scheduling for Cloud Databases"]
    items = "- Tidy: Fast Logging for Flash Caches\n- A Study of Failures in Cloud Storage\n"
    entries = parser.parse("# OSDI 2020\n" + "".join(f"## {subject}\n{items}" for subject in subjects))
    assert [each.title for each in entries if each.kind == "topic"] == subjects


@cases(
    ("title", "year"),
    [
        ("# ICSE 2020 memo\n", 2020),
        ("# ICSE 2020 memo\n# 6/23 (15 papers)\n", 2020),
        ("---\ntitle: ICSE 2020 読み会\n---\n## Testing\n", 2020),
        ("# ICSE 2020\n# Testing\n", None),
    ],
)
def test_a_venue_as_title_of_the_note_is_that_of_all_its_papers(title, year):
    assert venues(f"{title}\n- {A}\n") == {"7": ("ICSE" if year else "", year)}


def test_a_venue_or_date_as_list_item_heads_the_items_below():
    text = f"- OSDI 2023\n  - [A Story]({A})\n- March 2024\n  - [Two Stories]({B})\n"
    assert venues(text) == {"7": ("OSDI", 2023), "8": ("", None)}
    assert papers(text) == {"7": (), "8": ()}


@cases(
    "between",
    [
        "\n\nhttps://example.org/a\n\n",
        "\nA Story of Two Caches\nhttps://example.org/a\n\n",
        "\n---\n",
        "\n\n\nA paragraph of another kind.\n",
        "\nInfos\n",
        "\nServing\n",
    ],
)
def test_a_bold_line_ends_where_something_else_begins(between):
    topics = papers(f"**Caches**\n- {A}\n{between}- {B}\n")
    assert topics["7"] == ("Caches",)
    assert "Caches" not in topics["8"]


@cases("between", ["", "\n", "\n\n", "\nA remark on these.\n\n", "\n- a remark\n\n"])
def test_a_bold_line_goes_on_through_gaps_in_its_list(between):
    assert papers(f"**Caches**\n\nAbout caches.\n\n- {A}\n{between}- {B}\n") == {"7": ("Caches",), "8": ("Caches",)}


def test_an_indented_bold_line_ends_at_a_line_further_out():
    text = f"- Reading of the second week\n  **Caches**\n  - {A}\n- {B}\n"
    assert papers(text) == {"7": ("Caches",), "8": ()}


def test_bold_lines_above_marked_headings_are_their_parents():
    text = f"# T\n**One**\n## In\n- {A}\n## Out\n- {B}\n**Two**\n\n## In\n- {C}\n"
    assert papers(text) == {"7": ("One", "In"), "8": ("One", "Out"), "9": ("Two", "In")}
    assert papers(f"# T\n**A tagline**\n## In\n- {A}\n## Out\n- {B}\n") == {"7": ("In",), "8": ("Out",)}


def test_a_bare_line_is_below_a_bold_one_only_if_that_has_no_entries_of_its_own():
    text = f"**Caches**\n\nreading\nHot\n- {A}\n\nCold\n- {B}\n"
    assert papers(text.replace("reading\n", "")) == {"7": ("Caches", "Hot"), "8": ("Caches", "Cold")}


def test_headings_in_a_fold_do_not_close_it_whatever_their_level():
    text = f"## Top\n<details>\n<summary>Old</summary>\n\n## Caches\n- {A}\n</details>\n\n## Next\n- {B}\n"
    assert papers(text) == {"7": ("Top", "Old", "Caches"), "8": ("Next",)}
    assert papers(text.replace("</details>\n", "")) == {"7": ("Caches",), "8": ("Next",)}


@cases(
    "heading",
    [
        "1. Fault tolerance of training\n",
        "Fault tolerance and elastic scheduling for the training of models\n",
        "- Fault tolerance and elastic scheduling for the training of models\n  ",
    ],
)
def test_a_line_above_a_list_of_addresses_is_its_heading(heading):
    indent = heading.rpartition("\n")[2]
    topics = papers(f"{heading}- [A Story of Caches]({A})\n{indent}- [Two Stories of Caches]({B})\n")
    assert [names[-1].startswith("Fault tolerance") for names in topics.values()] == [True, True]


def test_a_comma_in_the_name_of_a_topic_splits_nothing():
    assert papers(f"## Storage, caching\n- {A}\n") == {"7": ("Storage, caching",)}
    assert papers(f"**Storage, caching**\n- {A}\n") == {"7": ("Storage, caching",)}


@pytest.mark.parametrize("heading", ["18 September 2023", "2023", "OSDI '23", "1. NeurIPS 2019", "Read"])
def test_dates_venues_and_statuses_are_no_context_of_a_paper(heading):
    (paper,) = (each for each in parser.parse(f"## {heading}\n- {A}\n") if each.kind == "paper")
    assert (paper.topics, paper.headings) == ((), ())


@cases(
    ("heading", "venue"),
    [
        ("ICML 2020, Vienna → online", ("ICML", 2020)),
        ("ICML 2020, Vienna, Austria", ("ICML", 2020)),
        ("32nd NeurIPS (2018), Montréal", ("NeurIPS", 2018)),
        ("S&P：IEEE Symposium on Security and Privacy", ("S&P", None)),
        ("USENIX Annual Technical Conference (ATC)", ("ATC", None)),
        ("Reading Workshop (HCI)", None),
        ("ICML 2020, Robotics", None),
        ("NeurIPS 2023: diffusion models", None),
    ],
)
def test_a_venue_may_be_named_with_its_number_place_or_long_name(heading, venue):
    assert venue_named(heading) == venue


@cases(
    ("heading", "venue"),
    [
        ("SOSP 19'论文阅读列表", ("SOSP", 2019)),
        ("OSDI2020论文汇总", ("OSDI", 2020)),
        ("2021 ISCA 接收论文清单", ("ISCA", 2021)),
        ("SOSP2019 論文一覧", ("SOSP", 2019)),
        ("OSDI 2020 存储论文整理", None),  # storage is a subject
        ("系统论文阅读笔记", None),
    ],
)
def test_a_venue_may_be_named_with_words_about_the_list(heading, venue):
    assert venue_named(heading) == venue


def test_a_bold_heading_of_title_author_journal_and_year_is_a_paper_with_the_notes_below():
    text = (
        "# 电池\n## 故障诊断\n#### **动力电池系统故障诊断研究综述.孙振.机械工程学报.2021**\n方法多样，结果可信\n"
        "#### **锂电池故障诊断技术进展.苏伟.储能科学与技术.2019**\n只有一种方法\n"
    )
    found = [each for each in parser.parse(text) if each.kind == "paper"]
    assert [(each.title, each.venue, each.year, each.authors, each.topics) for each in found] == [
        ("动力电池系统故障诊断研究综述", "机械工程学报", 2021, ("孙振",), ("故障诊断",)),
        ("锂电池故障诊断技术进展", "储能科学与技术", 2019, ("苏伟",), ("故障诊断",)),
    ]


@cases(
    ("heading", "venue"),
    [
        ("A Turing-type mechanism regulates patterns of meshes | Scientific Reports", "Scientific Reports"),
        ("A Turing-type mechanism regulates patterns of meshes | Nature Cell Biology", "Nature Cell Biology"),
        ("A Turing-type mechanism regulates patterns of meshes - Science Signaling", "Science Signaling"),
        ("A Turing-type mechanism regulates patterns of meshes: Developmental Cell", "Developmental Cell"),
        ("A Turing-type mechanism regulates patterns of meshes: Machine Learning", ""),
    ],
)
def test_the_title_of_a_page_in_a_heading_ends_with_its_journal(heading, venue):
    address = "https://www.nature.com/articles/s41598-021-84313-7"
    text = f"# 気になった論文\n## {heading}\n[{address}]({address})\n- 面白い\n"
    (paper,) = (each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.venue, paper.title.endswith("meshes")) == (venue, bool(venue))


@cases(("label", "status"), [("READ:", "read"), ("TO-BE-READ:", "to_read"), ("Reading:", "reading")])
def test_a_status_above_lines_of_titles_with_authors_is_theirs(label, status):
    done = "Done:\nRaft - Ongaro et al.\nIAF - Kingma et.al\n\n"
    text = f"{done}{label}\nNICE - Dinh et al\nWaveNet - van den Oord et al.\n"
    found = [(each.title, each.authors, each.status) for each in parser.parse(text) if each.kind == "paper"]
    assert found[2:] == [("NICE", ("Dinh",), status), ("WaveNet", ("van den Oord",), status)]
    assert found[:2] == [("Raft", ("Ongaro",), "read"), ("IAF", ("Kingma",), "read")]


def test_a_status_above_prose_is_no_heading():
    text = "TODO:\nask Ada about the cluster.\nThen go on.\n\nhttps://arxiv.org/abs/1706.03762\n"
    assert [each.status for each in parser.parse(text) if each.kind == "paper"] == [None]


@cases(
    "text",
    [
        "## To read\n- Spanner\n- Raft\n",
        "To read:\n- Spanner\n- Raft\n",
        "# Papers\n## NLP\n- {A}\n- {B}\n## To read\n* Spanner\n* Raft\n",
    ],
)
def test_short_names_listed_below_a_status_may_be_papers(text):
    found = [each for each in parser.parse(text.format(A=A, B=B)) if each.title in {"Spanner", "Raft"}]
    assert [(each.kind, each.status) for each in found] == [("lead", "to_read"), ("lead", "to_read")]


def test_a_name_below_a_status_that_heads_items_is_a_topic():
    text = f"## To read\n- Networks\n  - [Spanner]({A})\n"
    assert became(text)[1] == (2, "topic", "Networks")
    assert papers(text) == {"7": ("Networks",)}


def test_a_label_right_below_a_list_heads_the_list_behind_it():
    text = f"Training:\n- {A}\n- {B}\nServing:\n- {C}\n"
    assert papers(text) == {"7": ("Training",), "8": ("Training",), "9": ("Serving",)}


def test_labels_above_plain_titles_head_them_as_soon_as_one_run_is_clear():
    text = (
        "Consensus:\nPaxos Made Live: An Engineering Perspective\nIn Search of an Understandable Consensus\n\n"
        "Storage:\nThe Google File System\nSpanner: Google's Globally-Distributed Database\n"
    )
    found = [(each.title, each.topics) for each in parser.parse(text) if each.kind == "paper"]
    assert found[2:] == [
        ("The Google File System", ("Storage",)),
        ("Spanner: Google's Globally-Distributed Database", ("Storage",)),
    ]


@cases("field", ["**会议**: NAACL 2019", "Authors: Jacob Devlin, Ming-Wei Chang", "- Venue: NAACL 2019"])
def test_a_short_heading_above_fields_of_a_paper_is_one(field):
    text = f"# Notes\n## BERT\n{field}\n### Summary\nIt is trained on text.\n## Spanner\n{field}\n"
    assert [each.title for each in parser.parse(text) if each.kind == "paper"] == ["BERT", "Spanner"]


def test_a_line_above_addresses_further_in_heads_them():
    text = f"Efficient inference\n  {A} FlashAttention\n  {B} PagedAttention\nTraining\n  {C} Megatron-LM\n"
    assert papers(text) == {"7": ("Efficient inference",), "8": ("Efficient inference",), "9": ("Training",)}
    titles = [each.title for each in parser.parse(text) if each.identifiers]
    assert titles == ["FlashAttention", "PagedAttention", "Megatron-LM"]


def test_a_label_before_several_linked_names_is_the_topic_of_all():
    text = f"- Training: [Megatron-LM]({A}), [ZeRO]({B})\n- Serving: [Orca]({C})\n"
    assert papers(text) == {"7": ("Training",), "8": ("Training",), "9": ("Serving",)}


@cases("heading", ["# Papers I've read in 2024", "# 読んだ論文リスト", "## Read"])
def test_a_day_beside_a_paper_below_read_is_that_of_reading(heading):
    text = f"{heading}\n- 2024/01/05 [A Title of a Paper]({A}) ★★★★★\n- 2024/01/12 [Another Title of One]({B}) ★★★\n"
    found = [(each.read_on, each.year, each.rating, each.status) for each in parser.parse(text) if each.identifiers]
    assert found == [("2024-01-05", None, "★★★★★", "read"), ("2024-01-12", None, "★★★", "read")]


def test_a_short_heading_with_the_link_of_its_paper_right_below_is_a_paper():
    text = (
        f"# Notes\n## Spanner\n[paper]({A}) | [code](https://github.com/a/b)\n\n- TrueTime\n\n## Dynamo\n[pdf]({B})\n"
    )
    assert [each.title for each in parser.parse(text) if each.identifiers] == ["Spanner", "Dynamo"]


@cases("indent", ["", "    "])
def test_a_short_title_above_its_only_address_is_no_heading(indent):
    text = f"The Google File System\n{indent}{A}\n\nPaxos Made Simple\n{indent}{B}\n"
    assert [each.title for each in parser.parse(text) if each.identifiers] == [
        "The Google File System",
        "Paxos Made Simple",
    ]


def test_two_words_alone_below_a_list_of_titles_are_no_title():
    text = (
        "Paxos Made Live: An Engineering Perspective\nIn Search of an Understandable Consensus\n\nFuture Directions\n"
    )
    assert [each.title for each in parser.parse(text) if each.kind == "paper"] == [
        "Paxos Made Live: An Engineering Perspective",
        "In Search of an Understandable Consensus",
    ]


@cases(
    ("heading", "topic", "status"),
    [
        ("Chess with AI - from Jan 1, 2025", "Chess with AI", None),
        ("List of papers read", "", "read"),
        ("List-of-papers-to-read", "", "to_read"),
        ("My reading list", "", None),
        ("论文阅读列表", "", None),
    ],
)
def test_a_heading_may_only_tell_what_kind_of_list_it_is(heading, topic, status):
    note = f"# {heading}\n\n- [A Comparison of Two Schedulers](https://arxiv.org/abs/2101.00001)\n"
    (paper,) = (each for each in parser.parse(note) if each.kind == "paper")
    assert (" ".join(paper.topics), paper.status) == (topic, status)


def test_the_title_of_a_post_may_tell_the_venue_of_all_its_papers():
    link = "[Effective Runtime Network Verification](https://dl.acm.org/doi/10.1145/3603269.3604856)"
    note = f"---\ntitle: Papers of Interest in SIGCOMM 23\n---\n\n### Well Tested\n\n- {link}\n"
    (paper,) = (each for each in parser.parse(note) if each.kind == "paper")
    assert (paper.venue, paper.year, paper.topics) == ("SIGCOMM", 2023, ("Well Tested",))


@pytest.mark.parametrize("count", ["(2 Researches, 2 Journals, 1 Short)", "（略）", "(15 papers)"])
def test_how_many_papers_a_heading_has_is_no_part_of_its_topic(count):
    assert papers(f"# Notes\n\n## Bugs {count}\n\n- {A}\n") == {"7": ("Bugs",)}


def test_the_venue_of_a_note_is_that_of_papers_below_days_too():
    note = f"# ICSME 2019 memo\n\n# 7/6 (* absts)\n\n## Bugs\n\n- [A Longitudinal Analysis of Bug Handling]({A})\n"
    (entry,) = (each for each in parser.parse(note) if each.identifiers)
    assert (entry.venue, entry.year, entry.topics) == ("ICSME", 2019, ("Bugs",))


def test_a_line_right_below_an_item_goes_on_with_it_as_in_markdown():
    note = f"* Storage\n    * {A}<br>\nWhat I think of it.\n    * {B}</br>\nMore words.\n\n    * {C}\n"
    assert papers(note) == {"7": ("Storage",), "8": ("Storage",), "9": ("Storage",)}


@pytest.mark.parametrize("remark", [" (mostly of large models)", '（接上一轮的 "stack frames"）', " (see below):"])
def test_a_remark_behind_a_bold_heading_is_no_part_of_its_topic(remark):
    note = f"**Training**{remark}\n- [Effective Verification]({A})\n\n**Inference**\n- {B}\n"
    assert papers(note) == {"7": ("Training",), "8": ("Inference",)}


def test_lines_with_chinese_numbers_head_all_items_up_to_the_next():
    note = f"一、训练（核心）\n[1] {A}\n\n[2] {B}\n\n二、推理\n[3] {C}\n"
    assert papers(note) == {"7": ("训练（核心）",), "8": ("训练（核心）",), "9": ("推理",)}


def test_a_title_of_front_matter_may_be_on_the_next_line():
    note = f"---\ntitle:\n 'UIST2022 Papers'\n---\n\n- [A Swarm of Robotic Partitions]({A})\n"
    (paper,) = (each for each in parser.parse(note) if each.kind == "paper")
    assert (paper.venue, paper.year) == ("UIST", 2022)


@pytest.mark.parametrize(
    "heading",
    [
        "26th USENIX Security Symposium 2017: Vancouver, BC, Canada",
        "26th USENIX Security Symposium, Vancouver, BC, Canada, August 16-18, 2017",
    ],
)
def test_a_venue_with_its_place_is_no_topic_and_no_paper(heading):
    note = f"# List\n\n## {heading}\n\n### ***Side-Channel Countermeasures***\n\n- [A Story of Two Caches]({A})\n"
    (paper,) = (each for each in parser.parse(note) if each.kind == "paper")
    assert (paper.venue, paper.year, paper.topics) == (
        "USENIX Security Symposium",
        2017,
        ("Side-Channel Countermeasures",),
    )


def test_the_status_of_a_first_section_with_items_is_not_that_of_the_others():
    note = f"### Queue\n- The Chubby lock service for loosely-coupled systems\n\n### Reviews\n- [Paxos]({A})\n"
    assert [each.status for each in parser.parse(note) if each.identifiers] == [None]


@cases(
    ("words", "topics"),
    [
        ("Works on the effects of caches:", ("Works on the effects of caches",)),
        ("Weaknesses of the way in which caches work:", ()),
        ("The Story of Two Caches and of Their Owners:", ()),
    ],
)
def test_words_right_above_a_list_are_its_heading(words, topics):
    found = parser.parse(f"{words}\n- [A Story of Wires](https://arxiv.org/abs/2305.15778)\n")
    assert [entry.topics for entry in found if entry.kind == "paper"] == [topics]


def test_a_labelled_topic_is_that_of_the_headings_beside_it_up_to_the_next():
    text = (
        f"## Meeting 1: Aug. 27\n### Topic: Privacy\n### Required Readings\n- [One]({A}/1)\n"
        f"### Additional Readings\n- [Two]({A}/2)\n"
        f"### Topic: Usability\n### Required Readings\n- [Three]({A}/3)\n## Meeting 2: Sep. 3\n- [Four]({A}/4)\n"
    )
    topics = {each.title: each.topics for each in parser.parse(text) if each.identifiers}
    assert topics == {"One": ("Privacy",), "Two": ("Privacy",), "Three": ("Usability",), "Four": ()}


@pytest.mark.parametrize(
    "heading", ["Meeting 1: Aug. 27", "Lecture 5", "Class 2 - Jan 14", "Session 4", "第3讲", "第 2 回"]
)
def test_meetings_and_lectures_with_only_a_number_are_no_topics(heading):
    (paper,) = (each for each in parser.parse(f"## {heading}\n- {A}\n") if each.kind == "paper")
    assert paper.topics == ()


@pytest.mark.parametrize("heading", ["Language", "Misc", "10 May"])
def test_a_labelled_topic_ends_where_another_subject_or_day_begins(heading):
    text = f"# Reading list\n## Topic: Vision\n- [One]({A})\n## {heading}\n- [Two]({B})\n"
    (second,) = (each for each in parser.parse(text) if each.title == "Two")
    assert "Vision" not in second.topics


@pytest.mark.parametrize("heading", ["## 1. Classes", "## 3 Lectures"])
def test_numbered_subjects_are_no_meetings(heading):
    (paper,) = (each for each in parser.parse(f"{heading}\n- {A}\n") if each.kind == "paper")
    assert len(paper.topics) == 1


@pytest.mark.parametrize("heading", ["**Privacy**", "**To read**"])
def test_a_year_alone_ends_no_bold_line(heading):
    (paper,) = (each for each in parser.parse(f"{heading}\n\n2021\n\n- [A Story]({A})\n") if each.kind == "paper")
    assert paper.topics == ("Privacy",) or paper.status == "to_read"


@pytest.mark.parametrize(
    "heading",
    ["NeurIPS: the Experiment in Conference Reviewing", "KDD: Mining the Conference Call Transcripts of Firms"],
)
def test_a_subject_with_the_word_conference_is_no_venue(heading):
    assert venue_named(heading) is None


@pytest.mark.parametrize("label", ["论文链接：", "論文: ", "Paper: ", "arXiv: "])
def test_a_title_as_heading_has_the_labelled_identifier_below_remarks(label):
    titles = [
        "13.Fair Attribute Classification through Latent Space De-biasing",
        "14. A Convnet for the 2020s",
        "15. Group Normalization",
    ]
    note = "".join(
        f"## {title}\n\nExcerpt By: Ada Silva\n\n{label}https://arxiv.org/abs/2201.0354{number}\n\nWords on it.\n\n"
        for number, title in enumerate(titles)
    )
    found = [each for each in parser.parse(note) if each.kind == "paper"]
    assert [each.title for each in found] == [title.split(".", 1)[1].strip() for title in titles]
    assert [each.identifiers for each in found] == [(f"arxiv:2201.0354{number}",) for number in range(3)]
