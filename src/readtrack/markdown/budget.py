"""How much work a text may make: counted as it is done, so that whatever people write, the formatting really ends.

Why so, and what a long text waits for: docs/decisions/0015-limit-rendering-by-counted-work.md. Pure.
"""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

MAX_STEPS = 60_000  # Rule invocations; a normal text of 100 kB has 15,000 to 40,000.
MAX_SECONDS = 0.9  # CPU seconds, for costs the counter misses.
STEP_OF_RESULT = 25  # Characters of MathML counted as one step, as macros may multiply the output.
MAX_BRACKETS = 5_000  # Each may start a search to the end of the text.
MAX_MARKS = 3_000  # Emphasis and URL marks per paragraph, whose matching is quadratic.
MAX_DEFINITIONS = 200_000  # Lines that may define a link, times the lines of their paragraph.
MAX_CELLS = 20_000  # Per table, as short rows are padded.
LONG_TEXT_CHARS = 10_000  # Minimum characters of a long text.
MAX_WAIT_SECONDS = 1.0  # Seconds a long text waits for others.
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_MARKS = ("*", "_", "~", "://")
_DEFINITION = re.compile(r"^[ \t>]*\[", re.MULTILINE)
_RULE_OF_TABLE = re.compile(r"^[ \t>|:]*-[ \t>|:-]*$", re.MULTILINE)
_one_at_a_time = threading.Lock()


class BudgetExceeded(Exception):
    """Rendering the text would take too long."""


class RendererBusy(Exception):
    """Other long texts are being rendered; a later attempt may succeed."""


class WorkBudget:
    """The remaining work budget of one text."""

    def __init__(self) -> None:
        self._steps = MAX_STEPS
        self._until = time.thread_time() + MAX_SECONDS

    def step(self, count: int = 1) -> None:
        """Count steps. Raise BudgetExceeded if the budget is used up."""
        self._steps -= count
        if self._steps < 0 or (self._steps % 64 < count and time.thread_time() > self._until):
            raise BudgetExceeded


def is_tangled(text: str) -> bool:
    """Return True if rendering may take too long, because some Markdown rules are quadratic within one step."""
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
    """Limit rendering of long texts to one at a time, so that other threads get CPU time.

    Raise RendererBusy if the wait exceeds MAX_WAIT_SECONDS.
    """
    if len(text) < LONG_TEXT_CHARS:
        yield
        return
    if not _one_at_a_time.acquire(timeout=MAX_WAIT_SECONDS):
        raise RendererBusy
    try:
        yield
    finally:
        _one_at_a_time.release()
