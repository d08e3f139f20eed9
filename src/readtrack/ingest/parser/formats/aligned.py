"""Tables typed with spaces: the cells of a column begin below each other, possibly under a line of dashes.

They are found by their gutters, columns of spaces that go through all lines of a paragraph.
"""

import re
from collections.abc import Iterator, Sequence

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.formats.delimited import read_rows
from readtrack.ingest.parser.reasons import TABLE_MARKUP

_GAP = re.compile(r"\S {2,}\S")
_RULE = re.compile(r"\s*(?:[-=─]{5,}|[-=─]{2,}(?:\s+[-=─]{2,})+)\s*")  # whole, or with a part for each column
_MIN_ROWS, _MAX_ROWS, _MAX_CHARS = 3, 2000, 500
_GUTTER = 2  # characters
_MIN_COLUMNS = 2


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    raw = page.lines[start].raw
    if "  " not in raw or page.text(start - 1) or not _GAP.search(raw[:_MAX_CHARS]):
        return None
    indexes = [*_iter_lines(page, start)]
    rules = [index for index in indexes if _RULE.fullmatch(page.lines[index].raw)]
    texts = {index: page.lines[index].raw.expandtabs(8) for index in indexes if index not in rules}
    starts = _find_column_starts([*texts.values()]) if len(texts) >= _MIN_ROWS else []
    if len(starts) < _MIN_COLUMNS:
        return None
    rows = [(index, index + 1, _split_cells(text, starts)) for index, text in texts.items()]
    block = read_rows(page, rows, " ")
    if block is None:
        return None
    skipped = (skip_lines(page, index, index + 1, TABLE_MARKUP, "table").entries[0] for index in rules)
    entries = sorted([*block.entries, *skipped], key=lambda entry: (entry.first, entry.part))
    return EntryBlock(indexes[-1] + 1 - start, entries)


def _iter_lines(page: NoteDocument, start: int) -> Iterator[int]:
    for index in range(start, min(start + _MAX_ROWS, len(page.lines))):
        if not page.text(index) or len(page.lines[index].raw) > _MAX_CHARS or page.text(index).startswith(("|", "```")):
            return
        yield index


def _find_column_starts(texts: Sequence[str]) -> list[int]:
    """Return where the columns begin: behind spaces that go through all lines, two or more wide."""
    width = max(map(len, texts))
    is_free = [all(text[column : column + 1] in {"", " "} for text in texts) for column in range(width)]
    first = is_free.index(False)
    gutters = (column for column in range(first + _GUTTER, width) if all(is_free[column - _GUTTER : column]))
    return [first, *(column for column in gutters if not is_free[column])]


def _split_cells(text: str, starts: Sequence[int]) -> list[str]:
    return [text[begin:end].strip() for begin, end in zip(starts, [*starts[1:], None], strict=True)]


SHAPE = Shape("aligned", 26, read)
