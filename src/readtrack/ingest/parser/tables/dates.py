"""Check of a paper's date against the month in its arXiv identifier."""

import re

from readtrack.ingest.parser.items.find_links import TextLink

_MONTH = re.compile(r"(\d\d)(\d\d)\.")
_BEFORE, _AFTER = 2, 24  # months: submitted before it was announced, published long after


def is_far(date: str, link: TextLink) -> bool:
    """Return True if the date is not the publication date but that of a reading or talk."""
    return _months_apart(date, link) not in range(-_BEFORE, _AFTER + 1)


def _months_apart(date: str, link: TextLink) -> int:
    """Return the months between date and arXiv id, 0 if unknown."""
    month = _MONTH.match(link.ref.key) if link.ref.scheme == "arxiv" else None
    if month is None or len(date) < len("2023-05"):
        return 0
    return (int(date[:4]) - 2000 - int(month[1])) * 12 + int(date[5:7]) - int(month[2])
