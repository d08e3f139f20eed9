"""Fields of the columns of a plain table, by what their cells hold: for columns whose names say nothing."""

import re
from collections.abc import Callable, Sequence
from statistics import fmean

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.dates import YEAR, iso_date
from readtrack.infra.text.titles.marks import rating_of, status_of
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.items.find_links import find_links, is_bare
from readtrack.ingest.parser.items.title_runs import are_titles
from readtrack.ingest.parser.items.unlinked import begins_with_authors
from readtrack.ingest.parser.tables.cells import is_nothing, word_count
from readtrack.ingest.parser.vocabulary.author_names import is_name, names_in, surnames_in
from readtrack.ingest.parser.vocabulary.venues import match_venue

_SAMPLE_ROWS = 40
_MAJORITY, _MANY = 0.6, 0.3
_MIN_TITLE_WORDS = 3
_MIN_REFERENCE_CHARS, _MIN_NAMED_REFERENCE_CHARS = 60, 30
_LONG_WORD = 12  # letters
_FEW_ROWS = 4  # fewer may all be of the same people
_BESIDE_TITLES = frozenset({"venue", "year", "date", "status", "rating", "authors"})
_LISTED_NAMES = re.compile(r"[,;&、，；]|\b(?:and|et al)\b|\b[A-Z]\.")
_HOST = re.compile(r"[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}")
_PLAIN = frozenset({"year", "url", "other"})  # what a name of a column is never taken for

Rows = Sequence[Sequence[str]]


def fill_columns(columns: Sequence[str], rows: Rows) -> list[str]:
    """Return the columns, with fields by their contents for those without one. A field stands once.

    Classes, such as methods, are topics where papers share them.
    """
    filled = [_of_classes(_cells(rows, column)) if field == "class" else field for column, field in enumerate(columns)]
    for column, field in enumerate(filled):
        found = "" if field else _field_of(_cells(rows, column))
        filled[column] = field or (found if found not in filled else "")
    return filled


def find_columns(names: Sequence[str], rows: Rows) -> tuple[bool, list[str]]:
    """Return whether the first row is a header, and the columns. [] if they are not those of a list of papers.

    `names`: the field of each cell of the first row, if that is the name of a column.
    """
    body = rows[1:]
    names = without_other_references(names, body)
    columns = fill_columns([""] * len(names), body)
    fitting = [_field_of([cell]) == field for cell, field in zip(rows[0], columns, strict=False) if field]
    plain = [
        _field_of([cell]) == field for cell, field in zip(rows[0], columns, strict=False) if field in _PLAIN and cell
    ]
    differs = any(values and not any(values) for values in (fitting, plain))
    has_header = sum(map(bool, names)) > sum(fitting) or differs
    if has_header:
        columns = fill_columns(names, body)
    has_addresses = "url" in columns and all(_is_address(cell) for cell in _cells(body, columns.index("url")))
    if "reference" in columns:
        return has_header, columns
    if "title" not in columns and (title := _find_title_like_names(columns, body)) is not None:
        columns = ["title" if column == title else "" for column in range(len(columns))]
        columns = fill_columns(columns, body)
    if "title" not in columns:
        title = _find_title(columns, body, is_sure=has_addresses)
        columns = [field if column != title else "title" for column, field in enumerate(columns)]
    is_list = "title" in columns and (has_addresses or not _BESIDE_TITLES.isdisjoint(columns))
    return has_header, columns if is_list else []


def _find_title(columns: Sequence[str], rows: Rows, *, is_sure: bool) -> int | None:
    """Return the column of titles: the one with the longest words. `is_sure`: each row has an address."""
    unknown = [column for column, field in enumerate(columns) if not field]
    longest = max(unknown, key=lambda column: (_mean_words(_cells(rows, column)), -column), default=None)
    if longest is None:
        return None
    cells = _cells(rows, longest)
    if is_sure:
        are_names = [" " in cell or len(cell) > _LONG_WORD for cell in cells]
        return longest if are_names and fmean(are_names) >= _MAJORITY else None
    is_named = "venue" in columns or (bool(cells) and fmean(map(names_a_paper, cells)) > _MANY)
    is_title = are_titles(cells) or (is_named and _mean_words(cells) >= _MIN_TITLE_WORDS)
    return longest if is_title else None


def _find_title_like_names(columns: Sequence[str], rows: Rows) -> int | None:
    """Return the column of titles that look like names: `Paxos Made Simple` beside `Leslie Lamport`.

    Of two columns of names that of the authors has lists of them or initials, else the shorter ones.
    """
    if "authors" not in columns:
        return None
    cells = [_cells(rows, column) for column in range(len(columns))]
    named = [column for column in range(len(columns)) if _field_of(cells[column]) == "authors"]
    ranks = {column: (_share_of_lists(cells[column]), -_mean_words(cells[column])) for column in named}
    people, title = max(named, key=ranks.__getitem__), min(named, key=ranks.__getitem__)
    is_plain = not _share_of_lists(cells[title]) and _mean_words(cells[title]) >= _MIN_TITLE_WORDS
    is_only = people == title and "venue" in columns and "" not in columns  # no other could hold the titles
    return title if is_plain and (people != title or is_only) else None


def _share_of_lists(cells: Sequence[str]) -> float:
    """Return the share of cells with several names or initials, which titles don't have."""
    return fmean(_LISTED_NAMES.search(cell) is not None for cell in cells)


def _cells(rows: Rows, column: int) -> list[str]:
    cells = (row[column].strip() for row in rows[:_SAMPLE_ROWS] if column < len(row))
    return [cell for cell in cells if not is_nothing(cell)]


def _mean_words(cells: Sequence[str]) -> float:
    return fmean(map(word_count, cells)) if cells else 0.0


def _of_classes(cells: Sequence[str]) -> str:
    """Return the field of a column of methods or domains. The domains of addresses say nothing about papers."""
    if all(map(_HOST.fullmatch, cells)):
        return "other"
    return "topics" if _are_shared(cells) else ""


def _are_shared(cells: Sequence[str]) -> bool:
    """Return True if most rows hold what others do, as a class of papers is and people are not."""
    return len(set(cells)) < _MAJORITY * len(cells)


def _field_of(cells: Sequence[str]) -> str:
    """Return the field that most of the cells hold."""
    tests: dict[str, Callable[[str], bool]] = {
        "other": lambda cell: cell.strip(" .)#*").isdecimal() and len(cell) < len("2004"),
        "year": lambda cell: bool(iso_date(cell)),
        "status": lambda cell: status_of(cell) is not None,
        "rating": lambda cell: bool(rating_of(cell)),
        "venue": lambda cell: match_venue(cell) is not None,
        "url": _is_address,
        "authors": lambda cell: bool(names_in(cell) or is_name(cell) or surnames_in(cell)),
    }
    if cells and fmean(map(_is_reference, cells)) >= _MAJORITY:
        return "reference"
    field = next(
        (field for field, test in tests.items() if cells and sum(map(test, cells)) >= _MAJORITY * len(cells)), ""
    )
    return "" if field == "authors" and _are_shared(cells) and len(cells) >= _FEW_ROWS else field


def without_other_references(names: Sequence[str], rows: Rows) -> list[str]:
    """Return the fields of columns, "" for "reference" where the cells are others: invoices, addresses, court cases."""
    is_sure = {
        column: fmean([_is_reference(cell, _MIN_NAMED_REFERENCE_CHARS) for cell in _cells(rows, column)] or [0])
        for column, name in enumerate(names)
        if name == "reference"
    }
    return [name if is_sure.get(column, 1) >= _MAJORITY else "" for column, name in enumerate(names)]


def _is_reference(cell: str, min_chars: int = _MIN_REFERENCE_CHARS) -> bool:
    """Return True for a whole reference, with one address at most: a cell with several has several works."""
    is_long = len(cell) >= min_chars and YEAR.search(cell) is not None
    return is_long and begins_with_authors(cell, parse_citation(cell)) and len(find_links(cell)) <= 1


def _is_address(cell: str) -> bool:
    return " " not in cell and is_bare(cell, find_links(cell))
