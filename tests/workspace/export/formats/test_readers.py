"""Exports of a generated library, read by other programs: the same titles, names and years, without warning."""

import json
import warnings
from datetime import date

import pypandoc
import pytest
import rispy
from bibtexparser import middlewares
from bibtexparser.entrypoint import parse_string
from citeproc.source.json import CiteProcJSON
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.models import PUBLICATION_TYPES
from readtrack.infra.text.person_names import NameParts, join_parts, name_parts, undivided
from readtrack.workspace.export.formats import ExportPaper, all_exports
from tests.depth import examples

FAMILIES = ["He", "Del Balso", "García Márquez", "O’Neil", "Ångström", "Smith-Jones", "山田", "Петров", "Li"]
GIVENS = ["Tao", "Mike", "J. R.", "Jean-Paul", "Zoë", "太郎"]
WHOLE = ["OpenAI", "Barnes and Noble", "Google Research", "DeepSeek-AI", "王小明", "The ATLAS Collaboration"]
TITLES = [
    "GPipe: Easy Scaling",
    "100% of A_B & C#",
    "大規模言語モデル",
    r"On the $O(n \log n)$ Bound for BERT: 50% of C++",
    "A $5 Question",
    "Is “It” {True}?",
    "T~1 ^ 2 \\ 3",
]
PROTECTED = [r"$O(n \log n)$", "BERT", "C++", "C#", "A_B", "GPipe"]  # whose capitals stay
VENUES = ["", "OSDI 2023", "IEEE Transactions on Computers", "arXiv", "Proc. of A & B"]
KINDS = ["paper", "article", "video", "slides", "code", "course", "documentation", "page"]

names = st.one_of(
    st.builds(
        lambda family, given, particle, suffix: join_parts(NameParts(family, given, particle, suffix)),
        st.sampled_from(FAMILIES),
        st.sampled_from(GIVENS),
        st.sampled_from(["", "", "van der", "de"]),
        st.sampled_from(["", "", "Jr.", "III"]),
    ),
    st.sampled_from(WHOLE).map(undivided),
)
papers = st.lists(
    st.builds(
        ExportPaper,
        id=st.integers(1, 10**6),
        kind=st.sampled_from(KINDS),
        title=st.sampled_from(TITLES),
        authors=st.lists(names, max_size=4).map(tuple),
        year=st.one_of(st.none(), st.integers(1950, 2030)),
        published_on=st.one_of(st.none(), st.dates(date(1950, 1, 1), date(2030, 1, 1))),
        venue=st.sampled_from(VENUES),
        publication_type=st.sampled_from(PUBLICATION_TYPES),
        abstract=st.sampled_from(["", "We show 5 % more.\n\nSecond paragraph."]),
        identifiers=st.sampled_from(
            [(), (("arxiv", "2401.00134"),), (("doi", "10.1145/3.4"), ("arxiv", "2401.00134"))]
        ),
        links=st.sampled_from([(), (("https://a.example/x_y?z=1#p", "landing"), ("https://a.example/p.pdf", "pdf"))]),
        topics=st.sampled_from([(), ("Fault tolerance", "訓練"), ("Storage, caching", 'a "b"', "C#")]),
    ),
    min_size=1,
    max_size=5,
).map(
    lambda generated: [
        ExportPaper(**{**vars(paper), "citation_key": f"key{number}"}) for number, paper in enumerate(generated)
    ]
)
thorough = settings(max_examples=examples(12), deadline=None)


@pytest.fixture(autouse=True)
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def render(name, library):
    return all_exports()[name].render_document(library)


def years(library):
    return [paper.issued[0] if paper.issued else None for paper in library]


def plain(text):
    """Compare text regardless of the spaces and typography that a reader normalizes."""
    return "".join(text.replace("ˆ", "^").replace("’", "'").replace("“", '"').replace("”", '"').split())


def parts(paper):
    return [name_parts(name) for name in paper.authors]


def csl_name(name):
    if "literal" in name:
        return NameParts(name["literal"])
    particle = name.get("non-dropping-particle", "") or name.get("dropping-particle", "")
    return NameParts(name["family"], name.get("given", ""), particle, name.get("suffix", ""))


@given(papers)
@thorough
def test_bibtexparser_reads_bibtex(library):
    read = parse_string(
        render("bibtex", library),
        append_middleware=[
            middlewares.SeparateCoAuthors(),
            middlewares.LatexDecodingMiddleware(),
        ],
    )
    assert read.failed_blocks == []
    assert [entry.key for entry in read.entries] == [paper.citation_key for paper in library]
    for entry, paper, year in zip(read.entries, library, years(library), strict=True):
        fields = {field.key: field.value for field in entry.fields}
        assert plain(fields["title"].replace("{", "").replace("}", "")) == plain(
            paper.title.replace("{", "").replace("}", "")
        )
        assert fields.get("year") == (str(year) if year else None)
        assert ("keywords" in fields) == bool(paper.topics)
        assert len(fields.get("author", [])) == len(paper.authors)


@given(papers)
@settings(max_examples=examples(3), deadline=None)
def test_pandoc_reads_bibtex_biblatex_and_csl_json_alike(library):
    for name, reader in (("bibtex", "bibtex"), ("bibtex", "biblatex"), ("csl-json", "csljson")):
        items = json.loads(pypandoc.convert_text(render(name, library), "csljson", format=reader))
        assert [item["id"] for item in items] == [paper.citation_key for paper in library]
        for item, paper, year in zip(items, library, years(library), strict=True):
            assert [csl_name(author) for author in item.get("author", [])] == parts(paper)
            assert item.get("issued", {}).get("date-parts", [[None]])[0][0] == year
            # From BibTeX, pandoc makes titles in sentence case.
            assert plain(item["title"]).casefold() == plain(paper.title).casefold()
            assert [word for word in PROTECTED if word in item["title"]] == [
                word for word in PROTECTED if word in paper.title
            ]


@given(papers)
@thorough
def test_rispy_reads_ris(library):
    entries = rispy.loads(render("ris", library), skip_unknown_tags=False)
    assert [entry["id"] for entry in entries] == [paper.citation_key for paper in library]
    for entry, paper, year in zip(entries, library, years(library), strict=True):
        assert "unknown_tag" not in entry
        assert entry["title"] == paper.title
        assert entry.get("year") == (str(year) if year else None)
        assert entry.get("authors", []) == [
            ", ".join(filter(None, (f"{name.particle} {name.family}".strip(), name.given, name.suffix)))
            for name in parts(paper)
        ]


@given(papers)
@thorough
def test_citeproc_reads_csl_json(library):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*unsupported: custom$")  # a field of CSL-JSON since 1.0.2
        source = CiteProcJSON(json.loads(render("csl-json", library)))
    assert set(source) == {paper.citation_key for paper in library}
    for paper, year in zip(library, years(library), strict=True):
        reference = source[paper.citation_key]
        assert str(reference.title) == paper.title
        assert (int(reference.issued.year) if "issued" in reference else None) == year
        authors = reference.get("author", [])
        assert [str(author.get("literal") or author["family"]) for author in authors] == [
            name.family for name in parts(paper)
        ]
