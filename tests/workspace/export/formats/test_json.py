"""JSON keeps every field as it is."""

import json
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.workspace.export.formats import ExportPaper, all_exports
from tests.depth import examples

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DATES = st.none() | st.dates()
PAPERS = st.builds(
    ExportPaper,
    id=st.integers(1),
    kind=st.sampled_from(["paper", "video"]),
    title=WORDS,
    authors=st.lists(WORDS, max_size=3).map(tuple),
    year=st.none() | st.integers(1900, 2100),
    published_on=DATES,
    venue=WORDS,
    publication_type=st.sampled_from(["", "book"]),
    abstract=WORDS,
    language=WORDS,
    identifiers=st.lists(st.tuples(st.sampled_from(["arxiv", "doi", "url"]), WORDS), max_size=3).map(tuple),
    links=st.lists(st.tuples(WORDS, WORDS), max_size=3).map(tuple),
    topics=st.lists(WORDS, max_size=3).map(tuple),
    summaries=st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=2).map(tuple),
    reading=st.none() | st.fixed_dictionaries({"status": WORDS, "progress": st.none() | st.integers()}),
    added_on=DATES,
)


def day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def back(paper: dict) -> ExportPaper:
    parts = paper.pop("author_parts")
    assert parts.keys() <= set(paper["authors"])
    return ExportPaper(
        **paper
        | {name: tuple(paper[name]) for name in ("authors", "topics")}
        | {name: day(paper[name]) for name in ("published_on", "added_on")}
        | {
            "identifiers": tuple(tuple(identifier.split(":", 1)) for identifier in paper["identifiers"]),
            "links": tuple((link["url"], link["role"]) for link in paper["links"]),
            "summaries": tuple((text["person"], text["tldr"], text["markdown"]) for text in paper["summaries"]),
            **dict.fromkeys(("titles", "comments", "questions", "relations"), ()),  # sent round in tests/ingest
        },
    )


@given(st.lists(PAPERS, max_size=4))
@settings(max_examples=examples(50), deadline=None)
def test_every_field_round_trips(papers):
    document = json.loads(all_exports()["json"].render_document(papers))
    assert (document["format"], document["version"]) == ("readtrack-export", 2)
    assert [back(paper) for paper in document["papers"]] == papers


def test_dates_in_a_reading_are_iso_dates():
    reading = {"status": "read", "finished_on": date(2026, 3, 1)}
    text = all_exports()["json"].render_document([ExportPaper(id=1, kind="paper", title="訓練", reading=reading)])
    assert '"finished_on": "2026-03-01"' in text
    assert "訓練" in text


def test_formats_are_found_by_file_extension():
    formats = all_exports()
    assert {"bibtex", "csl-json", "csv", "json", "markdown", "ris"} <= set(formats)
    assert all(name == name.lower() and "_" not in name for name in formats)
    assert all(export.suffix.startswith(".") and "/" in export.media_type for export in formats.values())
    assert all(isinstance(export.render_document([]), str) for export in formats.values())
