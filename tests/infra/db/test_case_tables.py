"""Each case of a table runs, under a name of its own."""

from contextlib import suppress

import pytest

from tests.tables import cases


class Seen:
    """In the place of the fixture `subtests`: remembers names, and goes on after a case that fails."""

    def __init__(self):
        self.names = []

    def test(self, name, **_):
        self.names.append(name)
        return suppress(AssertionError)


def test_every_row_runs_although_earlier_ones_failed():
    def one(word, number):
        raise AssertionError((word, number))

    seen = Seen()
    cases("word, number", [("a", 1), ("b", 2)])(one)(seen)
    assert seen.names == ["a | 1", "b | 2"]


@pytest.mark.parametrize(
    ("how", "names"),
    [({}, ["first", "second"]), ({"ids": ["A", "B"]}, ["A", "B"]), ({"ids": len}, ["5", "6"])],
)
def test_a_case_that_fails_is_named_after_its_values_or_as_the_table_says(how, names):
    seen, given = Seen(), []

    def note(word):
        given.append(word)
        raise AssertionError

    cases("word", ["first", pytest.param("second")], **how)(note)(seen)
    assert (seen.names, given) == (names, ["first", "second"])


def test_each_case_gets_its_fixtures():
    given = []
    cases("word", "ab")(lambda word, here: given.append((word, here)))(Seen(), here="there")
    assert given == [("a", "there"), ("b", "there")]


def test_a_table_without_cases_is_an_error():
    with pytest.raises(AssertionError, match="tests nothing"):
        cases("word", [])
