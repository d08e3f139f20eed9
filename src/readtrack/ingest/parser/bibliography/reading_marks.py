"""Reading marks in the tags and the extra field of a reference manager: a status, stars, the date of reading.

Zotero has no fields for them: people tag items `/unread` or `⭐⭐⭐`, and plugins write `Read_Status: In Progress` into
the extra field.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.dates import iso_day
from readtrack.infra.text.titles.marks import rating_of, status_of
from readtrack.ingest.parser.headings.outline import topic_of

_FIELD = re.compile(r"\s*read[ _-]?status(?P<date>[ _-]?date)?\s?:\s?(?P<value>.{1,100})", re.IGNORECASE)
_SIGNS_BEFORE_TAGS = "/_#+.!@ "
_STATUSES_OF_PLUGINS = {"not reading": "dropped"}
_MAX_TOPIC_CHARS = 100


@dataclass(frozen=True)
class ReadingMarks:
    """The marks of an item. `topics`: its other tags. `extra`: the other lines of the extra field."""

    topics: tuple[str, ...] = ()
    status: str | None = None
    rating: str = ""
    read_on: str = ""
    extra: tuple[str, ...] = ()


def take_reading_marks(tags: Iterable[str], extra: str = "") -> ReadingMarks:
    """Separate the marks from the tags, and from the lines of the extra field."""
    names = [name for name in map(clean_line, tags) if name]
    lines = [line for line in map(clean_line, extra.split("\n")) if line]
    fields = {bool(match["date"]): match["value"] for line in lines if (match := _FIELD.fullmatch(line))}
    status = _status(fields.get(False, "")) or next(filter(None, map(_status, names)), None)
    return ReadingMarks(
        topics=_topics(names),
        status=status,
        rating=next(filter(None, map(rating_of, names)), ""),
        read_on=iso_day(fields.get(True, "")[:10]) if status == "read" else "",
        extra=tuple(line for line in lines if not _FIELD.fullmatch(line)),
    )


def _topics(names: Sequence[str]) -> tuple[str, ...]:
    topics = (topic_of(name)[:_MAX_TOPIC_CHARS] for name in names if not _status(name) and not rating_of(name))
    return tuple(dict.fromkeys(filter(None, topics)))


def _status(name: str) -> str | None:
    word = name.lstrip(_SIGNS_BEFORE_TAGS)
    return _STATUSES_OF_PLUGINS.get(word.casefold()) or status_of(word)
