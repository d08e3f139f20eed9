"""Lists: which lines are one item, what nested lines say of it, and which of them are things of their own."""

from readtrack.ingest import parser
from tests.tables import cases

ONE, TWO, THREE = (f"https://arxiv.org/abs/2101.0000{n}" for n in (1, 2, 3))

ARXIV = "https://arxiv.org/abs/2305.15778"
STORY = "A Story of Two Caches and Their Makers"


def read(text):
    return [each for each in parser.parse(text) if each.kind not in {"blank", "topic"}]


def only(text):
    (entry,) = read(text)
    return entry


def test_authors_venue_links_and_remarks_below_a_title_belong_to_the_same_paper():
    found = only(
        f"- **{STORY}**\n  - Ada Lovelace, Charles Babbage\n  - OSDI 2004\n"
        f"  - [paper]({ARXIV}), [slides](https://example.org/s.pptx)\n  - worth a second look\n"
    )
    assert (found.first, found.last, found.title) == (1, 5, STORY)
    assert (found.identifiers, found.authors) == (("arxiv:2305.15778",), ("Ada Lovelace", "Charles Babbage"))
    assert (found.venue, found.year, found.text) == ("OSDI", 2004, "worth a second look")
    assert [link.role for link in found.links] == ["landing", "slides"]


@cases(
    "below",
    [
        f"  - 作者: Ada Lovelace, Charles Babbage\n  - 会议: OSDI 2004\n  - 链接: {ARXIV}\n",
        f"  - Authors: Ada Lovelace, Charles Babbage\n  - Venue: OSDI 2004\n  - Paper: {ARXIV}\n",
        f"  - *Ada Lovelace, Charles Babbage*. OSDI 2004\n  - [arXiv]({ARXIV})\n",
        f"\n  *Ada Lovelace, Charles Babbage* [[pdf]({ARXIV})], OSDI 2004\n",
    ],
)
def test_fields_or_a_paragraph_below_belong_to_the_paper_too(below):
    found = only(f"- **{STORY}**\n{below}")
    assert (found.title, found.identifiers) == (STORY, ("arxiv:2305.15778",))
    assert (found.authors, found.venue, found.year) == (("Ada Lovelace", "Charles Babbage"), "OSDI", 2004)


def test_a_bold_title_broken_across_lines_continues_wherever_the_next_line_starts():
    found = only(f"- **A Story of Two Caches\nand Their Makers** {ARXIV}\n")
    assert (found.last, found.title, found.identifiers) == (2, STORY, ("arxiv:2305.15778",))


def test_another_version_below_a_paper_is_another_identifier_of_it():
    found = only(
        f"- [{STORY}](https://www.usenix.org/conference/nsdi24/presentation/hu)\n  - [arxiv version]({ARXIV})\n"
    )
    assert found.identifiers == ("usenix:nsdi24/hu", "arxiv:2305.15778")


def test_papers_below_a_label_are_filed_under_it():
    first, second = read(
        f"- Caching\n  - [{STORY}]({ARXIV})\n    - small\n  - [Another Tale of Wires](https://arxiv.org/abs/2305.15779)\n"
    )
    assert (first.topics, first.text, first.last) == (("Caching",), "small", 3)
    assert second.topics == ("Caching",)


def test_a_heading_inside_a_list_files_its_nested_items():
    heading, paper = read(
        f"- ### 2010\n  - **01.{STORY}** : [**Paper**]({ARXIV}) || [**Code**](https://github.com/a/b)\n"
    )
    assert (heading.kind, heading.reason.endswith(".")) == ("junk", True)
    assert (paper.title, paper.topics, paper.text) == (STORY, (), "")


def test_another_paper_below_a_paper_is_its_own_entry():
    outer, inner = read(f"- [{STORY}]({ARXIV})\n  - [Another Tale of Wires](https://arxiv.org/abs/2305.15779)\n")
    assert (outer.last, inner.first, inner.title) == (1, 2, "Another Tale of Wires")


def test_an_article_below_a_paper_is_a_link_of_the_paper():
    found = only(f"- [{STORY}]({ARXIV})\n  - [Caches explained](https://zenn.dev/a/articles/0123456789abcd)\n")
    assert [link.role for link in found.links] == ["landing", "commentary"]


def test_a_question_below_a_paper_is_its_own_entry():
    paper, question = read(f"- [{STORY}]({ARXIV})\n  - two levels\n  - why not three?\n")
    assert (paper.last, paper.text) == (2, "two levels")
    assert (question.kind, question.reason) == ("question", f"Nested under “{STORY}”.")


def test_a_label_with_only_generic_links_below_is_the_title():
    found = only(f"* Word2Vec\n\n  - [x] [pdf: NIPS 2013]({ARXIV})\n\n  - [x] [notes](https://example.org/blog/w)\n")
    assert (found.title, found.identifiers, found.last) == ("Word2Vec", ("arxiv:2305.15778",), 5)


def test_a_line_that_breaks_off_continues_at_the_left_margin():
    found = only(f"- **A Story of Two Caches and\nTheir Makers.** *Ada Lovelace et al.* [[paper]({ARXIV})]\n")
    assert (found.title, found.authors, found.last) == (STORY, ("Ada Lovelace",), 2)


def test_words_among_papers_are_a_title_but_not_on_their_own():
    tagged = "".join(f"* A Story of Cache {number} (OSDI 2004)\n" for number in range(3))
    assert read(f"{tagged}* External caches: an essay on wires\n")[-1].kind == "paper"
    assert read("* External caches: an essay on wires\n")[-1].kind == "snippet"


def test_a_question_among_papers_stays_a_question():
    text = "".join(f"* A Story of Cache {number} (OSDI 2004)\n" for number in range(3)) + "* how fast can it be?\n"
    assert read(text)[-1].kind == "question"


def test_an_unknown_venue_is_recognised_in_a_list_of_papers():
    text = "".join(f"* A Story of Cache {number} (OSDI 2004)\n" for number in range(3))
    found = read(f"{text}* Towards a Story of Wires (ABCD workshop 2021)\n")[-1]
    assert (found.title, found.venue, found.year) == ("Towards a Story of Wires", "ABCD workshop", 2021)


def test_a_bare_title_in_a_list_is_an_unresolved_reference():
    found = only("- A Story of Two Caches and Their Makers\n")
    assert (found.kind, found.title, found.reason) == ("lead", STORY, "Title without an address.")


@cases(("field", "published", "text"), [("date: 2020-05", "2020-05", ""), ("year: some day", "", "some day")])
def test_a_date_below_an_item_is_its_date_and_other_words_are_a_remark(field, published, text):
    found = only(f"- {STORY}\n  - [paper]({ARXIV})\n  - {field}\n")
    assert (found.identifiers, found.published, found.text) == (("arxiv:2305.15778",), published, text)


def test_addresses_below_an_item_are_papers_of_their_own():
    found = read(f"- Caches\n  - {ARXIV}\n  - https://arxiv.org/abs/2401.00134\n")
    assert [each.identifiers for each in found] == [("arxiv:2305.15778",), ("arxiv:2401.00134",)]


def test_questions_and_thoughts_below_a_linked_paper_are_no_titles():
    text = "".join(f"  - キャッシュの最適化手法{number}を評価する実験の設計\n" for number in range(4))
    found = read(f"- [{STORY}]({ARXIV})\n  - なぜ速いのか？\n{text}")
    assert [each.kind for each in found if each.kind == "paper"] == ["paper"]


@cases("label", ["Available online", "But at this link"])
def test_the_text_of_a_link_behind_a_whole_reference_is_no_title(label):
    found = only(f"* Lovelace A. (1998). *A Story of Two Caches.* Engine Publishing. [{label}]({ARXIV})\n")
    assert (found.title, found.authors) == ("A Story of Two Caches", ("Lovelace A.",))
    assert (found.venue, found.year) == ("Engine Publishing", 1998)


def test_another_preprint_below_a_paper_is_a_paper_of_its_own():
    found = read(f"- {STORY} [pdf]({ARXIV})\n  - Wired Caches | [pdf](https://arxiv.org/abs/2401.00134)\n")
    assert [each.identifiers for each in found] == [("arxiv:2305.15778",), ("arxiv:2401.00134",)]


@cases(
    ("label", "title", "topics"),
    [("Cache longer, serve better", "Cache longer, serve better", ()), ("USP again", "", ("USP again",))],
)
def test_a_label_of_four_words_before_a_paper_is_its_title(label, title, topics):
    found = only(f"1. {label}: {ARXIV}\n")
    assert (found.title, found.topics) == (title, topics)


def test_a_linked_title_below_a_title_without_an_address_is_a_paper_of_its_own():
    text = "- OSDI 16 -- TensorFlow: A System for Learning\n  - [Ako: Deep Learning with Exchange](http://dl.acm.org/authorize?N1)\n"
    titles = [each.title for each in parser.parse(text) if each.kind == "paper"]
    assert titles == ["TensorFlow: A System for Learning", "Ako: Deep Learning with Exchange"]


def test_a_paper_cited_below_an_article_about_it_is_a_paper_of_its_own():
    address = "http://yuuki.hatenablog.com/entry/memcached"
    text = f"- [{address}:title:bookmark]\n  - Scaling Memcache at Facebook, NSDI'13\n  - nice\n"
    (article, paper) = read(text)[:2]
    assert (article.paper_kind, paper.title, paper.venue, paper.year) == (
        "article",
        "Scaling Memcache at Facebook",
        "NSDI",
        2013,
    )


@cases(
    "note",
    [
        "[2] {title}\n  - Authors: Cormack, Clarke\n  - Venue: SIGIR 2009 | arXiv: 2210.11934\n  - Relevance: first\n",
        "2. {title}\n- Authors: Cormack, Clarke\n- Venue: SIGIR 2009 | arXiv: 2210.11934\n- Relevance: first\n",
        "- **{title}**\n  - 作者：Cormack, Clarke\n  - 发表：SIGIR 2009 | arXiv: 2210.11934\n  - 关联：first\n",
        "- {title}\n  - Authors: Cormack, Clarke\n  - Venue: SIGIR 2009\n  - Relevance: the first\nhttps://arxiv.org/abs/2210.11934\n",
    ],
)
def test_an_item_above_its_fields_is_one_paper(note):
    title = "Reciprocal Rank Fusion outperforms Condorcet and Individual Rank Learning Methods"
    entry = only(note.format(title=title))
    assert (entry.title, entry.venue, entry.year) == (title, "SIGIR", 2009)
    assert (entry.authors, entry.identifiers) == (("Cormack", "Clarke"), ("arxiv:2210.11934",))
    assert "first" in entry.text


@cases("mark", [":white_check_mark:", ":heavy_check_mark:", "✔"])
def test_a_check_mark_written_as_a_shortcode_is_the_status_and_no_tag_of_org(mark):
    entries = read(f"* [{STORY}]({ARXIV}) {mark}\n* [Another Story](https://arxiv.org/abs/2401.00001)\n")
    assert [(entry.status, entry.topics) for entry in entries] == [("read", ()), (None, ())]


@cases(
    ("item", "authors"),
    [
        (f"**Ada Lovelace**, Charles Babbage: </br>\n    **{STORY}.**", ("Ada Lovelace", "Charles Babbage")),
        (f"[A. Lovelace. {STORY}.]({ARXIV})", ("A. Lovelace",)),
        (
            f"[A. Lovelace, C. Babbage, and E. F. Codd. {STORY}. In CIDR 2015]({ARXIV})",
            ("A. Lovelace", "C. Babbage", "E. F. Codd"),
        ),
    ],
)
def test_authors_before_a_title_are_no_part_of_it(item, authors):
    found = only(f"- {item}\n")
    assert (found.title, found.authors) == (STORY, authors)


def test_titles_with_their_authors_behind_a_tilde_are_split():
    titles = [
        "Stride Scheduling of Shares",
        "Stateful Functions as a Service",
        "A Globally Distributed Database",
        STORY,
    ]
    entries = read("".join(f"- {title} ~ Waldspurger and Weihl et al.\n" for title in titles))
    assert [(entry.kind, entry.title) for entry in entries] == [("paper", title) for title in titles]


def test_an_item_above_papers_with_fields_is_their_topic():
    one, two = "Attention Is All You Need", "Pre-training of Deep Bidirectional Transformers"
    note = (
        f"- Transformers\n  - {one}\n    - Authors: Ashish Vaswani, Noam Shazeer\n    - Link: {ARXIV}\n"
        f"  - {two}\n    - Authors: Jacob Devlin, Kenton Lee\n    - Link: https://arxiv.org/abs/1810.04805\n"
    )
    assert [(each.title, len(each.authors), each.topics) for each in read(note)] == [
        (one, 2, ("Transformers",)),
        (two, 2, ("Transformers",)),
    ]


def test_works_named_between_the_fields_of_a_paper_are_works_of_their_own():
    note = (
        "- Distilling the Knowledge in a Neural Network\n  - Authors: Hinton, Vinyals, Dean\n"
        "  - Builds on [FitNets](https://arxiv.org/abs/1412.6550)\n  - Year: 2015\n"
    )
    names = {each.title: each.identifiers for each in read(note) if each.kind == "paper"}
    assert names["FitNets"] == ("arxiv:1412.6550",)
    assert "arxiv:1412.6550" not in names.get("Distilling the Knowledge in a Neural Network", ())


@cases(
    "fields",
    ["- Where: Mensa\n  - When: 12:00\n  - Who: everybody", "- Who: Ann\n  - Status: open\n  - Date: 2026-01-01"],
)
def test_what_a_meeting_or_task_states_makes_no_paper(fields):
    assert "paper" not in {each.kind for each in read(f"- Fix the login bug today\n  {fields}\n")}


def test_labels_below_topics_without_items_go_on_with_them():
    text = (
        "- Caches\n- Papers\n  - [A Story](https://arxiv.org/abs/2101.00001)\n- Blogs\n  - [Tale](https://example.org/tale)\n"
        "- Wires\n- Papers\n  - [A Song](https://arxiv.org/abs/2101.00002)\n- Blogs\n  - [Play](https://example.org/play)\n"
    )
    topics = {each.title: each.topics for each in read(text) if each.identifiers}
    assert topics == {"A Story": ("Caches",), "Tale": ("Caches",), "A Song": ("Wires",), "Play": ("Wires",)}


def test_a_single_label_goes_on_with_nothing():
    text = "- Ropes\n  - [A Story](https://arxiv.org/abs/2101.00001)\n- Buy milk\n- Papers\n  - [A Song](https://arxiv.org/abs/2101.00002)\n"
    assert {each.title: each.topics for each in read(text) if each.identifiers} == {"A Story": ("Ropes",), "A Song": ()}


@cases("note", ["- 2023-09-12: {} (Olin Shivers, 1988)\n", "- 2023-09-12:\n  {}\n  (Olin Shivers, 1988)\n"])
def test_the_day_before_a_title_is_not_that_of_an_older_work(note):
    (entry,) = (
        each for each in read(note.format("[Control Flow](https://example.org/pldi88.pdf)")) if each.identifiers
    )
    assert (entry.title, entry.year, entry.published) == ("Control Flow", 1988, "1988")
    assert "2023-09-12" in entry.text


def test_a_date_above_several_links_is_their_heading():
    links = "".join(f"  - [A Story {name}](https://example.org/{name}.pdf)\n" for name in "ab")
    assert [each.title for each in read(f"- 2023-09-12:\n{links}") if each.identifiers] == ["A Story a", "A Story b"]


def test_an_item_goes_on_at_the_margin_after_a_break_tag_down_to_the_next():
    text = (
        "* The Case for Learned Index Structures<br>\n谷歌的研究。缺点是不能更新。\n"
        "    * ALEX: An Updatable Adaptive Learned Index<br>\n后续工作。\n"
        "* Implementing Sorting in Systems</br>\n老爷子的作品。\n\nAn afterword.\n"
    )
    assert [(each.title, each.first, each.last) for each in read(text)] == [
        ("The Case for Learned Index Structures", 1, 2),
        ("ALEX: An Updatable Adaptive Learned Index", 3, 4),
        ("Implementing Sorting in Systems", 5, 6),
        ("", 8, 8),
    ]


@cases(
    ("label", "title", "authors", "venue", "year"),
    [
        ("Carroll et al. 2020", "", ("Carroll",), "", 2020),
        ("Kochkov et al. 2024 (NeuralGCM)", "", ("Kochkov",), "", 2024),
        ("Fact and Fiction 2021", "Fact and Fiction 2021", (), "", None),
        ("Vaswani et al., NeurIPS 2017", "", ("Vaswani",), "NeurIPS", 2017),
        ("OSDI 2014", "", (), "OSDI", 2014),
        ("PDF 2014", "", (), "", 2014),
    ],
)
def test_a_link_text_that_only_cites_states_authors_venue_and_year(label, title, authors, venue, year):
    (entry,) = read(f"- [{label}](https://doi.org/10.1029/2019ms001888)\n")
    assert (entry.title, entry.authors, entry.venue, entry.year) == (title, authors, venue, year)


@cases(
    ("item", "title", "authors", "year"),
    [
        (
            "```{Callaway2012}``` Callaway, E. (2012). Geneticists eye arXiv. Nature. {}",
            "Geneticists eye arXiv",
            ("E. Callaway",),
            2012,
        ),
        ("[A Story of Caches]({})2019 Google", "A Story of Caches", (), 2019),
        ("[A Story of Caches]({})2019 新加坡国立大学", "A Story of Caches", (), 2019),
        ("Zurko, Mary Ellen, and Richard T. Simon. [Caches]({}). NSPW. Vol. 96. 1996", "Caches", None, 1996),
    ],
)
def test_keys_names_and_years_beside_a_title_are_no_part_of_it(item, title, authors, year):
    (entry,) = read("- " + item.replace("{}", "https://doi.org/10.1038/488019a") + "\n")
    assert (entry.title, entry.year) == (title, year)
    assert authors is None or entry.authors == authors


@cases(
    "item",
    [
        "教員のサラリー：Dolton and Marcenaro-Gutierrez (2011)、Piopiunik (2014)",
        "Tracking: Hanushek and Woessmann (2006), Ammermueller (2013), Piopiunik  (2014)",
    ],
)
def test_authors_and_years_alone_name_no_title(item):
    assert "paper" not in {each.kind for each in read(f"- School systems\n  - {item}\n")}


def test_a_tag_before_the_title_of_a_link_to_nowhere_is_its_venue():
    (entry,) = read("3. [[SOSP'21] HEALER: Relation Learning Guided Kernel Fuzzing]()\n")
    assert (entry.title, entry.venue, entry.year) == ("HEALER: Relation Learning Guided Kernel Fuzzing", "SOSP", 2021)


@cases(
    "item",
    [
        "Attention Is All You Need: Vaswani et al. (2017)",
        "The Lottery Ticket Hypothesis: Frankle & Carbin (2019)",
        "Kim et al. (2014, Convolutional Neural Networks for Sentence Classification)",
    ],
)
def test_a_title_with_its_authors_and_year_is_a_paper(item):
    others = "- Deep Residual Learning: He et al. (2016)\n- Generative Adversarial Nets: Goodfellow et al. (2014)\n"
    assert [each.kind for each in read(f"# Deep learning\n\n- {item}\n{others}") if each.first == 3] == ["paper"]


def test_headings_and_items_at_the_margin_after_a_break_tag_are_no_remarks():
    text = f"**Vision**\n- [ResNet]({ONE}) <br>\n**Language**\n- [BERT]({TWO}) <br>\n[GPT]({THREE}), CVPR 2017<br>\n"
    found = {each.title: (each.topics, each.venue) for each in read(text) if each.identifiers}
    assert found == {"ResNet": (("Vision",), ""), "BERT": (("Language",), ""), "GPT": (("Language",), "CVPR")}


@cases(
    "line",
    ["**自然语言处理**", "# 自然语言处理", "✅ 读过的论文列表", "[x] 读过的论文列表", "自然语言处理：", "| 论文列表 |"],
)
def test_what_begins_with_a_mark_is_no_remark_on_the_item_above_either(line):
    first = read(f"- [ResNet]({ONE}) <br>\n{line}\n- [BERT]({TWO})\n")[0]
    assert (first.title, first.first, first.last, first.status) == ("ResNet", 1, 1, None)


@cases("words", ["2011 households surveyed", "2000 sentences", "2015 pages", "1900 GitHub stars", "2048 game agent"])
def test_a_number_behind_a_link_is_no_year(words):
    assert [each.year for each in read(f"- [A Story of Caches]({ONE}) {words}\n")] == [None]


@cases(
    "note",
    [
        "- 03-04\n  [A Story]({})\n",
        "- 2024-05-03:\n  Meet Ann, [A Story]({})\n  - Attention Is All You Need\n",
    ],
)
def test_only_a_whole_day_goes_on_with_nothing_but_its_work(note):
    (entry,) = (each for each in read(note.replace("{}", ONE)) if each.identifiers)
    assert (entry.year, entry.published) == (None, "")
