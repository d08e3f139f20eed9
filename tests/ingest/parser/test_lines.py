"""Where lines end, and what is seen of them."""

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest import parser
from readtrack.ingest.parser.lines import split


def test_lines_end_at_lf_crlf_and_cr_only():
    text = "a\nb\r\nc\rd\x0be\x0cf\x85g\u2028h\u2029i\x1cj"
    assert [line.raw for line in split(text)] == ["a", "b", "c", "d\x0be\x0cf\x85g\u2028h\u2029i\x1cj"]


def test_a_final_line_ending_starts_no_further_line():
    assert [len(split(text)) for text in ("", "a", "a\n", "\n", "a\n\n", "\r\n", "\n\r")] == [0, 1, 1, 1, 2, 1, 2]


def test_invisible_characters_are_removed_from_the_text_but_stay_in_the_raw_line():
    (line,) = split("\ufeff\u202ePa\x00per\u200b\u3000one\u00a0\u2028two\ud800")
    assert line.text == "Paper one two\ufffd"
    assert line.raw.startswith("\ufeff\u202e")


def test_indentation_counts_columns_of_tabs_and_wide_spaces():
    assert [split(text)[0].indent for text in ("a", "  a", "\ta", " \ta", "\u3000a", "\ufeff a")] == [0, 2, 4, 4, 2, 1]


def test_cleaning_is_idempotent():
    messy = " \u202eA\t\tB \u200e\u00a0 C "
    assert clean_line(clean_line(messy)) == clean_line(messy) == "A B C"


def test_lines_that_a_template_leaves_out_are_not_read():
    text = "{% if false %}\n## Groups\n{% endif %}\n{% comment %}\n## Wires\n{% endcomment %}\n## Caches\n"
    assert [entry.title for entry in parser.parse(text) if entry.kind == "topic"] == ["Caches"]
