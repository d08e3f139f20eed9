"""Ordinary notes that look like forms with a meaning of their own, and have none."""

from readtrack.ingest import parser
from tests.tables import cases

LINK = "https://arxiv.org/abs/2301.0000"
TASKS = """# Papers
- Attention Is All You Need
- Email Bob about the GPU quota
- Deep Residual Learning for Image Recognition
- Write the related work section
- Submit the camera ready
"""
REMARKS = """# Papers
- the camera-ready of the ICML one
- rebuttal for the journal version due Friday
- Under review at a journal since May
- questions to ask the authors at the poster
"""


def kinds(text):
    found = parser.parse(text)
    return [(each.kind, each.title) for each in found if each.kind not in {"blank", "junk", "table", "snippet"}]


@cases(
    ("text", "expected"),
    [
        (
            "# 参考文献\n- 佐藤太郎．画像認識の研究．人工知能学会論文誌，2020．\n",
            [("paper", "画像認識の研究")],
        ),
        ("- Kahneman, Tversky (1979) Prospect theory of many risks\n", [("paper", "Prospect theory of many risks")]),
        (
            "# Papers to read\n- Papers about transformers and their variants\n  - An Image is Worth Many Words\n",
            [("lead", "An Image is Worth Many Words")],
        ),
        (
            REMARKS,
            [],
        ),
        ("# 読みたい論文\n- 今週中に先生に連絡する\n- 来週までに資料をまとめる\n- 再来週に提出する\n", []),
        (
            f"## Loops\n\n- Paper: {LINK}1\n\n## Lecture 1: A\n\n- Paper: {LINK}2\n\n## Cards\n\n- Paper: {LINK}3\n",
            [
                ("topic", "Loops"),
                ("paper", ""),
                ("topic", "Lecture 1: A"),
                ("paper", ""),
                ("topic", "Cards"),
                ("paper", ""),
            ],
        ),
        (f"- Graph engines for looms\n  - {LINK}1\n", [("topic", "Graph engines for looms"), ("paper", "")]),
        (
            f"1. Graph engines for looms\n- {LINK}1\n- {LINK}2\n",
            [("topic", "Graph engines for looms"), ("paper", ""), ("paper", "")],
        ),
        (
            '| Paper | Note |\n|--|--|\n| "Why Should I Trust You?" - Explaining the Predictions | y |\n',
            [("paper", '"Why Should I Trust You?" - Explaining the Predictions')],
        ),
        (
            "Title: A Story of Modern Caches\nURL: https://example.org/a\n",
            [("paper", "A Story of Modern Caches")],
        ),
        ("- **Paris (2015).** *The agreement was signed*\n", []),
        (f"# 100日计划\n- [A Story of Caches]({LINK}1)\n", [("topic", "100日计划"), ("paper", "A Story of Caches")]),
        (
            f"\\item A Story of Caches. NeurIPS 2017.\n%% BERT {LINK}1 %%\n",
            [("paper", "A Story of Caches"), ("paper", "")],
        ),
        (TASKS, [("lead", "Attention Is All You Need"), ("lead", "Deep Residual Learning for Image Recognition")]),
        (f"A Story of Many Caches．\n{LINK}1\n", [("paper", "A Story of Many Caches")]),
        (
            "# Reading list\n- **Large models and friends**\n  - 自己注意\n- **Vision and graphics**\n  - 画像認識\n",
            [
                ("topic", "Large models and friends"),
                ("topic", "自己注意"),
                ("topic", "Vision and graphics"),
                ("topic", "画像認識"),
            ],
        ),
        ("\\begin{itemize}\n\\item\n\\end{itemize}\n", []),
        ("## Papers to read\n- LLM\n  - 大模型推理的综述\n", [("topic", "LLM"), ("topic", "大模型推理的综述")]),
    ],
)
def test_what_only_looks_like_another_form_is_read_as_before(text, expected):
    assert kinds(text) == expected


@cases(
    ("text", "kept"),
    [
        (
            "The state is $\\textbf{W}x$, as shown by \\cite{lovelace1843}.",
            "$\\textbf{W}x$, as shown by \\cite{lovelace1843}",
        ),
        ("See `the docs </guide/intro>`_ for details.", "the docs </guide/intro>"),
    ],
)
def test_text_in_other_markup_is_kept(text, kept):
    assert kept in parser.parse(text)[0].text


def test_an_introduction_with_exceptions_states_no_status():
    found = parser.parse(f"我读过的论文，还有要读的。\n\n- [A Story of Caches]({LINK}1)\n")
    assert found[-1].status is None


def test_a_long_name_of_a_venue_below_an_address_is_no_title():
    text = f"Attention Is All You Need\n{LINK}1\nAdvances in Neural Information Processing Systems, NeurIPS 2017\n"
    (entry,) = [each for each in parser.parse(text) if each.kind == "paper"]
    assert (entry.title, entry.year) == ("Attention Is All You Need", 2017)


def test_years_that_sort_the_meetings_of_groups_are_not_those_of_publication():
    text = f"# Group: Systems\n## 2024\n- [A Story of Caches]({LINK}1)\n# Group: Theory\n## 2024\n- [Looms]({LINK}2)\n"
    assert not any(each.year for each in parser.parse(text))


WEEKS = "| Date | Paper | Link |\n|--|--|--|\n" + "".join(
    f"| 2023-01-{day:02} | {title} | https://example.org/{day}.pdf |\n"
    for day, title in [
        (5, "Spanner: Google’s Globally-Distributed Database"),
        (12, "BERT: Pre-training of Deep Bidirectional Transformers"),
        (19, "Deep Residual Learning for Image Recognition"),
        (26, "Paxos Made Simple and Short"),
    ]
)


def test_days_a_week_apart_are_those_of_meetings():
    assert {each.year for each in parser.parse(WEEKS) if each.kind == "paper"} == {None}


def test_the_name_of_a_section_in_capitals_is_no_part_of_the_title_below():
    card = f"Attention Is All You Need\nA Vaswani, N Shazeer, N Parmar\nNeurIPS 2017\n{LINK}1\n"
    assert kinds(f"MACHINE LEARNING\n{card}") == [("paper", "Attention Is All You Need")]


def test_a_reference_below_a_heading_with_its_title_is_that_paper():
    title = "Deep Residual Learning for Image Recognition"
    text = f"# {title}\n- He, K., Zhang, X., & Sun, J. (2016). {title}. CVPR. {LINK}1\n\nMy notes on it\n"
    assert kinds(text) == [("paper", title)]


@cases(
    "remark",
    [
        "*A curated list of papers about distributed systems.*",
        "_Sorted by year, newest first._",
        "*What did we learn?*",
        "*Ada Lovelace, Charles Babbage. NeurIPS 2017*",
        "<p><em>These are the papers we read first</em></p>",
    ],
)
def test_a_remark_in_italics_above_a_list_is_no_heading(remark):
    items = f"- [Attention Is All You Need]({LINK}1)\n- [Deep Residual Learning]({LINK}2)\n"
    topics = [title for kind, title in kinds(f"# Distributed systems\n\n{remark}\n\n{items}") if kind == "topic"]
    assert topics == ["Distributed systems"]


def test_fields_win_over_a_reference_in_the_field_for_the_title():
    text = (
        f"**Title:** Mask R-CNN. He et al. ICCV 2017\n**Authors:** Ada Lovelace, Charles Babbage\n"
        f"**Venue:** TPAMI\n**Year:** 2020\n**Link:** {LINK}1\n"
    )
    (entry,) = [each for each in parser.parse(text) if each.kind == "paper"]
    assert (entry.authors, entry.venue, entry.year) == (("Ada Lovelace", "Charles Babbage"), "TPAMI", 2020)


@cases("title", ["Natural Questions. Science 2.0 for Everyone", "基于深度学习的图像识别方法研究. 计算机学报, 2019"])
def test_a_title_with_two_sentences_is_no_reference(title):
    (entry,) = [each for each in parser.parse(f"Title: {title}\nLink: {LINK}1\n") if each.kind == "paper"]
    assert (entry.title[:8], entry.authors) == (title[:8], ())


def test_a_publication_is_the_journal_where_another_column_has_the_titles():
    rows = '"A Study of Wine","Machine Learning",2019\n"The Beer of Korea","Machine Learning",2020\n'
    for header in ("Item Title,Publication Title,Year", "Chapter Title,Publication Title,Venue"):
        assert "Machine Learning" not in {title for kind, title in kinds(f"{header}\n{rows}") if kind == "paper"}


@cases("remark", ["by Friday", "by next week", "~ Monday", "~ Half Done", "~ Very Long"])
def test_a_remark_behind_a_link_is_no_author(remark):
    table = f"| Paper | Notes |\n|--|--|\n| [Attention Is All You Need]({LINK}1) | {remark} |\n"
    for text in (f"- [Attention Is All You Need]({LINK}1)\n  - {remark}\n", table):
        (entry,) = [each for each in parser.parse(text) if each.kind == "paper"]
        assert entry.authors == ()


@cases("block", ["代码\n~~~\n# load model\n~~~\n", "Usage\n~~~~~\n## eval\n~~~~~\n", "以上\n***\n", "TBD\n***\n"])
def test_a_fence_or_rule_below_a_short_line_is_no_underline(block):
    text = f"## Looms\n\n{block}\n- [Attention Is All You Need]({LINK}1)\n"
    (entry,) = [each for each in parser.parse(text) if each.kind == "paper"]
    assert entry.topics == ("Looms",)


@cases(
    "line", ["Kate Smith and Tom Miller", "March 3, 2023: Presented by Kate Smith", "Lecture 2: Consensus in Networks"]
)
def test_who_presents_or_when_is_no_title_above_addresses(line):
    found = parser.parse(f"# Seminar\n\n{line}\n- [pdf]({LINK}1)\n- [slides](https://example.org/slides.pdf)\n")
    assert line not in {each.title for each in found if each.kind == "paper"}


PRESS = "Smith, J. (2010). Effects on Squat, Bench Press and Deadlift. Journal of Strength, 12(3), 1-20."
EDITOR = 'K. Miller, "Networks for vision," in Handbook of Vision, T. Brown, Ed. Cambridge: MIT Press, 1995'


@cases(
    ("reference", "title"),
    [
        (PRESS, "Effects on Squat, Bench Press and Deadlift"),
        (EDITOR, "Networks for vision"),
        ("Smith, J. A Study of Wine. In K. Miller, ed., The Book of Wine, Wiley, 2010", "A Study of Wine"),
    ],
)
def test_a_press_or_an_editor_does_not_cut_the_title(reference, title):
    (entry,) = [each for each in parser.parse(f"## References\n- {reference}\n") if each.kind == "paper"]
    assert (entry.title, bool(entry.authors)) == (title, True)


def test_what_is_crossed_out_as_not_interesting_is_not_read():
    found = parser.parse(f"# To read\n- ~~not interesting: [OPT]({LINK}1)~~\n")
    assert "read" not in {each.status for each in found}


@cases(
    "item",
    [
        "We use the same encoder for both images（共享权重）",
        "Submit the abstract to NeurIPS 2023（締切は五月）",
        "Install PyTorch and CUDA（在新服务器上安装）",
    ],
)
def test_a_remark_with_its_translation_keeps_both(item):
    (entry,) = [each for each in parser.parse(f"- {item}\n") if each.kind != "blank"]
    assert (entry.kind, entry.text) == ("snippet", item)


@cases(
    ("item", "status"),
    [
        (f"[ ] ~~[GPT-3]({LINK}1)~~ (read)", "read"),
        (f"[ ] ~~[GPT-4]({LINK}1)~~ (in progress)", "reading"),
        (f"~~[A study of looms]({LINK}1)~~ (retracted)", None),
    ],
)
def test_what_is_said_behind_a_crossed_out_title_counts(item, status):
    (entry,) = [each for each in parser.parse(f"# Papers\n- {item}\n") if each.kind in {"paper", "lead"}]
    assert entry.status == status


@cases(
    ("reference", "title"),
    [
        (f"**Cycle GAN**, Zhu et al., ICCV 2017, [pdf]({LINK}1), [code](https://github.com/x/y)", "Cycle GAN"),
        (f"**A Title of Looms.** J. Silva, *A. Abe*. *J. Cryptology* (2019). [pdf]({LINK}1)", "A Title of Looms"),
    ],
)
def test_a_title_or_journal_in_bold_is_no_name(reference, title):
    (entry,) = [each for each in parser.parse(f"- {reference}\n") if each.kind == "paper"]
    assert entry.title == title
    assert "J. Cryptology" not in reference or entry.venue == "J. Cryptology"


def test_a_list_with_names_behind_its_links_is_no_single_paper():
    text = (
        f"Attention papers\n- [Looms of the world]({LINK}1) - van der Berg, A., Costa, B.\n"
        f"- [Looms of the sun]({LINK}2) - Silva, A.C., Costa, B.\n"
    )
    assert kinds(text) == [
        ("topic", "Attention papers"),
        ("paper", "Looms of the world"),
        ("paper", "Looms of the sun"),
    ]


@cases(
    "line",
    [
        "Monday, Ken: Looms of the world, NeurIPS 2019",
        "Boston, Massachusetts: NeurIPS workshop, December 2019",
        "Goals, Scope: what to do in this project, in: the shared folder of the team",
    ],
)
def test_two_words_before_a_colon_are_no_person(line):
    assert all(each.authors == () for each in parser.parse(f"- {line}\n"))


def test_a_year_in_brackets_as_the_text_of_a_link_stays_in_its_sentence():
    text = f"- CLIP [(2021)]({LINK}1), ALIGN [(2021)]({LINK}2)\n"
    assert not any("link" in each.title for each in parser.parse(text))


def test_a_sentence_above_addresses_is_no_title():
    text = (
        f"### BERT\nBidirectional pre-training of transformers.\n- [Paper]({LINK}1)\n- [Code](https://github.com/x/y)\n"
    )
    assert all("Bidirectional" not in each.title for each in parser.parse(text))
