"""Tables that are pasted, and taken away: read back they are the same, and no spreadsheet runs a cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.library.comparisons.parse_table import ComparisonGrid, as_csv, as_markdown, read_table

WANTED = ComparisonGrid(["Of", "Speed", "Why"], [["Ours", "◎", "two, fast"], ["Theirs", "△", ""]])


@pytest.mark.parametrize(
    "text",
    [
        "| Of | Speed | Why |\n|---|:-:|---|\n| **Ours** | ◎ | two, fast |\n| Theirs | △ | |\n",
        "\n Of | Speed | Why\n---|---|---\n`Ours` | ◎ | two, fast\nTheirs | △\n",
        "Of\tSpeed\tWhy\r\nOurs\t◎\ttwo, fast\r\nTheirs\t△\t\r\n",
        '\ufeffOf,Speed,Why\nOurs,◎,"two, fast"\nTheirs,△,\n',
    ],
    ids=["Markdown", "Markdown without edges", "tabs", "commas"],
)
def test_a_table_is_read_in_any_notation(text):
    grid = read_table(text)
    assert grid is not None
    assert (list(grid.columns), [list(row) for row in grid.rows]) == (WANTED.columns, WANTED.rows)


@pytest.mark.parametrize(
    "cell", ["**b**", "_x_", "`x`", "~~x~~", r"\*x*", r"\**x**", "a`|`b", "`a|b`", "**a|b**", "a\\"]
)
@pytest.mark.parametrize("taken_away", [as_markdown, as_csv])
def test_a_cell_that_looks_like_markdown_round_trips(cell, taken_away):
    back = read_table(taken_away(ComparisonGrid(["Of", cell], [[cell, ""]])))
    assert back is not None
    assert [list(back.columns), *map(list, back.rows)] == [["Of", cell], [cell, ""]]


@pytest.mark.parametrize("text", ["", "one line", "| a | b |", "a\nb\nc", "| a | b |\n|---|---|\n"])
def test_text_that_is_not_a_table_is_not_parsed_as_one(text):
    assert read_table(text) is None


written = st.characters(blacklist_categories=("Cs", "Cc", "Cn", "Zl", "Zp", "Zs"))
words = st.text(written | st.sampled_from("*_`~|\\<&$[]")).map(lambda text: text.strip("\\"))


@st.composite
def grids(draw):
    width = draw(st.integers(2, 4))
    line = st.lists(words, min_size=width, max_size=width)
    return ComparisonGrid(draw(line), draw(st.lists(line, min_size=1, max_size=4)))


@pytest.mark.deep
@given(grids(), st.sampled_from([as_markdown, as_csv]))
def test_an_exported_table_round_trips(grid, taken_away):
    back = read_table(taken_away(grid))
    assert back is not None
    assert (list(back.columns), [list(row) for row in back.rows]) == (grid.columns, grid.rows)


def test_no_cell_is_a_spreadsheet_formula_and_each_round_trips():
    grid = ComparisonGrid(["Of", "=1+1"], [["@SUM(A1)", "+cmd|' /C calc'!A0"], ["-2", "=HYPERLINK(1)"]])
    text = as_csv(grid)
    assert '"\'=1+1"' in text
    assert '"\'@SUM(A1)"' in text
    assert '"-2"' in text
    back = read_table(text)
    assert back is not None
    assert [list(row) for row in back.rows] == [["@SUM(A1)", "+cmd|' /C calc'!A0"], ["-2", "=HYPERLINK(1)"]]
