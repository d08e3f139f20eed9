"""A40: no pattern of the code goes over a long text again and again; judged by how its time grows, never by a clock."""

import time

import pytest

from readtrack.imports.commands import read_notes
from tests.attacks.patterns import attacks, every_pattern

pytestmark = pytest.mark.slow  # some eight hundred patterns, each with its own texts

SMALL, MORE, LARGE = 28, 800, 3_200  # characters
SUSPECT = 0.001  # seconds for MORE of them: far above what one look at each takes, far below a look at each pair
SQUARE = 10  # times the time for four times the text: 4 when it is looked at once, 16 when at each pair
SHORT = {  # what reads texts that are cut before: addresses, settings, words of programs
    "readtrack.sources": "addresses have at most 4,000 characters, and what services say of a paper is bounded",
    "readtrack.notes.headings.headlines": "of a line only the beginning is looked at",
    "readtrack.settings": "whoever runs readtrack writes them",
    "readtrack.demo": "the demo's own file",
    "readtrack.web.dispatch": "the routes' own paths",
}
BLANK = "readtrack.notes"  # where many blanks have become one before anything else looks


def spent(found, text):
    begin = time.process_time()
    found.run(text)
    return time.process_time() - begin


def grows(found, before, seed):
    """Whether its time grows like a square or worse on such a text."""
    for size in (SMALL, 2 * SMALL):
        if spent(found, text_of(before, seed, size)) > 100 * SUSPECT:
            return True
    short = spent(found, text_of(before, seed, MORE))
    if short < SUSPECT or spent(found, text_of(before, seed, LARGE)) < SQUARE * short:
        return False
    short, long = (min(spent(found, text_of(before, seed, size)) for _ in range(3)) for size in (MORE, LARGE))
    return long > SQUARE * short


def text_of(before, seed, size):
    return before + (seed * size)[:size] + "\0!"


def test_a40_the_time_of_no_pattern_grows_like_the_square_of_its_text():
    wrong = []
    patterns = [found for found in every_pattern() if not found.module.startswith((*SHORT,))]
    assert len(patterns) > 300
    for found in patterns:
        tried = [pair for pair in attacks(found.pattern) if pair[1].strip() or not found.module.startswith(BLANK)]
        wrong += [(found.module, found.pattern.pattern[:80], pair) for pair in tried if grows(found, *pair)][:1]
    assert wrong == []


PUMPS = [
    "<br>",
    "a.",
    "[a](",
    "(",
    "[",
    "*",
    "`",
    "|",
    "- ",
    "a, ",
    "and ",
    "et al. ",
    ": ",
    "http://a ",
    "<a ",
    "$",
    "~",
    " ",
]
LINES = [
    "{}x",
    "- [t](https://arxiv.org/abs/2401.00001) {}x",
    "| Title | Link |\n|---|---|\n| {}x | https://arxiv.org/abs/2401.00001 |",
]


@pytest.mark.parametrize("line", LINES)
def test_a40_a_long_line_of_notes_takes_as_long_as_it_is(line):
    for pump in PUMPS:
        short, long = (timed_notes(line.format((pump * size)[:size])) for size in (5_000, 20_000))
        assert long < max(SQUARE * short, 1), pump


def timed_notes(text):
    begin = time.process_time()
    read_notes(text, "Notes")
    return time.process_time() - begin
