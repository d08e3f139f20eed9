"""CSV export: one row per paper with my reading, escaped against formula injection."""

import re
from collections.abc import Iterable, Iterator, Mapping

from readtrack.infra.text import csv
from readtrack.infra.text.person_names import write_name
from readtrack.workspace.export.formats import Export, ExportPaper

COLUMNS = (
    *("id", "type", "title", "authors", "year", "published", "venue", "doi", "arxiv", "url", "topics", "status"),
    *("depth", "started", "finished", "recommendation", "progress", "reason"),
    *("added", "language", "tldr", "abstract", "citation_key", "publication_type"),
)
LIST = "; "
_PROGRESS = re.compile(r"(?P<unit>page|percent|section) (?P<at>\d{1,6})(?:/(?P<of>\d{1,6}))?")
_PARTS = re.compile("[,，、;；|/>#\"'\\[\\]]")  # separators at which other programs split topics
_ITEM = re.compile(r'"((?:[^"]|"")*)"(?:; |$)|(.*?)(?:; |$)', re.DOTALL)


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield a header line, then one line per paper."""
    yield from csv.csv_lines([COLUMNS])
    for paper in papers:
        _byte_order_mark, line = csv.csv_lines([_row(paper)])
        yield line


def _row(paper: ExportPaper) -> list[str]:
    values = {**_date_columns(paper), **_reading_columns(paper.reading or {})}
    return [values[column] for column in COLUMNS]


def _date_columns(paper: ExportPaper) -> Mapping[str, str]:
    return {
        "id": str(paper.id),
        "type": paper.kind,
        "title": paper.title,
        "authors": LIST.join(_quote_item(_author(name)) for name in paper.authors),
        "year": str(paper.year or ""),
        "published": str(paper.published_on or ""),
        "venue": paper.venue,
        "doi": paper.key("doi"),
        "arxiv": paper.key("arxiv"),
        "url": paper.address,
        "topics": LIST.join(map(_quote_topic, paper.topics)),
        "added": str(paper.added_on or ""),
        "language": paper.language,
        "tldr": LIST.join(_quote_item(f"{person}: {tldr}") for person, tldr, _ in paper.summaries if tldr),
        "abstract": paper.abstract,
        "citation_key": paper.citation_key,
        "publication_type": paper.publication_type,
    }


def split_list(cell: str) -> list[str]:
    """Return the items of a list in a cell, without quotes."""
    items = [(match[1] or "").replace('""', '"') or match[2] for match in _ITEM.finditer(cell)]
    return [item for item in items if item]


def _author(name: str) -> str:
    """Return the name so that its parts are known, except one that is escaped as a formula."""
    return write_name(name) if csv.escape_cell(name) == name else name


def _quote_topic(topic: str) -> str:
    """Quote a topic that contains separators, except one that is escaped as a formula."""
    needs_quotes = _PARTS.search(topic) and csv.escape_cell(topic) == topic
    return _quote(topic) if needs_quotes else _quote_item(topic)


def _quote_item(text: str) -> str:
    """Quote an item that cannot be told from several."""
    return _quote(text) if ";" in text or text.startswith('"') else text


def _quote(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""'))


def _reading_columns(reading: Mapping[str, object]) -> Mapping[str, str]:
    fields = {name: name for name in ("status", "depth", "recommendation", "reason")}
    fields |= {"started": "started_on", "finished": "finished_on"}
    values = {column: str(reading.get(name) or "") for column, name in fields.items()}
    return {**values, "progress": format_progress(reading.get("progress"))}


def format_progress(progress: object) -> str:
    """Return the progress as "page 7/14"."""
    if not isinstance(progress, Mapping):
        return ""
    total = f"/{progress['of']}" if progress.get("of") else ""
    return f"{progress['unit']} {progress['at']}{total}"


def parse_progress(text: str) -> dict[str, str | None] | None:
    """Return the progress in the shape of a reading. Inverse of format_progress."""
    match = _PROGRESS.fullmatch(text)
    return match.groupdict() if match else None


EXPORT = Export(csv.MEDIA_TYPE, ".csv", render)
