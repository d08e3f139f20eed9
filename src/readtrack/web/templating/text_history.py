"""The history of a text on a page: which versions are shown, and which two of them are compared."""

from typing import Annotated, Any, NamedTuple

from fastapi import Depends

from readtrack.infra.text.diff.diff import Change, differences, shortened
from readtrack.infra.text.diff.versions import Version
from readtrack.web.dependencies.forms import whole


class Wanted(NamedTuple):
    """What a history is asked for: numbers of two versions, as the address says them, and where the list begins."""

    compare: str = ""
    to: str = ""
    after: str = ""

    def numbers(self, newest: int) -> tuple[int, int] | None:
        """The earlier and the later one of the two that are to be compared; with the newest when one is named."""
        if not self.compare:
            return None
        pair = sorted([whole(self.compare), whole(self.to) if self.to else newest])
        return pair[0], pair[1]


def _asked(compare: str = "", to: str = "", after: str = "") -> Wanted:
    return Wanted(compare, to, after)


Asked = Annotated[Wanted, Depends(_asked)]


class Pair(NamedTuple):
    """Two versions and how their texts differ."""

    before: Any
    after: Any
    changes: list[Change]


def compared(before: Version, after: Version) -> Pair:
    """How the second differs from the first."""
    return Pair(before, after, shortened(differences(before.markdown, after.markdown)))
