"""Tables with the fields of one paper, as labelled lines: `| **Title** | A Story |` becomes `Title: A Story`."""

import re
from collections.abc import Iterator

from readtrack.infra.text.table_rows import split_row
from readtrack.ingest.parser.headings.vocabulary import key_of
from readtrack.ingest.parser.reasons import TABLE_HEADER

_RULE = re.compile(r"\|(?:\s?:?-{1,200}:?\s?\|){2}")
_EMPHASIS = " *_`:："
_CELLS = 2
_MIN_FIELDS = 2
_NAMES_WORK = frozenset({"title", "paper"})


def convert_field_tables(texts: list[str]) -> dict[int, str]:
    """Convert the rows of such tables, and return the reasons why the other lines of them say nothing."""
    asides: dict[int, str] = {}
    for start, end in _iter_tables(texts):
        rows = {index: split_row(texts[index]) for index in range(start, end) if not _RULE.fullmatch(texts[index])}
        if start not in rows or any(len(cells) != _CELLS for cells in rows.values()):
            continue
        names = {index: cells[0].strip(_EMPHASIS) for index, cells in rows.items()}
        keys = [key for name in names.values() if (key := key_of(name))]
        has_header = not key_of(names[start]) or bool(key_of(rows[start][1].strip(_EMPHASIS)))
        if len(keys) < _MIN_FIELDS or len(set(keys)) < len(keys) or _NAMES_WORK.isdisjoint(keys):
            continue
        for index in range(start, end):
            is_field = index in rows and names[index] and not (index == start and has_header)
            texts[index] = f"{names[index]}: {rows[index][1]}" if is_field else ""
            if not is_field:
                asides[index] = TABLE_HEADER
    return asides


def _iter_tables(texts: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each table with two columns, and the line after it."""
    index = 1
    while index < len(texts):
        if not (texts[index].startswith("|") and _RULE.fullmatch(texts[index]) and texts[index - 1].startswith("|")):
            index += 1
            continue
        start = index - 1
        while index < len(texts) and texts[index].startswith("|"):
            index += 1
        yield start, index
