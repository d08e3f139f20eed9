"""Tables with the fields of one paper, as labelled lines: `| **Title** | A Story |` becomes `Title: A Story`."""

import re
from collections.abc import Iterator, Sequence

from readtrack.infra.text.table_rows import split_row
from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.ingest.parser.headings.vocabulary import key_of
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.reasons import TABLE_HEADER
from readtrack.ingest.parser.vocabulary.author_names import names_in

_RULE = re.compile(r"\|(?:\s?:?-{1,200}:?\s?\|){2}")
_EMPHASIS = " *_`:："
_CELLS = 2
_MIN_FIELDS, _MIN_FIELDS_WITH_ADDRESS = 3, 2
_NAMES_WORK = frozenset({"title", "paper"})
_NAMES_OF_COLUMN = frozenset({"value", "values", "entry", "content", "details", "内容", "值", "値", "详情"})


def convert_field_tables(texts: list[str]) -> dict[int, str]:
    """Convert the rows of such tables, and return the reasons why the other lines of them say nothing."""
    asides: dict[int, str] = {}
    for start, end in _iter_tables(texts):
        rows = {index: split_row(texts[index]) for index in range(start, end) if not _RULE.fullmatch(texts[index])}
        if start not in rows or any(len(cells) != _CELLS for cells in rows.values()):
            continue
        names = {index: cells[0].strip(_EMPHASIS) for index, cells in rows.items()}
        if _is_header(*rows[start]):
            del names[start]
        if not _tells_a_paper([(name, rows[index][1]) for index, name in names.items()]):
            continue
        for index in range(start, end):
            texts[index] = f"{names[index]}: {rows[index][1]}" if names.get(index) else ""
            if not texts[index]:
                asides[index] = TABLE_HEADER
    return asides


def _is_header(name: str, value: str) -> bool:
    """Return True for the names of columns: `Feature | Value`, `Title | Author`."""
    value = value.strip(_EMPHASIS)
    return not key_of(name.strip(_EMPHASIS)) or value.casefold() in _NAMES_OF_COLUMN or bool(key_of(value))


def _tells_a_paper(rows: Sequence[tuple[str, str]]) -> bool:
    """Return True for the fields of one paper: its title, with an address, authors or the words of one."""
    fields = [(key, value) for name, value in rows if (key := key_of(name))]
    values = dict(fields)
    if len(values) < len(fields) or _NAMES_WORK.isdisjoint(values):
        return False
    has_address = any(map(find_links, values.values()))
    title = next(values[key] for key in ("title", "paper") if key in values)
    is_sure = has_address or names_a_paper(title) or bool(names_in(values.get("authors", "")))
    return is_sure and len(fields) >= (_MIN_FIELDS_WITH_ADDRESS if has_address else _MIN_FIELDS)


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
