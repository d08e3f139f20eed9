"""Small notes of each form, written for these tests: what each line becomes."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases


def became(text):
    """(lines, kind as shown, identifier, title) of every entry that is not blank."""
    return [
        (f"{e['lines'][0]}-{e['lines'][1]}.{e['part']}", e["kind"], " ".join(e["identifiers"]), e["title"])
        for e in parser.preview_json(parser.parse(text), "n")
        if e["kind"] != "blank"
    ]


def entry(text, number=0):
    return [each for each in parser.parse(text) if each.kind != "blank"][number]


def test_a_title_above_its_url_is_one_entry():
    text = "A Story of Two Caches | USENIX\nhttps://www.usenix.org/conference/nsdi24/presentation/hu\n\nhttps://arxiv.org/pdf/2305.15778v2\n"
    assert became(text) == [
        ("1-2.1", "paper", "usenix:nsdi24/hu", "A Story of Two Caches"),
        ("4-4.1", "paper", "arxiv:2305.15778", ""),
    ]


@cases(
    ("above", "below"),
    [
        ("Graph Attention Networks for Everyone - 知乎收藏", "链接：https://arxiv.org/abs/1710.10903"),
        ("Graph Attention Networks for Everyone_百度学术", "原文：https://arxiv.org/abs/1710.10903"),
        ("Graph Attention Networks for Everyone", "Source: <https://arxiv.org/abs/1710.10903>"),
    ],
)
def test_a_title_above_its_labeled_url_is_one_entry(above, below):
    title = "Graph Attention Networks for Everyone"
    assert became(f"{above}\n{below}\n") == [("1-2.1", "paper", "arxiv:1710.10903", title)]


def test_a_second_url_under_a_title_is_its_own_entry_for_review():
    text = "A Story\nhttps://dl.acm.org/doi/pdf/10.1145/1.2\nhttps://arxiv.org/abs/2305.15778\n"
    first, second = parser.parse(text)
    assert (first.first, first.last, first.title, first.decision) == (1, 2, "A Story", "add")
    assert (second.first, second.last, second.title, second.decision) == (3, 3, "", "review")
    assert second.reason.startswith("The second address under the title “A Story”")


def test_code_under_the_title_of_a_paper_is_a_separate_entry():
    text = "A Story\nhttps://arxiv.org/abs/2305.15778\nhttps://github.com/a/story\n"
    assert [each.decision for each in parser.parse(text)] == ["add", "add"]


def test_a_url_above_itself_is_one_entry_without_a_title():
    text = "https://arxiv.org/pdf/2305.15778\nhttps://arxiv.org/abs/2305.15778\n"
    assert became(text) == [("1-2.1", "paper", "arxiv:2305.15778", "")]


def test_titles_and_urls_without_blank_lines_between_are_paired():
    text = "First page\nhttps://example.org/a\nSecond page\nhttps://example.org/b"
    assert [row[3] for row in became(text)] == ["First page", "Second page"]


def test_a_wrapper_title_is_not_a_title_and_the_wrapped_url_is_used():
    text = "知乎 - 安全中心\nhttps://link.zhihu.com/?target=https%3A//arxiv.org/abs/2309.14509\n"
    assert became(text) == [("1-2.1", "paper", "arxiv:2309.14509", "")]


@cases(
    ("terms", "kind", "decision"),
    [
        ("Two+Caches%3A+A+Story+of+Fast+Systems", "lead", "add"),
        ("two+caches+one+story", "lead", "review"),
        ("python+%E6%9D%A1%E4%BB%B6", "junk", "skip"),
        ("cache", "junk", "skip"),
    ],
)
def test_a_search_results_page_is_not_a_paper_but_may_identify_one(terms, kind, decision):
    found = entry(f"whatever_百度搜索\nhttps://www.baidu.com/s?wd={terms}&tn=x\n")
    assert (found.kind, found.decision, found.identifiers) == (kind, decision, ())
    assert found.reason
    assert kind != "lead" or found.title.casefold().startswith("two caches")


def test_junk_has_its_title_and_reason_and_no_identifier():
    found = entry("(22 封私信 / 80 条消息) SOMEBODY Nice - 知乎\nhttps://www.zhihu.com/people/somebody\n")
    assert (found.kind, found.decision, found.identifiers, found.title) == ("junk", "skip", (), "SOMEBODY Nice")
    assert found.reason.endswith(".")
    assert found.links[0].url == "https://www.zhihu.com/people/somebody"


def test_an_article_that_mentions_a_venue_has_no_venue():
    found = entry("NSDI 24 Story论文\nhttps://mp.weixin.qq.com/s/abcdefghijABCDEFGHIJ12\n")
    assert (found.paper_kind, found.title, found.venue, found.year) == ("article", "NSDI 24 Story论文", "", None)


def test_an_article_in_a_list_keeps_the_tag_in_its_title():
    found = entry("- [A Story read aloud (OSDI'22)](https://zenn.dev/a/articles/0123456789abcd)")
    assert (found.title, found.venue, found.year) == ("A Story read aloud (OSDI'22)", "", None)


def test_a_paper_has_the_venue_of_its_own_tag():
    found = entry("A Story of Caches (EuroSys'24)\nhttps://dl.acm.org/doi/10.1145/1.2\n")
    assert (found.title, found.venue, found.year) == ("A Story of Caches", "EuroSys", 2024)


def test_a_repeated_identifier_is_a_mention():
    first, _, again = parser.parse("https://arxiv.org/abs/2305.15778\n\nhttps://arxiv.org/pdf/2305.15778v3\n")
    assert (first.kind, again.kind, again.decision) == ("paper", "mention", "add")
    assert again.reason == "Already on line 1."


def test_a_repeated_identifier_under_another_title_needs_review():
    text = "A Story of Caches\nhttps://arxiv.org/abs/2305.15778\n\nWholly Different Matters\nhttps://arxiv.org/abs/2305.15778\n"
    again = parser.parse(text)[-1]
    assert (again.kind, again.decision) == ("mention", "review")


def test_study_items_questions_remarks_and_links_of_a_list_are_distinguished():
    text = (
        "- NCCL\n"
        "- キャッシュの話\n"
        "- 適切な設定とは？\n"
        "- キャッシュを速くする\n"
        "- https://zenn.dev/someone/scraps/0123456789abcd\n"
        "* https://github.com/a/b/のサンプルの整理\n"
        "1. https://github.com/c/d これ使って速くできる？\n"
        "-\n"
    )
    assert became(text) == [
        ("1-1.1", "topic", "", "NCCL"),
        ("2-2.1", "topic", "", "キャッシュ"),
        ("3-3.1", "question", "", "適切な設定とは？"),
        ("4-4.1", "snippet", "", ""),
        ("5-5.1", "article", "zenn:someone/scraps/0123456789abcd", ""),
        ("6-6.1", "code", "github:a/b", ""),
        ("7-7.1", "code", "github:c/d", ""),
        ("7-7.2", "question", "", "これ使って速くできる？"),
    ]
    assert entry(text, 5).text == "のサンプルの整理"


def test_a_nested_item_knows_its_parent():
    text = "- DDP を深める\n  - https://zenn.dev/a/scraps/0123456789abcd\n  - 読む\n- Ring\n  - https://arxiv.org/abs/2310.01889\n"
    parent, child, task, _, paper = parser.parse(text)
    assert (parent.kind, child.text, child.topics) == ("snippet", "DDP を深める", ())
    assert task.reason == "Nested under “DDP を深める”."
    assert paper.topics == ("Ring",)


def test_a_list_item_does_not_become_the_topic_of_following_items():
    assert entry("- Slurm\n- https://arxiv.org/abs/2310.01889\n", 1).topics == ()


def test_a_continuation_line_belongs_to_its_item():
    text = "- A Story of Two Caches\n  https://arxiv.org/abs/2305.15778\n  https://arxiv.org/abs/2310.01889\n"
    assert became(text) == [
        ("1-2.1", "paper", "arxiv:2305.15778", "A Story of Two Caches"),
        ("3-3.1", "paper", "arxiv:2310.01889", ""),
    ]


@pytest.mark.parametrize(("mark", "status"), [("[x] ", "read"), ("[ ] ", "to_read"), ("", None)])
def test_a_checkbox_states_a_status(mark, status):
    assert entry(f"- {mark}https://arxiv.org/abs/2305.15778").status == status


def test_a_label_before_a_url_is_a_topic_and_not_a_title():
    found = entry("# Serving\n- precision: https://blog.example.com/p/x\n", 1)
    assert (found.title, found.topics) == ("", ("Serving", "precision"))


def test_a_label_that_only_describes_the_link_is_not_a_topic():
    found = entry("- paper: https://arxiv.org/abs/2305.15778, code: https://github.com/a/b")
    assert (found.title, found.topics) == ("", ())
    assert [link.role for link in found.links] == ["landing", "code"]


@cases(
    ("line", "title", "venue", "text"),
    [
        ("- [A Story of Caches](https://arxiv.org/abs/2305.15778) (NeurIPS'17)", "A Story of Caches", "NeurIPS", ""),
        ("- [OSDI'22] [A Story of Caches](https://arxiv.org/abs/2305.15778)", "A Story of Caches", "OSDI", ""),
        (
            "- A Story of Caches (ATC'22) [link to paper](https://arxiv.org/abs/2305.15778)",
            "A Story of Caches",
            "ATC",
            "",
        ),
        ("- A Story of Caches [[Paper](https://arxiv.org/abs/2305.15778)]", "A Story of Caches", "", ""),
        ("- A Story of Caches https://arxiv.org/abs/2305.15778 nice", "A Story of Caches", "", "nice"),
        (
            "- [Story](https://arxiv.org/abs/2305.15778): The Tale of Caches | MLSys'24",
            "Story: The Tale of Caches",
            "MLSys",
            "",
        ),
        ("https://arxiv.org/abs/2305.15778 | [2305.15778] A Story of Caches", "A Story of Caches", "", ""),
        ("[こちら](https://arxiv.org/abs/2305.15778)", "", "", ""),
        ("[pdf](https://arxiv.org/abs/2305.15778) A Story of Caches", "A Story of Caches", "", ""),
        ("(A Story of Caches)[https://arxiv.org/abs/2305.15778]", "A Story of Caches", "", ""),
        ("论文2305.15778讨论", "", "", "论文 讨论"),
        ("- Prepare the slides for https://arxiv.org/abs/2305.15778", "", "", "Prepare the slides for"),
        ("- The results of https://arxiv.org/abs/2305.15778", "", "", "The results of"),
    ],
)
def test_the_title_is_found_anywhere_in_the_line(line, title, venue, text):
    (found,) = parser.parse(line)
    assert (found.identifiers, found.title, found.venue, found.text) == (("arxiv:2305.15778",), title, venue, text)


def test_several_identifiers_in_prose_are_parts_of_one_line():
    text = "We follow arXiv:2305.15778 and 2401.00134v2, see doi:10.1145/1.2."
    found = parser.parse(text)
    assert [(each.part, *each.identifiers) for each in found] == [
        (1, "arxiv:2305.15778"),
        (2, "arxiv:2401.00134"),
        (3, "doi:10.1145/1.2"),
    ]
    assert {each.text for each in found} == {text}
    assert parser.tally(found) == {"paper": 1}


def test_links_with_one_title_are_one_paper_with_extras():
    (found,) = parser.parse(
        "- A Story of Caches [[Code](https://github.com/a/b)] [[Paper](https://arxiv.org/abs/2305.15778)]"
    )
    assert found.identifiers == ("arxiv:2305.15778",)
    assert {(link.url, link.role) for link in found.links} == {
        ("https://arxiv.org/abs/2305.15778", "landing"),
        ("https://github.com/a/b", "code"),
    }


def test_headings_give_topics_outermost_first_and_years_do_not():
    text = (
        "# LLM\n## Training\n### 2023\n- https://arxiv.org/abs/2310.01889\n## Serving\n**Quantization**\n"
        "- https://arxiv.org/abs/2310.01890\n# Tools\n"
    )
    papers = [each for each in parser.parse(text) if each.kind == "paper"]
    assert [each.topics for each in papers] == [("LLM", "Training"), ("LLM", "Serving", "Quantization")]
    kinds = ["topic", "topic", "junk", "paper", "topic", "topic", "paper", "topic"]
    assert [each.kind for each in parser.parse(text)] == kinds


@cases(
    ("text", "topics"),
    [
        ("serving\n\n- https://arxiv.org/abs/2310.01889", ("serving",)),
        ("serving\n- https://arxiv.org/abs/2310.01889", ("serving",)),
        ("serving\n- x y\n\n\n- https://arxiv.org/abs/2310.01889", ()),
        ("Infos\n- https://arxiv.org/abs/2310.01889", ()),
        ("Infos\nhttps://arxiv.org/abs/2310.01889", ()),
        ("Serving\n=======\nhttps://arxiv.org/abs/2310.01889", ("Serving",)),
        ("A much longer line of words.\n- https://arxiv.org/abs/2310.01889", ()),
    ],
)
def test_a_short_bare_line_above_a_list_is_a_heading_up_to_a_wide_gap(text, topics):
    paper = next(each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.topics, paper.title) == (topics, "")


def test_an_annotated_reference_list_gives_unresolved_references():
    text = "References¶\nScaling papers¶\nIntroduces a way of caching.\nOthers¶\nA guide to caches.\nHow to cache.\n"
    assert became(text) == [
        ("1-1.1", "junk", "", "References"),
        ("2-2.1", "topic", "", "Scaling papers"),
        ("3-3.1", "lead", "", ""),
        ("4-4.1", "junk", "", "Others"),
        ("5-5.1", "lead", "", ""),
        ("6-6.1", "lead", "", ""),
    ]
    lead = entry(text, 2)
    assert (lead.text, lead.topics) == ("Introduces a way of caching.", ("Scaling papers",))


def test_a_title_with_a_venue_and_no_url_is_a_paper_to_be_matched():
    found = entry("- A Story of Two Caches (OSDI'22)")
    assert found.identifiers == ()
    assert (found.kind, found.title, found.venue, found.year) == ("paper", "A Story of Two Caches", "OSDI", 2022)


def test_a_comparison_table_is_one_entry_and_its_legend_a_remark():
    text = (
        "| 機能 | K8s | Slurm |\n|---|---|---|\n| **Gang** | △ | ◎ |\n| MIG | ◎ | △ |\n\n**凡例**: ◎ 優秀、△ 限定的\n"
    )
    table, blank, legend = parser.parse(text)
    assert (table.kind, table.first, table.last, table.title) == ("table", 1, 4, "機能 | K8s | Slurm")
    assert blank.kind == "blank"
    assert (legend.kind, legend.reason) == ("snippet", "Legend of the table in lines 1 to 4.")


def test_rows_with_urls_are_read_one_by_one():
    text = "| Title | Link |\n|---|---|\n| A Story of Caches | [pdf](https://arxiv.org/abs/2305.15778) |\n"
    assert became(text) == [
        ("1-2.1", "table", "", "Title | Link"),
        ("3-3.1", "paper", "arxiv:2305.15778", "A Story of Caches"),
    ]


def test_a_table_of_papers_is_read_by_its_column_names():
    text = (
        "| Status | Paper | Venue | Links | Remark |\n|:-:|---|---|---|---|\n"
        "|✅ | **A Story**| CGO'21 | [Paper](https://arxiv.org/abs/2305.15778) / [Code](https://github.com/a/b) |ok|\n"
        "| | Another Tale | — | [Paper](https://arxiv.org/abs/2305.15779) | |\n"
        "| ⬜ | An Unlinked Tale | OSDI'24 | | |\n"
    )
    _, first, second, third = parser.parse(text)
    assert (first.title, first.venue, first.year, first.status, first.text) == (
        "A Story",
        "CGO",
        2021,
        "read",
        "ok",
    )
    assert (second.title, second.venue, second.status) == ("Another Tale", "", None)
    assert (third.kind, third.title, third.venue, third.status) == ("paper", "An Unlinked Tale", "OSDI", "to_read")


def test_a_fenced_code_block_is_one_snippet_and_its_urls_are_ignored():
    text = "```sh\ncurl https://arxiv.org/abs/2305.15778\n```\n"
    assert became(text) == [("1-3.1", "snippet", "", "")]


def test_a_table_of_contents_is_junk_and_a_horizontal_rule_is_blank():
    assert [each.kind for each in parser.parse("- [Caches](#caches)\n---\n")] == ["junk", "blank"]


def test_images_are_not_entries():
    assert [each.kind for each in parser.parse("![badge](https://img.shields.io/badge/x-y.svg)")] == ["blank"]


def test_wrapped_prose_is_one_snippet():
    text = "This is a rather long line of prose that was wrapped by an editor at\nseventy columns or so.\n"
    assert became(text) == [("1-2.1", "snippet", "", "")]


def test_lines_with_an_address_each_are_two_works_and_no_wrapped_reference():
    text = (
        "Lovelace, A. and Babbage, C. (1843). Notes on the Analytical Engine. https://doi.org/10.1145/1.2\n"
        "A Fast Cache for Every Server, Ada Lovelace, OSDI 2020, https://arxiv.org/abs/2001.00001 - read it twice\n"
    )
    assert [(lines, ids) for lines, _, ids, _ in became(text)] == [
        ("1-1.1", "doi:10.1145/1.2"),
        ("2-2.1", "arxiv:2001.00001"),
    ]


def test_cards_directly_below_each_other_are_papers_each():
    note = (
        "A Swarm of Robotic Partitions for Rooms\n- Ada Lovelace: University of London; Charles Babbage: Cambridge\n"
        "  - from London\nAudio Descriptions for Videos in the Round\n- Heidi Howard, Dahlia Malkhi\n- nice\n"
    )
    assert [(each.title, each.authors) for each in parser.parse(note)] == [
        ("A Swarm of Robotic Partitions for Rooms", ("Ada Lovelace", "Charles Babbage")),
        ("Audio Descriptions for Videos in the Round", ("Heidi Howard", "Dahlia Malkhi")),
    ]
