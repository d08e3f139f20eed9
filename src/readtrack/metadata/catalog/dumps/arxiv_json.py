"""Format of arXiv's public metadata snapshot: one JSON object per line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime

from readtrack.metadata.catalog.dumps import json_stream
from readtrack.metadata.catalog.dumps.types import DumpForm, DumpWork
from readtrack.metadata.parsing import arxiv_fields, json_fields
from readtrack.metadata.services import arxiv
from readtrack.metadata.types import DatedVersion, Metadata, Ref

_BETWEEN_NAMES = re.compile(r",\s+(?:and\s+)?|(?<!\s)\s+and\s+")
_BRACKETED = re.compile(r"(?<!\s)\s*\([^()]{0,500}\)")


def read(text: bytes) -> DumpWork | None:
    line = json_fields.as_mapping(json_stream.parse_value(text))
    key = arxiv.recognize(json_fields.short_text(line.get("id")))
    if key is None:
        raise ValueError("has no arXiv identifier")
    title = arxiv_fields.line(_text(line.get("title")))
    if not title:
        raise ValueError("has no title")
    versions = tuple(_versions(line.get("versions")))
    published = versions[0].published_at if versions and versions[0].label == "v1" else None
    record = Metadata(
        ref=Ref("arxiv", key),
        stage="preprint",
        kind="paper",
        title=title,
        authors=_authors(line),
        year=published.year if published else None,
        published_on=published.date() if published else None,
        venue=arxiv_fields.venue(_text(line.get("journal-ref"))),
        abstract=arxiv_fields.prose(_text(line.get("abstract"))),
        identifiers=arxiv_fields.find_published_dois(_text(line.get("doi")), _text(line.get("journal-ref"))),
        versions=versions,
        remark=arxiv_fields.remark(_text(line.get("comments")), _text(line.get("abstract"))),
    )
    return DumpWork(str(record.ref), record)


def is_one(line: object) -> bool:
    """Return True if a line belongs to such a snapshot."""
    return (
        isinstance(line, dict) and "id" in line and "title" in line and ("authors_parsed" in line or "authors" in line)
    )


def _text(value: object) -> str:
    return value[: json_fields.PROSE] if isinstance(value, str) else ""


def _authors(line: Mapping[str, object]) -> tuple[str, ...]:
    """Return the authors of a line.

    Structured names (family name first) are preferred to the text, from which bracketed affiliations are removed.
    """
    split_names = [part for part in json_fields.as_list(line.get("authors_parsed")) if isinstance(part, list)]
    if split_names:
        return json_fields.author_names([_name(parts) for parts in split_names])
    joined_names = _BRACKETED.sub("", arxiv_fields.line(_text(line.get("authors"))))
    return json_fields.author_names([name.strip() for name in _BETWEEN_NAMES.split(joined_names)])


def _name(parts: Sequence[object]) -> str:
    family, given, suffix = ([part if isinstance(part, str) else "" for part in parts[:3]] + ["", "", ""])[:3]
    return arxiv_fields.line(f"{given} {family} {suffix}"[: json_fields.LINE])


def _versions(value: object) -> Iterator[DatedVersion]:
    for version in json_fields.as_mappings(value):
        label = json_fields.short_text(version.get("version"))
        if label:
            yield DatedVersion(label, _moment(json_fields.short_text(version.get("created"))))


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo and 1900 < moment.year < 9000 else None


FORM = DumpForm("arxiv", "arXiv metadata snapshot", json_stream.iter_lines, read)
