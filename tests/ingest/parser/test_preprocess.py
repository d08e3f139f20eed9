"""Links in one spelling, whatever markup a note is written in; what holds nothing of its own is put aside."""

import pytest

from readtrack.ingest import parser
from readtrack.ingest.parser import lines
from readtrack.ingest.parser.link_spelling import spell
from readtrack.ingest.parser.preprocess import preprocess_lines
from readtrack.ingest.parser.reasons import HIDDEN, USED
from tests.growth import LONG, assert_grows_with_its_text, repeat
from tests.tables import cases

A = "https://arxiv.org/abs/2305.15778"


SICI = "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O"  # DOIs of the nineties hold `<` and `>`


@cases(
    ("written", "spelled"),
    [
        ("plain words", "plain words"),
        (f"[Title]({A})", f"[Title]({A})"),
        (f"[[{A}][Title]]", f"[Title]({A})"),
        (f"[[{A}][A title [v2]]] tail", f"[A title [v2]]({A}) tail"),
        (f"[[{A}][Half [open]]", f"[Half (open]({A})"),
        (f"- [[{A}]]", f"-  {A} "),
        ("[[file:papers/a.pdf][Title]]", "[Title](file:papers/a.pdf)"),
        ("[[./a.pdf]]", "[a.pdf](./a.pdf)"),
        ("[[cite:key]] [[id:77][x]]", "[[cite:key]] [[id:77][x]]"),
        ("[[Title]] and [[note|Title]]", "[[Title]] and [[note|Title]]"),
        (f'- #link("{A}")[A #emph[Title]], 20 pages', f"- [A Title]({A}), 20 pages"),
        (f"* {A}[A Title^], and link:{A}[another]", f"* [A Title]({A}), and [another]({A})"),
        (f"{A}[12]", f"{A}[12]"),
        (f"- [{A}:title:bookmark]", f"-  {A} "),
        (f"- [{A}:title=A Title:bookmark] x", f"- [A Title]({A}) x"),
        (f"[[Paper]({A})]", f"[[Paper]({A})]"),
        (f"[[Paper]]({A})", f"[[Paper]]({A})"),
        ("[[half", "[[half"),
        (f'<a href="{A}" target="_blank"><b>Title</b></a><br>', f"[**Title**]({A})"),
        (f"<a href='{A}'>Title", f"[Title]({A})"),
        ('<a name="top"></a>Words', "Words"),
        (f'<a href="{A}"><img src="x.svg" alt="a [b]"></a>', f"[![a (b)](x.svg)]({A})"),
        ("<i>soft</i> <strong>hard</strong> <font color=red>red</font>", "soft **hard** red"),
        ("| a<br>b | <p>c</p> |", "| a<br>b | <p>c</p> |"),
        ("<td><p>a</p></td>", "<td><p>a</p></td>"),
        ("<h2 align='center'>Name</h2>", "## Name"),
        ("<ul><li>Words</li></ul>", "- Words"),
        ("<div align=center>", ""),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        (f"see <{A}>.", f"see {A} ."),
        (f"<{A}|Title>", f"[Title]({A})"),
        (f"`Title <{A}>`_", f"[Title]({A})"),
        (rf"\[Paper\]({A})", f"[Paper]({A})"),
        (rf"\href{{{A}}}{{Title}} \url{{{A}}}", f"[Title]({A})  {A} "),
        (r"https://a.org/b\_c", "https://a.org/b_c"),
        (f"(Title)[{A}]", f"[Title]({A})"),
        (f"[a](b)[{A}]", f"[a](b)[{A}]"),
        (f"[Title]({{{A}}})", f"[Title]({A})"),
        (f"[Title]([{A}])", f"[Title]({A})"),
        (f'[Title]({A}){{:target="_blank"}}', f"[Title]({A})"),
        ("[Title](<papers/My Paper.pdf>)", "[Title](papers/My%20Paper.pdf)"),
        ("[論文](<https://example.ac.jp/研究 a.pdf>)", "[論文](https://example.ac.jp/研究%20a.pdf)"),
        (f"[{A} Some title]", f"[Some title]({A})"),
        (f"[Title|{A}]", f"[Title]({A})"),
        ("[Title](chrome-extension://x/v.html?file=https%3A%2F%2Fa.org%2Fb.pdf)", "[Title](https://a.org/b.pdf)"),
        ("https://a.org/?a=1&amp;b=2&copy=3", "https://a.org/?a=1&b=2&copy=3"),
    ],
)
def test_links_are_normalised_to_one_form(written, spelled):
    assert spell(written) == spelled
    assert spell(spelled.strip()).split() == spelled.split()


def texts(note):
    return [line.text for line in preprocess_lines(lines.split(note)).lines]


def test_a_reference_link_is_resolved_and_its_definition_is_not_an_entry():
    note = f"[Title][a] and [short] and [Both][]\n[a]: <{A}>\n[short]: https://a.org 'T'\n[both]: b/c.pdf\n"
    inlined = preprocess_lines(lines.split(note))
    assert inlined.lines[0].text == f"[Title]({A}) and [short](https://a.org) and [Both](b/c.pdf)"
    assert inlined.ignored_lines == {1: USED, 2: USED, 3: USED}
    assert [line.raw for line in inlined.lines] == note.splitlines()


def test_a_reference_link_over_several_lines_is_one_link():
    note = f"- [A Story of\n  Caches][a] and\n- [no reference of\n  any][kind]\n\n[a]: {A}\n"
    assert texts(note)[:4] == [f"- [A Story of Caches]({A}) and", "", "- [no reference of", "any][kind]"]


def test_an_unused_link_definition_is_a_link_of_its_own():
    assert texts(f"[A Story]: {A}\n[2]: {A}\n[3]: {A} 'Named'\n") == [f"[A Story]({A})", A, f"[Named]({A})"]


def test_a_number_is_not_a_link_title():
    assert texts(f"as in [1].\n\n[1]: {A}")[0].split() == ["as", "in", A, "."]


def test_a_checkbox_is_not_a_reference():
    assert texts("- [x] done\n[x]: https://a.org")[0] == "- [x] done"


def test_comments_are_not_text_and_are_reported_as_such():
    inlined = preprocess_lines(
        lines.split("a <!-- b --> c\n<!--\nhidden\n--> back\n<!-- x --><!-- y -->\nopen <!-- end")
    )
    assert [line.text for line in inlined.lines] == ["a c", "", "", "back", "", "open <!-- end"]
    assert inlined.ignored_lines == {1: HIDDEN, 2: HIDDEN, 4: HIDDEN}


def test_text_after_a_multi_line_comment_may_open_another():
    inlined = preprocess_lines(lines.split("<!--\n--> a <!--\n--> b"))
    assert [line.text for line in inlined.lines] == ["", "a", "b"]


@cases(
    "note",
    [
        f"- [A Story of\n  Two Caches]({A}) good",
        f"- [A Story of Two Caches]\n  ({A}) good",
        f"- [A Story of Two Caches](\n  {A}) good",
        f'- <a href="{A}">A Story of\n  Two Caches</a> good',
    ],
)
def test_a_link_over_several_lines_is_one_entry(note):
    (entry,) = parser.parse(note)
    assert (entry.first, entry.last, entry.title) == (1, 2, "A Story of Two Caches")


@pytest.mark.parametrize("note", ["[open\n# Heading", "[open\n\nx](https://a.org)", "[open\n- x](https://a.org)"])
def test_an_unclosed_bracket_does_not_swallow_the_next_block(note):
    assert texts(note) == note.splitlines()


def test_a_footnote_marker_is_not_text_and_its_line_is_read():
    first, second = parser.parse(f"A remark.[^1]\n[^1]: [A Story of Caches]({A})")
    assert first.text == "A remark."
    assert (second.title, second.identifiers) == ("A Story of Caches", ("arxiv:2305.15778",))


def test_used_definitions_and_comments_are_junk_with_their_reasons():
    entries = parser.parse(f"- [A Story of Caches][a]\n<!-- note -->\n[a]: {A}\n")
    assert [(each.kind, each.decision, each.reason) for each in entries[1:]] == [
        ("junk", "skip", HIDDEN),
        ("junk", "skip", USED),
    ]
    assert entries[0].identifiers == ("arxiv:2305.15778",)


def definitions(size):
    return "".join(f"[a{number}]: https://a.org/{number}\n" for number in range(size // 40)) + "[a1][a2] " * (
        size // 20
    )


HOSTILE = {
    "open brackets": repeat("", "["),
    "lines of brackets": repeat("", "[\n"),
    "half Org links": repeat("", "[[https://a]["),
    "half tags": repeat("", "<a "),
    "tags": repeat("", "<a href=x>"),
    "half comments": repeat("", "<!--\n"),
    "comments": repeat("", "<!---->"),
    "half repairs": repeat("](", "(", ")[http"),
    "definitions": definitions,
}


@cases("text_of", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_markup_is_parsed_in_linear_time(text_of):
    assert_grows_with_its_text(lambda text: preprocess_lines(lines.split(text)), text_of)
    note = text_of(LONG)
    assert len(preprocess_lines(lines.split(note)).lines) == len(note.splitlines())


@cases(
    ("written", "spelled"),
    [
        ("1.A Story of Two Caches", "1. A Story of Two Caches"),
        ("2.1Another Story", "2. Another Story"),
        ("2.3D Caches", "2. 3D Caches"),
        ("3.5 Turbo", "3.5 Turbo"),
        ("2023.01", "2023.01"),
    ],
)
def test_a_number_is_separated_from_adjacent_words(written, spelled):
    assert texts(written) == [spelled]


@cases(
    ("line", "identifiers"),
    [
        (
            f"- [A Story of Caches]({A}) [May 2023](https://arxiv.org/abs/1706.03762)",
            ["arxiv:2305.15778", "arxiv:1706.03762"],
        ),
        (f"- [A Story of Caches]({A}) [Another talk of it](https://example.org/y)", ["arxiv:2305.15778"]),
        (f"{A} [a blog about it](https://example.org/y)", ["arxiv:2305.15778"]),
        ("- [On Caches](papers/a.pdf) and [Other](b.pdf)", ["file:papers/a.pdf", "file:b.pdf"]),
        ("- [[x](https://example.org/a.pdf)](c.pdf)", ["file:c.pdf"]),
        ("- ](d.pdf)", []),
        ("A Story. ArXiv, abs/2305.15778, 2023, not cabs/2305.15779", ["arxiv:2305.15778"]),
        ("- On Caches of Wires (doi:10.1145/3377811.3380330)", ["doi:10.1145/3377811.3380330"]),
        ("- [On Caches](https://example.org/CHI'19/chi19.pdf)", ["url:example.org/CHI%2719/chi19.pdf"]),
        (f"- On Caches of Wires {SICI}", [f"doi:{SICI.lower()}"]),
        (f"- On Caches of Wires https://doi.org/{SICI}.", [f"doi:{SICI.lower()}"]),
        ("- On Caches <b>10.1145/3377811.3380330</b>", ["doi:10.1145/3377811.3380330"]),
        ("- see 10.1000/a(b)c)", ["doi:10.1000/a(b)c"]),
    ],
)
def test_the_links_of_a_line_are_one_paper_or_several(line, identifiers):
    assert [each.identifiers[0] for each in parser.parse(f"{line}\n") if each.identifiers] == identifiers


def test_all_lines_of_a_comment_are_one_thing_that_makes_nothing():
    assert [(each.first, each.last, each.decision) for each in parser.parse("<!-- one\ntwo\nthree -->\n")] == [
        (1, 3, "skip")
    ]


@cases(
    ("label", "title"),
    [
        ("Внимание — это всё, что нужно", "Внимание — это всё, что нужно"),
        ("Η προσοχή είναι το μόνο που χρειάζεστε", "Η προσοχή είναι το μόνο που χρειάζεστε"),
        ("תשומת לב היא כל מה שצריך", "תשומת לב היא כל מה שצריך"),
        ("الانتباه هو كل ما تحتاجه", "الانتباه هو كل ما تحتاجه"),
        ("ध्यान ही सब कुछ है", "ध्यान ही सब कुछ है"),
        ("ความสนใจคือทั้งหมดที่คุณต้องการ", "ความสนใจคือทั้งหมดที่คุณต้องการ"),
        *((word, "") for word in ("Статья", "ссылка", "Άρθρο", "σύνδεσμος", "מאמר", "رابط", "लेख", "บทความ")),
    ],
)
def test_a_link_text_in_any_script_is_a_title_unless_it_is_a_generic_word(label, title):
    (entry,) = parser.parse(f"- [{label}](https://arxiv.org/abs/1706.03762)")
    assert entry.title == title


@cases("label", ["my notes", "notes", "笔记", "artifact", "supplementary material", "appendix"])
def test_a_paper_of_which_only_notes_or_an_artifact_are_linked_has_no_identifier(label):
    (entry,) = parser.parse(f"- A Story of Caches and Clouds [{label}](https://ada.example.org/caches)")
    assert (entry.kind, entry.paper_kind, entry.title) == ("paper", "paper", "A Story of Caches and Clouds")
    assert (entry.identifiers, len(entry.links)) == ((), 1)


ATTENTION = "https://arxiv.org/abs/1706.03762"


@cases(
    ("line", "title", "venue", "year"),
    [
        (
            f"- [Attention Is All You Need]({ATTENTION}). In NeurIPS, pages 5998-6008, 2017.",
            "Attention Is All You Need",
            "NeurIPS",
            2017,
        ),
        (
            f"- [Attention Is All You Need]({ATTENTION}). Proceedings of Foo Conference, 2017",
            "Attention Is All You Need",
            "Foo Conference",
            2017,
        ),
        (f"- [Attention Is All You Need]({ATTENTION}). In practice it is fast", "Attention Is All You Need", "", None),
        (f"- Attention Is All You Need (Best Paper) {ATTENTION}", "Attention Is All You Need", "", None),
        (
            f"- 2024-03-04 (Ada L.): Attention Is All You Need, NeurIPS 2017. {ATTENTION}",
            "Attention Is All You Need",
            "NeurIPS",
            2017,
        ),
        (f"this one looks good: Mistral 7B {ATTENTION}", "Mistral 7B", "", None),
    ],
)
def test_details_around_a_linked_title(line, title, venue, year):
    (entry,) = parser.parse(line)
    assert (entry.title, entry.venue, entry.year, entry.topics) == (title, venue, year, ())


def test_a_paragraph_of_html_is_one_paper_whatever_its_line_ends():
    text = (
        f'<div>\n  <p class="one">\n    <a href="{A}"\n      target="_blank">\n      A Story of Two Caches.</a>\n'
        "    <br>\n\n"
        "    Ada Lovelace, Charles Babbage. <br>\n    <em>Symposium on Caches and Their Operation</em>\n"
        "    (<strong>OSDI</strong>), 2031\n  </p>\n</div>\n"
        "<p>\n- [Markdown in it](https://arxiv.org/abs/2305.15779)\n</p>\n"
    )
    first, second = (entry for entry in parser.parse(text) if entry.kind == "paper")
    assert (first.first, first.last, first.title) == (2, 11, "A Story of Two Caches")
    assert (first.venue, first.year, first.authors) == ("OSDI", 2031, ("Ada Lovelace", "Charles Babbage"))
    assert (second.first, second.title) == (14, "Markdown in it")
