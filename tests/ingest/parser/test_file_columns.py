"""Delimited files by their columns: what the parser takes each for, and reading by what a person chose."""

import pytest

from readtrack.ingest import parser
from readtrack.ingest.parser import segments
from readtrack.ingest.parser.file_columns import find_file_columns
from readtrack.workspace.export.formats.csv import COLUMNS

ROWS = ["Attention Is All You Need;Ashish Vaswani;2017", "Unicron: Economizing Self-Healing Training;Tao He;2024"]
MINE = "\n".join(["My title;Who;When", *ROWS])


def columns_of(text, **options):
    columns = find_file_columns(text, **options)
    assert columns is not None
    return columns


def read(text, **chosen):
    return parser.parse(text, columns_of(text).with_fields(chosen))


@pytest.mark.parametrize(
    ("text", "names", "fields"),
    [
        (MINE, ["My title", "Who", "When"], ["title", "authors", "date"]),
        (MINE.replace(";", "\t"), ["My title", "Who", "When"], ["title", "authors", "date"]),
        (f"\ufeff{MINE}".replace(";", ","), ["My title", "Who", "When"], ["title", "authors", "date"]),
        ("Title,Title,,Yr\nA B,,x,2017\n", ["Title", "Title (2)", "Column 3", "Yr"], ["title", "title", "", "year"]),
        ("title,TITLE,Title (2)\na b,c,d\n", ["title", "TITLE (2)", "Title (2) (2)"], ["title", "title", ""]),
        ("Ｎote,Title,Note\na,b,c\n", ["Ｎote", "Title", "Note (2)"], ["", "title", "notes"]),
        ('"My\ntitle","Wer"\n"A, B",c\n"C",d\n', ["My title", "Wer"], ["authors", ""]),
        ("\n\nTitle,Citekey,Mood\nA Paper,he2024,good\n", ["Title", "Citekey", "Mood"], ["title", "citation_key", ""]),
        ("Title,Where it is\nA,https://a.org/b and more\nB,\n", ["Title", "Where it is"], ["title", "link"]),
        ("Title,Added,Nr\nA Paper,2024-01-01,7\n", ["Title", "Added", "Nr"], ["title", "", ""]),
    ],
)  # fmt: skip
def test_columns_have_unique_names_and_the_fields_that_the_parser_chose(text, names, fields):
    columns = columns_of(text)
    assert (list(columns.names), list(columns.fields)) == (names, fields)


def test_a_file_without_a_header_has_numbered_columns():
    columns = columns_of("\n".join([*ROWS, ROWS[0]]))
    assert (columns.has_header, columns.names) == (False, ("Column 1", "Column 2", "Column 3"))
    assert columns.samples == ("Attention Is All You Need", "Ashish Vaswani", "2017")


def test_a_person_says_whether_the_first_line_is_a_header():
    text = "Foo;Bar\nOne;Two\n"
    assert columns_of(text, has_header=False).names == ("Column 1", "Column 2")
    assert columns_of(text, has_header=True).names == ("Foo", "Bar")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Title",
        "Hello, world\nfoo, bar\n",
        "Some words about, a thing, here\nand more, words, typed\n",
        "- a,b,c\n- d,e,f\n",
        "| Title | Year |\n|---|---|\n| A, B | 2017 |\n",
        '{"a":1,"b":2}\n{"a":1,"b":2}\n',
        "@article{a, title={B},\n year=2017}\n",
        "Title,Year\nA Paper,2017\n" + "\n\nSome notes in words that follow.\n" * 5,
        ",".join(f"c{number}" for number in range(300)) + "\n" + "," * 299,
    ],
)
def test_other_notes_have_no_columns(text):
    assert find_file_columns(text) is None


def test_an_export_of_readtrack_is_read_by_its_names_alone():
    assert find_file_columns(",".join(COLUMNS) + "\n" + "," * (len(COLUMNS) - 1) + "\n") is None


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, ("Attention Is All You Need", ("Ashish Vaswani",), 2017, "")),
        ({"Who": "notes"}, ("Attention Is All You Need", (), 2017, "Ashish Vaswani")),
        ({"When": ""}, ("Attention Is All You Need", ("Ashish Vaswani",), None, "")),
        ({"Who": "title"}, ("Ashish Vaswani", (), 2017, "")),  # the title that the parser found gives way
    ],
)
def test_rows_are_read_by_the_chosen_columns(chosen, expected):
    entry = read(MINE, **chosen)[1]
    assert (entry.title, entry.authors, entry.year, entry.text) == expected


def test_a_column_that_is_not_used_is_not_searched_for_addresses():
    text = "Title,Where\nAttention Is All You Need,https://arxiv.org/abs/1706.03762\n"
    assert read(text)[1].identifiers == ("arxiv:1706.03762",)
    assert read(text, Where="")[1].identifiers == ()


def test_citation_keys_come_from_their_column():
    text = "Title,Citekey\nAttention Is All You Need,vaswani2017\n"
    assert parser.parse(text)[1].citation_key == read(text)[1].citation_key == "vaswani2017"


def test_a_table_that_the_parser_takes_for_text_is_read_by_the_chosen_columns():
    text = "Foo;Bar\nAttention Is All You Need;good\nUnicron: Economizing Self-Healing Training;so so\n"
    assert not columns_of(text).is_table
    header, first, second = read(text, Foo="title", Bar="notes")
    assert (header.kind, first.kind, first.title, first.text) == ("table", "paper", "Attention Is All You Need", "good")
    assert (second.first, second.last, second.raw) == (3, 3, text.splitlines()[2])


def test_every_line_of_a_mapped_file_is_in_an_entry():
    columns = columns_of("Foo;Bar\nA Title;x\n").with_fields({"Foo": "title"})
    text = '\ufeff\nFoo;Bar\n"A Title\nover lines";x\n\nA footnote without a delimiter\nLast;y;z;\n;\n'
    entries = parser.parse(text, columns)
    assert [(entry.kind, entry.first, entry.last) for entry in entries] == [
        ("blank", 1, 1), ("table", 2, 2), ("paper", 3, 4), ("blank", 5, 5), ("snippet", 6, 6), ("paper", 7, 7),
        ("blank", 8, 8),
    ]  # fmt: skip
    assert sum(parser.tally(entries).values()) == len(text.splitlines())


@pytest.mark.parametrize("header", ["My title;Who;Mood", "x"])
def test_a_long_mapped_file_in_segments_is_read_like_a_short_one(header, monkeypatch):
    monkeypatch.setattr(segments, "SEGMENT_CHARS", 20_000)
    rows = [f'"Paper {number}\nwith ; a long Title";Ada Lovelace;{number}' for number in range(1_000)]
    text = "\n".join([header] * (header != "x") + [*rows, ""])
    columns = columns_of(text, has_header=header != "x")
    names = columns.names
    columns = columns.with_fields({names[0]: "title", names[1]: "authors", names[2]: "notes"})
    reader = segments.open_reader("delimited", columns=columns)
    pieces = [text[start : start + 1_401] for start in range(0, len(text), 1_401)]
    found = [segment.entries for piece in pieces for segment in reader.feed(piece)]
    found += [segment.entries for segment in reader.close()]
    assert len(found) > 1
    assert [entry for entries in found for entry in entries] == parser.parse(text, columns)


@pytest.mark.parametrize(
    "text",
    [
        "Topic;Title;Year\nConsensus;;\n;A Paper of Ours;2017\n;;\n# Storage;;\nFiles;Another of Ours;2018\n",
        "Topic;Title;Year\n;A Paper of Ours;2017\nTopic;Title;Year\n;Another of Ours;2018\n",
        "Nr;Title;Mood\nPart One;;\n1;A Paper of Ours;good\n2;;sad\n",
        'Title,"Year\nof it",Seen at\nA Paper of Ours,2017,https://a.org/b\nAnother of Ours,2018,\n',
    ],
)
def test_columns_as_the_parser_finds_them_give_the_same_entries_when_a_person_chooses_them(text):
    assert read(text) == parser.parse(text)


def test_a_topic_between_rows_is_that_of_the_rows_below():
    entries = read("Topic;Name it;Year\nConsensus;;\n;A Paper of Ours;2017\n", **{"Name it": "title"})
    assert [(entry.kind, entry.topics) for entry in entries[1:]] == [("topic", ()), ("paper", ("Consensus",))]


def test_a_repeated_header_is_no_paper():
    text = "Foo;Bar\nA Paper of Ours;x\nFoo;Bar\n\nFoo;Bar\nAnother of Ours;y\n"
    kinds = [entry.kind for entry in read(text, Foo="title")]
    assert kinds == ["table", "paper", "table", "blank", "table", "paper"]


def test_the_domains_of_addresses_are_no_topics():
    rows = "\n".join(
        f"Caches for Engines of Size {n},https://arxiv.org/abs/2401.0000{n},arxiv.org" for n in range(1, 5)
    )
    papers = [entry for entry in parser.parse(f"title,url,domain\n{rows}") if entry.kind == "paper"]
    assert [entry.topics for entry in papers] == [()] * 4
