"""RIS, CSL-JSON and Markdown: no field ends its record (A45), and what leaves is read again as the same."""

import json
import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack import markdown
from readtrack.infra.text.person_names import NameParts, PersonName, join_parts, name_parts, undivided
from readtrack.ingest.parser import parse
from readtrack.metadata.parsing.latex import decode_latex
from readtrack.workspace.export.formats import ExportPaper, all_exports, one_line

HOSTILE = "x\r\nER  - \r\nTY  - JOUR\nTI  - Injected\u2028ER  - \x85ER  - "
PAPERS = [
    ExportPaper(
        id=1,
        kind="paper",
        title="Just-in-time checkpointing",
        authors=("Tanmaey Gupta", "Vincent van Gogh", "李 明"),
        year=2024,
        published_on=date(2024, 4, 22),
        venue="EuroSys 2024",
        identifiers=(("doi", "10.1145/3627703.3650085"),),
        links=(("https://doi.org/10.1145/3627703.3650085", "landing"),),
        topics=("Checkpointing",),
        abstract="Short.",
    ),
    ExportPaper(id=2, kind="paper", title="Unicron", identifiers=(("arxiv", "2401.00134"),)),
    ExportPaper(id=3, kind="code", title="Tools", links=(("https://github.com/a/b", "landing"),)),
]
TOPICS = (
    *(
        "Storage, systems; files",
        'O\'Reilly "Quoted"',
        "C/C++, Rust; and so on",
        "a, b / c",
        "x | y",
        "(a",
        "b)",
        "'q'",
    ),
    *("C++", "C#", "C", "3D", "k8s", "V8", "R&D", "x86-64", "a_b", "$O(n)$", "100%", "--x", "x{", "}y", "[x]", "#a"),
    *("misc", "Other", "Paper", "Model", "NeurIPS", "2023", "read", "todo", "rank3", "1. One", "Read (2024)", "⭐⭐"),
)
AUTHORS = (
    *("Tao He", "OpenAI", "李明", "山本 五十六", PersonName("王丽", NameParts("王", "丽"))),
    *(undivided("World Health Organization"), undivided("The Kubernetes Authors"), undivided("Acme & Sons, Inc.")),
    *(PersonName("Mike Del Balso", NameParts("Del Balso", "Mike")), join_parts(NameParts("García y Vega", "Ana"))),
    join_parts(NameParts("Maaten", "Laurens", "van der")),
    join_parts(NameParts("King", "Martin Luther", "", "Jr.")),
)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def written(name: str, *papers: ExportPaper) -> str:
    return all_exports()[name].render_document(papers)


def records(text: str) -> list[list[tuple[str, str]]]:
    """RIS as its readers take it: line by line, a record ends with ER."""
    found: list[list[tuple[str, str]]] = [[]]
    for line in text.splitlines():
        tagged = re.fullmatch(r"([A-Z][A-Z0-9])  - (.*)", line)
        if tagged and tagged[1] == "ER":
            found.append([])
        elif tagged:
            found[-1].append((tagged[1], tagged[2]))
    return found[:-1]


def test_a_ris_record_has_its_fields():
    first, second, third = records(written("ris", *PAPERS))
    assert first[0] == ("TY", "CONF")
    assert [name for tag, name in first if tag == "AU"] == ["Gupta, Tanmaey", "van Gogh, Vincent", "李, 明"]
    assert {("PY", "2024"), ("DA", "2024/04/22/"), ("DO", "10.1145/3627703.3650085"), ("KW", "Checkpointing")} <= {
        *first
    }
    assert ("AN", "arXiv:2401.00134") in second
    assert (second[0], third[0]) == (("TY", "UNPB"), ("TY", "COMP"))


@given(st.one_of(ANY_TEXT, st.just(HOSTILE)))
def test_a45_no_field_can_end_a_ris_record(text):
    paper = ExportPaper(id=1, kind="paper", title=text, authors=(text,), venue=text, topics=(text,), abstract=text)
    first, second = records(written("ris", paper, PAPERS[1]))
    assert dict(first).get("TI", "") == one_line(text)
    assert dict(second)["TI"] == "Unicron"


def test_csl_names_have_their_parts():
    first, second, third = json.loads(written("csl-json", *PAPERS))
    assert first["author"] == [
        {"family": "Gupta", "given": "Tanmaey"},
        {"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"},
        {"family": "李", "given": "明"},
    ]
    assert (first["type"], first["issued"]) == ("paper-conference", {"date-parts": [[2024, 4, 22]]})
    assert (second["type"], second["number"], third["type"]) == ("article", "arXiv:2401.00134", "software")


@pytest.mark.parametrize("name", ["ris", "csl-json", "bibtex"])
def test_exported_papers_are_imported_as_the_same_papers(name):
    found = [entry for entry in parse(written(name, *PAPERS[:2])) if entry.kind == "paper"]
    assert [entry.title for entry in found] == ["Just-in-time checkpointing", "Unicron"]
    told = [name_parts(name) for name in PAPERS[0].authors]
    assert [name_parts(name) for name in found[0].authors] == told
    assert [entry.identifiers[0] for entry in found] == ["doi:10.1145/3627703.3650085", "arxiv:2401.00134"]


@pytest.mark.parametrize("name", sorted(all_exports()))
def test_an_export_of_no_papers_is_a_valid_file(name):
    assert isinstance(written(name), str)


def test_markdown_shows_input_as_plain_text():
    title = "<script>alert(1)</script> [x](javascript:y) # *z*\n# Heading"
    paper = ExportPaper(id=1, kind="paper", title=title, links=(("https://a.example/> <b", "landing"),))
    text = written("markdown", paper)
    shown = markdown.render(text)
    assert "<script" not in shown
    assert "<em>" not in shown
    assert shown.count("<a ") == 1
    assert "](<https://a.example/%3E%20%3Cb>)" in text
    assert len(text.splitlines()) == 3  # a comment, a blank line, a heading


def test_markdown_has_the_summaries_under_their_paper():
    paper = ExportPaper(id=1, kind="paper", title="T", summaries=(("Ada", "In short.", "At *length*."),))
    assert "### Ada: In short.\n\nAt *length*." in written("markdown", paper)


@given(st.text("ab é漢{}\\~^&%$#_@-`'\"!.,;:=/<>|*"))
def test_a_bibtex_venue_round_trips(text):
    lines = written("bibtex", replace(PAPERS[2], venue=text)).splitlines()
    [value] = [line[len("  howpublished = {") : -len("},")] for line in lines if "howpublished" in line] or [""]
    assert decode_latex(value, lone_braces=False) == one_line(text)


@given(st.text("ab AC1é漢{}\\~^&%$#_@-`'\"+/"))
def test_a_bibtex_title_round_trips(text):
    _head, line, *_rest = written("bibtex", replace(PAPERS[2], title=f"x{text}x")).splitlines()
    assert decode_latex(line[len("  title = {") : -len("},")], lone_braces=False) == one_line(f"x{text}x")


@pytest.mark.parametrize("name", ["ris", "bibtex", "csl-json", "csv"])
def test_every_author_round_trips_in_the_same_parts(name):
    [found] = [entry for entry in parse(written(name, replace(PAPERS[0], authors=AUTHORS))) if entry.kind == "paper"]
    assert found.authors == AUTHORS
    assert [*map(name_parts, found.authors)] == [*map(name_parts, AUTHORS)]


@pytest.mark.parametrize("name", ["ris", "bibtex", "csl-json", "csv"])
def test_every_topic_round_trips_whatever_its_name(name):
    paper = replace(PAPERS[0], topics=TOPICS)
    [found] = [entry for entry in parse(written(name, paper)) if entry.kind == "paper"]
    assert (found.topics, found.status, found.rating) == (TOPICS, None, "")
