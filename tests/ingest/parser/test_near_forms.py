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
