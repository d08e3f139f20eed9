"""Titles and venue tags as notes give them."""

import pytest

from readtrack.notes.titles import clean_title, is_generic, looks_like_title
from readtrack.notes.venues import take_tag


@pytest.mark.parametrize(
    ("written", "address", "title"),
    [
        ("A Story of Two Caches - 知乎", "https://zhuanlan.zhihu.com/p/1", "A Story of Two Caches"),
        ("A Story of Two Caches | USENIX", "", "A Story of Two Caches"),
        ("Faster Loading | PyTorch", "https://pytorch.org/blog/x", "Faster Loading"),
        ("Lecture 3 - Caches - YouTube", "", "Lecture 3 - Caches"),
        ("缓存 论文_百度搜索", "", "缓存 论文"),
        ("notebook.ipynb - Colab", "", "notebook.ipynb"),
        ("k8s - 搜索 - Open ATA", "", "k8s"),
        ("(22 封私信 / 80 条消息) 谁的缓存 - 知乎", "", "谁的缓存"),
        ("(3) How Caches Work - YouTube", "", "How Caches Work"),
        ("src/cache.py at main · someone/cache", "https://github.com/someone/cache", "src/cache.py"),
        ("Our Cache Story | Example", "https://blog.example.com/x", "Our Cache Story"),
        ("[2305.15778] A Story of Two Caches", "", "A Story of Two Caches"),
        ("**A Story** of `Two` Caches", "", "A Story of Two Caches"),
        ("“A Story of Two Caches”", "", "A Story of Two Caches"),
        ("A Story &amp; a \\[Cache\\]", "", "A Story & a [Cache]"),
        ("知乎 - 安全中心", "", ""),
        ("Just a moment...", "", ""),
        ("https://example.org/x", "", ""),
        ("[Paper]", "", ""),
        ("\u202eA Story\x00", "", "A Story"),
        ("Trees: Search", "", "Trees: Search"),
        ("🔥 A Story of Caches ⭐", "", "A Story of Caches ⭐"),
    ],
)
def test_a_title_is_cut_down_to_what_the_work_is_called(written, address, title):
    assert clean_title(written, address) == title


@pytest.mark.parametrize(
    "text", ["Paper", "[pdf]", "link to paper", "arXiv", "こちら", "论文", "Code", "Slides 2", "tech report", ""]
)
def test_a_word_for_what_is_behind_the_link_is_no_title(text):
    assert is_generic(text)


@pytest.mark.parametrize("text", ["GPT", "Papers We Love", "Source of Truth", "Linker"])
def test_a_name_is_not_taken_for_such_a_word(text):
    assert not is_generic(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Story of Two Caches", True),
        ("高效的缓存设计", True),
        ("we follow the setup of", False),
        ("See the second part of", False),
        ("It was cached for a long time.", False),
    ],
)
def test_in_running_text_only_what_is_plainly_a_title_counts(text, expected):
    assert looks_like_title(text) is expected


@pytest.mark.parametrize(
    ("text", "rest", "venue", "year"),
    [
        ("A Story (OSDI'22)", "A Story", "OSDI", 2022),
        ("[NSDI 24] A Story", "A Story", "NSDI", 2024),
        ("【ICML2023】A Story", "A Story", "ICML", 2023),
        ("A Story, EuroSys'24", "A Story", "EuroSys", 2024),
        ("A Story (USENIX ATC '19)", "A Story", "USENIX ATC", 2019),
        ("A Story (SOSP 97)", "A Story", "SOSP", 1997),
        ("A Story (NeurIPS'22 Workshop)", "A Story", "NeurIPS", 2022),
        ("NSDI 2024 a diary of the days there", "NSDI 2024 a diary of the days there", "", None),
        ("A Story of OSDI 24 and more", "A Story of OSDI 24 and more", "", None),
        ("A Story (2022)", "A Story (2022)", "", None),
    ],
)
def test_a_tag_beside_the_title_tells_venue_and_year(text, rest, venue, year):
    assert take_tag(text) == (rest, venue, year)
