"""Venue tags beside a title, in the spellings that people use."""

import time

from hypothesis import given
from hypothesis import strategies as st

from readtrack.ingest.parser.vocabulary.venues import tag_in, take_tag
from tests.tables import cases


@cases(
    ("tag", "venue", "year"),
    [
        ("OSDI'22", "OSDI", 2022),
        ("OSDI '22", "OSDI", 2022),
        ("OSDI' 22", "OSDI", 2022),
        ("OSDI’22", "OSDI", 2022),
        ("NSDI 24", "NSDI", 2024),
        ("NSDI-24", "NSDI", 2024),
        ("NSDI2024", "NSDI", 2024),
        ("ICML2023", "ICML", 2023),
        ("NeurIPS_2023", "NeurIPS", 2023),
        ("NeurIPS, 2023", "NeurIPS", 2023),
        ("2023 OSDI", "OSDI", 2023),
        ("2023-05, arXiv", "arXiv", 2023),
        ("SOSP 97", "SOSP", 1997),
        ("USENIX ATC '19", "USENIX ATC", 2019),
        ("ACM SIGCOMM 2023", "ACM SIGCOMM", 2023),
        ("IEEE S&P 2023", "IEEE S&P", 2023),
        ("SC'22", "SC", 2022),
        ("NeurIPS'23 Spotlight", "NeurIPS", 2023),
        ("ICLR 2024 Oral", "ICLR", 2024),
        ("CVPR 2023 Highlight", "CVPR", 2023),
        ("SOSP’23 Best Paper Award", "SOSP", 2023),
        ("Best Paper, SOSP'23", "SOSP", 2023),
        ("to appear in OSDI'24", "OSDI", 2024),
        ("accepted by ICML 2024", "ICML", 2024),
        ("in NeurIPS 2022", "NeurIPS", 2022),
        ("arXiv'23", "arXiv", 2023),
        ("Arxiv 2023.05", "Arxiv", 2023),
        ("arXiv, May 2023", "arXiv", 2023),
        ("TMLR 10/2023", "TMLR", 2023),
        ("arXiv'23, update: ISCA'24", "arXiv", 2023),
        ("Findings of EMNLP 2022", "Findings of EMNLP", 2022),
        ("EMNLP 2022 Findings", "EMNLP Findings", 2022),
        ("EMNLP-Findings 2022", "EMNLP Findings", 2022),
        ("NeurIPS'22 Workshop", "NeurIPS Workshop", 2022),
        ("ICML Workshop 2023", "ICML Workshop", 2023),
        ("ES-FoMo @ ICML 2023", "ES-FoMo @ ICML", 2023),
        ("VLDB Journal 2021", "VLDB Journal", 2021),
        ("Nature Communications, 2021", "Nature Communications", 2021),
        ("ACM Computing Surveys 2021", "ACM Computing Surveys", 2021),
        ("IEEE Transactions on Caches 2022", "IEEE Transactions on Caches", 2022),
        ("PhD Thesis 2019", "PhD Thesis", 2019),
        ("HotStories '23", "HotStories", 2023),
        ("XYZ 2023", "XYZ", 2023),
        ("OSDI", "OSDI", None),
        ("preprint", "preprint", None),
    ],
)
def test_a_tag_gives_the_venue_and_its_stated_year(tag, venue, year):
    assert tag_in(tag) == ("", venue, year)
    assert take_tag(f"A Story ({tag})") == ("A Story", venue, year)
    assert take_tag(f"[{tag}] A Story") == ("A Story", venue, year)


@cases(
    "tag",
    [
        "2022", "SC", "ISCA-50", "MIT'19", "Google, 2023", "UC Berkeley 2021", "COVID-19", "GPT-4 2023", "HTTP 2",
        "PVLDB 13", "arXiv:2305.15778", "an extension of our OSDI 2020 paper", "with 24 GPUs", "v2", "Tales 3",
    ],
)  # fmt: skip
def test_text_that_only_resembles_a_tag_stays_in_the_title(tag):
    assert take_tag(f"A Story ({tag})") == (f"A Story ({tag})", "", None)


@cases(
    "text",
    [
        "A Story (ICML 2023)",
        "A Story（ICML 2023）",
        "A Story [ICML 2023]",
        "A Story 【ICML 2023】",
        "A Story <ICML 2023>",
        "A Story **(ICML 2023)**",
        "A Story `ICML 2023`",
        "A Story *ICML 2023*",
        "A Story, *ICML 2023*",
        "A Story, ICML 2023",
        "A Story, ICML 2023 (Oral)",
        "A Story - ICML 2023",
        "A Story | ICML 2023",
        "A Story || ICML 2023",
        "A Story ICML 2023",
        "A Story ICML'23",
        "A Story in ICML 2023",
        "A Story, in ICML 2023",
        "A Story. In ICML, 2023.",
        "A Story. In Proceedings of ICML 2023.",
        "(ICML 2023) A Story",
        "[ICML 2023] A Story",
        "[ICML'23]: A Story",
        "【ICML2023】A Story",
        "**[ICML 2023]** A Story",
        "**ICML 2023** A Story",
        "`ICML'23` A Story",
        "ICML'23: A Story",
        "ICML 2023 - A Story",
        "2023 ICML: A Story",
    ],
)
def test_a_tag_is_removed_from_either_end_of_the_title(text):
    assert take_tag(text) == ("A Story", "ICML", 2023)


@cases(
    "text",
    [
        "NSDI 2024 a diary of the days there",
        "A Story of OSDI 24 and more",
        "A Story of Windows 95",
        "[ICML 2023](https://example.org/a) A Story",
        "**CAV**: A Story of Two Caches",
        "",
    ],
)
def test_a_tag_in_the_middle_of_a_text_is_plain_text(text):
    assert take_tag(text) == (text, "", None)


@cases(
    ("text", "venue", "year"),
    [
        ("IEEE TNN 2009", "IEEE TNN", 2009),
        ("Journal of the ACM 2011", "Journal of the ACM", 2011),
        ("In Proceedings of the 29th Symposium on Caches, 2023.", "Proceedings of the 29th Symposium on Caches", 2023),
        ("ICML 2018 Workshop", "ICML Workshop", 2018),
        ("ICLR, 2021", "ICLR", 2021),
    ],
)
def test_a_text_that_is_only_a_venue_leaves_nothing(text, venue, year):
    assert take_tag(text) == ("", venue, year)


def test_people_in_brackets_after_a_venue_are_kept():
    assert take_tag("ICLR, 2021 (*Example*)") == ("(*Example*)", "ICLR", 2021)


def test_only_the_first_of_two_tags_is_used():
    assert take_tag("[OSDI'24][Example] A Story") == ("[Example] A Story", "OSDI", 2024)


@given(st.one_of(st.text(max_size=60), st.text("()[]【】`*,.- '’OSDICML20234inarXv", max_size=50)))
def test_any_text_is_read_without_failing(text):
    tag = take_tag(text)
    assert len(tag.remainder) <= len(text)
    assert tag.year is None or 1900 <= tag.year < 2100


@cases("unit", ["[", "(OSDI", "OSDI'23 ", "*a", "`", "in ", "A, ", "(a ", "2023 ", "ACM ", " | ", "IEEE a"])
def test_a_long_hostile_text_is_read_quickly(unit):
    started = time.process_time()
    take_tag(unit * 50_000)
    assert time.process_time() - started < 10


@cases(
    ("text", "venue", "year"),
    [
        ("{title} ICML 2019 (5)", "ICML", 2019),
        ("{title} ICML 2019 [45]", "ICML", 2019),
        ("{title}, NeurIPS 2020, 123 citations", "NeurIPS", 2020),
        ("{title} SIGMOD 2018 (Cited by 1,234)", "SIGMOD", 2018),
        ("{title} (SIGMOD 2018) | 12", "SIGMOD", 2018),
        ("{title}. SIGMOD 2018, 4/5", "SIGMOD", 2018),
        ("{title}，CVPR 2021，引用 88", "CVPR", 2021),
        ("{title} | VLDB (2019)", "VLDB", 2019),
        ("VLDB (2019) | {title}", "VLDB", 2019),
        ("{title} @ SOSP'21", "SOSP", 2021),
        ("@SOSP'21: {title}", "SOSP", 2021),
        ("{title} | Nature", "Nature", None),
        ("{title} | Proceedings of the 28th Symposium on Caches", "Proceedings of the 28th Symposium on Caches", None),
    ],
)
def test_counts_scores_and_bars_beside_a_venue_do_not_hide_it(text, venue, year):
    title = "A Story of Caches"
    assert take_tag(text.format(title=title)) == (title, venue, year)


@cases("text", ["A Story of Caches (5)", "Caches in 2019 (12)", "Chapter 4 | Notes", "Caches | Security", "GPT-4 (5)"])
def test_counts_and_bars_without_a_venue_belong_to_the_title(text):
    assert take_tag(text) == (text, "", None)


@cases(
    ("text", "title", "venue", "year"),
    [
        ("文書分類の研究, 情報処理学会論文誌, 2020", "文書分類の研究", "情報処理学会論文誌", 2020),
        ("日本語の評価（言語処理学会第31回年次大会）", "日本語の評価", "言語処理学会第31回年次大会", None),
        ("合意の高速化 信学技報 2019", "合意の高速化", "信学技報", 2019),
        ("文本分类综述，计算机学报，2021", "文本分类综述", "计算机学报", 2021),
        ("索引结构研究（软件学报 2020）", "索引结构研究", "软件学报", 2020),
        ("分散システム, 研究会のまとめ", "分散システム, 研究会のまとめ", "", None),
        ("低遅延の通信, オンラインシンポジウム", "低遅延の通信, オンラインシンポジウム", "", None),
        ("低延迟编码, 视频会议", "低延迟编码, 视频会议", "", None),
    ],
)
def test_japanese_and_chinese_journals_and_meetings_are_known_by_how_their_names_end(text, title, venue, year):
    assert take_tag(text) == (title, venue, year)


@cases(
    ("text", "found"),
    [
        ("ICLR2024 A Story of Caches", ("A Story of Caches", "ICLR", 2024)),
        ("NLP2025 対話の 研究", ("対話の 研究", "NLP", 2025)),
        ("**JSAI2024** Gesture and Voice", ("Gesture and Voice", "JSAI", 2024)),
        ("GPT2024 is here", ("GPT2024 is here", "", None)),
        ("NLP2025 Overview", ("NLP2025 Overview", "", None)),
    ],
)
def test_capitals_with_a_year_before_a_title_of_several_words_are_its_venue(text, found):
    assert take_tag(text) == found
