"""What holds for every note, whatever stands in it."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.text.urls import canonicalize_url
from readtrack.ingest import parser
from readtrack.ingest.parser.reasons import UNREAD
from readtrack.metadata import sources
from tests.depth import examples
from tests.tables import cases

# fmt: off
PIECES = st.sampled_from([
    "\n", "\r\n", "\r", "\n\n", "\n\n\n", " ", "  ", "\t", "\u3000", "\x0b", "\x0c", "\x1c",
    "\x85", "\u2028", "\u2029", "\ufeff", "\u202e", "\x00", "\ud800", "- ", "* ", "1. ", "# ",
    "## ", "**", "|", "|---|---|", "```", "~~~", "¶", ">", "---", "===", "[", "](", ")", "]", "[[",
    "(", "!", "<", "_", "`", "[x] ", ":", "：", "?", "？", "。", "https://arxiv.org/abs/2305.15778",
    "https://arxiv.org/abs/2401.00134", "2305.15778", "doi:10.1145/1.2", "https://example.org/a",
    "http://", "https://www.baidu.com/s?wd=", "https://link.zhihu.com/?target=",
    "https://mp.weixin.qq.com/s/abc", "Paper", "A Story of Caches", "References", "Infos", "凡例",
    "OSDI'22", "(NSDI 24)", "キャッシュの話", "とは", "序列并行", "title,url\n", "title;链接\n", ",", ";", '"', '""',
    "<DL><p>\n", "</DL><p>\n", "<DT><H3>", "</H3>", '<DT><A HREF="', '">', "</A>", "<DD>", '<outline text="', "/>",
    "</outline>", "<opml>\n", "<?xml?>", " | ", " - ", "@article{a,\n", "title = {", "},\n", "}\n", "TY  - JOUR\n",
    "TI  - ", "ER  - \n", '[{"title": "', '"}]', "* TODO ", ":PROPERTIES:\n", ":END:\n", "[[", "]]", "#+begin_src\n",
    "<details>", "<summary>", "</summary>", "<table><tr><td>", "</td></tr></table>", "<br>", "&amp;", "[^1]", "[^1]: ",
    "[a]: https://example.org/b\n", "[a][]", "- [ ] ", "✅", "⭐⭐", "![", "$x$", "\\[", "file:a.pdf", "(./a.pdf)",
    "\\bibitem{a} ", "\\newblock ", "\\emph{", "\\begin{thebibliography}{9}\n", "を読んだ", "读完", "「", "」", "《",
    "》", "Attention is all you need", "Deep residual learning for image recognition\n", "Title\n",
    "A. Author, B. Writer. ",
    "(2017). ", "| Name | Year |\n|--|--|\n", "KW  - ", "%0 Journal Article\n", "%K ",
    "Ada 9:00 AM\n", "[2024-01-02 09:00] Ada: ", "arXiv.org\n", "\\section*{", "\\item ", "\\usepackage[a]{b}\n", "}",
    "---\n", "tags: [a]\n", "et al.", "【", "】", "｜", "，", "<!--", "-->",
])
# fmt: on
NOTES = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


# fmt: off
LATEX = [
    "\\section{", "\\section*{", "\\item", "\\item[a] ", "\\bibitem", "\\bibitem[", "]{a}", "\\newblock ",
    "{\\em ", "\\emph{", "\\begin{thebibliography}", "\\end{", "\\href{https://a.org}{",
    "\\url{https://arxiv.org/abs/2305.15778}", "\\&", "~", "%", "\\'", "\\usepackage", "\\newcommand{\\x}[1]{",
    "$", "\\\\", "}", "]", "\n", "A. Vaswani, N. Shazeer. ", "Attention. ", ", 2017.",
]
CSV = [
    "Title", "Topics", "Venue", "Authors", "url", "Year", ",", ";", "\t", "|", '"', '""', "\n", "\r\n",
    "2017", "a; b", "A Story of Caches", "https://arxiv.org/abs/2305.15778", "10.1145/1.2",
    "arXiv:2305.15778v2", "NeurIPS", "\0", "\ufeff", "Lovelace, Ada", "read", "★★",
]
TABLES = [
    "| ", " |", "|---|", "|:-:|", "\n", "Paper", "Venue",
    "[A Story of Caches](https://arxiv.org/abs/2305.15778)", "(OSDI'22)", "<br>", "**A**", "✅",
    "2024-01-02 (Ada): ", "[[", "]]", "\\|", "`", "1. ", "- ", "## ", "tags:: [[a]], [[to read]]\n", "NOW ",
    ":LOGBOOK:",
]
# fmt: on


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from([LATEX, CSV, TABLES]).flatmap(lambda pieces: st.lists(st.sampled_from(pieces), max_size=40)))
def test_no_line_of_latex_csv_or_tables_fails(pieces):
    assert not [each.raw for each in parser.parse("".join(pieces)) if each.reason == UNREAD]


def lines_of(text):
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[:-1] if lines[-1] == "" else lines


@settings(max_examples=examples(50), deadline=None)
@given(NOTES)
def test_every_line_is_in_exactly_one_first_part_entry(text):
    lines = lines_of(text)
    entries = parser.parse(text)
    assert not [each.raw for each in entries if each.reason == UNREAD]
    firsts = [each for each in entries if each.part == 1]
    assert [number for each in firsts for number in range(each.first, each.last + 1)] == list(range(1, len(lines) + 1))
    assert sum(parser.tally(entries).values()) == len(lines)
    assert all(each.raw == "\n".join(lines[each.first - 1 : each.last]) for each in firsts)


@settings(max_examples=examples(50), deadline=None)
@given(NOTES)
def test_entries_are_in_line_order_and_give_a_reason_when_not_added(text):
    entries = parser.parse(text)
    assert [(each.first, each.part) for each in entries] == sorted((each.first, each.part) for each in entries)
    for each in entries:
        assert each.kind in {"paper", "mention", "topic", "question", "lead", "snippet", "table", "junk", "blank"}
        assert each.decision == "add" or each.reason.endswith((".", "?"))
        assert each.kind in {"paper", "mention"} or not each.identifiers
        assert each.identifiers or each.kind not in {"paper", "mention"} or each.title


@settings(max_examples=examples(50), deadline=None)
@given(NOTES)
def test_parsing_twice_gives_the_same_result(text):
    assert parser.parse(text) == parser.parse(text)


@settings(max_examples=examples(50), deadline=None)
@given(NOTES)
def test_titles_texts_and_topics_contain_only_displayable_characters(text):
    for each in parser.parse(text):
        shown = "\n".join([each.title, each.text, each.venue, *each.topics])
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", shown)


@cases("text", ["", "\ufeff", "\n", "\x00", "\ud800\udc00", "\u202ehttps://arxiv.org/abs/2305.15778"])
def test_odd_little_notes_are_read(text):
    assert sum(parser.tally(parser.parse(text)).values()) == (1 if text else 0)


@settings(max_examples=examples(50), deadline=None)
@given(NOTES)
def test_an_identifier_is_in_one_record_of_the_preview_only(text):
    told = [name for each in parser.preview_json(parser.parse(text), "n") for name in each["identifiers"]]
    names = [name for name in told if not name.startswith(("url:", "file:"))]
    assert len(names) == len(set(names))


@settings(max_examples=examples(50), deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_can_be_parsed(data):
    text = parser.decode(data)
    assert sum(parser.tally(parser.parse(text)).values()) == len(lines_of(text))


NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=12)
STYLES = st.sampled_from(
    [
        "- [{title}](https://arxiv.org/abs/{id})",
        "- {title} [[pdf](https://arxiv.org/pdf/{id}.pdf)]",
        "https://arxiv.org/abs/{id} | {title}",
        "| {title} | [link](http://www.arxiv.org/abs/{id}v2) |",
        "* {title} https://arxiv.org/abs/{id}",
        "arXiv:{id}",
    ],
)


@settings(max_examples=examples(50), deadline=None)
@given(NUMBERS, STYLES, st.randoms(use_true_random=False))
def test_the_order_of_independent_lines_does_not_change_identifiers_or_titles(numbers, style, chance):
    lines = [style.format(title=f"A Story of {n} Caches and Their Makers", id=f"2305.{n:05}") for n in numbers]
    shuffled = [*lines]
    chance.shuffle(shuffled)
    assert named("\n\n".join(lines)) == named("\n\n".join(shuffled))


def named(text):
    papers = [each for each in parser.parse(text) if each.kind == "paper"]
    return {name for each in papers for name in each.identifiers}, {each.title for each in papers}


# fmt: off
ADDRESS_PIECES = st.sampled_from([
    "https://", "http://", "www.", "arxiv.org", "/", "/abs/", "/pdf/", "2305.15778", "v2", ".pdf", "?", "&", "=", "#",
    "utm_source=x", "?id=", "%2F", "%e3%81%82", "%zz", "..", ":", "@", "doi.org", "10.1145/1.2", "usenix.org", "あ",
    ";", "/conference/osdi22/presentation/yu", "github.com", "a-b.c", "(", ")", "[", "]", ",",
])
# fmt: on
ADDRESSES = st.one_of(st.text(max_size=80).map("https://{}".format), st.lists(ADDRESS_PIECES, max_size=10).map("".join))


@settings(max_examples=examples(50), deadline=None)
@given(ADDRESSES)
def test_canonicalising_a_url_is_idempotent(address):
    assert canonicalize_url(canonicalize_url(address)) == canonicalize_url(address)


@settings(max_examples=examples(50), deadline=None)
@given(ADDRESSES)
def test_an_identifier_is_recognised_as_itself(address):
    ref = sources.recognize(address)
    assert ref is None or sources.recognize(sources.url(ref)) == ref
