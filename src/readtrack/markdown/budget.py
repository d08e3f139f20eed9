"""How much work a text may make: counted as it is done, so that whatever people write, the formatting really ends.

Why so, and what a long text waits for: docs/decisions/0015-limit-rendering-by-counted-work.md. Pure.
"""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

MOST_STEPS = 60_000  # places at which the rules of Markdown look: an ordinary text of 100 kB has 15,000 to 40,000
MAX_SECONDS = 0.9  # of the processor, for what counting missed
STEP_OF_RESULT = 25  # characters of MathML that count as a step: macros may multiply
MAX_BRACKETS = 5_000  # each may start a search to the end of the text
MAX_MARKS = 3_000  # of emphasis and of addresses in one paragraph: matching them is quadratic
MAX_DEFINITIONS = 200_000  # lines that may define a link, times the lines of their paragraph
MAX_CELLS = 20_000  # of one table: short rows are filled up
LONG = 10_000  # characters from where a text is long
PATIENCE = 1.0  # seconds that a long text waits for another
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_MARKS = ("*", "_", "~", "://")
_DEFINITION = re.compile(r"^[ \t>]*\[", re.MULTILINE)
_RULE_OF_TABLE = re.compile(r"^[ \t>|:]*-[ \t>|:-]*$", re.MULTILINE)
_one_at_a_time = threading.Lock()


class BudgetExceeded(Exception):
    """A text makes more work than a person waits for."""


class RendererBusy(Exception):
    """Other long texts are being formatted; this one can be next time."""


class WorkBudget:
    """What is left of the work that one text may make."""

    def __init__(self) -> None:
        self._steps = MOST_STEPS
        self._until = time.thread_time() + MAX_SECONDS

    def step(self, count: int = 1) -> None:
        """Raises Endless when it was too much."""
        self._steps -= count
        if self._steps < 0 or (self._steps % 64 < count and time.thread_time() > self._until):
            raise BudgetExceeded


def is_tangled(text: str) -> bool:
    """Whether formatting could take longer than a person waits: some rules of Markdown are quadratic in one step."""
    if text.count("[") > MAX_BRACKETS:
        return True
    paragraphs = [paragraph for paragraph in _BLANK_LINE.split(text) if paragraph]
    if any(sum(map(paragraph.count, _MARKS)) > MAX_MARKS for paragraph in paragraphs):
        return True
    if any(_cells(paragraph) > MAX_CELLS for paragraph in paragraphs):
        return True
    return sum(map(_definition_cost, paragraphs)) > MAX_DEFINITIONS


def _definition_cost(paragraph: str) -> int:
    return len(_DEFINITION.findall(paragraph)) * (paragraph.count("\n") + 1)


def _cells(paragraph: str) -> int:
    widest = max((line.count("|") + 1 for line in _RULE_OF_TABLE.findall(paragraph)), default=0)
    return widest * (paragraph.count("\n") + 1)


@contextmanager
def render_turn(text: str) -> Iterator[None]:
    """The time in which a text is formatted; of long ones one at a time, so that the others have the processor too.

    Raises Busy when other long ones take too long.
    """
    if len(text) < LONG:
        yield
        return
    if not _one_at_a_time.acquire(timeout=PATIENCE):
        raise RendererBusy
    try:
        yield
    finally:
        _one_at_a_time.release()
