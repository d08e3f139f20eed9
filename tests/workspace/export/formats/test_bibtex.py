"""BibTeX, read back by a parser that is not ours."""

import re
from datetime import date

import pytest
from bibtexparser import middlewares
from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Entry
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.text.person_names import NameParts, PersonName
from readtrack.workspace.export.formats import ExportPaper, all_exports
from tests.depth import examples

UNICRON = ExportPaper(
    id=1,
    citation_key="he2024unicron",
    arxiv_class="cs.DC",
    kind="paper",
    title="Unicron: Economizing Self-Healing LLM Training at Scale",
    authors=("Tao He", "Xue Li"),
    year=2024,
    identifiers=(("arxiv", "2401.00134"),),
    links=(("https://arxiv.org/pdf/2401.00134", "pdf"), ("https://arxiv.org/abs/2401.00134", "landing")),
    topics=("Fault tolerance", "訓練"),
)
COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\textbraceleft{}": "{",
    r"\textbraceright{}": "}",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    **{"\\" + sign: sign for sign in "&%$#_{}"},
}


def parsed(papers: list[ExportPaper]) -> list[Entry]:
    library = parse_string(all_exports()["bibtex"].render_document(papers))
    assert library.failed_blocks == []
    assert len(library.entries) == len(library.blocks) == len(papers)
    return library.entries


def unescaped(value: str) -> str:
    """What LaTeX would print."""
    pattern = r"\{(?P<maths>\$(?:\\.|[^$\\])+\$)\}|" + "|".join(map(re.escape, COMMANDS)) + r"|[{}]"
    return re.sub(pattern, lambda found: found["maths"] or COMMANDS.get(found[0], ""), value)


def one_line(text: str) -> str:
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())


def test_an_entry_has_key_type_and_fields():
    (entry,) = parsed([UNICRON])
    assert (entry.entry_type, entry.key) == ("misc", "he2024unicron")
    assert {field.key: field.value for field in entry.fields} == {
        "title": "Unicron: Economizing Self-Healing {LLM} Training at Scale",
        "author": "He, Tao and Li, Xue",
        "year": "2024",
        "eprint": "2401.00134",
        "archiveprefix": "arXiv",
        "primaryclass": "cs.DC",
        "url": "https://arxiv.org/abs/2401.00134",
        "keywords": "Fault tolerance, 訓練",
        "bibsource": "readtrack",
    }


@pytest.mark.parametrize(
    ("kind", "venue", "entry_type", "field"),
    [
        ("paper", "OSDI 2023", "inproceedings", "booktitle"),
        ("paper", "IEEE Transactions on Computers", "article", "journal"),
        ("paper", "IEEE TPDS", "article", "journal"),
        ("paper", "JMLR 23", "article", "journal"),
        ("video", "OSDI 2023", "misc", "howpublished"),
        ("paper", "", "misc", None),
        ("paper", "arXiv", "misc", None),
        ("paper", "CoRR abs/2101.06840", "misc", None),
    ],
)
def test_the_entry_type_follows_from_kind_and_venue(kind, venue, entry_type, field):
    (entry,) = parsed([ExportPaper(id=1, kind=kind, title="T", venue=venue)])
    fields = {written.key: written.value for written in entry.fields if written.key != "title"}
    assert (entry.entry_type, fields) == (entry_type, {field: venue} if field else {})


@pytest.mark.parametrize(
    ("year", "written"), [(None, ("2023", "may")), (2023, ("2023", "may")), (2024, ("2024", None))]
)
def test_year_and_month_come_from_the_date_unless_another_year_is_stated(year, written):
    (entry,) = parsed([ExportPaper(id=1, kind="paper", title="T", year=year, published_on=date(2023, 5, 1))])
    fields = {field.key: field.value for field in entry.fields}
    assert (fields["year"], fields.get("month")) == written


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("GPipe and ZeRO", "{GPipe} and {ZeRO}"),
        ("GPipe: Easy (LLM) Scaling, ZeRO++", "{GPipe}: Easy ({LLM}) Scaling, {ZeRO}++"),
        ("A Case for RAID", "A Case for {RAID}"),
        ("100% of A_B & C#", r"100\% of {A\_B} \& {C\#}"),
        ("50% of C++, C++11 and R&D", r"50\% of {C++}, {C++11} and {R\&D}"),
        ("I/O-Bound X-Ray", "{I/O-Bound} X-Ray"),
        (r"On the $O(n \log n)$ Bound", r"On the {$O(n \log n)$} Bound"),
        (r"No $\input{secret}$ formula", r"No \$\textbackslash{}input\{secret\}\$ formula"),
        (r"Nor $\write18{rm}$", r"Nor \$\textbackslash{}write18\{rm\}\$"),
        (r"$\alpha$-Stable $x_{1}$-$y$", r"{$\alpha$}-Stable {$x_{1}$}-{$y$}"),
        ("A $5 Question and $6", r"A \$5 Question and \$6"),
        ("$a{b$ and $a%b$", r"\$a\textbraceleft{}b\$ and \$a\%b\$"),
        ("Ein Überblick", "Ein Überblick"),
        ("{a pair}", r"\{a pair\}"),
        ("half {open", r"half \textbraceleft{}open"),
        ("two\nlines\x00", "two lines"),
        ("},\n@article{x, title={y}}", None),
        ("@string{a = {b}} LLM", None),
        ('quote " and = and ,', 'quote " and = and ,'),
    ],
)
def test_titles_are_escaped_and_keep_their_capitals(title, written):
    (entry,) = parsed([ExportPaper(id=1, kind="paper", title=title)])
    assert unescaped(entry["title"]) == one_line(title)
    assert written in {None, entry["title"]}


DEL_BALSO = PersonName("Mike Del Balso", NameParts("Del Balso", "Mike"))
GARCIA = PersonName("Ana García y Vega", NameParts("García y Vega", "Ana"))


@pytest.mark.parametrize(
    ("authors", "written"),
    [
        ((DEL_BALSO, "OpenAI"), "Del Balso, Mike and {OpenAI}"),
        (("Laurens van der Maaten",), "van der Maaten, Laurens"),
        (("Martin Luther King Jr.",), "King, Jr., Martin Luther"),
        ((GARCIA,), "{García y Vega}, Ana"),
        (("Simon and Garfunkel", "B"), "{Simon and Garfunkel} and {B}"),
        (("DeepSeek-AI", "others"), "{DeepSeek-AI} and {others}"),
        (("李 明", "Xiang (Jenny) Ren"), "李, {明} and Ren, Xiang (Jenny)"),
        (("Acme & Sons, Inc.",), r"{Acme \& Sons, Inc.}"),
    ],
)
def test_authors_are_written_in_their_parts(authors, written):
    (entry,) = parsed([ExportPaper(id=1, kind="paper", title="T", authors=authors)])
    assert entry["author"] == written


@pytest.mark.parametrize("authors", [("He, Tao", "A, B, C, D"), ("}{", "a}, year={1"), ("Simon and Garfunkel", "B")])
def test_no_name_becomes_several(authors):
    text = all_exports()["bibtex"].render_document([ExportPaper(id=1, kind="paper", title="T", authors=authors)])
    library = parse_string(text, append_middleware=[middlewares.SeparateCoAuthors()])
    assert len(library.entries[0]["author"]) == len(authors)


def test_a_url_stays_unchanged_but_cannot_close_its_field():
    address = "https://例え.jp/~a_b/%20?x=1&y=#p"
    for url, written in ((address, address), ("https://a.example/}x{ y\\", "https://a.example/%7Dx%7B%20y%5C")):
        (entry,) = parsed([ExportPaper(id=1, kind="page", title="T", links=((url, "landing"),))])
        assert entry["url"] == written


HOSTILE = st.text(alphabet=st.sampled_from("ab {}@\\\"',=%$&#_~^\n\r\t\x00文A1"), max_size=40)


@pytest.mark.deep
@given(
    st.lists(
        st.builds(
            ExportPaper,
            id=st.integers(1),
            kind=st.just("paper"),
            citation_key=st.uuids().map(str),
            title=HOSTILE,
            venue=HOSTILE,
            abstract=HOSTILE,
            authors=st.tuples(HOSTILE),
        ),
        unique_by=lambda paper: paper.citation_key,
        max_size=3,
    )
)
@settings(max_examples=examples(50), deadline=None)
def test_any_input_round_trips(papers):
    for paper, entry in zip(papers, parsed(papers), strict=True):
        fields = {field.key: unescaped(field.value) for field in entry.fields}
        assert fields.get("title", "") == one_line(paper.title)
        assert fields.get("abstract", "") == one_line(paper.abstract)
        assert sorted(fields.get("author", "").replace(",", "").replace(" ", "")) == sorted(
            one_line(paper.authors[0]).replace(",", "").replace(" ", "")
        )
        assert set(fields) <= {"title", "author", "abstract", "booktitle", "journal"}
