"""Titles and what is written around them: verbs of a diary, the journal, the role of an author, signs of quotation."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

LINK = "[Meta-Learning with Implicit Gradients](https://arxiv.org/abs/1909.04630)"
WAVE = "Flip motion of solitary wave in an Ising-type model"
NO_PAPERS = {"topic", "snippet", "blank", "junk"}
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
        ("Rev. Mod. Phys. 86, 1391 (2014) - Cavity optomechanics", "Cavity optomechanics", "Rev. Mod. Phys", 2014),
        (f"Sensors | Free Full-Text | {WAVE}", WAVE, "Sensors", None),
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
            "- A quantum demon at work, B. Huard, (2017) arXiv: 1702.05161",
            "A quantum demon at work",
            ("B. Huard",),
            2017,
        ),
        (
            "- A quantum demon at work, R. Barends, Nature 508, 500 (2014)",
            "A quantum demon at work",
            ("R. Barends",),
            2014,
        ),
        ("- Boas, Franz. 1955. *Primitive Art.* New York: Dover.", "Primitive Art", ("Franz Boas",), 1955),
        ("- Kuhn, T. (1962). *Revolutions*. Chicago.", "Revolutions", ("T. Kuhn",), 1962),
        (
            "- Chase, I. D. (1982). Dynamics of Hierarchy: its Development. Behaviour 80(3-4), 218–239.",
            "Dynamics of Hierarchy: its Development",
            ("I. D. Chase",),
            1982,
        ),
        (
            "Ada Lovelace, Charles Babbage: The Next Generation System. CACM 34(10): 78-92 (1991)\nhttps://example.org/a.pdf",
            "The Next Generation System",
            ("Ada Lovelace", "Charles Babbage"),
            1991,
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
    assert (entry.title, entry.authors, entry.year or int(entry.published)) == (title, authors, year)


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


@cases(
    ("label", "title", "authors", "venue", "year"),
    [
        (
            "計算論的認知神経科学 Kriegeskorte and Douglas, 2018, Cognitive computational neuroscience",
            "Cognitive computational neuroscience",
            ("Kriegeskorte", "Douglas"),
            "",
            2018,
        ),
        (
            "ディープラーニング概説, 2015, LeCun, Bengio, Hinton, Nature",
            "ディープラーニング概説",
            ("LeCun", "Bengio", "Hinton"),
            "Nature",
            2015,
        ),
        (
            "皮質における物体認識 Riesenhuber and Poggio (1999) Nature",
            "皮質における物体認識",
            ("Riesenhuber", "Poggio"),
            "Nature",
            1999,
        ),
    ],
)
def test_latin_names_and_a_year_behind_japanese_words_are_those_of_the_work(label, title, authors, venue, year):
    entry = read(f"1. [{label}](https://example.org/papers/one.pdf)\n")
    assert (entry.title, entry.authors, entry.venue, entry.year) == (title, authors, venue, year)


def test_a_surname_behind_a_linked_title_is_its_author_but_words_go_on():
    entry = read("[Struggles with survey weighting](https://example.org/STS226.pdf) by Gelman and Hill (2007)\n")
    assert (entry.title, entry.authors, entry.year) == ("Struggles with survey weighting", ("Gelman", "Hill"), 2007)
    assert read("[Guessing](https://example.org/g.pdf) by Random Walks\n").title == "Guessing by Random Walks"


def test_named_links_of_restructuredtext_are_those_of_their_targets():
    note = (
        "Papers\n======\n\n* `Sizing router buffers`_ - Keslassy\n* `RF-IDraw: A Touch Screen`_ - Wang\n"
        "* see Jellyfish_\n\n.. _Sizing router buffers: https://example.org/buffers.pdf\n"
        ".. _`RF-IDraw: A Touch Screen`: https://example.org/idraw.pdf\n.. _Jellyfish: https://arxiv.org/abs/1110.1687\n"
    )
    papers = [entry for entry in parser.parse(note) if entry.kind == "paper"]
    assert [(paper.title, paper.identifiers[0].rpartition("/")[2]) for paper in papers] == [
        ("Sizing router buffers", "buffers.pdf"),
        ("RF-IDraw: A Touch Screen", "idraw.pdf"),
        ("Jellyfish", "arxiv:1110.1687"),
    ]


def test_paragraphs_of_a_cell_are_apart():
    row = (
        "<tr>\n<td>\n<p class='title'>Fail-Slow at Scale: Evidence of Faults</p>\n"
        "<p class='authors'>Haryadi S. Gunawi, Rita O. Suminto (U. Chicago); Russell Sears (Pure Storage)</p>\n</td>\n"
        "<td>FAST '18</td>\n<td><a href='https://example.org/fast18.pdf'>Paper</a></td>\n</tr>\n"
    )
    header = "<tr><th>Title</th><th>Venue</th><th>Link</th></tr>\n"
    entry = read(f"<table>\n{header}{row}</table>\n")
    assert (entry.title, entry.venue, entry.year) == ("Fail-Slow at Scale: Evidence of Faults", "FAST", 2018)


@cases(
    ("sentence", "status"),
    [
        ("A local cache of all papers I've read.", "read"),
        ("Papers I have read and talks I have watched for research and\nprojects.", "read"),
        ("Papers I have read and papers I have to read", None),
        ("Papers I have read\nby Ann Lee", "read"),
        ("Papers I have read\nPapers I want to read", None),
        ("This is a page of things I'm hoping to read soon. It includes blog posts.", "to_read"),
        ("このページは読んだ論文のまとめです。", "read"),
        ("这里记录我读过的论文。", "read"),
        ("记录我读过的论文，争取每日一更", "read"),
        ("TCP関連で読みたい論文リストのメモ．", "to_read"),
        ("Papers I have read or plan to read.", None),
        ("Papers I haven't read yet.", None),
        ("Some of my papers. I have a dog.", None),
        ("This repo has some of the papers I have read over the past few months, that pertain to caches.", "read"),
        ("Papers I've read are marked with a star.", None),
        ("Of all the papers in this list I have read none.", None),
        ("In the last article we have read about caches.", None),
        ("読んだ論文の中で引用されていた、これから読むもの。読んだ論文のメモは別。", None),
    ],
)
def test_the_first_sentences_state_the_status_of_all(sentence, status):
    note = (
        f"# Papers\n\n{sentence}\n\n## Caches\n\n- {LINK}\n\n## To read\n\n- [Flip](https://arxiv.org/abs/1909.04631)\n"
    )
    first, second = (entry for entry in parser.parse(note) if entry.kind == "paper")
    assert (first.status, second.status) == (status, "to_read")


@pytest.mark.parametrize("heading", ["kT/C 噪声消除（5 篇）", "kT/C 噪声消除 (12 papers)", "kT/C 噪声消除"])
def test_the_number_of_papers_is_no_part_of_a_topic(heading):
    assert read(f"# Notes\n\n## {heading}\n\n- {LINK}\n").topics == ("kT/C 噪声消除",)


def test_a_heading_with_a_day_and_a_rating_around_its_title_is_a_paper():
    note = f"## 2021\n\n### 01-01 | *{VILLI}* | 6☆\n\n没讲什么。\n\n### 2020-11-14 | *{WAVE}* | ★★★\n\n不错。\n"
    first, second = (entry for entry in parser.parse(note) if entry.kind == "paper")
    assert (first.title, first.rating) == (VILLI, "6☆")
    assert (second.title, second.rating, second.read_on, second.status) == (WAVE, "★★★", "2020-11-14", "read")


@cases(
    ("line", "title", "authors"),
    [
        (
            "[Ada Lovelace, Charles Babbage:\nCaches: Definition and Detection. 92-113](https://doi.org/10.1007/978-3_5)",
            "Caches: Definition and Detection",
            ("Ada Lovelace", "Charles Babbage"),
        ),
        (
            "[Leeper, Thomas J. “Really Introductory Introduction to R”](https://example.org/r.pdf)",
            "Really Introductory Introduction to R",
            ("Thomas J Leeper",),
        ),
        (
            "- Grusin, Richard, ed. _The Nonhuman Turn_. Minneapolis: University of Minnesota Press, 2015. Print.",
            "The Nonhuman Turn",
            ("Richard Grusin",),
        ),
        (
            "## Wark, McKenzie. _Telesthesia_. Cambridge: Polity Press, 2012. Print.",
            "Telesthesia",
            ("McKenzie Wark",),
        ),
        (
            "- Sands, Philippe, et Jacqueline Peel. _Principles of Law._ Cambridge University Press, 2012.",
            "Principles of Law",
            ("Philippe Sands", "Jacqueline Peel"),
        ),
        (
            "- Adler (2012) *R in a nutshell*, chapter 4",
            "R in a nutshell",
            ("Adler",),
        ),
    ],
)
def test_names_before_a_title_end_where_the_style_of_the_reference_says(line, title, authors):
    (found,) = (entry for entry in parser.parse(f"# Notes\n\n{line}\n") if entry.kind == "paper")
    assert (found.title, found.authors) == (title, authors)


@cases(
    ("heading", "line", "year"),
    [
        ("2021", "- [Flip motion of waves](https://example.org/a.pdf) AAAI", 2021),
        ("2021", "- [Flip motion of waves](https://example.org/a.pdf) AAAI 2019", 2019),
        ("2021", "- [x] [Flip motion of waves](https://example.org/a.pdf) AAAI", None),  # read in that year
        ("2021", "- [Flip motion of waves](https://example.org/a.pdf)", None),
        ("Waves", "- [Flip motion of waves](https://example.org/a.pdf) AAAI", None),
    ],
)
def test_a_heading_that_is_a_year_dates_the_papers_of_a_venue(heading, line, year):
    assert read(f"# Notes\n\n## {heading}\n\n{line}\n").year == year


@pytest.mark.parametrize("line", [":orphan:", ".. toctree::", "   :maxdepth: 2", ".. contents:: Papers"])
def test_what_restructuredtext_says_about_the_page_is_no_topic(line):
    assert {entry.kind for entry in parser.parse(f"{line}\n\n- {LINK}\n")} == {"junk", "blank", "paper"}


@pytest.mark.parametrize(
    ("mark", "heading"), [("- ✅", "To read"), ("- [x]", "To read"), ("- ~~Done~~", "To read"), ("-", "To read next")]
)
def test_the_first_sentences_state_nothing_where_marks_or_headings_tell_one_from_another(mark, heading):
    items = f"{mark} [Flip](https://arxiv.org/abs/1909.04631)\n- {LINK}\n"
    note = f"# Papers\n\nA list of papers I've read.\n\n{items}\n## {heading}\n"
    assert [entry.status for entry in parser.parse(note) if entry.kind == "paper"][1] is None


@cases(
    "line",
    [
        "- 过拟合的问题 (译: overfitting)",
        "この概念はとても重要だと思う（訳：コンセプト）",
        "メールの返信を書く（著者：自分）",
        "- Meeting minutes (February 1992) - Topics of the day",
        "- Skimmed `Terms of Service' today",
        "- Read `/etc/nginx/nginx.conf' and fix it",
    ],
)
def test_glosses_minutes_and_commands_are_no_papers(line):
    assert [entry for entry in parser.parse(f"# Notes\n\n{line}\n") if entry.kind == "paper"] == []


def test_a_word_with_an_underscore_stays_where_links_are_those_of_markdown():
    text = "We call the function name_ and the `name`_ value, see [name]."
    assert "name_ and the `name`_ value" in read(f"[name]: https://arxiv.org/abs/2101.00001\n\n{text}\n").text


def test_a_quotation_within_an_item_names_no_paper():
    entries = parser.parse(f"- {LINK}\n  > - a quoted remark in the item\n")
    assert [entry.title for entry in entries if entry.kind == "paper"] == ["Meta-Learning with Implicit Gradients"]


def test_two_pages_with_or_between_them_are_two():
    entries = parser.parse("- Tool: https://tool-a.example.org or https://tool-b.example.org\n")
    assert [entry.paper_kind for entry in entries] == ["page", "page"]


@pytest.mark.parametrize(
    "heading", ["1 | Foundations of Machine Learning Systems", "10-11 | Kickoff for a Platform Migration | 3"]
)
def test_a_number_beside_a_heading_is_no_rating(heading):
    assert parser.parse(f"## {heading}\n\nNotes.\n")[0].kind == "topic"


def test_titles_below_a_line_about_papers_on_topics_are_papers():
    titles = (
        "Attention Is All You Need",
        "Deep residual learning for image recognition",
        "Sparse attention for long texts",
    )
    note = "My reading list on these topics:\n" + "".join(f"- {title}\n" for title in titles)
    assert [entry.title for entry in parser.parse(note) if entry.kind == "paper"] == list(titles)


@cases(
    ("line", "title", "authors", "venue", "year"),
    [
        (
            "1. 中國社會科學院考古研究所安陽隊：〈**河南安陽洹河流域的考古調查**〉，《考古學報》1975年第1期。",
            "河南安陽洹河流域的考古調查",
            ("中國社會科學院考古研究所安陽隊",),
            "考古學報",
            1975,
        ),
        (
            "2. 吳金鼎：〈摘記小屯迤西之三處小發掘〉，載李濟總編輯：《安陽發掘報告》，1933年，第627-633頁。",
            "摘記小屯迤西之三處小發掘",
            ("吳金鼎",),
            "安陽發掘報告",
            1933,
        ),
    ],
)
def test_references_of_institutions_and_in_books_are_read(line, title, authors, venue, year):
    entry = read(f"# 報告\n\n{line}\n")
    assert (entry.title, entry.authors, entry.venue, entry.year) == (title, authors, venue, year)


def test_books_of_one_form_are_read_with_publisher_and_year_apart():
    books = (
        ("D. Bertsimas and D. D. Hertog", "Robust and Adaptive Optimization", "Dynamic Ideas LLC, 2022"),
        ("J. F. Bonnans", "Convex and Stochastic Optimization", "Springer, 2019"),
        ("T. Hastie, R. Tibshirani, and J. Friedman", "The Elements of Statistical Learning", "Springer, 2001"),
        ("A. Beck", "First-Order Methods in Optimization", "Society for Industrial & Applied Mathematics, 2017"),
    )
    note = "# Seminar\n\n" + "".join(f"- {names}: *{title}* ({publisher}).\n" for names, title, publisher in books)
    found = [entry for entry in parser.parse(note) if entry.kind == "paper"]
    assert [(entry.title, entry.year) for entry in found] == [(title, int(place[-4:])) for _, title, place in books]


NAMED = [
    (
        '- Campos, C, Elvira, R, M. Montiel, J, Tardos, J. "Visual and Multimap SLAM". IEEE Robotics 2021:1-17.',
        "Visual and Multimap SLAM",
        ("C Campos", "R Elvira", "J Montiel", "J Tardos"),
    ),
    (
        '- Sumikura, S, Shibuya, M, Sakurada, K. "OpenVSLAM". Proceedings of ACM Multimedia 2019.',
        "OpenVSLAM",
        ("S Sumikura", "M Shibuya", "K Sakurada"),
    ),
    (
        "- David G. Lowe. Distinctive Image Features from Scale-Invariant Keypoints.",
        "Distinctive Image Features from Scale-Invariant Keypoints",
        ("David G. Lowe",),
    ),
    (
        "- Joan Sola, Jeremie Deray, Dinesh Atchuthan. A Micro Lie Theory for State Estimation in Robotics.",
        "A Micro Lie Theory for State Estimation in Robotics",
        ("Joan Sola", "Jeremie Deray", "Dinesh Atchuthan"),
    ),
    (
        "- World Health Organization. (2019). *International classification of diseases* (11th ed.).",
        "International classification of diseases",
        ("World Health Organization",),
    ),
    (
        "- GIA (Gemological Institute of America). (2020). *GIA Gem Instruments Guide*. GIA Press.",
        "GIA Gem Instruments Guide",
        ("GIA (Gemological Institute of America)",),
    ),
    (
        "- Fritsch, E., & Rossman, G.R. (1987). An update on color in gems. Part 2: Colors. *Gems*, 23(3), 126-139.",
        "An update on color in gems. Part 2: Colors",
        ("E. Fritsch", "G.R. Rossman"),
    ),
    ("- Ann Lee, Bob Roe. Please read the paper before Monday", None, None),
    ("- Ada Lovelace, Charles Babbage, Grace Hopper. The meeting starts at noon on Friday", None, None),
]


@cases(("line", "title", "authors"), NAMED)
def test_names_of_people_and_organizations_stand_before_a_title(line, title, authors):
    papers = [entry for entry in parser.parse(line) if entry.kind == "paper"]
    assert [(paper.title, paper.authors) for paper in papers] == ([(title, authors)] if title else [])


@cases(
    ("line", "title", "venue", "year"),
    [
        (
            "+ 调度器改进的研究. 计算机工程与应用(2014) [[pdf]](http://cea.org/1.shtml)",
            "调度器改进的研究",
            "计算机工程与应用",
            2014,
        ),
        (
            "+ Abusing Privileged and Unprivileged Linux Containers. NCC Group(2016) [[pdf]](https://ncc.com/x/)",
            "Abusing Privileged and Unprivileged Linux Containers",
            "NCC Group",
            2016,
        ),
        (
            "* [Foote1987JASA - Fish target strengths for surveys](https://github.com/a/b/tree/master/Foote1987JASA.md)",
            "Fish target strengths for surveys",
            "",
            1987,
        ),
    ],
)
def test_a_list_tells_venue_and_year_beside_its_titles(line, title, venue, year):
    entry = read(line)
    assert (entry.title, entry.venue, entry.year or int(entry.published[:4])) == (title, venue, year)


def test_headings_begin_with_the_year_of_their_papers():
    first, second = "BTMMU: A Versatile Memory Virtualization", "Code Cache Management Schemes for All"
    note = f"#### 2021 {first}\n\nText.\n\n#### 1999 {second}\n"
    papers = [entry for entry in parser.parse(note) if entry.kind == "paper"]
    assert [(paper.title, paper.year) for paper in papers] == [
        ("BTMMU: A Versatile Memory Virtualization", 2021),
        ("Code Cache Management Schemes for All", 1999),
    ]
    assert not [
        entry for entry in parser.parse("## 2021 Goals and Plans for Next Steps\n\nText\n") if entry.kind == "paper"
    ]


def test_the_title_of_a_page_names_its_journal_in_a_heading():
    note = f"## Phys. Rev. E 103, 022411 (2021) - {WAVE}\n[https://example.org/1](https://journals.aps.org/pre/abstract/10.1103/PhysRevE.103.022411)\n"
    entry = read(note)
    assert (entry.title, entry.venue, entry.year) == (WAVE, "Phys. Rev. E", 2021)


@cases(
    ("line", "title", "authors", "venue"),
    [
        ("内藤湖南『東洋文化史』中公クラシックス", "東洋文化史", ("内藤湖南",), "中公クラシックス"),
        ("- 佐々木毅『よみがえる古代思想』講談社", "よみがえる古代思想", ("佐々木毅",), "講談社"),
        ("- 川島真『中国近現代史2』岩波書店", "中国近現代史2", ("川島真",), "岩波書店"),
        ("- リップマン『世論』上/下岩波文庫", "世論", ("リップマン",), ""),
        (
            "- ギュスターヴ・ル・ボン『群集心理』講談社学術文庫",
            "群集心理",
            ("ギュスターヴ・ル・ボン",),
            "講談社学術文庫",
        ),
        ("- 費孝通著『乡土中国』岩波文庫", "乡土中国", ("費孝通",), "岩波文庫"),
        ("- 余华《活着》上海译文出版社，2010", "活着", ("余华",), "上海译文出版社"),
    ],
)
def test_a_book_between_its_author_and_its_publisher_is_a_paper(line, title, authors, venue):
    entry = read(f"# ゼミ\n\n{line}\n")
    assert (entry.kind, entry.title, entry.authors, entry.venue) == ("paper", title, authors, venue)


@pytest.mark.parametrize(
    "line", ["- 読書メモ『暗号技術入門』秀和出版", "来週のゼミで『暗号技術入門』を読む 場所は図書館"]
)
def test_other_words_before_a_title_name_no_author(line):
    assert [entry.authors for entry in parser.parse(line) if entry.authors] == []


@cases(
    ("line", "title", "authors"),
    [
        (
            "[3][美]理查德·J.拉森,莫里森·L.马克思.数理统计及其应用[M].北京:机械工业出版社, 2019.",
            "数理统计及其应用",
            ("理查德·J.拉森", "莫里森·L.马克思"),
        ),
        (
            "[22][以色列]约阿夫·戈尔德贝格.基于深度学习的自然语言处理[M].车万翔,等译.北京:机械工业出版社, 2018.",
            "基于深度学习的自然语言处理",
            ("约阿夫·戈尔德贝格",),
        ),
        ("（美）格拉泽. 计算机科学导论[M]. 北京: 科学出版社, 2016.", "计算机科学导论", ("格拉泽",)),
    ],
)
def test_the_country_of_a_translated_author_is_no_part_of_the_name(line, title, authors):
    entry = read(f"# 参考文献\n\n- [x] {line}\n")
    assert (entry.title, entry.authors) == (title, authors)


@cases(
    ("label", "after", "title", "venue", "text"),
    [
        (f"{WAVE} (example.org)", "", WAVE, "", ""),
        (
            f'"{WAVE}"',
            ": Short, and incompatible with what we have.",
            WAVE,
            "",
            "Short, and incompatible with what we have.",
        ),
        (
            f'"{WAVE}." Journal of Advances in Modeling Earth Systems',
            "",
            WAVE,
            "Journal of Advances in Modeling Earth Systems",
            "",
        ),
        (f"{WAVE}. Physical Review Fluids.", "", WAVE, "Physical Review Fluids", ""),
    ],
)
def test_what_a_site_or_a_reference_adds_to_a_title_is_no_part_of_it(label, after, title, venue, text):
    entry = read(f"- [{label}](https://eprint.example.org/papers/1038.pdf){after}\n")
    assert (entry.title, entry.venue, entry.text.strip(" .")) == (title, venue, text.strip(" ."))


@cases(
    ("line", "title", "identifier"),
    [
        (
            f"[ ] [{VILLI}](https://github.com/ada/blog/blob/master/villi.md) https://research.google.com/archive/villi.html",
            VILLI,
            "url:research.google.com/archive/villi.html",
        ),
        (f"[{VILLI}](https://github.com/ada/paper-notes/blob/master/villi.md)", VILLI, ""),
        (f"[Ada1987JASA - {WAVE}](https://github.com/ada/ReadingList/tree/master/Ada1987JASA.md)", WAVE, ""),
    ],
)
def test_a_note_on_a_work_in_a_repository_is_not_the_work(line, title, identifier):
    (entry,) = (entry for entry in parser.parse(f"# Work\n\n- {line}\n") if entry.kind == "paper")
    assert (entry.title, "".join(entry.identifiers), entry.paper_kind) == (title, identifier, "paper")
    assert any("github.com" in link.url for link in entry.links)


def test_documentation_in_a_repository_is_a_page():
    entry = read("- [The Linux Kernel Process Guide](https://github.com/a/linux/blob/master/docs/process.md)\n")
    assert entry.paper_kind == "page"


@cases(
    ("line", "title", "status"),
    [
        ("- (pdf) Gauss和を用いた平方剰余の相互法則の証明", "Gauss和を用いた平方剰余の相互法則の証明", None),
        (
            "- :ok: (pdf) Introductory Group Theory and a Little Theorem",
            "Introductory Group Theory and a Little Theorem",
            "read",
        ),
        (
            "- Title: A Longitudinal Analysis of Bugs Across Releases (Research)",
            "A Longitudinal Analysis of Bugs Across Releases",
            None,
        ),
    ],
)
def test_a_word_for_the_kind_of_a_work_marks_its_title(line, title, status):
    entry = read(f"# 数学\n\n{line}\n")
    assert (entry.kind, entry.title, entry.status) == ("paper", title, status)


@cases(
    ("front", "status"),
    [
        ('---\ntitle: "機械学習 今月読んだ論文・記事まとめ 2021年5月" # 記事のタイトル\n---\n', "read"),
        ("# 文献\n\n来期でやめるので、このゼミで課題として読んだ本をまとめておく。\n\n", "read"),
        (
            "# Reading\n\nThe following table records the papers I read (hopefully I can update it more often).\n\n",
            "read",
        ),
        ("# Notes\n\n## Future reading pool\n\n", "to_read"),
    ],
)
def test_a_note_says_of_all_its_papers_whether_they_are_read(front, status):
    (entry,) = (entry for entry in parser.parse(f"{front}- {LINK}\n") if entry.kind == "paper")
    assert entry.status == status


@cases(
    "sentence",
    [
        "I lost the list of papers I read in 2023.",
        "Will post lists of papers we read.",
        "The papers I have read (those marked with * are still to read).",
        "今後読む予定の論文と、読んだ論文をまとめていく。",
        "これから、先輩が読んだ論文を載せていく。",
    ],
)
def test_other_sentences_about_reading_say_nothing_of_all_papers(sentence):
    (entry,) = (entry for entry in parser.parse(f"# Papers\n\n{sentence}\n\n- {LINK}\n") if entry.kind == "paper")
    assert entry.status is None


@cases(
    ("note", "words"),
    [
        (
            f"# {WAVE}. Nature Methods 18, 1 (2021), read with Peter\nhttps://arxiv.org/abs/1706.03762\n",
            "read with Peter",
        ),
        ("- 村上春樹『1Q84』上下巻 新潮社\n", "上下巻"),
        ("- 周志华主编《机器学习方法论》科学出版社\n", "主编"),
        ("- (组会) 张三. 深度学习综述[J]. 软件学报, 2019.\n", "组会"),
        ("- (英)霍金. 时间简史[M]. 长沙: 湖南科学技术出版社, 2010.\n", "英"),
        ("- [Our scripts for training (train.py)](https://example.com/y)\n", "train.py"),
        ("- [Installation and Start 2023](https://github.com/o/notebook/blob/main/docs/a.md)\n", "docs/a.md"),
    ],
)
def test_words_beside_a_title_are_kept(note, words):
    (entry,) = (entry for entry in parser.parse(note) if entry.kind != "blank")
    assert words in " ".join([entry.title, entry.text, *entry.identifiers])


@cases(
    ("line", "title"),
    [
        (
            '["Why Should I Trust You?"](https://arxiv.org/abs/1602.04938): Explaining Predictions of a Classifier',
            '"Why Should I Trust You?": Explaining Predictions of a Classifier',
        ),
        ("王五. 译者主体性的研究[J]. 外语与翻译. 2018.", "译者主体性的研究"),
    ],
)
def test_a_title_that_begins_with_a_quotation_and_a_journal_of_translation_stay_whole(line, title):
    entry = read(f"- {line}\n")
    assert (entry.title, entry.venue) == (title, "外语与翻译" if "翻译" in line else "")


def test_a_document_beside_a_paper_does_not_name_it():
    note = "- [README](https://github.com/a/peft/blob/main/README.md) https://arxiv.org/abs/2205.14135\n"
    assert [entry.title for entry in parser.parse(note) if "arxiv" in "".join(entry.identifiers)] == [""]


def test_a_sentence_below_an_item_and_a_line_that_heads_others_are_told_apart():
    note = "- Read\n  - {}\n{}\n  - [FlashAttention: Fast](https://arxiv.org/abs/2205.14135)\n"
    statuses = [
        [entry.status for entry in parser.parse(note.format(LINK, line)) if entry.kind == "paper"]
        for line in ("It was good to read.", "Still to read, in this order:", "Wish list")
    ]
    assert statuses == [["read", "read"], ["read", None], ["read", None]]


@cases(
    "note",
    [
        "**[1] Attention Is All You Need**\nVaswani et al. (2017)\nhttps://arxiv.org/abs/1706.03762\n",
        "**[1] Attention Is All You Need**\nVaswani et al. (2017)\nThe transformer drops recurrence.\n",
    ],
)
def test_a_bold_title_with_a_number_is_the_title_above_its_authors(note):
    (entry,) = (entry for entry in parser.parse(note) if entry.kind == "paper")
    assert (entry.title, entry.authors, entry.year) == ("Attention Is All You Need", ("Vaswani",), 2017)


@cases(
    "line",
    [
        "- (pdf) scans of the old lab books",
        "- [FlashAttention: Fast](https://arxiv.org/abs/2205.14135) :ok: works on A100",
    ],
)
def test_words_with_a_mark_or_kind_are_kept_where_they_are_no_title(line):
    (entry,) = parser.parse(line)
    assert line.rpartition(") ")[2].strip(":").split()[-1] in entry.text


def test_dimensions_in_brackets_are_part_of_a_topic():
    (_, paper) = parser.parse(f"## Point clouds (3D, 4D)\n- {LINK}\n")
    assert paper.topics == ("Point clouds (3D, 4D)",)


@cases(
    "line",
    [
        "《A Story of Two Caches and Their Makers》",
        "《A Story of Two Caches and Their Makers.》【AI，缓存】",
        "《**A Story of Two Caches and Their Makers** 》",
    ],
)
def test_a_line_in_book_marks_is_a_paper(line):
    entry = read(f"## S&P: IEEE Symposium on Security and Privacy\n\n[2018]\n\n{line}\n")
    assert (entry.kind, entry.title, entry.year) == ("paper", "A Story of Two Caches and Their Makers", 2018)


def test_a_short_name_in_book_marks_is_no_paper():
    assert {each.kind for each in parser.parse("《Hey Jude》\n\n《Let It Be》\n")} <= NO_PAPERS


@cases(
    ("clause", "title"),
    [
        ("大规模模型的训练与推理，", "Cirrus: Memory Optimizations Toward Training Trillion Parameter Models"),
        ("模型的训练，", "Cirrus: Memory Optimizations Toward Training Trillion Parameter Models"),
        ("分散学習の基本、", "Training Multi-Billion Parameter Language Models"),
        ("分散学習、", "Cirrus: Training Multi-Billion Parameter Language Models"),  # no name of a person
    ],
)
def test_a_clause_in_japanese_or_chinese_before_an_english_title_is_no_part_of_it(clause, title):
    found = read(f"- {clause}{title}（https://arxiv.org/abs/2305.15778）、お勧め\n")
    assert (found.title, found.authors) == (title, ())


def test_clauses_that_come_again_before_titles_with_a_colon_are_no_authors():
    names = ["Cirrus", "Stratus", "Nimbus", "Altus"]
    note = "".join(
        f"- 大规模模型的训练与推理，{name}: Elastic Placement for Dynamic Systems（https://arxiv.org/abs/2305.1577{number}）\n"
        for number, name in enumerate(names)
    )
    assert [(each.title, each.authors) for each in parser.parse(note)] == [
        (f"{name}: Elastic Placement for Dynamic Systems", ()) for name in names
    ]


@cases(
    "below",
    [
        "Link: https://arxiv.org/abs/1609.05143",
        "Paper: https://arxiv.org/abs/1609.05143\nCode: https://github.com/a/b",
        "ICRA 2017 [[Article](https://arxiv.org/abs/1609.05143)]",
        "「2017」「ICRA」 「Stanford University」  [[Article]](https://arxiv.org/abs/1609.05143)",
        "[2017] [ICRA] [[paper](https://arxiv.org/abs/1609.05143)]",
    ],
)
@pytest.mark.parametrize("item", ["1. {}\n{}\n\n2. {}\nLink: https://arxiv.org/abs/1609.05144\n", "{}.\n{}\n"])
def test_an_address_below_its_title_belongs_to_it_with_the_venue_before_it(item, below):
    title = "Target-Driven Visual Navigation in Indoor Scenes Using Deep Learning"
    found = [each for each in parser.parse(item.format(title, below, "Robots in Other Indoor Scenes")) if each.title]
    assert found[0].title == title
    assert found[0].identifiers == ("arxiv:1609.05143",)
    assert (found[0].venue, found[0].year) == (("ICRA", 2017) if "ICRA" in below else ("", None))
    assert len(found) == 1 + item.count("2.")


@pytest.mark.parametrize("place", ["", "ICRA 2017 ", "「2017」「ICRA」 "])
def test_a_translation_stands_between_a_title_and_its_address(place):
    title = "Target-Driven Visual Navigation in Indoor Scenes Using Deep Learning"
    note = f"{title}\n使用深度强化学习的目标驱动的室内视觉导航\n{place}[[Article](https://arxiv.org/abs/1609.05143)]\n"
    found = read(note)
    assert (found.title, found.identifiers) == (title, ("arxiv:1609.05143",))
    assert "室内视觉导航" in found.text


def test_headings_with_an_address_below_a_paper_of_their_level_keep_it():
    note = (
        "#### [AI: Transformers in Time Series: A Survey](https://arxiv.org/abs/2202.07125)\n\n* 综述论文\n\n"
        "## 开源模型\n\n#### [yolo v7](https://github.com/jinfagang/yolov7)\n\n* 对GPU的适配\n\n"
        "#### 图学习的新工作: [blog](https://mp.weixin.qq.com/s/EBFs7ptwgyCAmRJS8_dcYQ)\n"
    )
    found = [each for each in parser.parse(note) if each.identifiers]
    assert [each.identifiers[0] for each in found] == [
        "arxiv:2202.07125",
        "github:jinfagang/yolov7",
        "wechat:s/EBFs7ptwgyCAmRJS8_dcYQ",
    ]
    assert found[1].topics == ("开源模型",)


@cases(
    ("written", "identifier"),
    [
        ("[A Title of Words](https:www.example.org/a/b.html)", "url:www.example.org/a/b.html"),
        ("[[http:www.example.org/a.html][A Title of Words]]", "url:www.example.org/a.html"),
        ("[A Title of Words](https://example.org/files/A Title of.pdf)", "url:example.org/files/A%20Title%20of.pdf"),
    ],
)
def test_addresses_with_spaces_or_without_slashes_are_read(written, identifier):
    found = read(f"- {written}\n")
    assert (found.title, found.identifiers) == ("A Title of Words", (identifier,))


@pytest.mark.parametrize("second", ["", "| | [Third](https://arxiv.org/abs/2401.00003) |\n"])
def test_the_topic_of_a_group_of_rows_stands_in_its_first_row(second):
    note = (
        "| 类别 | 论文题目 |\n|---|---|\n| Policy | [First](https://arxiv.org/abs/2401.00001) |\n"
        f"| | [Second](https://arxiv.org/abs/2401.00002) |\n{second}"
        "| Value | [Fourth](https://arxiv.org/abs/2401.00004) |\n| | [Fifth](https://arxiv.org/abs/2401.00005) |\n"
    )
    topics = [each.topics for each in parser.parse(note) if each.identifiers]
    assert topics == [*[("Policy",)] * (2 + bool(second)), ("Value",), ("Value",)]


def test_a_single_tag_in_a_column_is_that_of_its_row():
    note = (
        "| Paper | Tags |\n|---|---|\n| [First](https://arxiv.org/abs/2401.00001) | Policy |\n"
        "| [Second](https://arxiv.org/abs/2401.00002) | |\n| [Third](https://arxiv.org/abs/2401.00003) | |\n"
    )
    assert [each.topics for each in parser.parse(note) if each.identifiers] == [("Policy",), (), ()]


@cases(
    ("words", "status"),
    [
        ("值得精读", None),  # praise
        ("没读过", "to_read"),
        ("haven't read yet", "to_read"),
        ("再読したい", "to_read"),
        ("还要继续读", "reading"),
        ("不继续读了", "dropped"),
    ],
)
def test_words_about_reading_behind_a_title_state_its_status(words, status):
    found = read(f"- Elastic Systems for Big Data https://arxiv.org/abs/2401.71004 ({words})\n")
    assert (found.title, found.status) == ("Elastic Systems for Big Data", status)


@pytest.mark.parametrize("heading", ["読んだ本", "读过的书", "已读的书籍", "Books read 2023", "Books read in 2023"])
def test_items_below_books_that_were_read_are_books(heading):
    found = [each for each in parser.parse(f"# {heading}\n\n- 三体\n- The Pragmatic Programmer\n") if each.title]
    assert [(each.title, each.status) for each in found if each.kind in {"paper", "lead"}] == [
        ("三体", "read"),
        ("The Pragmatic Programmer", "read"),
    ]


@cases(
    ("line", "title", "status"),
    [
        ("Re-read: Attention Is All You Need https://arxiv.org/abs/1706.03762", "Attention Is All You Need", None),
        ("Re-read: [The Theory of Looms](https://arxiv.org/abs/1706.03762)", "The Theory of Looms", None),
        ("[ ] Re-read: The Theory of Looms https://arxiv.org/abs/1706.03762", "The Theory of Looms", "to_read"),
        ("Alpa: Automating Parallelism (OSDI'22) ← 先に読む", "Alpa: Automating Parallelism", "to_read"),
    ],
)
def test_a_label_or_an_arrow_states_the_status(line, title, status):
    found = read(f"- {line}\n")
    assert (found.title, found.status, found.topics) == (title, status, ())


@pytest.mark.parametrize("names", ["田中 太郎", "田中太郎", "田中 太郎, 佐藤 花子"])
def test_a_japanese_name_keeps_its_parts_together(names):
    found = read(f"- 「分散深層学習における通信の最適化」 {names}, 情報処理学会論文誌, 2020\n")
    assert found.authors == tuple(names.split(", "))
    assert (found.venue, found.year) == ("情報処理学会論文誌", 2020)


def test_papers_below_a_heading_with_a_link_to_slides_are_papers():
    note = "# Week {0} [slides](https://example.org/s{0}.pdf)\n\n- Trust Region Policy Optimization, ICML 201{0}\n\n"
    found = [each for each in parser.parse("".join(map(note.format, (1, 2)))) if each.venue]
    assert [(each.title, each.year) for each in found] == [
        ("Trust Region Policy Optimization", 2011),
        ("Trust Region Policy Optimization", 2012),
    ]


@pytest.mark.parametrize("first", ["** Papers **", "** My notes", "*** Reading list of Ana ***"])
def test_a_first_line_with_stars_makes_no_comments_of_headings(first):
    note = f"{first}\n# To read\n- Attention Is All You Need, NeurIPS 2017\n"
    assert [each.status for each in parser.parse(note) if each.venue] == ["to_read"]


def test_a_linked_heading_of_latex_keeps_its_address():
    note = "\\section{\\href{https://arxiv.org/abs/1706.03762}{Attention Is All You Need}}\n\\item A remark\n"
    assert [each.identifiers for each in parser.parse(note) if each.identifiers] == [("arxiv:1706.03762",)]


def test_tags_are_those_of_their_row():
    note = "| Tags | Site |\n|---|---|\n| loops | [One](https://one.org) |\n| | [Two](https://two.org) |\n"
    note += "| cards | [Three](https://three.org) |\n| | [Four](https://four.org) |\n"
    assert [each.topics for each in parser.parse(note) if each.identifiers] == [("loops",), (), ("cards",), ()]


def test_a_name_with_a_letter_of_other_words_is_one():
    assert read("- 「分散システムの研究」 的場 昭弘, 情報処理学会論文誌, 2010\n").authors == ("的場 昭弘",)


@cases(
    ("heading", "topics", "kind"),
    [
        ("# Week 1 [slides](https://example.org/s1.pdf)", (), "slides"),
        ("## Caching ([video](https://youtu.be/abcdefghijk))", ("Caching",), "video"),
    ],
)
def test_a_link_beside_a_heading_is_no_part_of_its_name(heading, topics, kind):
    below = "\n\n- [DQN](https://arxiv.org/abs/1312.5602)\n"
    shown, paper = (each for each in parser.parse(f"# Notes\n\n{heading}{below}") if each.identifiers)
    assert (shown.paper_kind, paper.topics) == (kind, topics)
