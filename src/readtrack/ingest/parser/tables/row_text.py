"""Cells of a table row besides the title: venue, date, authors, status and remarks."""

import re
from collections.abc import Sequence
from functools import lru_cache

from readtrack.infra.text.titles.clean import clean_title, without_emphasis
from readtrack.infra.text.titles.dates import iso_date, iso_day
from readtrack.infra.text.titles.marks import rating_of, status_of
from readtrack.ingest.parser.headings.outline import topic_of
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.tables.cells import TableCell, is_nothing
from readtrack.ingest.parser.tables.columns import Columns
from readtrack.ingest.parser.vocabulary.author_names import parse_author_list
from readtrack.ingest.parser.vocabulary.venues import take_tag

_YEAR_BEHIND = re.compile(
    r"(?P<name>.{2,80}?)[\s,'’`-]{0,3}(?P<year>(?:19|20)\d\d|(?<=['’` ])\d\d)(?!\d)(?P<more>.{0,60})"
)
_TAG = re.compile(r"`([^`]{1,60})`|([^`,，、;；/|]{1,60})")
_COUNT = re.compile(r"\d{0,9}")
# number of citations, in a column "引用"
_CITED = re.compile(r"(?!(?:19|20)\d\d$)[<>≥~≈]{0,2}=?\s?\d[\d,.]{0,9}[kK+]{0,2}")
_SCORE = re.compile(r"\d{1,2}(?:\.\d{1,2})?")
_SILENT = frozenset({"number", "picture", "link", "media", "code", "title", "topic"})
_MOST_TAGS = 6
_LONGEST_VENUE = 120


def row_to_item(cells: Sequence[TableCell], columns: Columns, *, title_column: int | None = None) -> ItemText:
    """Read the details of a row. `title_column`: the column of the title."""
    values: dict[str, str] = {}
    remarks: list[str] = []
    for index, cell in enumerate(cells):
        role = columns.role(index)
        value = _value(role, cell) if role not in values else ""
        if role == "date" and not value and "venue" not in values and _venue_and_year(cell.text_without_links):
            role, value = "venue", cell.text_without_links
        if value:
            values[role] = value
        elif role not in _SILENT and index != title_column and not _COUNT.fullmatch(cell.text_without_links):
            remarks.append(_remark(columns.heading(index), role, cell.text_without_links))
    venue, year = _venue(values.get("venue", ""))
    published = values.get("date", "")
    return ItemText(
        text=" · ".join(remarks),
        venue=venue,
        year=year or (int(published) if len(published) == len("2023") else None),
        status=values.get("status"),
        authors=parse_author_list(values.get("authors", "")),
        published=published,
        read_on=values.get("read_on", ""),
        rating=values.get("rating", ""),
        abstract=values.get("abstract", ""),
    )


def tags_of(cells: Sequence[TableCell], columns: Columns) -> list[str]:
    """Return the topics in a column of tags or categories."""
    index = columns.index_of("topic")
    text = cells[index].text if index is not None and index < len(cells) and not any(cells[index].iter_links) else ""
    tags = [clean_title((tag[1] or tag[2] or "").strip(" *_#")) for tag in _TAG.finditer(text)]
    return [name for tag in tags[:_MOST_TAGS] if len(tag) > 1 and (name := topic_of(tag))]


def _value(role: str, cell: TableCell) -> str:
    """Return the value of a cell for its column's role, "" if it has another meaning."""
    if role in {"date", "read_on", "status", "rating"}:
        return _read(role, cell.text) or (
            _read(role, cell.text_without_links) if cell.text_without_links != cell.text else ""
        )
    if role in {"venue", "authors"}:
        return cell.text_without_links or " ".join(link.label or "" for link in cell.iter_links).strip()
    return cell.text_without_links if role == "abstract" else ""


@lru_cache(maxsize=512)
def _read(role: str, text: str) -> str:
    if role == "date":
        return iso_date(text)
    if role == "read_on":
        return iso_day(text)
    if role == "status":
        return status_of(text) or next(filter(None, map(status_of, text.split())), "")
    return rating_of(text) or (text if _SCORE.fullmatch(text) else "")


def _remark(heading: str, role: str, text: str) -> str:
    name, remark = heading.strip(" *_`"), without_emphasis(text)
    return remark if role == "notes" or not name else f"{name}: {remark}"


def _venue_and_year(text: str) -> bool:
    """Return True for `ICLR 2021` in a column "Year"."""
    tag = take_tag(f"({text})")
    return bool(tag.venue and tag.year and not tag.remainder)


@lru_cache(maxsize=512)
def _venue(cell: str) -> tuple[str, int | None]:
    text = " ".join(without_emphasis(cell).replace("`", " ").split())
    if is_nothing(text) or len(text) > _LONGEST_VENUE or _CITED.fullmatch(text):
        return "", None
    tag = take_tag(f"({text})")
    if tag.venue and not tag.remainder:
        return tag.venue, tag.year
    year = _YEAR_BEHIND.fullmatch(text)
    if year is None:
        return text, None
    digits = year["year"]
    name = year["name"].strip(" ,'’`-(（")
    return name or text, int(digits) + (0 if len(digits) == len("2023") else 2000)
