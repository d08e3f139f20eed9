"""Pages of virtual conferences (NeurIPS, MLSys), which write before a title in which session it was shown."""

import re
from dataclasses import replace

from readtrack.metadata.types import Metadata

_SESSION = re.compile(
    r"(?:NeurIPS|MLSys|ICML|ICLR)(?: \d{4})? (?:Expo |Invited )?"
    r"(?:Poster|Oral|Spotlight|Talk|Panel|Workshop|Tutorial)(?: Poster)?:? "
)


def without_session(said: Metadata) -> Metadata:
    """The title alone: "NeurIPS Poster A Title" is "A Title"."""
    return replace(said, title=_SESSION.sub("", said.title, count=1) or said.title)
