"""What each version changed, whatever is left of a history."""

from typing import NamedTuple

from readtrack.infra.text.diff import version_steps


class Saved(NamedTuple):
    markdown: str


def test_each_version_is_compared_with_the_one_before():
    newest, middle, oldest = Saved("c"), Saved("b"), Saved("a")
    assert [(step.version, step.first) for step in version_steps([newest, middle], oldest)] == [
        (newest, False),
        (middle, False),
    ]
    assert [step.first for step in version_steps([newest, middle, oldest], None)] == [False, False, True]


def test_a_history_with_no_versions_left_is_empty():
    assert version_steps([], None) == []
