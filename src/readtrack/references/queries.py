"""Questions about what texts name."""

from collections.abc import Sequence

from readtrack.around import Around
from readtrack.db import Read
from readtrack.discussion.mentioned import find_people


def find_around(tx: Read, texts: Sequence[str]) -> Around:
    """What these texts are shown among; the same few statements however many texts."""
    return Around(people=find_people(tx, texts))
