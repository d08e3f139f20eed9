"""The history of a text on a page: which versions are shown, and which two of them are compared."""

from typing import Annotated, Any, NamedTuple

from fastapi import Depends

from readtrack.infra.text.diff.diff import DiffChange, collapse_unchanged, diff_texts
from readtrack.infra.text.diff.versions import VersionText
from readtrack.web.dependencies.forms import parse_int


class VersionRange(NamedTuple):
    """What a history is asked for: numbers of two versions, as the address says them, and where the list begins."""

    compare: str = ""
    to: str = ""
    after: str = ""

    def numbers(self, newest: int) -> tuple[int, int] | None:
        """The earlier and the later one of the two that are to be compared; with the newest when one is named."""
        if not self.compare:
            return None
        pair = sorted([parse_int(self.compare), parse_int(self.to) if self.to else newest])
        return pair[0], pair[1]


def _version_range(compare: str = "", to: str = "", after: str = "") -> VersionRange:
    return VersionRange(compare, to, after)


VersionRangeParams = Annotated[VersionRange, Depends(_version_range)]


class VersionPair(NamedTuple):
    """Two versions and how their texts differ."""

    before: Any
    after: Any
    changes: list[DiffChange]


def compare_versions(before: VersionText, after: VersionText) -> VersionPair:
    """How the second differs from the first."""
    return VersionPair(before, after, collapse_unchanged(diff_texts(before.markdown, after.markdown)))
