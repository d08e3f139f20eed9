"""How words of a drawing are measured and broken into lines."""

from readtrack.workspace.graph.text_metrics import text_width, wrap_text
from tests.tables import cases


@cases(
    ("text", "width", "lines"),
    [
        ("Caches", 60, ("Caches",)),
        ("Caches of wires", 60, ("Caches", "of wires")),
        ("Pneumonoultramicroscopic", 60, ("Pneumon", "oultrami…")),
        ("Caches", 5, ("C", "a…")),
        ("", 60, ()),
    ],
)
def test_a_text_is_broken_between_words_and_a_long_word_within(text, width, lines):
    assert wrap_text(text, width, 2) == lines


def test_a_single_character_is_shown_however_little_room_there_is():
    assert wrap_text("A", 5, 1) == ("A…",)


def test_an_accent_takes_no_room():
    assert text_width("e\u0301") == text_width("e")
