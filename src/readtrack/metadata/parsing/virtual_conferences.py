"""Cleanup of titles from virtual conference pages (NeurIPS, MLSys), which prepend the session."""

import re
from dataclasses import replace

from readtrack.metadata.types import Metadata

_SESSION = re.compile(
    r"(?:NeurIPS|MLSys|ICML|ICLR)(?: \d{4})? (?:Expo |Invited )?"
    r"(?:Poster|Oral|Spotlight|Talk|Panel|Workshop|Tutorial)(?: Poster)?:? "
)


def without_session(record: Metadata) -> Metadata:
    """Remove the session: "NeurIPS Poster A Title" becomes "A Title"."""
    return replace(record, title=_SESSION.sub("", record.title, count=1) or record.title)
