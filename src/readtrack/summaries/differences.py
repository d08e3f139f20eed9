"""Where two texts differ, line by line. Pure."""

from difflib import SequenceMatcher
from typing import NamedTuple

MOST_LINES = 1_000  # comparing more takes longer than a person waits


class Change(NamedTuple):
    """Lines that are the same in both, or what the one (`before`) and the other (`after`) have in their place."""

    same: str
    before: str
    after: str


def differences(before: str, after: str) -> list[Change]:
    """The texts cut into what is the same and what is not; long ones are one change as a whole."""
    one, other = before.split("\n"), after.split("\n")
    if max(len(one), len(other)) > MOST_LINES:
        return [Change("", before, after)]
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return [_change(tag, "\n".join(one[a:b]), "\n".join(other[c:d])) for tag, a, b, c, d in steps]


def _change(tag: str, before: str, after: str) -> Change:
    return Change(before, "", "") if tag == "equal" else Change("", before, after)
