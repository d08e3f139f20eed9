"""Record formats as a stream: wherever the text is cut, the entries and their lines are those of the whole text."""

import json
from dataclasses import asdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench.import_forms import repeated
from readtrack.ingest import parser
from readtrack.ingest.parser import deduplicate, parse_note, segments
from readtrack.ingest.parser.file_columns import find_file_columns
from readtrack.ingest.parser.reasons import UNREAD
from tests.raising import raise_when
from tests.tables import cases

TITLE = "A Story of {} Caches and of What They Keep"


@pytest.fixture(autouse=True)
def short_segments(monkeypatch):
    monkeypatch.setattr(segments, "SEGMENT_CHARS", 400)


def whole(text):
    return parse_note.read_entries(parse_note.open_document(text))


def streamed(text, piece_chars, *, stop_after=None, columns=None):
    """Read in pieces; with `stop_after`, another reader continues after so many segments."""
    form = "delimited" if columns else segments.record_format(text)
    entries: list[parser.ParsedEntry] = []
    state = segments.ReaderState()
    reader, position, count = segments.open_reader(form, columns=columns), 0, 0
    pieces = [text[start : start + piece_chars] for start in range(0, len(text), piece_chars)]
    reader.look_ahead(pieces)
    while position < len(text):
        found = list(reader.feed(text[position : position + piece_chars]))
        position += piece_chars
        for segment in found:
            entries, state, count = [*entries, *segment.entries], segment.state, count + 1
        if stop_after is not None and count > stop_after:
            stop_after, position = None, state.offset
            state = segments.ReaderState(**json.loads(json.dumps(asdict(state))))
            reader = segments.open_reader(form, state, columns)
            reader.look_ahead(pieces)
            for entry in entries:
                reader.remember(entry.kind, entry.first, entry.raw)
    return [*entries, *(entry for segment in reader.close() for entry in segment.entries)]


def csl(count, **options):
    items = [
        {
            "type": "article-journal",
            "title": TITLE.format(number),
            "DOI": f"10.1145/{number}",
            "issued": {"raw": "2020"},
        }
        for number in range(count)
    ]
    return json.dumps(items, **options)


BROKEN = (
    "@article{b, title={A Story That Is Cut Off, year={2020}\n\n@article{c,\n title={Another One}, year=2021}\nloose\n"
)
FILES = {
    "bibtex": repeated("bibtex", 30),
    "bibtex with abstracts": repeated("bibtex_full", 8),
    "bibtex with remarks and abbreviations": "% written by a program\nEncoding: UTF-8\n\n@string{osdi = {OSDI}}\n"
    + repeated("bibtex", 10)
    + "% a remark\n@comment{x}\n@inproceedings{last, title={The Last One}, booktitle = osdi, year=2022}\n",
    "bibtex with sections": "".join(
        f"% {name}\n" + repeated("bibtex", 3) for name in ("NUCLEAR PHYSICS", "a remark", "--- Misc ---", "YUCCA %") * 4
    ),
    "bibtex with volumes, below and above": "".join(
        f"@inproceedings{{p{number}, title={{{TITLE.format(number)}}}, crossref={{v{number % 4}}}}}\n"
        for number in range(30)
    )
    + "".join(
        f"@proceedings{{v{number}, title={{Proceedings of VLDB}}, year={{202{number}}}}}\n" for number in range(4)
    )
    + repeated("bibtex", 10).replace("@article{", "@article{later"),
    "broken bibtex": repeated("bibtex", 5) + BROKEN + repeated("bibtex", 5),
    "ris": repeated("ris", 30),
    "ris cut off": repeated("ris", 30)[:-40],
    "ris with CR LF": repeated("ris", 20).replace("\n", "\r\n"),
    "endnote": "\n".join(f"%0 Journal Article\n%T {TITLE.format(n)}\n%D 2020\n%R 10.1145/{n}\n" for n in range(20)),
    "csv": repeated("csv", 30),
    "csv with lines in cells": "title,doi,notes\n"
    + "".join(f'"{TITLE.format(n)}",10.1145/{n},"one\ntwo, ""three"""\n' for n in range(30)),
    "tsv with an end": repeated("csv", 5).replace(",", "\t") + "\nAnd some words after it, as a remark.\n",
    "csl-json on lines": csl(20, indent=1) + "\n",
    "csl-json on one line": csl(20),
    "csl-json in an object": '{"items": ' + csl(20, indent=1) + ',\n"more": [1, 2]}\n',
}


@cases("name", sorted(FILES))
def test_a_file_read_in_segments_has_the_entries_of_the_whole(name):
    text = FILES[name]
    expected = whole(text)
    for piece_chars in (37, 1000):
        found = streamed(text, piece_chars)
        assert found == expected
        assert all(entry.raw for entry in found if entry.kind == "paper")
        assert streamed(text, piece_chars, stop_after=2) == expected


_WORDS = st.text(alphabet="abcABC öé{}\"',=@\\%$", max_size=40)
_RECORDS = st.one_of(
    st.builds(
        "@article{{k{}, title={{{}}}, year={{{}}}}}\n".format, st.integers(0, 9), _WORDS, st.integers(1900, 2030)
    ),
    st.builds(
        "@misc{{k{},\n  title = {{A Story of {}}},\n  doi = {{10.1145/{}}},\n}}\n\n".format, *[st.integers(0, 9)] * 3
    ),
    st.builds("@string{{a = {{{}}}}}\n".format, st.text(alphabet="abc ", max_size=9)),
    st.builds("% {}\n".format, _WORDS),
    st.sampled_from(["% NUCLEAR PHYSICS\n", "%% Attention %%\n", "% --- Misc ---\n"]),
    st.just("\n"),
)


@settings(max_examples=150, deadline=None)
@example(
    [
        *["@article{k0, title={}, year={1900}}\n"] * 11,
        "@article{k1, title={{}, year={1900}}\n",
        "\n",
        "% \n",
        "@article{k2}\n",
    ],
    20,
)
@given(st.lists(_RECORDS, max_size=30), st.integers(20, 600))
def test_any_bibtex_file_has_the_entries_of_the_whole(records, piece_chars):
    text = "@book{first, title={The First One of All}}\n" + "".join(records)
    assert streamed(text, piece_chars) == whole(text)


def test_no_entry_is_cut_where_each_has_a_section_of_its_own(monkeypatch):
    monkeypatch.setattr(segments, "MAX_SEGMENT_CHARS", 3000)
    text = "".join(
        f"%% PART {n} %%\n@book{{k{n},\n author={{Ada}},\n title={{{TITLE.format(n)}}},\n year=2020,\n}}\n\n"
        for n in range(100)
    )
    monkeypatch.setattr(segments, "SEGMENT_CHARS", 500)
    found = streamed(text, 1000)
    assert [entry.title for entry in found if entry.kind == "paper"] == [TITLE.format(n) for n in range(100)]
    assert {entry.kind for entry in found} <= {"paper", "topic", "junk", "blank"}


def test_malformed_json_stays_as_lines_for_review(monkeypatch):
    monkeypatch.setattr(segments, "MAX_SEGMENT_CHARS", 3000)
    text = csl(10, indent=1).replace('"10.1145/5"', "") + "\n" + "x\n" * 3000
    *papers, rest = streamed(text, 1000)
    assert [entry.title for entry in papers] == [TITLE.format(number) for number in range(5)]
    assert (rest.kind, rest.decision, rest.last) == ("snippet", "review", text.count("\n"))
    assert rest.first == papers[-1].last + 1


def test_json_cut_off_on_one_line_says_so():
    *papers, rest = streamed(csl(10)[:-60], 500)
    assert (len(papers), rest.decision, rest.part) == (9, "review", 10)


def test_duplicates_of_the_whole_are_found_in_groups():
    text = repeated("bibtex", 12) + repeated("bibtex", 5) + "@misc{x, title={Alone in the World of Many Caches}}"
    entries = whole(text)
    marked = parser.parse(text)
    found = list(entries)
    for group in deduplicate.group_duplicates(
        deduplicate.duplicate_keys(entry.identifiers, entry.title) if entry.kind == "paper" else [] for entry in entries
    ):
        for index, entry in zip(group, deduplicate.mark_duplicates(entries[index] for index in group), strict=True):
            found[index] = entry
    assert found == marked
    assert [entry.kind for entry in found].count("mention") == 5


@cases(
    ("sample", "form"),
    [
        ("# Papers\n@article{a, title={b}}", ""),
        ("- https://arxiv.org/abs/2305.15778", ""),
        ("a,b\n1,2", ""),
        ('{"a": 1}', ""),
        ("title;doi\nx;10.1145/3.4", "delimited"),
        ("\n\n  TY  - JOUR\n", "ris"),
    ],
)
def test_notes_are_told_from_records(sample, form):
    assert segments.record_format(sample) == form


@pytest.mark.parametrize("beginning", ["", "title,url\nA Story,https://a.example\n"])
def test_an_endless_line_is_cut_and_kept_short(monkeypatch, beginning):
    monkeypatch.setattr(segments, "MAX_SEGMENT_CHARS", 3_000)
    monkeypatch.setattr(segments, "MAX_RAW_CHARS", 100)
    reader = segments.open_reader("delimited")
    read = [segment for piece in (beginning, "a" * 4_000, "b" * 4_000) for segment in reader.feed(piece)]
    assert sum(len(entry.raw) > 100 or len(entry.text) > 100 for segment in read for entry in segment.entries) == 0
    assert read
    assert read[-1].state.offset >= len(beginning) + 3_000


@pytest.mark.parametrize("is_mapped", [False, True])
def test_a_topic_between_rows_is_that_of_the_rows_below_after_an_interruption(is_mapped):
    rows = "".join(f";{TITLE.format(number)};2020\n" for number in range(40))
    text = f"Topic;Title;Year\nConsensus;;\n{rows}Todo;;\n{rows}Storage;;\n{rows}"
    columns = find_file_columns(text) if is_mapped else None
    for stop_after in (1, 4, 8):
        assert streamed(text, 90, stop_after=stop_after, columns=columns) == whole(text)
    assert {entry.topics for entry in whole(text)} == {(), ("Consensus",), ("Storage",)}


def test_a_record_that_cannot_be_read_stays_in_the_notes_and_stops_no_other(monkeypatch):
    reading = "ingest.parser.formats.csl_json.work_of"
    raise_when(monkeypatch, reading, lambda fields: fields["title"] == TITLE.format(3), KeyError("title"))
    found = [entry for entry in streamed(csl(6), 300) if entry.kind != "blank"]
    assert [entry.kind for entry in found] == ["paper"] * 3 + ["snippet"] + ["paper"] * 2
    assert (found[3].decision, found[3].reason, TITLE.format(3) in found[3].text) == ("review", UNREAD, True)
