"""Venue and year of papers in forms that state them beside, above or below the title."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

TITLE = "Spanner: Google's Globally-Distributed Database"
ADDRESS = "https://www.usenix.org/conference/osdi12/technical-sessions/presentation/corbett"


@cases(
    "text",
    [
        f"Nr;Titel;Konferenz;Jahr\n1;{TITLE};OSDI;'12\n2;Attention Is All You Need;NeurIPS;'17\n",
        f"| Paper | Where | Yr |\n|--|--|--|\n| {TITLE} | OSDI | FY12 |\n| The Google File System | SOSP | '03 |\n",
        f"TITLE\t{TITLE}\r\nWHERE\tOSDI\r\nYEAR\t2012\r\nLINK\t{ADDRESS}\r\n",
        f"Corbett, J. C., & Dean, J. (2012). {TITLE}. *OSDI*. {ADDRESS} A careful study.\n",
        f"[1] J. Corbett and J. Dean. {TITLE}. In Proceedings of\n    OSDI, pages 1-14, 2012.\n    {ADDRESS}.\n",
        f"・{TITLE}\n　著者：James Corbett, Jeffrey Dean\n　OSDI 2012\n",
        f"- James Corbett, Jeffrey Dean\n  - {TITLE}\n  - OSDI, 2012\n",
        f"- {TITLE}\n  - OSDI（2012）\n  - {ADDRESS}\n",
        f"## OSDI2012 Oct 8, 2012\n#### {TITLE} [pdf]({ADDRESS})\n",
        f"- date: 2012-10-08\n  title: '{TITLE}'\n  authors: Dean, J.\n  server: OSDI\n- date: 2013\n  title: B\n",
        f"1. {TITLE}\n{ADDRESS}\nOSDI 2012\nhttps://github.com/a/b\n",
        f"{TITLE}\n{ADDRESS}\nOSDI 2012\n",
        f"| Paper | Remarks |\n|--|--|\n| **Corbett, Dean. *{TITLE}*. OSDI 2012** | old |\n",
        f"- [{TITLE}]({ADDRESS})\n  時刻を扱う論文(OSDI2012でAccept)\n",
        f'.. [CD] \\J. Corbett, J. Dean,\n   "{TITLE}".\n   OSDI (2012),\n   :doi:`10.1145/2491245`.\n',
        f"■{TITLE}（OSDI2012）\n動画 https://youtu.be/aaaaaaaaaaa\n論文：{ADDRESS}\n",
    ],
)
def test_the_venue_and_year_of_the_first_paper_are_found(text):
    first = next(each for each in parser.parse(text) if each.kind == "paper")
    assert (first.title, first.venue, first.year) == (TITLE, "OSDI", 2012)


@cases(("cell", "status"), [("是", "read"), ("否", "to_read"), ("弃", "dropped"), ("未开始", "to_read")])
def test_a_chinese_column_says_whether_a_paper_was_read(cell, status):
    text = f"|论文|会议|是否读完|\n|--|--|--|\n|{TITLE}|OSDI|{cell}|\n"
    assert [each.status for each in parser.parse(text) if each.kind == "paper"] == [status]


@cases(
    ("heading", "cell", "status"),
    [
        ("阅读", "✔", "read"),
        ("读完", "❌", "to_read"),
        ("読了", "○", "read"),
        ("read", "×", "to_read"),
        ("阅读", "", None),
    ],
)
def test_a_column_of_marks_says_whether_a_paper_was_read(heading, cell, status):
    text = f"|文章名称|会议|{heading}|上传|\n|--|--|--|--|\n|{TITLE}|OSDI|{cell}|✔|\n"
    assert [each.status for each in parser.parse(text) if each.kind == "paper"] == [status]


def test_a_column_that_several_papers_share_holds_no_authors():
    rows = "".join(f"Fakes,{title},2021\n" for title in (TITLE, "Mask R-CNN", "A Small Survey", "A Larger Survey"))
    papers = [each for each in parser.parse(f"Family,Title,Year\n{rows}") if each.kind == "paper"]
    assert [each.authors for each in papers] == [()] * 4


@cases("dash", [" - ", " — ", "      "])
def test_labels_with_a_dash_or_a_wide_gap_are_fields_if_several_have_it(dash):
    text = f"Paper{dash}Mask R-CNN\nAuthors{dash}He, K., Girshick, R.\nJournal{dash}ICCV 2017\nStatus{dash}read twice\n"
    (entry,) = parser.parse(text)
    assert (entry.kind, entry.title, entry.venue, entry.status) == ("paper", "Mask R-CNN", "ICCV", "read")


def test_a_single_word_before_a_dash_is_no_label():
    assert [each.kind for each in parser.parse("Title - a word for the first line of a paper\n")] != ["paper"]


@cases(
    "authors",
    ["Silva, A. M., Abe, K., & Costa, B.", "Silva, A. M.; Abe, K.; Costa, B.", "A. M. Silva, K. Abe & B. Costa"],
)
def test_the_authors_of_a_publication_in_yaml_are_named_given_name_first(authors):
    text = f"- title: Counting Seals\n  authors: {authors}\n- title: Counting Whales\n  authors: {authors}\n"
    assert [each.authors for each in parser.parse(text)] == [("A. M. Silva", "K. Abe", "B. Costa")] * 2


@cases(
    ("reference", "venue", "year"), [("IEEE TSE 28(10), 2002", "IEEE TSE", 2002), ("arXiv:1706.03762", "arXiv", None)]
)
def test_volumes_are_no_years_and_the_number_of_a_preprint_stands_for_its_venue(reference, venue, year):
    text = f"| Paper | Remarks |\n|--|--|\n| *{TITLE}*. {reference} | old |\n"
    first = next(each for each in parser.parse(text) if each.kind == "paper")
    assert (first.title, first.venue, first.year) == (TITLE, venue, year)


@cases(
    ("line", "title", "authors"),
    [
        (f"[Howard et al.]({ADDRESS}) Frequent loss of leases in small clusters", "Frequent loss of leases", "Howard"),
        (f"- [Howard and Parr.]({ADDRESS}) Leases revisited: lessons from small clusters", "Leases", "Howard Parr"),
        (f"* [Howard & Parr (2016)]({ADDRESS}): On the Loss of Leases", "On the Loss", "Howard Parr"),
        (f"1. [H. Howard, A. Parr, et al.]({ADDRESS}) — On the Loss of Leases", "On the Loss", "H. Howard A. Parr"),
        (f"- [张三等]({ADDRESS}) 面向小型集群的租约丢失问题研究", "面向小型集群", "张三"),
        (f"・[王ら]({ADDRESS})　小規模クラスタにおける合意の研究", "小規模クラスタ", "王"),
        (f"- [Howard et al.]({ADDRESS}) is worth a look", "Howard et al", ""),
        (f"- [Search and Rescue]({ADDRESS}) with notes of mine", "Search and Rescue", ""),
    ],
)
def test_a_link_text_that_only_names_authors_leaves_the_title_to_the_words_behind_it(line, title, authors):
    (paper,) = (each for each in parser.parse(line) if each.kind == "paper")
    assert (paper.title[: len(title)], " ".join(paper.authors)) == (title, authors)


@cases(
    "who",
    ["Ada presents", "Ada Novak presented", "Ada and Bo Li will present", "J. Novak & Ada discussed", "Ada leads"],
)
def test_who_presents_a_paper_is_no_part_of_its_title(who):
    text = f"### May 12\n- {who}: Corbett and Dean (2012) On clocks in globally-distributed databases\n"
    (paper,) = (each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.title, paper.year) == ("On clocks in globally-distributed databases", 2012)
    assert paper.authors == ("Corbett", "Dean")


@cases(
    ("line", "authors", "venue", "year"),
    [
        ("- [Corbett+, OSDI2012] {}", "Corbett", "OSDI", 2012),
        ("- {} [Corbett+, 2012]", "Corbett", "", 2012),
        ("- {} [Corbett+ 12]", "Corbett", "", 2012),
        ("- {} [Corbett+ OSDI12]", "Corbett", "OSDI", 2012),
        ("- [Corbett+12] {}", "Corbett", "", 2012),
        ("- Corbett+12, {}", "Corbett", "", 2012),
        ("- **{}**（Corbett 他 2012）", "Corbett", "", 2012),
        ("- **{}**（Corbett/Dean+ OSDI 2012）", "Corbett Dean", "OSDI", 2012),
        ("- {} (Corbett et al., 2012, OSDI)", "Corbett", "OSDI", 2012),
        ("- {} (van den Corbett et.al 2012)", "van den Corbett", "", 2012),
        ("- (Corbett & Dean, 2012) {}", "Corbett Dean", "", 2012),
        ("- Corbett et al. (2012): {}", "Corbett", "", 2012),
        ("- [{}](https://www.cs.cornell.edu/spanner.pdf) (Corbett+, OSDI 2012)", "Corbett", "OSDI", 2012),
        ("- {} [Corbett et al., OSDI 2012](https://www.cs.cornell.edu/spanner.pdf)", "Corbett", "OSDI", 2012),
        ("## {} [Corbett+, OSDI 2012]\nhttps://www.cs.cornell.edu/spanner.pdf", "Corbett", "OSDI", 2012),
        ("- {} (Routledge & Kegan Paul, London 1962)", "", None, None),
    ],
)
def test_brackets_beside_a_title_name_authors_venue_and_year(line, authors, venue, year):
    (paper,) = (each for each in parser.parse(line.format(TITLE)) if each.kind == "paper")
    assert (paper.title, " ".join(paper.authors)) == (TITLE, authors)
    if authors:
        assert (paper.venue, paper.year or int(paper.published)) == (venue, year)


@cases("name", ["PPO", "Isaac Gym", "37 Implementation Details of PPO"])
def test_a_short_name_with_authors_and_year_is_the_title_of_the_address_behind_it(name):
    text = f"1. **{name}**（Schulman+ 2017, best paper）— [arXiv:1707.06347](https://arxiv.org/abs/1707.06347)\n"
    (paper,) = (each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.title, paper.authors, paper.published, paper.text) == (name, ("Schulman",), "2017", "best paper")


@cases(
    "reference",
    [
        "山田太郎, 鈴木花子. (2015). 小規模クラスタにおける時計の同期. 情報処理学会論文誌 51, 1--6.",
        "山田太郎，鈴木花子 (2015)．小規模クラスタにおける時計の同期．情報処理学会論文誌 51, 1--6.",
    ],
)
def test_a_japanese_reference_as_the_text_of_a_link_is_taken_apart(reference):
    (paper,) = (
        each for each in parser.parse(f"1. [{reference}](https://www.cs.cornell.edu/1.pdf)") if each.kind == "paper"
    )
    assert (paper.title, paper.venue, paper.year) == ("小規模クラスタにおける時計の同期", "情報処理学会論文誌", 2015)
    assert paper.authors == ("山田太郎", "鈴木花子")


def test_a_single_japanese_author_with_a_year_is_no_title():
    text = "- [山田太郎. (2013). 混合分布による道路状態の推定. 研究報告 (ITS), 16, 1--6.](https://www.cs.cornell.edu/1.pdf)\n"
    (paper,) = (each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.title, paper.authors) == ("混合分布による道路状態の推定", ("山田太郎",))
    assert (paper.venue, paper.year) == ("研究報告 (ITS)", 2013)


@cases("words", ["看起来不错，59 页", "是一篇讲时钟的论文", "時計を扱う", "Tom 的论文启发了它"])
def test_words_in_chinese_or_japanese_behind_an_english_title_are_a_remark(words):
    (paper,) = (each for each in parser.parse(f"- [{TITLE}]({ADDRESS})：{words}\n") if each.kind == "paper")
    assert (paper.title, paper.text) == (TITLE, words)


def test_who_presents_a_paper_on_a_day_is_no_part_of_its_title():
    text = f"2024-03-04: {TITLE} (Ada)\n2024-03-11: Attention Is All You Need (Bo Li)\n2024-03-18: no meeting\n"
    titles = [each.title for each in parser.parse(text) if each.kind == "paper"]
    assert titles == [TITLE, "Attention Is All You Need"]


def test_stars_before_a_short_name_rate_the_paper_behind_it():
    (paper,) = parser.parse("★★ BERT https://arxiv.org/abs/1810.04805\n")
    assert (paper.title, paper.rating) == ("BERT", "★★")


@cases(
    ("behind", "status", "read_on"),
    [
        ("(read 2024-01-05)", "read", "2024-01-05"),
        ("- finished on 2024/01/05", "read", "2024-01-05"),
        ("(started 2024-01-05)", "reading", ""),
        ("#to-read", "to_read", ""),
    ],
)
def test_words_behind_a_link_state_status_and_day(behind, status, read_on):
    (paper,) = parser.parse(f"- [{TITLE}]({ADDRESS}) {behind}\n")
    assert (paper.title, paper.status, paper.read_on, paper.text) == (TITLE, status, read_on, "")


def test_a_status_with_a_day_before_a_link_is_not_the_day_of_publication():
    (paper,) = parser.parse(f"- 2024-01-05: read [{TITLE}]({ADDRESS})\n")
    assert (paper.title, paper.status, paper.read_on, paper.year) == (TITLE, "read", "2024-01-05", 2012)


def test_stars_on_a_line_of_their_own_below_a_paper_rate_it():
    (paper,) = parser.parse(f"- [{TITLE}]({ADDRESS})\n  - ★★★★☆\n  - nice\n")
    assert (paper.rating, paper.text) == ("★★★★☆", "nice")


def test_a_sign_before_a_short_name_states_the_status_of_the_address_behind_it():
    (paper,) = parser.parse("✅ BERT https://arxiv.org/abs/1810.04805\n")
    assert (paper.title, paper.status) == ("BERT", "read")


def test_a_status_with_a_colon_heads_lines_with_addresses():
    text = (
        f"Reading:\nA Title of a Paper, {ADDRESS}\nFinished:\nAnother Title of One, https://arxiv.org/abs/1810.04805\n"
    )
    assert [each.status for each in parser.parse(text) if each.kind == "paper"] == ["reading", "read"]


def test_addresses_on_lines_of_their_own_are_not_joined():
    text = f"a longer line with words about what is behind the address {ADDRESS}\nhttps://arxiv.org/abs/1810.04805\n"
    assert [(each.first, each.last) for each in parser.parse(text)] == [(1, 1), (2, 2)]


@cases(
    "text",
    [
        f"■ {TITLE}\nCorbettら、OSDI 2012\n{ADDRESS}\n",
        f"**{TITLE}**, Corbett et al., OSDI 2012\n{ADDRESS}\n",
        f"{TITLE}\nCorbett et al., OSDI 2012\n{ADDRESS}\n",
        f"## 発表1: {TITLE} (OSDI 2012)\n発表者: 山田\n{ADDRESS}\n",
        f"## Talk 2: {TITLE} (OSDI 2012)\nPresenter: Ada\n{ADDRESS}\n",
    ],
)
def test_authors_and_presenters_above_an_address_are_no_titles(text):
    (paper,) = (each for each in parser.parse(text) if each.kind == "paper")
    assert (paper.title, paper.venue, paper.year) == (TITLE, "OSDI", 2012)


@cases("name", ["FlashAttention", "BERT", "Megatron-LM", "GPT-3"])
def test_a_coined_name_in_a_list_is_the_title_of_the_address_beside_it(name):
    address = "https://arxiv.org/abs/2205.14135"
    for line in (f"- [ ] {name} {address}\n", f"- {address} {name}\n"):
        (paper,) = parser.parse(line)
        assert paper.title == name


@cases(
    "label",
    [
        "OSDI 2012",
        "OSDI 2012 Outstanding paper",
        "OSDI, 8 Oct 2012",
        "Workshop on Clocks 2012 at OSDI 2012",
        "OSDI '12",
    ],
)
def test_a_link_text_of_venue_and_year_below_a_bold_title_and_its_authors_names_the_venue(label):
    text = f"**{TITLE}**  \nJames Corbett, Jeffrey Dean, and Sanjay Ghemawat  \n[{label}]({ADDRESS}) • [code](https://github.com/a/b)\n"
    (paper,) = (each for each in parser.parse(f"# Papers\n## Clocks\n{text}\n{text}") if each.kind == "paper")
    assert (paper.title, paper.year, paper.topics) == (TITLE, 2012, ("Clocks",))
    assert "OSDI" in paper.venue
    assert len(paper.authors) == 3


@cases("source", ["Google Research", "NVIDIA", "Nature"])
def test_a_source_in_brackets_behind_a_linked_title_is_not_its_title(source):
    notes = "https://github.com/ada/notes/blob/master/spanner.md"
    text = f"- [{TITLE}]({notes}) [[{source}]({ADDRESS})]\n"
    assert [(each.title, each.identifiers) for each in parser.parse(text)] == [(TITLE, ("usenix:osdi12/corbett",))]


def test_a_link_in_a_remark_gives_the_paper_no_title():
    text = (
        f"- [FLP Paper]({ADDRESS}) -> The core idea. [A long summary of FLP](https://example.org/flp.html) is good.\n"
    )
    assert [(each.title, each.identifiers) for each in parser.parse(text)] == [
        ("FLP Paper", ("usenix:osdi12/corbett",))
    ]


@cases(
    ("path", "identifier"),
    [
        ("papers/2501.01005v1.pdf", "arxiv:2501.01005"),
        ("1203.4567.pdf", "arxiv:1203.4567"),
        ("2012.0415.pdf", "file:2012.0415.pdf"),
        ("slides/2501.01005.pdf", "file:slides/2501.01005.pdf"),
        ("annotated/2501.01005.pdf", "file:annotated/2501.01005.pdf"),
        ("notes/papers/2501.01005.PDF", "arxiv:2501.01005"),
    ],
)
def test_a_file_may_be_named_by_its_arxiv_id(path, identifier):
    (entry,) = parser.parse(f"- [Unpaired Image-to-Image Translation]({path})\n")
    assert entry.identifiers == (identifier,)


def test_hyphens_of_typesetters_are_hyphens():
    (paper,) = parser.parse("- [Non\u2010Blocking Stories](https://example.org/non\u2010blocking.pdf)\n")
    assert (paper.title, paper.links[0].url) == ("Non-Blocking Stories", "https://example.org/non-blocking.pdf")


def test_words_of_a_title_behind_by_are_no_author():
    (paper,) = parser.parse(f"- [Spatial Image Search by Visual Feature Synthesis]({ADDRESS})\n")
    assert (paper.title, paper.authors) == ("Spatial Image Search by Visual Feature Synthesis", ())


@cases(("before", "venue"), [("2012_", ""), ("2012\\_", ""), ("2012 ", ""), ("2012年", ""), ("2012*OSDI*", "OSDI")])
def test_a_year_before_a_framed_title_is_that_of_the_paper(before, venue):
    for text in (f"1. [{before}《{TITLE}》](https://www.cs.cornell.edu/spanner.pdf)\n", f"- {before}《{TITLE}》\n"):
        (paper,) = parser.parse(text)
        assert (paper.title, paper.venue, paper.year or int(paper.published)) == (TITLE, venue, 2012)
    (joined,) = parser.parse(f"- [2012-{TITLE}](https://www.cs.cornell.edu/spanner.pdf)\n")
    assert (joined.title, joined.published) == (TITLE, "2012")


@cases(
    "remark",
    [
        "Uses the same trick as Dynamo, SOSP 2007",
        "Scaling laws for neural models (Kaplan, 2020)",
        "*Scaling laws for neural models* by **Jared Kaplan**",
        "Fararo, T. J., & Doreian, P. (1984). Tripartite structural analysis. Social Networks, 6(2), 141-175",
        "NYPD (New York Police Department)の持つ過去のデータから、スキミングの手口を分析した。",
    ],
)
@pytest.mark.parametrize("mark", ["- ", ""])
def test_a_remark_below_a_paper_is_kept_whole(mark, remark):
    note = f"# [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n\n{mark}{remark}\n\nThat is all.\n"
    paper, said, _ = (entry for entry in parser.parse(note) if entry.kind != "blank")
    assert (paper.authors, paper.venue, paper.year) == ((), "", None)
    assert (said.kind, said.text) == ("snippet", remark)


def test_the_reference_below_a_heading_tells_about_the_paper_it_names():
    reference = "Vaswani, A., & Shazeer, N. (2017). Attention is all you need. NeurIPS, 30, 1-12."
    (paper,) = (
        entry for entry in parser.parse(f"# Attention Is All You Need\n\n{reference}\n") if entry.kind == "paper"
    )
    assert (paper.title, paper.venue, paper.year) == ("Attention Is All You Need", "NeurIPS", 2017)
    assert paper.authors == ("A. Vaswani", "N. Shazeer")
