"""Tables of papers in Markdown and HTML: which column says what, and what each row becomes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.text.table_rows import split_row
from readtrack.ingest import parser
from readtrack.ingest.parser.tables.cell_titles import is_citation, people_in
from readtrack.ingest.parser.tables.column_names import role_of
from tests.depth import examples
from tests.growth import LONG, assert_grows_with_its_text, repeat
from tests.tables import cases

ARXIV = "https://arxiv.org/abs/2305.15778"
OTHER = "https://arxiv.org/abs/2401.00134"


def entries(text):
    return [each for each in parser.parse(text) if each.kind not in {"blank", "table"}]


def row(*cells, header="Title | Link"):
    """The one entry of a table with one row."""
    names = [name.strip() for name in header.split("|")]
    text = f"| {header} |\n|{'---|' * len(names)}\n| {' | '.join(cells)} |\n"
    (found,) = entries(text)
    return found


@cases(
    ("heading", "role"),
    [
        ("Title", "title"),
        ("**Paper**", "paper"),
        ("Paper/OpenSource Project", "paper"),
        ("Paper title", "paper"),
        ("论文题目", "paper"),
        ("題名", "title"),
        ("タイトル", "title"),
        ("Method name", "name"),
        ("Author name", "authors"),
        ("Author(s)", "authors"),
        ("著者", "authors"),
        ("Institute (first)", "affiliation"),
        ("機構", "affiliation"),
        ("📅 Date", "date"),
        ("发表时间", "date"),
        ("Venue / Year", "venue"),
        ("会议/期刊", "venue"),
        ("会议中稿情况", "venue"),
        ("会议名称", "venue"),
        ("Read?", "status"),
        ("阅读状态", "status"),
        ("阅读", "status"),
        ("Read date", "read_on"),
        ("Recom", "rating"),
        ("评分（1-5）", "rating"),
        ("Official or reference repository", "code"),
        ("公式コード", "code"),
        ("论文链接", "link"),
        ("ArXiv ID", "link"),
        ("一句话总结", "notes"),
        ("備考", "notes"),
        ("视频（4K）", "media"),
        ("Project page", "media"),
        ("分类", "topic"),
        ("#", "number"),
        ("Why should we care", ""),
        ("论文数量", ""),
        ("", ""),
        ("word " * 30, ""),
    ],
)
def test_a_column_heading_is_understood_in_any_supported_language(heading, role):
    assert role_of(heading) == role


@cases(
    ("text", "width", "cells"),
    [
        ("| a | b |", 0, ["a", "b"]),
        ("a | b", 0, ["a", "b"]),
        (r"| a \| b | c |", 0, ["a | b", "c"]),
        (r"| a | b \|", 0, ["a", "b |"]),
        ("| `a | b` | c |", 2, ["`a | b`", "c"]),
        ("| [a | b](x) | c |", 2, ["[a | b](x)", "c"]),
        ("| a | b | c |", 2, ["a", "b", "c"]),
        ("| a | | c |", 3, ["a", "", "c"]),
    ],
)
def test_bars_separate_cells_unless_escaped_or_inside_code_and_links(text, width, cells):
    assert split_row(text, width) == cells


@cases(
    ("cell", "title"),
    [
        ("A Story of Caches", "A Story of Caches"),
        ("**A Story of Caches**", "A Story of Caches"),
        ("1) **A Story of Caches** - tells how they are filled.", "A Story of Caches"),
        ("2) A Story of Caches - it is told by one who was there.", "A Story of Caches"),
        ("[**Caches**] A Story of Caches(@Somewhere etc)", "A Story of Caches"),
        ("🔥[Caches]A Story of Caches", "A Story of Caches"),
        ("**Caches**: A Story of Them", "Caches: A Story of Them"),
        ("**Caches** (a short name of it)", "Caches"),
        ("**Caches** A Long Story of Fast Caches", "A Long Story of Fast Caches"),
        ("**Caches**<br>A Long Story of Fast Caches", "A Long Story of Fast Caches"),
        ("A Story of Caches<br>Ada Lovelace, Alan Turing", "A Story of Caches"),
        ("A Story of Caches (Lovelace et al.)", "A Story of Caches"),
        ("A Story of Caches — Ada Lovelace, Alan Turing", "A Story of Caches"),
        ("A Story — Of Caches and Their Hosts", "A Story — Of Caches and Their Hosts"),
        ("3) Caches  They are told about here.   ● One – by one", "Caches"),
        ("[A Story of Caches](notes/story.md)", "A Story of Caches"),
        ("[[A Story of Caches]]", "A Story of Caches"),
        ("A Story of Caches [pdf](paper.md)", "A Story of Caches"),
        ("2023&#8209;05 in Caches &amp; Stores", "2023‑05 in Caches & Stores"),
        ("![Star](https://img.shields.io/github/stars/a/b)<br>A Story of Caches", "A Story of Caches"),
        ('**Lovelace et al. 1843** — "A Story of Caches"', "A Story of Caches"),
        ("Lovelace & Turing (1950), *A Story of Caches*", "A Story of Caches"),
        ('Lovelace, Turing. "A Story of Caches"', "A Story of Caches"),
        ('Lovelace and Turing, "A Story of Caches," CIDR 2023 (again)', "A Story of Caches"),
        ('"A Story of Caches — Large and Small" — Lovelace et al. (OSDI 2020)', "A Story of Caches — Large and Small"),
        ("A Story of Caches (Turing Labs, 1970)", "A Story of Caches"),
        ("A Story of Caches, 2023-05", "A Story of Caches"),
        ("CACHE-2 (1970)", "CACHE-2"),
        ("Lovelace and Turing (1950)", "Lovelace and Turing (1950)"),
        ("2020-ECCV-A Story of Caches", "A Story of Caches"),
        ('**STORY**: "A Story of Caches" (Lovelace & Turing)', "A Story of Caches"),
        ("Lovelace, Turing & Hopper, *A Story of Caches*, (CIDR 2023)", "A Story of Caches"),
        ("Lovelace, Turing & Hopper — *A Story of Caches*", "A Story of Caches"),
        (r"A Story of Caches \[arXiv:2305.15778\]", "A Story of Caches"),
    ],
)
def test_the_title_is_distinguished_from_numbers_names_people_and_remarks(cell, title):
    assert row(cell, f"[pdf]({ARXIV})").title == title


@cases(
    ("cell", "title", "text"),
    [
        (f"[A Story of Caches]({ARXIV})", "A Story of Caches", ""),
        (f"[Story]({ARXIV}) read slowly", "Story", "read slowly"),
        (f"The old one: [Story]({ARXIV})（again）", "Story", "The old one · （again）"),
        (f"[Story]({ARXIV}): A Tale of Fast Caches", "Story: A Tale of Fast Caches", ""),
        (f"[Story]({ARXIV}) A Long Tale of Fast Caches", "A Long Tale of Fast Caches", "Story"),
        (f"**[Story]({ARXIV})** - a small tale.", "Story", "a small tale."),
        (f"**Story** ([arXiv 2305.15778]({ARXIV}))", "Story", ""),
        (f"A Story of Caches [[pdf]]({ARXIV}) [[code]](https://github.com/a/b)", "A Story of Caches", ""),
        ("A Story of Caches 2305.15778", "A Story of Caches", ""),
        (f"A Story of Caches <{ARXIV}>", "A Story of Caches", ""),
    ],
)
def test_a_link_in_the_title_cell_is_the_title_when_its_text_is_a_name(cell, title, text):
    found = row(cell, "", header="Paper | Link")
    assert (found.identifiers, found.title, found.text) == (("arxiv:2305.15778",), title, text)


def test_columns_give_venue_date_authors_and_progress():
    found = row(
        "7",
        "2023.05",
        "A Story of Caches",
        "Ada Lovelace, Alan Turing",
        "CMU",
        "OSDI 2023 Oral",
        "✅",
        "⭐️⭐️",
        f"[arXiv]({ARXIV}) / [OpenReview](https://openreview.net/forum?id=abcdEFGH12)",
        "[repo](https://github.com/a/b)",
        "[film](https://www.youtube.com/watch?v=abcdefghijk)",
        "caches, stores",
        "worth a look",
        header="# | Date | Title | Authors | Institute | Venue | Status | Recom | Links | Code | Video | Tags | Notes",
    )
    assert (found.title, found.venue, found.year, found.published) == ("A Story of Caches", "OSDI", 2023, "2023-05")
    assert (found.authors, found.status, found.rating) == (("Ada Lovelace", "Alan Turing"), "read", "⭐️⭐️")
    assert found.identifiers == ("arxiv:2305.15778", "openreview:abcdEFGH12")
    assert [link.role for link in found.links] == ["landing", "landing", "code", "video"]
    assert (found.topics, found.text) == (("caches", "stores"), "Institute: CMU · worth a look")


@cases(
    ("cell", "venue", "year"),
    [
        ("OSDI'24", "OSDI", 2024),
        ("`ICRA 2025`", "ICRA", 2025),
        ("**SC2020**", "SC", 2020),
        ("Journal of Systems Architecture", "Journal of Systems Architecture", None),
        ("Nature Communications 2024", "Nature Communications", 2024),
        ("Tech report'26", "Tech report", 2026),
        ("PRL 98, 197403", "PRL 98, 197403", None),
        ("Phys. Rev. B 83, 1193", "Phys. Rev. B 83, 1193", None),
        ("应用物理 47(3)", "应用物理 47(3)", None),
        (">=10K", "", None),
        ("—", "", None),
        ("N/A", "", None),
        ("", "", None),
    ],
)
def test_a_venue_and_its_year_are_separated(cell, venue, year):
    found = row("A Story of Caches", cell, f"[pdf]({ARXIV})", header="Title | Venue | Link")
    assert (found.venue, found.year) == (venue, year)


@cases("venue", ["ICLR'24", "RSS 2024", "RMP 24, 1193"])
def test_the_year_of_a_paper_is_that_of_the_column_of_years(venue):
    assert row("A Story of Caches", "2023", venue, header="论文 | 年份 | 会议").year == 2023


@cases("heading", ["位置づけ", "主な位置付け", "主题", "テーマ", "Theme"])
def test_themes_are_topics(heading):
    assert row("A Story of Caches", "Memory", "read", header=f"Paper | {heading} | Status").topics == ("Memory",)


def test_a_venue_may_be_below_the_year():
    found = row("A Story of Caches", "ICLR 2021", f"[pdf]({ARXIV})", header="Title | Year | Link")
    assert (found.venue, found.year, found.text) == ("ICLR", 2021, "")


def test_a_placeholder_is_not_a_title():
    found = row("`TODO`", "2024", f"[pdf]({ARXIV})", header="Title | Year | Link")
    assert (found.title, found.identifiers) == ("", ("arxiv:2305.15778",))
    assert not entries("| Title | Venue |\n|---|---|\n| TBD | TBD |\n")


@cases(
    ("date", "published", "text"),
    [
        ("2023-05-24", "2023-05-24", ""),
        ("2023.07", "2023-07", ""),
        ("11/25/30", "", "Date: 11/25/30"),
        ("soon", "", "Date: soon"),
    ],
)
def test_a_date_in_an_unrelated_column_is_not_a_publication_date(date, published, text):
    found = row(date, "A Story of Caches", f"[pdf]({ARXIV})", header="Date | Title | Link")
    assert (found.published, found.text) == (published, text)


def test_dates_of_a_reading_log_are_not_publication_dates():
    text = (
        "| Date | Title | Link |\n|---|---|---|\n"
        f"| 2026-05-24 | A Story of Caches | [pdf]({ARXIV}) |\n"
        "| 2026-05-30 | A Tale of Stores | [pdf](https://example.org/tale.pdf) |\n"
    )
    assert [(each.published, each.text) for each in entries(text)] == [
        ("", "Date: 2026-05-24"),
        ("", "Date: 2026-05-30"),
    ]


@cases(
    ("heading", "cells", "title", "venue"),
    [
        ("Publication", "SOSP 2019", "", "SOSP"),
        ("Publication", "Journal of Small Caches", "", "Journal of Small Caches"),
        ("Reference", 'A. Lovelace, A. Turing. "A Story of Caches." OSDI 2023', "A Story of Caches", "OSDI"),
        ("Reference", "Ada Lovelace, Alan Turing. A Story of Two Caches. OSDI 2023.", "A Story of Two Caches", "OSDI"),
        ("Publication", f"[A Story of Caches]({ARXIV})", "A Story of Caches", ""),
    ],
)
def test_a_publication_column_may_contain_the_venue_or_the_paper_itself(heading, cells, title, venue):
    found = row(cells, f"[pdf]({ARXIV})", header=f"{heading} | Link")
    assert (found.title, found.venue) == (title, venue)


def test_a_short_name_next_to_the_title_is_kept_as_a_remark():
    found = row("FlashTale", "A Story of Caches", f"[pdf]({ARXIV})", header="Name | Title | Paper")
    assert (found.title, found.text) == ("A Story of Caches", "Name: FlashTale")


def test_the_name_is_the_title_where_the_paper_column_has_only_links():
    found = row("FlashTale", f"[Paper]({ARXIV})", "41.2", header="Method | Paper | tokens/s")
    assert (found.title, found.text) == ("FlashTale", "tokens/s: 41.2")


def test_the_first_column_of_names_is_the_title_where_no_heading_says_so():
    text = (
        "| Scheduler | Year | Paper | Fair |\n|---|---|---|---|\n"
        f"| Story | 2022 | [Paper]({ARXIV}) | ✔ |\n"
        f"| $Tale^2$ | 2021 | [Paper]({OTHER}) | - |\n"
    )
    assert [each.title for each in entries(text)] == ["Story", "$Tale^2$"]


def test_an_unlabelled_link_before_the_notes_belongs_to_the_paper():
    for note in (f"[Link]({ARXIV})", f"[arXiv:2305.15778]({ARXIV}). With a lab"):
        found = row("A Story of Caches", "Ada", note, header="Paper Title | Presenter | Notes")
        assert (found.title, found.identifiers) == ("A Story of Caches", ("arxiv:2305.15778",))


def test_a_table_without_headings_is_read_when_each_row_has_a_date():
    text = (
        "| | |\n|---|---|\n"
        "| **A Story of Caches and Their Many Hosts (OSDI'23)** | **2023-05-24** |\n"
        "| **Tales** | **2023-05-30** |\n"
    )
    assert [(each.kind, each.title) for each in entries(text)] == [
        ("paper", "A Story of Caches and Their Many Hosts"),
        ("lead", "Tales"),
    ]


def test_a_symbol_without_letters_is_not_a_paper():
    assert not entries("| Decision | Paper |\n|---|---|\n| Dark colours | §15 |\n")


def test_the_name_is_the_title_where_the_paper_cell_has_only_authors():
    found = row("**OpenTale**", "Kim et al., arXiv:2305.15778 (CoRL 2024)", header="ID | Paper")
    assert (found.identifiers, found.title) == (("arxiv:2305.15778",), "OpenTale")


def test_the_page_a_title_links_to_identifies_the_paper_unless_other_titles_share_it():
    page, shared = "https://example.org/story", "https://example.org/accepted"
    found = row(f"[A Story of Caches]({page})", f"[pdf]({ARXIV})")
    assert found.identifiers == ("arxiv:2305.15778", "url:example.org/story")
    rows = (f"| [A Story of Caches]({shared}) | [pdf]({ARXIV}) |", f"| [A Tale of Stores]({shared}) | [pdf]({OTHER}) |")
    both = entries("| Title | Link |\n|---|---|\n" + "\n".join(rows))
    assert [each.identifiers for each in both] == [("arxiv:2305.15778",), ("arxiv:2401.00134",)]


def test_links_after_the_paper_are_not_its_identifiers():
    found = row(f"[Lovelace et al.]({ARXIV})", "CKKS-compatible", header="Paper | Library")
    assert (found.identifiers, found.title) == (("arxiv:2305.15778",), "Lovelace et al")


def test_badges_are_not_links_but_their_targets_are():
    badge = "https://img.shields.io/badge/arXiv-b31b1b?style=flat&url=https%3A%2F%2Fexample.org"
    found = row("A Story of Caches", f"[![arXiv]({badge})]({ARXIV}) ![N/A]({badge})")
    assert (found.identifiers, [link.url for link in found.links]) == (("arxiv:2305.15778",), [ARXIV])


@cases(
    ("link", "kind", "identifier"),
    [
        ("[Paper](papers/my%20story.pdf)", "paper", "file:papers/my story.pdf"),
        ("[Paper](https://example.org/story.pdf)", "paper", "url:example.org/story.pdf"),
        ("[repo](https://github.com/a/b)", "code", "github:a/b"),
        ("[film](https://youtu.be/abcdefghijk)", "video", "youtube:abcdefghijk"),
        ("[here](https://example.org/story)", "page", "url:example.org/story"),
        ("[Paper](https://github.com/a/b)", "code", "github:a/b"),
    ],
)
def test_a_row_has_the_kind_of_its_link(link, kind, identifier):
    found = row("A Story", link, header="Name | Where")
    assert (found.paper_kind, found.identifiers, found.title) == (kind, (identifier,), "A Story")


@pytest.mark.parametrize(
    ("cells", "kind", "identifiers"),
    [
        ("[A Story of Fast Caches](https://github.com/a/b) | OSDI'24 | ", "code", ("github:a/b",)),
        ("A Story of Fast Caches | OSDI'24 | [code](https://github.com/a/b)", "paper", ()),
        ("A Story of Fast Caches | — | [code](https://github.com/a/b)", "code", ("github:a/b",)),
    ],
)
def test_code_next_to_a_published_paper_is_not_the_paper(cells, kind, identifiers):
    found = row(*cells.split(" | "), header="Paper | Venue | Code")
    assert (found.paper_kind, found.identifiers, [link.role for link in found.links]) == (kind, identifiers, ["code"])


@pytest.mark.parametrize(("venue", "kind"), [("Blog", "article"), ("ICML 2024", "paper")])
def test_a_blog_post_is_an_article_even_if_its_link_is_labelled_paper(venue, kind):
    link = "[Paper](https://example.org/blog/2024-05-27-story)"
    found = row("A Story of Caches", venue, link, header="Paper | Venue | Links")
    assert (found.paper_kind, found.identifiers) == (kind, ("url:example.org/blog/2024-05-27-story",))


def test_several_papers_in_one_cell_are_separated_by_their_titles():
    film = "[film](https://youtu.be/abcdefghijk)"
    found = entries(f"| Paper | Video |\n|---|---|\n| [Story]({ARXIV}), [Tale]({OTHER}) and more | {film} |\n")
    assert [[link.role for link in each.links] for each in found] == [["landing", "video"]] * 2
    assert [(each.part, each.title, each.identifiers) for each in found] == [
        (1, "Story", ("arxiv:2305.15778",)),
        (2, "Tale", ("arxiv:2401.00134",)),
    ]


@pytest.mark.parametrize(
    "cells",
    [
        f"A Story of Caches<br>A Tale of Two Stores | [pdf]({ARXIV})<br>[pdf]({OTHER})",
        f"A Story of Caches [pdf]({ARXIV})<br>A Tale of Two Stores [pdf]({OTHER}) | ",
    ],
)
def test_a_cell_with_a_list_of_titles_has_one_paper_per_link(cells):
    found = entries(f"| Papers | Links |\n|---|---|\n| {cells} |\n")
    assert [(each.title, each.identifiers[0]) for each in found] == [
        ("A Story of Caches", "arxiv:2305.15778"),
        ("A Tale of Two Stores", "arxiv:2401.00134"),
    ]


def test_names_below_the_title_are_authors_and_a_badge_without_a_link_is_ignored():
    badge = "[![Publish](https://img.shields.io/badge/x-blue)]()"
    cell = f"{badge}<br>[A Story of Caches]({ARXIV})<br>Ada Lovelace, Alan Turing<br>read it twice"
    found = row(cell, "", "[//]: #06/05", header="Title & Authors | Introduction | Links")
    assert (found.title, found.authors, found.text) == (
        "A Story of Caches",
        ("Ada Lovelace", "Alan Turing"),
        "read it twice",
    )


def test_another_paper_in_a_remark_is_its_own_entry():
    text = f"| Title | Link | Notes |\n|---|---|---|\n| A Story of Caches | [pdf]({ARXIV}) | see [Tale]({OTHER}) |\n"
    first, second = entries(text)
    assert (first.identifiers, second.part, second.title) == (("arxiv:2305.15778",), 2, "Tale")


def test_two_identifiers_of_one_site_are_two_papers():
    text = f"| Title | Link |\n|---|---|\n| A Story of Caches | [v1]({ARXIV}) [v2]({OTHER}) |\n"
    assert [each.identifiers for each in entries(text)] == [("arxiv:2305.15778",), ("arxiv:2401.00134",)]


@cases(
    ("header", "cells", "kind"),
    [
        ("Paper | Venue", "A Story of Caches | OSDI'24", "paper"),
        ("论文 | 会议", "A Story of Caches | ", "paper"),
        ("Title | Authors | Year", "A Story of Caches | Ada Lovelace | 2024", "paper"),
        ("Paper | Venue | Code", "A Story of Fast Caches | OSDI'24 | [x](https://github.com/a/b)", "paper"),
        ("论文 | 作用", "TSD-SR | 方向的问题", "lead"),
        ("Paper | What", "Blake and Coey (2014) | equilibrium", "lead"),
        ("Title | Accuracy", "A Long Story of Fast Caches | 41.2", "lead"),
        ("Method | Accuracy", "A Long Story of Fast Caches | 41.2", None),
        ("Method | Accuracy", "CacheNet | 41.2", None),
        ("Paper | Accuracy", "Ours | 41.2", None),
        ("Category | Total | Read", "Serving | 7 | 3", None),
        ("Area | Link", "RAG | [rag/](rag/)", None),
        ("Name | Home", "Somebody | [GitHub](https://github.com/somebody)", None),
    ],
)
def test_a_row_without_a_link_is_a_paper_only_in_a_table_of_papers(header, cells, kind):
    text = f"| {header} |\n|{'---|' * (header.count('|') + 1)}\n| {cells} |\n"
    found = entries(text)
    assert [each.kind for each in found] == ([kind] if kind else [])
    assert all(each.identifiers == () and each.reason for each in found)


def test_a_bold_row_is_a_topic_for_the_rows_below_it():
    text = (
        "# Notes\n## Caches\n| Title | Link |\n|---|---|\n| **Stores** | |\n"
        f"| A Story of Caches | [pdf]({ARXIV}) |\n| **2024** | |\n| A Tale of Stores | [pdf]({OTHER}) |\n"
    )
    found = entries(text)
    assert [(each.kind, each.title) for each in found[-4:]] == [
        ("topic", "Stores"),
        ("paper", "A Story of Caches"),
        ("junk", "2024"),
        ("paper", "A Tale of Stores"),
    ]
    assert [each.topics[-1] for each in found if each.kind == "paper"] == ["Stores", "Caches"]


@cases(
    "text",
    [
        f"| 1 | 2023.05 | A Story of Caches | [pdf]({ARXIV}) |\n| 2 | 2024.01 | A Tale | [pdf]({OTHER}) |\n",
        f"| | | |\n|-|-|-|\n| 2023.05 | A Story of Caches | [pdf]({ARXIV}) |\n| 2024.01 | A Tale | [pdf]({OTHER}) |\n",
        f"> | Title | Link |\n> |-|-|\n> | A Story of Caches | [pdf]({ARXIV}) |\n> | A Tale | [pdf]({OTHER}) |\n",
        f"-\n\n  | Title | Link |\n  |-|-|\n  | A Story of Caches | [pdf]({ARXIV}) |\n  | A Tale | [pdf]({OTHER}) |\n",
        f"Title | Link\n:-- | --:\nA Story of Caches | [pdf]({ARXIV})\nA Tale | [pdf]({OTHER})\n",
        f"| Title | Link |\n|-|-|\n| A Story of Caches | [pdf]({ARXIV}) |\n\n| A Tale | [pdf]({OTHER}) |\n",
        f"| Title | Link\n|-|-\n| A Story of Caches | [pdf]({ARXIV})\n| A Tale | [pdf]({OTHER}) | and | more |\n",
        f"| Title | Link |\n|---+---|\n| A Story of Caches | [[{ARXIV}][pdf]] |\n| A Tale | [[{OTHER}]] |\n",
    ],
    ids=["no header", "empty header", "quoted", "indented", "no outer bars", "a gap", "uneven rows", "Org"],
)
def test_tables_are_read_in_any_drawing_style(text):
    found = [each for each in entries(text) if each.kind == "paper"]
    assert [(each.title, each.identifiers) for each in found] == [
        ("A Story of Caches", ("arxiv:2305.15778",)),
        ("A Tale", ("arxiv:2401.00134",)),
    ]


HTML_ROWS = (
    f'<tr><td>A Story of Caches</td><td><a href="{ARXIV}"><img src="x.svg" alt="arXiv"></a></td></tr>',
    f"<tr>\n  <td>\n    A Story of Caches\n  </td>\n  <td><a href='{ARXIV}'>pdf</a></td>\n</tr>",
    f"<tr><td>A Story of Caches<td><a href={ARXIV}>pdf</a>",
    f'<tr><td>A Story of Caches<br><i>Ada Lovelace, Alan Turing</i></td><td><p><a href="{ARXIV}">pdf</a></p></td></tr>',
)


@cases("rows", HTML_ROWS, ids=["one line", "many lines", "open tags", "breaks"])
def test_html_rows_are_read_however_they_are_laid_out(rows):
    text = f"<table>\n<thead><tr><th>Title</th><th>Paper</th></tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n"
    (found,) = entries(text)
    assert (found.title, found.identifiers) == ("A Story of Caches", ("arxiv:2305.15778",))
    assert found.first == 4


def test_cells_spanning_rows_and_columns_count_for_each_of_them():
    text = (
        "<table>\n<tr><th>Name</th><th>Title</th><th>Code</th></tr>\n<tr><td colspan=3><b>Stores</b></td></tr>\n"
        f'<tr><td>S</td><td><a href="{ARXIV}">A Story of Caches</a></td>'
        '<td rowspan="2"><a href="https://github.com/a/b">code</a></td></tr>\n'
        f'<tr><td>T</td><td><a href="{OTHER}">A Tale of Stores</a></td></tr>\n</table>\n'
    )
    topic, first, second = entries(text)
    assert (topic.kind, topic.title, first.topics) == ("topic", "Stores", ("Stores",))
    assert [[link.role for link in each.links] for each in (first, second)] == [["landing", "code"]] * 2


def test_rows_on_one_line_are_parts_of_it():
    rows = "".join(f'<tr><td><a href="{url}">A Story of {url[-5:]}</a></td><td>x</td></tr>' for url in (ARXIV, OTHER))
    found = entries(f"<table>{rows}</table>\n")
    assert [(each.first, each.last, each.part) for each in found] == [(1, 1, 1), (1, 1, 2)]


def test_a_layout_table_of_markdown_is_left_to_its_content():
    text = f"<table>\n<tr>\n<td>\n\n## Caches\n\n- [A Story]({ARXIV})\n\n</td>\n</tr>\n</table>\n"
    (paper,) = [each for each in parser.parse(text) if each.kind == "paper"]
    assert (paper.title, paper.topics) == ("A Story", ("Caches",))


def test_an_unclosed_table_is_read_to_its_end():
    assert [each.last for each in parser.parse("<table>\n<tr><td>x\n")][-1] == 2


def test_column_headings_are_distinguished_from_data():
    heading, _ = parser.parse(f"| **Title** | Link |\n|---|---|\n| A Story | [pdf]({ARXIV}) |\n")
    assert (heading.kind, heading.title, heading.decision) == ("table", "Title | Link", "skip")
    assert heading.reason.startswith("Table header")


@cases(
    ("text", "people"),
    [
        ("Ada Lovelace, Alan Turing", True),
        ("Ada Lovelace and Alan Turing", True),
        ("A Story of Caches, Stores and Other Things", False),
        ("Ada Lovelace", False),
    ],
)
def test_a_list_of_people_is_distinguished_from_a_title(text, people):
    assert bool(people_in(text)) is people


@cases(
    ("text", "citation"),
    [
        ("Blake and Coey (2014)", True),
        ("Athey, Eckles, and Imbens (2018)", True),
        ("Kim et al., (CoRL 2024)", True),
        ("A Survey of Caches (2018)", False),
        ("Attention Is All You Need", False),
    ],
)
def test_authors_and_dates_are_not_titles(text, citation):
    assert is_citation(text) is citation


def test_many_labels_before_a_title_are_all_read():
    assert row("[a] " * 5_000 + "A Story of Caches", f"[pdf]({ARXIV})").identifiers == ("arxiv:2305.15778",)


# fmt: off
PIECES = st.sampled_from([
    "\n", "\n\n", "|", "| ", " | ", "|---|---|\n", "| Title | Link |\n", "| Paper | Venue | Date |\n", "**Stores**",
    "✅", "—", "A Story of Caches", "OSDI'24", "2023.05", "<br>", "(Kim et al.)", "[[pdf]]", "](", "[", "[pdf](", ")",
    "`", ARXIV, OTHER, f"[A Tale]({OTHER})", "[Paper](a b.pdf)", "![x](https://img.shields.io/x)", "<table>",
    "</table>", "<table", "<tr>", "</tr>", "<td>", "</td>", "<th colspan=3>", "<td rowspan=2>", "<b>", "</b>",
    "<a href='", "'>", "</a>", "  ", "- ", "\\|", ">", "$",
])
# fmt: on


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_every_line_of_anything_table_like_is_in_one_entry(text):
    lines = text.split("\n")
    found = parser.parse(text)
    counted = [number for each in found if each.part == 1 for number in range(each.first, each.last + 1)]
    assert counted == list(range(1, len(lines) + (lines[-1] != "")))
    assert [(each.first, each.part) for each in found] == sorted((each.first, each.part) for each in found)


@pytest.mark.deep
@cases(
    "text_of",
    [
        repeat("", "|"),
        repeat("", "| a | b |\n"),
        repeat("", "| x |\n\n"),
        repeat("", "<table>\n", "# x\n"),
        repeat("<table>", "<tr><td>x"),
        repeat("| Paper | b |\n|-|-|\n| ", "x<br>", " | y |\n"),
        repeat("| Paper | b |\n|-|-|\n| ", "[a](b", " | y |\n"),
        repeat("| Paper | b |\n|-|-|\n| ", "Aa, ", " | y |\n"),
    ],
    ids=["bars", "rows", "gaps", "open tables", "open cells", "breaks", "half links", "names"],
)
def test_hostile_tables_are_parsed_in_linear_time(text_of):
    assert_grows_with_its_text(parser.parse, text_of)
    text = text_of(LONG)
    assert sum(parser.tally(parser.parse(text)).values()) == text.count("\n") + (not text.endswith("\n"))


def test_a_table_within_a_cell_is_text_of_the_cell():
    (found,) = entries(
        "<table>\n<tr><th>Title</th><th>Link</th></tr>\n"
        f"<tr><td>A Story of Caches<table><tr><td>2nd</td></tr></table></td><td>{ARXIV}</td></tr>\n</table>\n"
    )
    assert (found.title, found.identifiers) == ("A Story of Caches 2nd", ("arxiv:2305.15778",))


def test_a_cell_that_spans_three_rows_counts_for_each_of_them():
    found = entries(
        "<table>\n<tr><th>Topic</th><th>Title</th></tr>\n"
        f'<tr><td rowspan="3">Caching</td><td><a href="{ARXIV}">A Story of Caches</a></td></tr>\n'
        f'<tr><td><a href="{OTHER}">Another Story of Caches</a></td></tr>\n'
        '<tr><td><a href="https://arxiv.org/abs/2401.00135">Third Story of Caches</a></td></tr>\n</table>\n'
    )
    assert [each.topics for each in found if each.kind == "paper"] == [("Caching",)] * 3


def test_a_day_in_the_column_of_reading_is_the_day_it_was_read():
    found = row("A Story of Caches", ARXIV, "2023-06-01", header="Title | Link | Read on")
    assert (found.read_on, found.published) == ("2023-06-01", "")


def test_a_date_years_before_the_arxiv_month_is_kept_as_a_remark():
    found = row("A Story of Caches", ARXIV, "2023-06-01", "2010-01-01", header="Title | Link | Read | Date")
    assert (found.published, found.text.endswith("2010-01-01")) == ("", True)


TITLE = "Deep residual learning for image recognition"


@cases("heading", ["名字", "名称", "Name", "题目", "標題", "論文名", "Work", "Article", "Item", "タイトル", "Title"])
def test_one_row_is_enough_if_its_cell_has_the_form_of_a_title(heading):
    found = row(TITLE, "2016", header=f"{heading} | Year")
    assert (found.kind, found.title, found.year) == ("paper", TITLE, 2016)


@cases(
    ("heading", "cell", "venue", "year"),
    [
        ("会议", "CVPR 2016", "CVPR", 2016),
        ("Conf", "CVPR'16", "CVPR", 2016),
        ("Where", "CVPR 2016", "CVPR", 2016),
        ("Published", "CVPR 2016", "CVPR", 2016),
        ("発表", "CVPR", "CVPR", None),
        ("来源", "CVPR 2016", "CVPR", 2016),
        ("", "CVPR 2016", "CVPR", 2016),
        ("Info", "CVPR 2016", "CVPR", 2016),
    ],
)
def test_a_column_of_venues_is_recognised_by_its_heading_or_its_cells(heading, cell, venue, year):
    found = row(TITLE, cell, header=f"Paper | {heading}")
    assert (found.title, found.venue, found.year) == (TITLE, venue, year)


@cases("suffix", [" (CVPR 2016)", ", CVPR 2016", " CVPR'16", " [CVPR '16]"])
def test_a_venue_at_the_end_of_a_title_is_its_venue(suffix):
    found = row(f"{TITLE}{suffix}", "good", header="Paper | Note")
    assert (found.title, found.venue, found.year) == (TITLE, "CVPR", 2016)


@cases(
    "text",
    [
        "| Name | Age |\n|---|---|\n| Alice | 30 |\n| Bob Smith | 31 |\n",
        "| Item | Price |\n|---|---|\n| A new chair for the office | 120 |\n| A desk with two drawers | 300 |\n",
        "| Name | Description |\n|---|---|\n| Data parallelism | Replicates the model on each device |\n",
        "| Task | Owner | Due |\n|---|---|---|\n| Write the report for the project meeting | Bob | 2024-01-02 |\n",
    ],
)
def test_tables_of_other_things_stay_tables(text):
    assert entries(text) == []


def test_a_table_whose_first_row_is_in_the_place_of_the_headings_loses_no_row():
    lines = [
        "| 1 | Attention Is All You Need | NeurIPS 2017 |",
        "|---|---|---|",
        "| 2 | Deep Residual Learning for Image Recognition | CVPR 2016 |",
        "| 3 | In Search of an Understandable Consensus Algorithm | ATC 2014 |",
    ]
    assert [(each.title, each.venue) for each in entries("\n".join(lines))] == [
        ("Attention Is All You Need", "NeurIPS"),
        ("Deep Residual Learning for Image Recognition", "CVPR"),
        ("In Search of an Understandable Consensus Algorithm", "ATC"),
    ]


@pytest.mark.parametrize("heads", ["th", "td"])
def test_the_first_html_row_holds_column_names_even_in_plain_cells(heads):
    names = "".join(f"<{heads}>{name}</{heads}>" for name in ("", "Authors", "Title", "Journal, Pages", "Year"))
    cells = "<td>1</td>\n<td>Ana Silva</td>\n<td>Slow Rivers and Fast Fish</td>\n<td>J Fish. 3(2)</td>\n<td>2018</td>"
    (found,) = entries(f"<table>\n<tr>{names}</tr>\n<tr>\n{cells}\n</tr>\n</table>")
    assert (found.title, found.venue, found.year) == ("Slow Rivers and Fast Fish", "J Fish. 3(2)", 2018)


def test_the_last_table_may_lack_its_end_tag():
    text = f"<table>\n<tr><th>Paper</th><th>Link</th></tr>\n<tr><td>Slow Rivers and Fish</td><td>{ARXIV}</td></tr>\n"
    (found,) = entries(text)
    assert (found.title, found.identifiers) == ("Slow Rivers and Fish", ("arxiv:2305.15778",))


def test_a_cell_with_several_titles_has_one_paper_per_title_with_its_venue():
    cell = (
        "(SIGIR 2018) Ranking Slow Rivers<br>\n(CHI 2017) Searching for Quiet Places<br>\nFast Fish at Night (KDD 2016)"
    )
    text = f"<table>\n<tr><th>時間</th><th>論文</th></tr>\n<tr><td>13:00</td><td>\n{cell}\n</td></tr>\n</table>"
    assert [(found.title, found.venue, found.year) for found in entries(text)] == [
        ("Ranking Slow Rivers", "SIGIR", 2018),
        ("Searching for Quiet Places", "CHI", 2017),
        ("Fast Fish at Night", "KDD", 2016),
    ]


@pytest.mark.parametrize(
    "cell", ["オープニング・趣旨説明", "Opening remarks", "クロージング", "Session 3A: Social Good"]
)
def test_the_opening_and_closing_of_a_meeting_are_no_papers(cell):
    assert not [found for found in entries(f"| 時間 | 論文 |\n|---|---|\n| 13:00 | {cell} |") if found.kind == "paper"]


def test_who_presents_above_a_table_makes_the_heading_no_paper():
    text = (
        "### Language Understanding Reading Group at Some Lab\n\nPresenters: [Ada](https://ada.org/), [Bo](https://b.org/)\n\n"
        "| Date | Presenter | Paper |\n|--|--|--|\n"
        "| 01/03/2018 | Ada | Adams Wei Yu, Hongrae Lee, Quoc V. Le. **Learning to Skim Text**. ACL 2017 |\n"
        "| | | `On Vocabulary aspect` |\n"
        "| | | Rico Sennrich, Barry Haddow. **Neural Translation of Rare Words with Subword Units**. ACL 2016 |\n"
    )
    found = [(each.title, each.topics[1:]) for each in parser.parse(text) if each.kind == "paper" and each.venue]
    assert found == [
        ("Learning to Skim Text", ()),
        ("Neural Translation of Rare Words with Subword Units", ("On Vocabulary aspect",)),
    ]


def test_a_sentence_with_a_list_of_things_below_a_heading_names_no_authors():
    text = (
        "# 经典论文\n## 多模态 AI (Multimodal AI)\n\n视觉、语言、多模态融合的发展。\n\n"
        "| # | 论文名称 | 年份 |\n|--|--|--|\n| 14 | **Visual Instruction Tuning of Models (LLaVA)** | 2023 |\n"
        "| 15 | **Flamingo: a Visual Language Model for Few-Shot Learning** | 2022 |\n"
    )
    found = [(each.year, each.topics) for each in parser.parse(text) if each.kind == "paper"]
    assert found == [(2023, ("多模态 AI (Multimodal AI)",)), (2022, ("多模态 AI (Multimodal AI)",))]


def test_a_source_without_addresses_is_the_venue():
    cells = "Background calibration in pipelined ADCs", "Shen C", "2020a", "Electron. Lett.", ARXIV
    entry = row(*cells, header="标题 | 作者 | 年份 | 来源 | 链接")
    assert (entry.venue, entry.year, entry.identifiers) == ("Electron. Lett.", 2020, ("arxiv:2305.15778",))


def test_the_discussion_of_a_meeting_is_not_the_paper_it_was_about():
    titles = (
        "Rep2Vec: Repository Embedding via Contrastive Learning",
        "EALink: A Framework for Issue-Commit Link Recovery",
    )
    issue, video = "https://github.com/lab/meetings/issues/23", "https://www.bilibili.com/video/BV1xu4y1j7"
    rows = "".join(f"| 11-2{n} | 李鸿斌 | {title} | {issue}{n} | {video}{n} |\n" for n, title in enumerate(titles))
    found = entries(f"| 日期 | 分享 | 内容 | Issue | 视频 |\n|---|---|---|---|---|\n{rows}")
    assert [(each.kind, each.title, each.identifiers) for each in found] == [("paper", title, ()) for title in titles]
    assert {link.url for link in found[0].links} == {f"{issue}0", f"{video}0"}


def test_a_column_of_whole_references_is_known_by_its_heading():
    first = "Law H, Deng J. Cornernet: Detecting objects as paired keypoints[C]//ECCV. 2018: 7-9."
    second = "Redmon J. Yolov3: An incremental improvement[J]. arXiv preprint arXiv:1804.02767, 2018."
    head = "| 论文序号 | 研究领域 | 网络架构 | 引用格式 |\n|--|--|--|--|\n"
    note = f"{head}| [1] | 目标检测 | CornerNet | {first} |\n| [2] | 目标检测 | Yolov3 | {second} |\n"
    papers = [entry for entry in parser.parse(note) if entry.kind == "paper"]
    assert [(paper.title, paper.year, paper.topics) for paper in papers] == [
        ("Cornernet: Detecting objects as paired keypoints", 2018, ("目标检测",)),
        ("Yolov3: An incremental improvement", 2018, ("目标检测",)),
    ]
    assert papers[1].venue == "arXiv"


def test_a_name_with_venue_and_year_in_a_column_of_titles_is_a_paper():
    rows = ["A Longitudinal Analysis of Bugs Across Releases (OSDI'2014)", "BytePS (OSDI'2020)", "IODA (SOSP'2021)"]
    note = "| | |\n|---|---|\n" + "".join(f"| **{row}** | 2023-02-16 |\n" for row in rows)
    found = [(each.title, each.venue, each.year) for each in parser.parse(note) if each.kind == "paper"]
    assert found[1:] == [("BytePS", "OSDI", 2020), ("IODA", "SOSP", 2021)]


@pytest.mark.parametrize("header", ["Task | Due", "Who | What"])
def test_tasks_and_persons_at_a_venue_are_no_papers(header):
    note = f"| {header} |\n|---|---|\n| Rebuttal (ICML 2024) | April 1 |\n| Anna (NeurIPS 2023) | poster |\n"
    assert [each.title for each in parser.parse(note) if each.kind == "paper"] == []


def test_references_in_bold_are_papers_with_authors_and_year():
    cells = [
        "**Wilhelm, Seidl & Hack, *Compiler Design: Analysis and Transformation*** (Springer, 2013)",
        "**Levine, *Linkers and Loaders*** (1999)",
        '**Briggs & Cooper, "Improvements to Register Allocation"** (TOPLAS 1994)',
    ]
    text = "| Book | Remark |\n|---|---|\n" + "".join(f"| {cell} | Old |\n" for cell in cells)
    assert [(each.kind, each.title, each.authors, each.venue, each.year, each.text) for each in entries(text)] == [
        (
            "paper",
            "Compiler Design: Analysis and Transformation",
            ("Wilhelm", "Seidl", "Hack"),
            "",
            2013,
            "Springer · Old",
        ),
        ("paper", "Linkers and Loaders", ("Levine",), "", 1999, "Old"),
        ("paper", "Improvements to Register Allocation", ("Briggs", "Cooper"), "TOPLAS", 1994, "Old"),
    ]


def test_tables_in_korean_have_the_same_columns():
    text = "## 읽을 논문\n\n| 읽음 | 논문 | 학회 | 연도 | 링크 | 메모 |\n|--|--|--|--|--|--|\n"
    row = "| [x] | A Story of Caches | OSDI | 2020 | [링크](https://arxiv.org/abs/2305.15778) | 좋다 |\n"
    (entry,) = [each for each in parser.parse(text + row) if each.kind == "paper"]
    assert (entry.title, entry.venue, entry.year, entry.status) == ("A Story of Caches", "OSDI", 2020, "read")
    assert (entry.identifiers, entry.topics) == (("arxiv:2305.15778",), ())
