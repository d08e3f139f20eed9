"""Two texts that began from the same one: what does not touch comes together, what does is never decided silently."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.diff import conflict_text, merge_texts, merged_text
from tests.depth import some

PIECES = [
    "a",
    "b",
    "",
    "",
    "Saves often enough. It restarts fast. What of the cost?",
    "頻繁に保存する。再開は速い。",
    "- x",
    "e.g. y",
]
TEXT = st.lists(st.sampled_from(PIECES), max_size=8).map("\n".join)
LINES = st.lists(st.integers(0, 3).map(lambda number: f"line {number}"), min_size=1, max_size=6)
ONE, TWO, THREE = "It saves often enough. ", "It restarts very fast. ", "What it costs is open."


def together(base, theirs, mine):
    return merged_text(merge_texts(base, theirs, mine))


@pytest.mark.parametrize(
    ("base", "theirs", "mine", "result"),
    [
        ("a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"),
        ("a\n\nb", "A\n\nb", "a\n\nB", "A\n\nB"),
        ("a\nb", "A\nb", "a\nb\nc", "A\nb\nc"),
        ("a\nb\nc", "b\nc", "a\nb\nc\nd", "b\nc\nd"),
        ("a\nb", "a\nc", "a\nc", "a\nc"),
        (ONE + TWO + THREE, ONE.upper() + TWO + THREE, ONE + TWO + THREE.upper(), ONE.upper() + TWO + THREE.upper()),
    ],
    ids=["lines", "paragraphs", "written on", "one gone, one new", "the same", "sentences of one paragraph"],
)
def test_non_overlapping_edits_merge(base, theirs, mine, result):
    assert together(base, theirs, mine) == result == together(base, mine, theirs)


@pytest.mark.parametrize(
    ("base", "theirs", "mine"),
    [
        ("a", "b", "c"),
        ("", "a", "b"),
        ("a\nb", "A\nb", "a\nB"),
        ("a\nb", "a\nx\nb", "a\ny\nb"),
        ("a\nb\nc", "a\nc", "a\nB\nc"),
        (ONE + TWO, ONE.upper() + TWO, ONE + TWO.upper()),
        ("See J. R. R. Tolkien, e.g. this one", "See K. R. R. Tolkien, e.g. this one", "See J. R. R. Tolkien, e.g. no"),
    ],
    ids=["all", "begun twice", "neighbours", "same place", "gone and changed", "neighbouring sentences", "initials"],
)
def test_overlapping_edits_conflict(base, theirs, mine):
    assert together(base, theirs, mine) is None


@given(base=TEXT, text=TEXT)
def test_an_unchanged_side_changes_nothing(base, text):
    assert together(base, text, base) == together(base, base, text) == together(base, text, text) == text


@given(base=TEXT, theirs=TEXT, mine=TEXT)
def test_the_order_of_the_sides_does_not_matter(base, theirs, mine):
    assert together(base, theirs, mine) == together(base, mine, theirs)


@given(base=TEXT, theirs=TEXT, mine=TEXT)
def test_all_three_texts_can_be_reconstructed_from_the_parts(base, theirs, mine):
    parts = merge_texts(base, theirs, mine)
    for which, text in enumerate((base, theirs, mine)):
        assert "".join(part[:3][which] for part in parts) == f"{text}\n"


@given(base=LINES, theirs=LINES, mine=LINES)
def test_every_edited_line_is_in_the_merge_or_in_a_conflict(base, theirs, mine):
    """Lines of an edit are numbered by whom, so that the base has none of them."""
    texts = [
        "\n".join(base),
        *(
            "\n".join(f"{who} {line}" if line == "line 0" else line for line in lines)
            for who, lines in (("theirs", theirs), ("mine", mine))
        ),
    ]
    parts = merge_texts(*texts)
    came = "".join(part.merged or "" for part in parts)
    clashed = "".join(part.theirs + part.mine for part in parts if part.merged is None)
    for text in texts[1:]:
        assert {line for line in text.split("\n") if line.startswith(("theirs", "mine"))} <= {
            *came.split("\n"),
            *clashed.split("\n"),
        }


@given(base=TEXT, theirs=TEXT, mine=TEXT)
def test_the_text_for_manual_merging_contains_both_sides(base, theirs, mine):
    parts = merge_texts(base, theirs, mine)
    text = conflict_text(parts, ["[theirs]", "[mine]", "[end]"])
    clashes = [part for part in parts if part.merged is None]
    assert text.count("[theirs]") == text.count("[mine]") == text.count("[end]") == len(clashes)
    assert all(part.theirs in f"{text}\n" and part.mine in f"{text}\n" for part in clashes)


def test_conflict_markers_are_on_their_own_lines():
    parts = merge_texts(ONE + TWO + THREE, ONE + TWO + "Who pays for it?", ONE + TWO + "Who says so?")
    assert conflict_text(parts, ["[A]", "[B]", "[end]"]) == (
        f"{ONE}{TWO}\n[A]\nWho pays for it?\n[B]\nWho says so?\n[end]"
    )


@pytest.mark.parametrize(
    "texts",
    some(
        [
            ["a b. " * 20_000, "b a. " * 20_000, "c a. " * 20_000],
            ["\n" * 100_000, "a\n" * 50_000, "b\n\n" * 33_000],
            ["." * 100_000, ". " * 50_000, "。" * 33_000],
            *(
                ["\n\n".join(f"{who} {number}" for number in range(9_000)) for who in whose]
                for whose in ("abc", "aab", "aaa")
            ),
        ],
        3,
    ),
)
def test_merging_long_texts_terminates(texts):
    parts = merge_texts(*texts)
    assert "".join(part.mine for part in parts) == f"{texts[2]}\n"
