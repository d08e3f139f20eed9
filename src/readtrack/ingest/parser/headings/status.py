"""Reading status in headings for everything below: "To Read", "Papers I have read ✅", "未読"."""

import re

from readtrack.infra.text.titles.marks import status_of
from readtrack.infra.text.titles.vocabulary import NOT_IN_TEXT
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.headings.markup import name_of

_WORKS = re.compile(
    r"\b(?:papers?|articles?|that|i(?:['’]ve| have)?)\b|论文|論文|文章|文献|(?<=[读讀看])的|(?<=\w)列表|"
    r"\s?[(（]\d{1,4}[)）]",
    re.IGNORECASE,
)
_NOT_ALONE = NOT_IN_TEXT - {"queue", "backlog", "partially", "partly"} | {"inbox", "archive", "new"}
_ALSO_A_NOUN = "reading"  # treated as a noun unless another heading of the note states a status
_MAX_CHARS = 60


def stated(page: NoteDocument, name: str) -> str | None:
    """Return the status of a heading, or None if its words are ambiguous."""
    word = _word(name)
    if not word or word in _NOT_ALONE or (word == _ALSO_A_NOUN and not _has_another(page)):
        return None
    return status_of(word)


def stated_reason(name: str) -> str:
    return f"The heading “{name}” says how far what stands below is read, not what it is about; no topic is made of it."


def _word(name: str) -> str:
    return " ".join(_WORKS.sub(" ", name_of(name)).split()).casefold() if len(name) <= _MAX_CHARS else ""


def _has_another(page: NoteDocument) -> bool:
    """Return True if another heading of the note is "To read", "Done" or the like."""
    if "states" not in page.format_states:
        words = (_word(line.text.lstrip("#*")) for line in page.lines if line.text.startswith(("#", "*")))
        page.format_states["states"] = any(
            word not in _NOT_ALONE | {_ALSO_A_NOUN} and status_of(word) for word in words
        )
    return bool(page.format_states["states"])
