"""A note of a folder is read as it was written, whatever its texts hold; and anything else is read without harm."""

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.text import normalize
from readtrack.ingest.markdown_folder.links import from_folder_links, to_folder_links
from readtrack.ingest.markdown_folder.note_format import parse_note, serialize_note
from readtrack.ingest.markdown_folder.notes import (
    NoteLink,
    PaperNote,
    RelatedNote,
    SummaryPart,
    TopicNote,
    assign_file_names,
    safe_name,
)
from tests.depth import examples

PIECES = st.sampled_from(
    [
        *("# Heading\n", "## Summary by Eve\n", '<!-- readtrack: {"part": "summary"} -->\n', "\\<!-- readtrack: x\n"),
        *(
            "---\n",
            "> quoted\n\n",
            "[[A topic]] ",
            "$a_b$ ",
            "- item\n",
            "```\n",
            "plain words ",
            "分散学習。",
            "\n\n",
            "--> ",
        ),
        *("*&!%@`'\"", ": - {}[] "),
    ]
)
LINE = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=4).map(
    lambda parts: " ".join(normalize.clean("".join(parts)).split())
)
TEXT = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=8).map(
    lambda parts: normalize.clean("".join(parts)).replace("\r\n", "\n").replace("\r", "\n").strip()
)
WORD = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
NAME = LINE.map(safe_name)


@pytest.mark.deep
@settings(max_examples=examples(25))
@given(
    st.builds(
        PaperNote,
        title=LINE,
        kind=WORD,
        authors=st.lists(LINE.filter(bool), max_size=3).map(tuple),
        year=st.none() | st.integers(1000, 3000),
        published=st.sampled_from(["", "2024-05-16"]),
        venue=LINE,
        language=st.sampled_from(["", "en", "zh-Hans"]),
        identifiers=st.lists(WORD.map("arxiv:{}".format), max_size=3).map(tuple),
        links=st.lists(WORD.map(lambda word: NoteLink(f"https://example.org/{word}", word)), max_size=3).map(tuple),
        topics=st.lists(NAME, max_size=3).map(tuple),
        translated_titles=st.dictionaries(WORD, LINE.filter(bool), max_size=3),
        abstract=TEXT,
        summaries=st.lists(
            st.builds(SummaryPart, LINE.filter(bool), LINE, TEXT).filter(lambda part: part.tldr or part.markdown),
            max_size=3,
        ).map(tuple),
        relations=st.lists(st.builds(RelatedNote, WORD, NAME, LINE), max_size=3).map(tuple),
    )
)
def test_a_paper_note_round_trips(paper):
    shown = PaperNote(
        **{**vars(paper), "relations": tuple(one._replace(to=f"[[{one.to}]]") for one in paper.relations)}
    )
    assert parse_note(serialize_note(shown)) == paper


@settings(max_examples=examples(25))
@given(
    st.builds(
        TopicNote,
        name=LINE.filter(bool),
        aliases=st.lists(LINE.filter(bool), max_size=3).map(tuple),
        parent=st.just("") | NAME,
        markdown=TEXT,
        links=st.lists(
            st.builds(NoteLink, WORD.map("https://example.org/{}".format), WORD, LINE, LINE), max_size=3
        ).map(tuple),
        order=st.lists(NAME, max_size=3).map(tuple),
        papers=st.lists(NAME, max_size=3).map(tuple),
    )
)
def test_a_topic_note_round_trips(topic):
    assert parse_note(serialize_note(topic)) == topic


@given(
    st.one_of(
        TEXT, TEXT.map("---\nreadtrack: paper\n{}\n---\n".format), TEXT.map("---\nreadtrack: topic\n---\n{}".format)
    )
)
def test_any_front_matter_is_parsed_safely(text):
    parse_note(text)


def test_yaml_anchors_cannot_multiply():
    bomb = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    assert parse_note(f"---\nreadtrack: paper\n{bomb}---\n") is None


def test_notes_written_by_another_program_are_ignored():
    assert parse_note("# A note\n") is None
    assert parse_note("---\ntags: [x]\n---\ntext") is None


def test_the_fields_are_readable_by_other_programs():
    note = serialize_note(PaperNote("A: title", topics=("Topic",), authors=("李雷",)))
    told = yaml.safe_load(note.split("---\n")[1])
    assert told == {
        "readtrack": "paper",
        "name": "A: title",
        "aliases": ["A: title"],
        "kind": "paper",
        "authors": ["李雷"],
        "topics": ["[[Topic]]"],
    }


@given(st.lists(st.tuples(st.integers(1, 99), LINE), max_size=8, unique_by=lambda pair: pair[0]))
def test_file_names_are_safe_and_unique(titles):
    found = assign_file_names(titles)
    assert len({name.casefold() for name in found.values()}) == len(titles)
    for name in found.values():
        assert name
        assert not set('\\/:*?"<>|#^[]\n\t') & {*name}
        assert len(name.encode()) < 140
        assert not name.startswith(".")
        assert not name.endswith((".", " "))


def test_reserved_file_names_get_a_suffix():
    assert (safe_name("CON"), safe_name("nul.x"), safe_name("../../etc"), safe_name("?")) == (
        "_CON",
        "_nul.x",
        "etc",
        "Untitled",
    )


KNOWN = {
    "gemini": "Gemini Fast recovery",
    "gemini: fast recovery": "Gemini Fast recovery",
    "checkpointing": "Checkpointing",
    "ckpt": "Checkpointing",
}
TITLES = {"Gemini Fast recovery": "Gemini: Fast recovery", "Checkpointing": "Checkpointing"}


def places(name):
    return KNOWN.get(normalize.key(name), "")


def titles(file):
    return TITLES.get(file, "")


@given(
    st.lists(
        st.sampled_from(
            [
                "[[Gemini]]",
                "[[ckpt]]",
                "[[Checkpointing]]",
                "[[Gemini: Fast recovery]]",
                "[[checkpointing]]",
                "[[nobody]]",
                "[[Nobody|x]]",
                " and ",
                "。",
            ]
        )
    )
)
def test_links_point_to_files_and_round_trip(parts):
    text = "".join(parts)
    out = to_folder_links(text, places)
    assert from_folder_links(out, titles, places) == text


def test_a_link_with_its_own_text_round_trips_to_the_same_target():
    assert to_folder_links("[[Gemini|that one]]", places) == "[[Gemini Fast recovery|that one]]"
    assert (
        from_folder_links("[[Gemini Fast recovery|that one]]", titles, places) == "[[Gemini: Fast recovery|that one]]"
    )
    assert from_folder_links("[[Gemini Fast recovery]]", titles, places) == "[[Gemini: Fast recovery]]"
