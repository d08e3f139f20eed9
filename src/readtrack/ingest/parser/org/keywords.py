"""Status words of Org headings: the usual ones, and those that a note declares with #+TODO:."""

import re
from collections.abc import Iterable, Mapping

_DECLARED = re.compile(r"#\+(?:SEQ_|TYP_)?TODO:\s{0,20}(?P<words>.{1,500})", re.IGNORECASE)
_WORD = re.compile(r"(?P<word>[^\s(|]{1,40})(?:\([^()]{0,20}\))?")
_PRIORITY = re.compile(r"\[#\w{1,2}\]")
_USUAL = {
    "to_read": "TODO INBOX NEXT PROJ TOREAD TO-READ TO_READ SOMEDAY LATER QUEUE QUEUED UNREAD NEW "
    "PLAN PLANNED MAYBE TBR IDEA",
    "reading": "READING STARTED START STRT DOING IN-PROGRESS IN_PROGRESS INPROGRESS PROGRESS CURRENT ONGOING",
    "paused": "WAITING WAIT HOLD ON-HOLD PAUSED BLOCKED PENDING SUSPENDED",
    "read": "DONE READ FINISHED COMPLETED COMPLETE SKIMMED REVIEWED SUMMARIZED ANNOTATED STUDIED CLOSED",
    "dropped": "CANCELLED CANCELED DROPPED GAVEUP ABANDONED KILL KILLED SKIP SKIPPED REJECTED WONTREAD DNF OBSOLETE",
}
_STATUS = {word: status for status, words in _USUAL.items() for word in words.split()}
# Titles may begin with these words.
_DECLARED_ONLY = frozenset(
    [
        "NEW",
        "PLAN",
        "START",
        "CURRENT",
        "COMPLETE",
        "CLOSED",
        "PROGRESS",
        "IDEA",
        "QUEUE",
    ]
)
_SMALL = frozenset(
    [
        "todo",
        "done",
        "inbox",
        "toread",
        "to-read",
        "cancelled",
        "canceled",
        "waiting",
        "unread",
        "skimmed",
    ]
)


def statuses(texts: Iterable[str]) -> dict[str, str]:
    """Return the status of each word that may begin a heading, for the note with these lines."""
    status_by_word = {word: status for word, status in _STATUS.items() if word not in _DECLARED_ONLY}
    status_by_word |= {word: _STATUS[word.upper()] for word in _SMALL}
    for text in texts:
        if text.startswith("#+") and (match := _DECLARED.fullmatch(text)):
            status_by_word |= _parse_keywords(match["words"])
    return status_by_word


def take_word(text: str, status_by_word: Mapping[str, str]) -> tuple[str, str]:
    """Return the status of a heading's first word and the rest, or "" and the whole text."""
    word, _, rest = text.partition(" ")
    status = status_by_word.get(word.removesuffix(":"))
    if status is None and _PRIORITY.match(rest) and word.isupper():
        status = _STATUS.get(word, "to_read")
    return (status, rest.lstrip()) if status else ("", text)


def _parse_keywords(text: str) -> dict[str, str]:
    """Return the status of each declared word.

    Words after the bar are done states; without a bar only the last word is.
    """
    before, bar, after = text.partition("|")
    open_words = [match["word"] for match in _WORD.finditer(before)]
    closed_words = (
        [match["word"] for match in _WORD.finditer(after)] if bar else [open_words.pop()] if open_words else []
    )
    return {word: _open_status(word) for word in open_words} | {word: _closed_status(word) for word in closed_words}


def _open_status(word: str) -> str:
    """Return the status of a word before the bar: READ there means still to be read."""
    status = _STATUS.get(word.upper(), "to_read")
    return "to_read" if status in {"read", "dropped"} else status


def _closed_status(word: str) -> str:
    return "dropped" if _STATUS.get(word.upper()) == "dropped" else "read"
