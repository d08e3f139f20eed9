"""A40: no pattern of the code goes over a long text again and again; judged by its steps, never by a clock."""

import sys
from zlib import crc32

import pytest

from readtrack.ingest.imports.commands import prepare_notes
from tests.attacks.counting import FAILED, Counted, TooMany
from tests.attacks.patterns import ANYWHERE, attacks, every_pattern
from tests.depth import DEEP, one_in, some
from tests.growth import calls_of

pytestmark = pytest.mark.slow  # some eight hundred patterns, each with its own texts

CALLS = 200_000  # calls in one another: some for each repeated group
SMALL, SHORT_TEXT, LONG_TEXT = (28, 100, 400) if DEEP else (28, 60, 240)  # characters
PATIENCE = 1_000_000  # steps: what doubles with each character takes more for SMALL of them
OFTEN = 8  # times that a part is repeated which may be repeated so often: what is bounded grows no further
SQUARE = 6  # times the steps for four times the text: 4 when it is looked at once, 16 when at each pair
SHORT = {  # what reads texts that are cut before: addresses, settings, words of programs
    "readtrack.metadata": "addresses have at most 4,000 characters, and answers of services are bounded",
    "readtrack.ingest.parser.headings.headlines": "of a line only the beginning is looked at",
    "readtrack.infra.config": "whoever runs readtrack writes them",
    "readtrack.cli.demo": "the demo's own file",
}
BLANK = (  # where many blanks have become one before anything else looks
    "readtrack.ingest.parser",
    *(f"readtrack.infra.text.titles.{name}" for name in ("clean", "dates", "marks", "site_suffixes", "vocabulary")),
)


@pytest.fixture(autouse=True, scope="module")
def _deep():
    """Only here: C code that trusts the limit, as JSON's, would break the stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(CALLS)
    yield
    sys.setrecursionlimit(before)


def tried(found):
    """What is put before each pattern, where it may come so far."""
    pairs = [pair for pair in attacks(found.pattern) if pair[1].strip() or not found.module.startswith(BLANK)]
    return pairs if DEEP else pairs[crc32(repr(found.pattern.pattern).encode()) % 5 :: 5]


def text_of(before, seed, size):
    return before + (seed * size)[:size] + "\0!"


def spent(counted, methods, text):
    """The steps of what the code does with a pattern on that text. Raises TooMany."""
    steps = 0
    if methods & ANYWHERE or not methods & {"match", "fullmatch"}:
        counted.spans(text, limit=PATIENCE)
        steps += counted.steps
    for name in methods & {"match", "fullmatch"}:
        counted.match(text, limit=PATIENCE, full=name == "fullmatch")
        steps += counted.steps
    return steps


def growing(found):
    """The texts on which its steps grow like a square or worse."""
    whole, bounded = Counted(found.pattern), Counted(found.pattern, most=OFTEN)
    for before, seed in tried(found):
        small, short, long = (text_of(before, seed, size) for size in (SMALL, SHORT_TEXT, LONG_TEXT))
        try:
            spent(whole, found.methods, small)
            if spent(bounded, found.methods, long) > SQUARE * spent(bounded, found.methods, short):
                yield before, seed
        except TooMany:
            yield before, seed


@pytest.mark.deep
def test_a40_no_regular_expression_backtracks_quadratically():
    patterns = [found for found in every_pattern() if not found.module.startswith((*SHORT,))]
    assert len(patterns) > 300
    tried = [found for found in patterns if one_in(2, found.module, found.pattern.pattern)]
    wrong = [(found.module, found.pattern.pattern[:80], pair) for found in tried for pair in growing(found)]
    assert wrong == []


@pytest.mark.deep
def test_the_counting_matcher_finds_the_same_matches_as_re():
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
def test_a40_a_long_line_of_notes_takes_linear_time(line):
    work_for_notes(line.format("a"))  # what is kept from the first time on is not counted
    for pump in some(PUMPS, 9):
        texts = ((pump * size)[:size] + f" {size} {LINES.index(line)} " for size in (2_000, 8_000))  # each is new
        short, long = (work_for_notes(line.format(text)) for text in texts)
        assert long < SQUARE * short, pump


def work_for_notes(text):
    """How many calls are made to read notes."""
    return calls_of(lambda: prepare_notes(text, "Notes"))
