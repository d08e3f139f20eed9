"""Titles as notes give them, cut down to what the work is called."""

import time

from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.titles.clean import clean_title, is_generic, looks_like_title, names_a_paper, without_emphasis
from tests.tables import cases


@cases(
    ("written", "address", "title"),
    [
        ("A Story of Two Caches - 知乎", "https://zhuanlan.zhihu.com/p/1", "A Story of Two Caches"),
        ("Faster Loading | PyTorch", "https://pytorch.org/blog/x", "Faster Loading"),
        ("Lecture 3 - Caches - YouTube", "", "Lecture 3 - Caches"),
        ("缓存 论文_百度搜索", "", "缓存 论文"),
        ("notebook.ipynb - Colab", "", "notebook.ipynb"),
        ("k8s - 搜索 - 知乎", "", "k8s"),
        ("(22 封私信 / 80 条消息) 谁的缓存 - 知乎", "", "谁的缓存"),
        ("(3) How Caches Work - YouTube", "", "How Caches Work"),
        ("src/cache.py at main · someone/cache", "https://github.com/someone/cache", "src/cache.py"),
        ("Our Cache Story | Example", "https://blog.example.com/x", "Our Cache Story"),
        ("GitHub - owner/cache: Stories of caches", "", "owner/cache: Stories of caches"),
        ("A Story of Two Caches - 1708.02182.pdf", "", "A Story of Two Caches"),
        ("Trees: Search", "", "Trees: Search"),
    ],
)
def test_the_site_name_is_cut_from_a_title(written, address, title):
    assert clean_title(written, address) == title


@cases(
    "written",
    [
        "A Story of Two Caches | USENIX",
        "A Story of Two Caches - ACL Anthology",
        "A Story of Two Caches | OpenReview",
        "A Story of Two Caches - Google Scholar",
        "A Story of Two Caches | Proceedings of the 29th Symposium on Operating Systems Principles",
        "A Story of Two Caches | IEEE Conference Publication | IEEE Xplore",
        "A Story of Two Caches | SpringerLink",
        "A Story of Two Caches - ScienceDirect",
        "A Story of Two Caches | Papers With Code",
        "A Story of Two Caches | by Some One | Medium",
        "[PDF] A Story of Two Caches | Semantic Scholar",
        "(PDF) A Story of Two Caches - ResearchGate",
        "Paper page - A Story of Two Caches",
        "[2305.15778] A Story of Two Caches",
        "[2305.15778v2] A Story of Two Caches - arXiv",
        "arXiv:2305.15778 A Story of Two Caches",
        "arXiv:2305.15778 [cs.DC] A Story of Two Caches",
        "2305.15778 - A Story of Two Caches",
        "A Story of Two Caches (arXiv:2305.15778)",
        "A Story of Two Caches [arXiv:2305.15778v2]",
        "A Story of Two Caches. arXiv preprint arXiv:2305.15778",
        "A Story of Two Caches (pdf)",
        "A Story of Two Caches [Paper] [Code]",
        "A Story of Two Caches（论文）",
        "Paper: A Story of Two Caches",
        "論文タイトル：A Story of Two Caches",
        "A Story of Two Caches.",
        "A Story of Two Caches。",
        "A Story of Two Caches:",
        "A Story of Two Caches,",
        "A Story of Two Caches ([",
        ") A Story of Two Caches",
        "- A Story of Two Caches",
        "12. A Story of Two Caches",
        "[12] A Story of Two Caches",
        "(3) A Story of Two Caches",
        "⭐⭐ A Story of Two Caches",
        "A Story of Two Caches ⭐",
        "✅ A Story of Two Caches",
        "[x] A Story of Two Caches",
        "📄 A Story of Two Caches 🔥",
        ":star: A Story of Two Caches :fire:",
        "**A Story** of `Two` Caches",
        "*A Story* of __Two__ Caches",
        "_A Story of Two Caches_",
        "A Story <b>of</b> Two Caches<br>",
        "“A Story of Two Caches.”",
        "‘A Story of Two Caches’",
        "《A Story of Two Caches》",
        "「A Story of Two Caches」",
        "A\u00a0Story  of\u3000Two Caches",
        "\u202eA Story of Two Caches\x00",
    ],
)
def test_all_spellings_clean_up_to_the_same_title(written):
    assert clean_title(written) == "A Story of Two Caches"


@cases(
    "title",
    [
        "Is This a Story?",
        "A Story of Caches...",
        "“Why Should I Read You?”: Telling Stories",
        "“A Story” of “Two” Caches",
        "$O(n^2)$ Stories of $x_1$ and $y_2$",
        "A* Search and D* Lite",
        "1.58-bit Stories",
        "100 Stories",
        "3D Stories",
        "C++: A Story",
        "C#",
        "No Story Left Behind",
        "READ: Recurrent Adapters",
        "A Story – of Two Caches",
        "Story-4 Technical Report",
    ],
)
def test_parts_of_the_title_stay(title):
    assert clean_title(title) == title


def test_escapes_and_entities_of_the_note_are_decoded():
    assert clean_title("A Story &amp; a \\[Cache\\]") == "A Story & a [Cache]"


@cases(
    "written",
    [
        "知乎 - 安全中心",
        "Just a moment...",
        "Page not found",
        "https://example.org/x",
        "[Paper]",
        "⭐⭐",
        "12.",
        "",
        "***",
    ],
)
def test_text_that_is_not_a_title_becomes_blank(written):
    assert clean_title(written) == ""


@cases(
    "text",
    [
        "Paper", "[pdf]", "link to paper", "arXiv", "こちら", "论文", "Code", "Slides 2", "tech report", "",
        "Paper Link", "Paper & Code", "PDF/Code", "Code (PyTorch)", "full text", "GitHub repo", "Project page",
        "arXiv version", "link1", "Author's page", "论文链接", "PDF下载", "原論文", "公式実装", "詳細はこちら",
        "戳这里", "🔗", "paper, code",
    ],
)  # fmt: skip
def test_a_generic_link_label_is_not_a_title(text):
    assert is_generic(text)


@cases(
    "text", ["GPT", "Papers We Love", "Source of Truth", "Linker", "Code Review", "Data Model", "缓存", "解説する人"]
)
def test_a_name_is_not_mistaken_for_a_generic_label(text):
    assert not is_generic(text)


@cases(
    ("text", "expected"),
    [
        ("A Story of Two Caches", True),
        ("高效的缓存设计", True),
        ("we follow the setup of", False),
        ("See the second part of", False),
        ("It was cached for a long time.", False),
        ("Check-N-Run: a Checkpointing System for Training", True),
        ("In Search of an Understandable Consensus Algorithm", True),
        ("In Search of Caches", False),
        ("In this work we cache everything", False),
        ("Внимание — это всё, что нужно", True),
        ("и ещё одна статья об этом", False),
    ],
)
def test_in_running_text_only_an_obvious_title_counts(text, expected):
    assert looks_like_title(text) is expected


def test_without_a_link_a_title_needs_several_capitalised_words():
    assert names_a_paper("A Long Story of Two Caches")
    assert not names_a_paper("Two Caches")
    assert not names_a_paper("The long story of caches that nobody told")


def test_emphasis_keeps_its_words_and_asterisks_inside_words_stay():
    assert without_emphasis("**A** *b* _c_ `d` ~~e~~ snake_case_name 2*3*4") == "A b c d e snake_case_name 2*3*4"


@given(st.one_of(st.text(max_size=60), st.text("()[]*_`|- .arXiv:2305.15778📄⭐“”：知乎", max_size=50)))
def test_cleaning_accepts_any_text_and_is_idempotent(text):
    title = clean_title(text)
    assert len(title) <= 500
    is_generic(text)
    looks_like_title(text)


@cases("unit", ["[", "(", "*a", "_", "`", " | ", " - ", "a:", "📄", "“", "&amp;", "<b ", "\\[", "- x "])
def test_a_long_hostile_text_is_cleaned_quickly(unit):
    started = time.process_time()
    clean_title(unit * 100_000)
    is_generic(unit * 100_000)
    assert time.process_time() - started < 10
