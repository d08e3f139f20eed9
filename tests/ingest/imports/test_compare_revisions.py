"""Two revisions of a note: every line of both is told once, as what it is; moves are no additions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra import i18n
from readtrack.ingest.imports.compare_revisions import (
    Fold,
    LineChange,
    compare_lines,
    fold_unchanged,
    summarize_changes,
)
from tests.depth import DEEP

LESS = 1 if DEEP else 4  # times

A, B, C = "- first of all the papers", "- https://arxiv.org/abs/2401.00002 B", "# heading"
LINES = st.lists(st.sampled_from(["", A, B, C, f"{B} and more", "x", "y", "学習", "学習 の話"]), max_size=30)


def kinds(old, new):
    return [(change.kind, change.old, change.new) for change in compare_lines(old, new).changes]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ([], [], []),
        ([A, B], [A, B], [("same", 1, 1), ("same", 2, 2)]),
        ([A], [A, B], [("same", 1, 1), ("added", None, 2)]),
        ([A, B], [B], [("removed", 1, None), ("same", 2, 1)]),
        ([A, B, C, "z"], [B, C, "z", A], [("same", 2, 1), ("same", 3, 2), ("same", 4, 3), ("moved", 1, 4)]),
        ([B, C], [f"{B} read", C], [("changed", 1, 1), ("same", 2, 2)]),
        (["- [ ] 学習の速さ"], ["- [x] 学習の速さ"], [("changed", 1, 1)]),
        ([f"{A}  "], [f"  {A}"], [("same", 1, 1)]),
        (["x", "", "y"], ["x", "", "z", "", "y"], None),
    ],
)
def test_each_line_is_reported_with_its_outcome(old, new, changes):
    if changes is not None:
        assert kinds(old, new) == changes


def test_two_different_bare_urls_are_a_removal_and_an_addition_not_a_change():
    found = kinds(["- https://arxiv.org/abs/2401.00001"], ["- https://arxiv.org/abs/2401.00002"])
    assert found == [("removed", 1, None), ("added", None, 1)]


@given(LINES, LINES)
def test_every_line_of_both_texts_is_reported_once_and_the_new_ones_in_order(old, new):
    changes = compare_lines(old, new).changes
    assert [change.new for change in changes if change.new] == list(range(1, len(new) + 1))
    assert sorted(change.old for change in changes if change.old) == list(range(1, len(old) + 1))
    for change in changes:
        if change.kind in {"same", "moved"}:
            assert old[(change.old or 0) - 1].strip() == new[(change.new or 0) - 1].strip()


@given(LINES)
def test_a_text_has_no_differences_from_itself(lines):
    assert {change.kind for change in compare_lines(lines, lines).changes} <= {"same"}


def test_a_moved_section_is_not_an_addition_and_blank_lines_do_not_count():
    section = [f"- paper number {n} of the section" for n in range(20)]
    rest = [f"- another thing, {n * n}" for n in range(100)]
    comparison = compare_lines([*section, "", *rest], [*rest, "", *section, ""])
    assert dict(comparison.counts) == {"same": 100, "moved": 20}


def test_lines_far_from_any_change_are_folded():
    old = [f"line {n}" for n in range(1, 21)]
    rows = fold_unchanged(compare_lines(old, [*old[:10], "new", *old[10:]]).changes, context_lines=2)
    assert rows[0] == Fold(1, 8)
    assert rows[3] == LineChange("added", None, 11)
    assert rows[-1] == Fold(14, 21)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({}, "no changes"),
        ({"same": 7}, "no changes"),
        ({"added": 1}, "1 added"),
        ({"added": 1200, "moved": 3, "removed": 1}, "1,200 added, 3 moved, 1 removed"),
    ],
)
def test_changes_are_summarised_in_words(counts, sentence):
    assert summarize_changes(counts) == sentence


def test_change_summaries_use_the_languages_list_separator():
    with i18n.use_language("ja"):
        assert summarize_changes({"added": 2, "moved": 3, "removed": 1}) == "追加 2行、移動 3行、削除 1行"


@pytest.mark.deep
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["x"] * (20_000 // LESS), ["x"] * (30_000 // LESS)),
        ([f"a {n}" for n in range(20_000 // LESS)], [f"a {n}" for n in range(20_000 // LESS, 0, -1)]),
        (["a", "b"] * (10_000 // LESS), ["b", "a", "c"] * (8_000 // LESS)),
        (
            [f"w{n % 97} v{n % 89}" for n in range(20_000 // LESS)],
            [f"w{n % 89} v{n % 97}" for n in range(20_000 // LESS)],
        ),
    ],
    ids=["all the same", "turned round", "few of many", "alike"],
)
def test_long_texts_of_any_kind_can_be_compared(old, new):
    assert sum(change.new is not None for change in compare_lines(old, new).changes) == len(new)
