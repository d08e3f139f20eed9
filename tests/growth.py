"""Work that grows as its text does, judged by counted calls: on small texts, the same on every machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from tests.depth import DEEP

SHORT, LONG = (2_500, 10_000) if DEEP else (1_000, 4_000)  # characters
MOST = 6  # times the calls for four times the text: 4 when each part is looked at once, 16 when at each pair
FEW = 5_000  # calls that are none too many for any text


def calls_of(deed: Callable[[], Any]) -> int:
    """How many calls of functions, of ours and of Python's, it takes."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        deed()
    finally:
        sys.setprofile(None)
    return count


def assert_grows_with_its_text(read: Callable[[str], Any], text_of: Callable[[int], str]) -> None:
    """`text_of`: a text of about so many characters."""
    read(text_of(SHORT // 2))  # what is done once, as compiling patterns, is not counted
    small, large = (calls_of(lambda size=size: read(text_of(size))) for size in (SHORT, LONG))  # type: ignore[misc]
    assert large <= MOST * small + FEW, (small, large)


def repeat(begin: str, mark: str, end: str = "") -> Callable[[int], str]:
    """A text that begins and ends so, with one mark again and again."""
    return lambda size: begin + mark * (size // len(mark)) + end
