"""Notes in prose: headings, lines and fields that are a paper; what is written below them; diaries and references."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

A, B = "https://arxiv.org/abs/2305.15778", "https://arxiv.org/abs/2305.15779"
T = "A Story of Two Caches"


def entries(text):
    return [each for each in parser.parse(text) if each.kind != "blank"]


def first(text):
    return entries(text)[0]


@cases(
    "text",
    [
        f"## [{T}]({A})\n\nNotes.",
        f"## **[{T}]({A})**",
        f"## {T} [[paper]({A})] [[code](https://github.com/a/b)]",
        f"## {T} {A}",
        f"## Notes: {T}\n{A}\n",
        f"## 【论文笔记】{T}\n{A}\n",
        f"## {T}\n{A}\n",
        f"## {T}\n\n> OSDI 2023\n>\n> {A}\n",
        f"## {T}\n\n*Jane Doe, Richard Roe*\n\nOSDI 2023 [[pdf]({A})]\n",
        f"## {T}\n- Link: {A}\n- Authors: Jane Doe, Richard Roe\n",
        f"## {T}\n**Paper**: [link]({A})\n",
        f"## caches\nTitle: {T}\nLink: {A}\n",
        f"### 論文1\n- タイトル：{T}\n- リンク：{A}\n",
        f"# {T}\n\n发表于OSDI2023\n\n论文链接：{A}\n",
        f"**{T}**\n[[paper]({A})]\n",
        f"**[{T}]({A})**\n",
        f"<details><summary><a href='{A}'>{T}</a></summary>\nNotes.\n</details>",
        f"Title: {T}\nAuthors: Jane Doe, Richard Roe\nURL: {A}\n",
        f"- **Title**: {T}\n- **Link**: {A}\n",
        f"title:: {T}\nurl:: {A}\n",
        f"{T} of Old\n> OSDI 2023, {A}\n".replace(" of Old", ""),
    ],
)
def test_a_heading_or_fields_with_a_url_are_one_paper(text):
    paper, *rest = (each for each in entries(text) if each.kind != "topic")
    assert (paper.kind, paper.title, paper.identifiers) == ("paper", T, ("arxiv:2305.15778",))
    assert {each.kind for each in rest} <= {"snippet"}


@cases(
    "text",
    [
        f"## {T} (2019)\n\nJane Doe, Richard Roe\n",
        f"## {T}\n#### Jane Doe, Richard Roe et al., 2019\n#### Summary\nShort.",
        f"## {T}\n### Motivation\nWhy.\n### Method\nHow.",
        f"## {T} (OSDI'19)\n\nNotes.",
        f"{T} Told Again\n> OSDI 2019\n".replace(" Told Again", ""),
    ],
)
def test_a_paper_may_be_given_without_a_url(text):
    paper = first(text)
    assert (paper.kind, paper.title, paper.identifiers) == ("paper", T, ())
    assert paper.reason == "Title without an address."


def test_venue_authors_and_two_urls_below_belong_to_the_paper():
    text = f"### [{T}](/pdfs/a%20b.pdf)\n\n> FAST ’16\n>\n> https://dl.acm.org/doi/10.1145/1.2\n\nNotes.\n"
    paper = first(text)
    assert (paper.first, paper.last, paper.venue, paper.year) == (1, 5, "FAST", 2016)
    assert paper.identifiers == ("file:/pdfs/a b.pdf", "doi:10.1145/1.2")


def test_all_fields_are_read():
    text = (
        f"Title: {T}\nAuthors: Jane Doe and Richard Roe\nConference: OSDI\nDate: 2023-05-16\nRead on: 2024-01-02\n"
        f"Status: done\nRating: 4/5\nTags: caches, memory\nCode: https://github.com/a/b\nPDF: {A}\nAbstract: Short.\n"
    )
    (paper,) = entries(text)
    assert (paper.authors, paper.venue, paper.year, paper.published) == (
        ("Jane Doe", "Richard Roe"),
        "OSDI",
        2023,
        "2023-05-16",
    )
    assert (paper.read_on, paper.status, paper.rating) == ("2024-01-02", "read", "4/5")
    assert (paper.topics, paper.abstract) == (("caches", "memory"), "Short.")
    assert {link.role for link in paper.links} == {"landing", "code"}


@pytest.mark.parametrize(
    "text",
    [
        "# {T}\n\n## Metadata\n\n- Conference: osdi-2023\n- Authors: Jane Doe; Richard Roe\n- Source URL: {A}\n",
        "# {T}\n## 摘要\nx\n\n## 来源\n- Source: a feed\n- URL: {A}\n- Authors: Jane Doe, Richard Roe\n",
    ],
)
def test_fields_under_their_own_heading_belong_to_the_paper_above(text):
    title = f"{T} and Their Many Rats"
    found = entries(text.format(T=title, A=A))
    (paper,) = (each for each in found if each.kind == "paper")
    assert (paper.title, paper.identifiers, paper.authors) == (
        title,
        ("arxiv:2305.15778",),
        ("Jane Doe", "Richard Roe"),
    )
    assert {each.kind for each in found} <= {"paper", "mention", "snippet"}


def test_unknown_fields_are_kept_as_text_except_urls_of_another_work():
    text = f"Title: {T}\nLink / arXiv: {A}\nVenue / source: OSDI 2023 / preprint\nVia: a friend\nRelated: {B}\n"
    paper, other = entries(text)
    assert (paper.venue, paper.text, paper.identifiers) == ("OSDI", "Via: a friend", ("arxiv:2305.15778",))
    assert other.identifiers == ("arxiv:2305.15779",)


def test_fields_of_several_papers_are_kept_apart():
    text = f"## Caches\nTitle: {T}\nLink: {A}\nmy remark\n\nTitle: Another Story\nLink: {B}\n"
    topic, one, two = entries(text)
    assert (topic.kind, one.title, one.text, two.title) == ("topic", T, "my remark", "Another Story")
    assert one.topics == two.topics == ("Caches",)


@cases(
    "text",
    [
        f"## Caches\n- [{T}]({A})\n- [A Tale]({B})",
        f"## Caches\n{A}\n{B}\n",
        f"## Systems for Caches Workshop (OSDI'22)\n- [{T}]({A})\n- [A Tale]({B})",
        f"## Large Scale Caching Systems\n| Title | Link |\n|---|---|\n| {T} | {A} |\n| A Tale | {B} |\n",
        f"## Large Scale Caching Systems\nSome words on them.\n\n- [{T}]({A})\n- [A Tale]({B})",
        "## Reading List of Caching Papers\n### Introduction\nWords.\n### Summary\nWords.",
    ],
)
def test_a_topic_above_a_list_is_not_a_paper(text):
    titles = [each.title for each in entries(text) if each.kind == "paper"]
    assert not [title for title in titles if title.startswith(("Caches", "Large", "Systems", "Reading"))]


def test_text_under_a_paper_is_notes_on_it():
    text = (
        f"## [{T}]({A})\n> A longer quotation of it\n\n**Key Points**\n- Uses Several Layers Of Caches\n- caches\n"
        "1. What is it?\n\n### Results on Many Machines\nGood.\n## Results\nNo links here.\n"
    )
    paper, *rest = entries(text)
    assert paper.kind == "paper"
    assert {each.kind for each in rest} == {"snippet", "question"}
    assert all(not each.topics for each in rest)


def test_papers_cited_in_the_notes_are_papers():
    text = f"## [{T}]({A})\nAs in [Another Story of Caches]({B}), and arXiv:2401.00134 says more.\n"
    assert [each.identifiers for each in entries(text)] == [
        ("arxiv:2305.15778",),
        ("arxiv:2305.15779",),
        ("arxiv:2401.00134",),
    ]


def test_the_questions_of_a_form_are_not_open_questions():
    assert entries(f"## [{T}]({A})\n- どんなもの？\n- なぜ速いのか？\n")[1].kind == "snippet"
    assert entries(f"## [{T}]({A})\n- どんなもの？\n- なぜ速いのか？\n")[2].kind == "question"


def test_a_heading_like_those_of_papers_is_a_paper_among_them():
    text = f"## [{T}]({A})\nx\n## [A Tale of Rats]({B})\ny\n## sparse and incoherent sampling\nz\n"
    assert [each.title for each in entries(text) if each.kind == "paper"] == [
        T,
        "A Tale of Rats",
        "sparse and incoherent sampling",
    ]


def test_the_date_of_a_diary_entry_is_the_reading_date():
    text = (
        f"# Reading log\n## 2023-05-04\n- [{T}]({A})\n## 2023/05/06 Another Story of Caches\nx\n"
        f"## A Tale of Rats and Mice (2023年5月7日)\ny\n"
    )
    assert [(each.title, each.read_on, each.status) for each in entries(text) if each.kind == "paper"] == [
        (T, "2023-05-04", None),
        ("Another Story of Caches", "2023-05-06", "read"),  # with notes below
        ("A Tale of Rats and Mice", "2023-05-07", "read"),
    ]


def test_the_date_of_a_list_is_not_the_reading_date():
    assert entries(f"# Daily arXiv\n## 2023-05-04\n- [{T}]({A})\n## 2023-05-05\n")[2].read_on == ""


def test_references_are_read_with_their_authors():
    text = (
        f"[1] J. Doe, R. Roe. {T}. OSDI, 2023. {A}\n"
        '[2] J. Doe, R. Roe, et al. "Another Story of\nCaches." SOSP 2021.\n'
        f"[^3]: see [A Tale]({B})\n[Doe19] J. Doe, R. Roe. A Tale of Mice. 2019.\n"
    )
    found = entries(text)
    assert [each.title for each in found] == [T, "Another Story of Caches", "A Tale", "A Tale of Mice"]
    assert found[0].authors == ("J. Doe", "R. Roe")
    assert [each.kind for each in found] == ["paper"] * 4


@pytest.mark.parametrize(
    "text",
    [
        f'Doe, Jane, and Richard Roe. "{T}." OSDI 17, no. 1 (2023): 3-16. {A}',
        f"* Doe, Jane A., Max Poe, and Richard Roe. 2023. “{T}.” *OSDI* 17 (1): 16. <{A}>.",
        f"Jane Doe, Richard Roe. {T}. OSDI 2023. {A}",
    ],
)
def test_a_citation_on_a_line_of_its_own_is_a_reference(text):
    paper = first(text)
    assert (paper.title, paper.authors[-1], paper.identifiers) == (T, "Richard Roe", ("arxiv:2305.15778",))


def test_long_references_without_a_full_stop_are_split():
    long = "of which one is quite a bit longer than a line of a mail"
    text = f"Compare the lines below, {long}, as they are told\n[12] see the caches {long}\n[13] see the rats {long}\n"
    assert [each.first for each in entries(text)] == [1, 2, 3]


def test_a_topic_below_a_topic_is_not_an_author():
    found = entries(f"# Notes\n## Many Ways of Learning\n### Gradient Descent\n- [{T}]({A})\n")
    assert [each.kind for each in found[-3:]] == ["topic", "topic", "paper"]


def test_the_page_below_a_title_is_the_url_of_the_paper():
    paper = first(f"## {T}\n\nhttps://psycnet.example.org/doi/10.1/2\n\nWords.\n")
    assert (paper.paper_kind, paper.title, paper.identifiers) == ("paper", T, ("url:psycnet.example.org/doi/10.1/2",))


def test_among_linked_papers_a_short_heading_without_a_url_is_not_a_paper():
    text = f"# {T}\n{A}\n# Another {T}\n{B}\n# Things we should do\nAll.\n"
    assert [each.title for each in entries(text) if each.kind == "paper"] == [T, f"Another {T}"]


@cases("text", ["[1] is shown above", "[x] done", "[2] https", "[OSDI22] A Story of Two Caches"])
def test_other_bracketed_words_are_not_references(text):
    assert all(not each.authors for each in entries(text))


@cases(
    "text",
    [
        f"As told in “{T}” ({A}), caches help.",
        f'As told in "{T}" ([pdf]({A})), caches help.',
        f"见论文《{T}》（2023 年）（论文链接：{A}）。",
        f"Caches help [{T}]({A}).",
    ],
)
def test_a_title_before_its_url_is_found_in_a_sentence(text):
    assert (first(text).title, first(text).identifiers) == (T, ("arxiv:2305.15778",))


def test_a_quotation_separated_from_the_url_is_not_a_title():
    assert first(f"He said “caches are always good” although {A} tells of bad ones.").title != "caches are always good"
