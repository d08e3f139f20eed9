"""A40: no pattern of the code goes over a long text again and again; judged by its steps, never by a clock."""

import sys

import pytest

from readtrack.imports.commands import read_notes
from tests.attacks.counting import FAILED, Counted, TooMany
from tests.attacks.patterns import ANYWHERE, attacks, every_pattern

pytestmark = pytest.mark.slow  # some eight hundred patterns, each with its own texts

SMALL, SHORT_TEXT, LONG_TEXT = 28, 100, 400  # characters
PATIENCE = 200_000  # steps for SMALL of them: what doubles with each character takes more
OFTEN = 8  # times that a part is repeated which may be repeated so often: what is bounded grows no further
SQUARE = 6  # times the steps for four times the text: 4 when it is looked at once, 16 when at each pair
SHORT = {  # what reads texts that are cut before: addresses, settings, words of programs
    "readtrack.sources": "addresses have at most 4,000 characters, and what services say of a paper is bounded",
    "readtrack.notes.headings.headlines": "of a line only the beginning is looked at",
    "readtrack.settings": "whoever runs readtrack writes them",
    "readtrack.demo": "the demo's own file",
    "readtrack.web.dispatch": "the routes' own paths",
}
BLANK = "readtrack.notes"  # where many blanks have become one before anything else looks


def tried(found):
    """What is put before each pattern, where it may come so far."""
    return [pair for pair in attacks(found.pattern) if pair[1].strip() or not found.module.startswith(BLANK)]


def text_of(before, seed, size):
    return before + (seed * size)[:size] + "\0!"


def spent(counted, methods, text):
    """The steps of what the code does with a pattern on that text. Raises TooMany."""
    steps = 0
    if methods & ANYWHERE or not methods & {"match", "fullmatch"}:
        counted.spans(text, limit=PATIENCE * SQUARE)
        steps += counted.steps
    for name in methods & {"match", "fullmatch"}:
        counted.match(text, limit=PATIENCE * SQUARE, full=name == "fullmatch")
        steps += counted.steps
    return steps


def grows(found, before, seed):
    """Whether its steps grow like a square or worse on such a text."""
    whole, bounded = Counted(found.pattern), Counted(found.pattern, most=OFTEN)
    try:
        if spent(whole, found.methods, text_of(before, seed, SMALL)) > PATIENCE:
            return True
        short, long = (spent(bounded, found.methods, text_of(before, seed, size)) for size in (SHORT_TEXT, LONG_TEXT))
    except TooMany:
        return True
    return long > SQUARE * short


def test_a40_the_steps_of_no_pattern_grow_like_the_square_of_its_text():
    patterns = [found for found in every_pattern() if not found.module.startswith((*SHORT,))]
    assert len(patterns) > 300
    wrong = []
    for found in patterns:
        wrong += [(found.module, found.pattern.pattern[:80], pair) for pair in tried(found) if grows(found, *pair)][:1]
    assert wrong == []


def test_what_is_counted_finds_what_the_pattern_itself_finds():
    """Of every pattern on every text: the steps that are counted are those of the machine that runs in earnest."""
    for found in every_pattern():
        counted = Counted(found.pattern)
        for before, seed in attacks(found.pattern):
            text = text_of(before, seed, 12)
            given = text.encode("latin-1", "ignore") if isinstance(found.pattern.pattern, bytes) else text
            text = given.decode("latin-1") if isinstance(given, bytes) else text
            wanted = [match.span() for match in found.pattern.finditer(given)]
            assert counted.spans(text, limit=PATIENCE) == wanted, (found.module, found.pattern.pattern, text)
            match = found.pattern.fullmatch(given)
            assert counted.match(text, limit=PATIENCE, full=True) == (match.end() if match else FAILED)


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
def test_a40_a_long_line_of_notes_takes_as_much_work_as_it_is_long(line):
    work_for_notes(line.format("a"))  # what is kept from the first time on is not counted
    for pump in PUMPS:
        short, long = (work_for_notes(line.format((pump * size)[:size])) for size in (2_000, 8_000))
        assert long < SQUARE * short, pump


def work_for_notes(text):
    """The calls that are made to read notes, and the characters of the texts that are asked something in them."""
    work = 0

    def note(_frame, event, called):
        nonlocal work
        text = getattr(called, "__self__", None) if event == "c_call" else None
        work += 1 + (len(text) if isinstance(text, str) else 0)

    sys.setprofile(note)
    try:
        read_notes(text, "Notes")
    finally:
        sys.setprofile(None)
    return work
