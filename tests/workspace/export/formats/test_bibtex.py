"""BibTeX, read back by a parser that is not ours."""

import re
from datetime import date

import pytest
from bibtexparser import middlewares
from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Entry
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.workspace.export.formats import ExportPaper, all_exports
from readtrack.workspace.export.formats.bibtex import pair_with_keys
from tests.depth import examples

UNICRON = ExportPaper(
    id=1,
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
    **{"\\" + sign: sign for sign in "&%$#_"},
}


def parsed(papers: list[ExportPaper]) -> list[Entry]:
    library = parse_string(all_exports()["bibtex"].render_document(papers))
    assert library.failed_blocks == []
    assert len(library.entries) == len(library.blocks) == len(papers)
    return library.entries


def unescaped(value: str) -> str:
    """What LaTeX would print."""
    pattern = "|".join(map(re.escape, COMMANDS)) + r"|[{}]"
    return re.sub(pattern, lambda found: COMMANDS.get(found[0], ""), value)


def one_line(text: str) -> str:
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())


def test_an_entry_has_key_type_and_fields():
    (entry,) = parsed([UNICRON])
    assert (entry.entry_type, entry.key) == ("misc", "he2024unicron")
    assert {field.key: field.value for field in entry.fields} == {
        "title": "Unicron: Economizing Self-Healing {LLM} Training at Scale",
        "author": "Tao He and Xue Li",
        "year": "2024",
        "eprint": "2401.00134",
        "archiveprefix": "arXiv",
        "url": "https://arxiv.org/abs/2401.00134",
        "keywords": "Fault tolerance, 訓練",
    }


@pytest.mark.parametrize(
    ("kind", "venue", "entry_type", "field"),
    [
        ("paper", "OSDI 2023", "inproceedings", "booktitle"),
        ("paper", "IEEE Transactions on Computers", "article", "journal"),
        ("paper", "IEEE TPDS", "article", "journal"),
        ("paper", "JMLR 23", "article", "journal"),
        ("video", "OSDI 2023", "misc", "howpublished"),
    ],
)
def test_the_entry_type_follows_from_kind_and_venue(kind, venue, entry_type, field):
    (entry,) = parsed([ExportPaper(id=1, kind=kind, title="T", venue=venue)])
    assert (entry.entry_type, entry[field]) == (entry_type, venue)


@pytest.mark.parametrize(
    ("title", "authors", "key"),
    [
        ("The Llama 3 Herd of Models", ("Abhimanyu Dubey",), "dubey2024llama"),
        ("TensorFlow: A System", ("Martín Abadi",), "abadi2024tensorflow"),
        ("ZeRO++: Extremely Efficient", ("Wang, Guanhua",), "wang2024zero"),
        ("大規模言語模型", ("山田 太郎",), "anon2024paper1"),
        ("FP8 訓練", ("李 明",), "anon2024fp8"),
        ("A Title", ("O'Neil Ångström",), "angstrom2024title"),
        ("A Title", (), "anon2024title"),
        ("", (" ",), "anon2024paper1"),
    ],
)
def test_keys_consist_of_family_name_year_and_first_word(title, authors, key):
    paper = ExportPaper(id=1, kind="paper", title=title, authors=authors, year=2024)
    assert list(pair_with_keys([paper])) == [(key, paper)]


def test_a_paper_keeps_its_key_when_one_with_the_same_key_is_added_later():
    first, second = (ExportPaper(id=number, kind="paper", title="Same", year=2024) for number in (3, 9))
    assert [key for key, _ in pair_with_keys([first, second])] == ["anon2024same", "anon2024same-9"]


def test_the_year_comes_from_the_date_if_there_is_no_other():
    (entry,) = parsed([ExportPaper(id=1, kind="paper", title="T", published_on=date(2023, 5, 1))])
    assert entry["year"] == "2023"


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("GPipe and ZeRO", "{GPipe} and {ZeRO}"),
        ("100% of A_B & C#", r"100\% of A\_B \& C\#"),
        ("Ein Überblick", "Ein Überblick"),
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


@pytest.mark.parametrize(
    "authors",
    [
        ("Tao He", "Xue Li"),
        ("Simon and Garfunkel", "B"),
        ("DeepSeek-AI",),
        ("others",),
        ("He, Tao", "A, B, C, D"),
        ("李 明", "Xiang (Jenny) Ren"),
        ("}{", "a}, year={1"),
    ],
)
def test_authors_round_trip_individually(authors):
    text = all_exports()["bibtex"].render_document([ExportPaper(id=1, kind="paper", title="T", authors=authors)])
    library = parse_string(text, append_middleware=[middlewares.SeparateCoAuthors()])
    assert tuple(unescaped(name) for name in library.entries[0]["author"]) == authors


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
            title=HOSTILE,
            venue=HOSTILE,
            abstract=HOSTILE,
            authors=st.tuples(HOSTILE),
        ),
        unique_by=lambda paper: paper.id,
        max_size=3,
    )
)
@settings(max_examples=examples(50), deadline=None)
def test_any_input_round_trips(papers):
    for paper, entry in zip(papers, parsed(papers), strict=True):
        fields = {field.key: unescaped(field.value) for field in entry.fields}
        assert fields.get("title", "") == one_line(paper.title)
        assert fields.get("abstract", "") == one_line(paper.abstract)
        assert fields.get("author", "") == one_line(paper.authors[0])
        assert set(fields) <= {"title", "author", "abstract", "booktitle"}
