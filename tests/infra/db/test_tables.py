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


def test_every_row_runs_though_the_ones_before_it_failed():
    def one(word, number):
        raise AssertionError((word, number))

    seen = Seen()
    cases("word, number", [("a", 1), ("b", 2)])(one)(seen)
    assert seen.names == ["a | 1", "b | 2"]


@pytest.mark.parametrize(
    ("how", "names"),
    [({}, ["first", "second"]), ({"ids": ["A", "B"]}, ["A", "B"]), ({"ids": len}, ["5", "6"])],
)
def test_a_case_is_called_by_its_values_or_as_the_table_says(how, names):
    seen, given = Seen(), []

    def note(word):
        given.append(word)

    cases("word", ["first", pytest.param("second")], **how)(note)(seen)
    assert (seen.names, given) == (names, ["first", "second"])


def test_fixtures_are_given_to_each_case():
    given = []
    cases("word", "ab")(lambda word, here: given.append((word, here)))(Seen(), here="there")
    assert given == [("a", "there"), ("b", "there")]


def test_a_table_without_a_case_is_a_mistake():
    with pytest.raises(AssertionError, match="tests nothing"):
        cases("word", [])
