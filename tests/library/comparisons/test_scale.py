"""Which signs cells begin with, what legends say of them, in what order they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.library.comparisons.scale import (
    KNOWN,
    build_scale,
    find_leading_sign,
    find_scale_position,
    normalize_sign,
    parse_legend,
)

LEGEND = "**凡例**: ◎ 優秀、◯ 良好、△ 限定的、✕ 非対応・不向き"


@pytest.mark.parametrize(
    ("cell", "sign"),
    [
        ("◎（デフォルト）", "◎"),
        ("△", "△"),
        ("× not at all", "×"),
        ("★★☆ good enough", "★★☆"),
        ("Yes", "Yes"),
        ("-", "-"),
        ("－", "－"),
        ("++", "++"),
        ("nothing", ""),
        ("yesterday", ""),
        ("-5 %", ""),
        ("+12", ""),
        ("- see below", ""),
        ("", ""),
        ("fast ◎", ""),
    ],
)
def test_a_cell_starts_with_a_symbol_or_has_none(cell, sign):
    assert find_leading_sign(cell) == sign


@pytest.mark.parametrize(
    ("one", "other"),
    [("◯", "○"), ("〇", "○"), ("×", "✕"), ("✗", "✕"), ("✔️", "✓"), ("YES", "yes"), ("★★☆", "★★"), ("−", "-")],
)
def test_symbols_that_look_alike_are_equal(one, other):
    assert normalize_sign(one) == normalize_sign(other)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (LEGEND, {"◎": "優秀", "◯": "良好", "△": "限定的", "✕": "非対応・不向き"}),
        ("◎: excellent, ○: good, -: not tested", {"◎": "excellent", "○": "good", "-": "not tested"}),
        ("> ✓ = yes; ✗ = no", {"✓": "yes", "✗": "no"}),
        ("Here ◎ and ○ are used.", {}),
        ("◎ is one sign only", {}),
        ("Key - value", {}),
        ("", {}),
    ],
)
def test_a_legend_defines_symbols_and_other_lines_do_not(line, said):
    assert parse_legend(line) == said


def test_the_scale_has_the_order_and_words_of_the_legend():
    assert build_scale(["△（難）", "◎"], {"✕": "poor", "△": "fair", "◎": "fine"}) == [
        ("✕", "poor"),
        ("△", "fair"),
        ("◎", "fine"),
    ]


def test_without_a_legend_the_best_comes_first():
    assert [sign for sign, _ in build_scale(["✕", "-", "△ hard", "◎"], {})] == ["◎", "△", "✕", "-"]
    assert [sign for sign, _ in build_scale(["★", "★★★", "★★☆"], {})] == ["★★★", "★★", "★"]


def test_dashes_and_words_alone_are_not_a_scale():
    assert build_scale(["-", "fast", "slow", "12"], {}) == []


def test_a_symbol_invented_by_the_team_is_a_symbol():
    scale = [("A", "first"), ("B", "")]
    assert (find_leading_sign("A", scale), find_leading_sign("B", scale), find_leading_sign("Apple", scale)) == (
        "A",
        "B",
        "",
    )
    assert find_scale_position(scale, find_leading_sign("B", scale)) == 1


@given(st.lists(st.sampled_from([*KNOWN, "★★", "words", ""])))
def test_every_symbol_of_a_cell_is_on_its_scale_once(cells):
    scale = build_scale(cells, {})
    for cell in cells:
        assert (
            not scale or not find_leading_sign(cell) or find_scale_position(scale, find_leading_sign(cell)) is not None
        )
    assert len({normalize_sign(sign) for sign, _ in scale}) == len(scale)
