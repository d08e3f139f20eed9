"""Cells that leave for spreadsheets: none of them is run there as a formula, and each is read back as it was. Pure."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

MEDIA_TYPE = "text/csv; charset=utf-8"
MARK = "\ufeff"  # without it Excel takes UTF-8 for something else, and Chinese and Japanese for noise
# What programs take for a formula, with what they overlook before it; full-width signs are turned into narrow ones.
_RISKY = re.compile(r"'*[\s\x00]*[=+\-@＝＋－＠]|'*[\t\r]")
_MADE_HARMLESS = re.compile(rf"'(?={_RISKY.pattern})")


def escape_cell(cell: str) -> str:
    """The cell as text for every spreadsheet: an apostrophe before what one might take for a formula."""
    return f"'{cell}" if _RISKY.match(cell) and not _is_number(cell) else cell


def unescape_cell(cell: str) -> str:
    """The cell before it was made harmless."""
    return cell[1:] if _MADE_HARMLESS.match(cell) else cell


def csv_lines(rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Rows as lines of CSV (RFC 4180), every cell harmless and in quotes; begins with a byte order mark."""
    yield MARK
    for row in rows:
        line = io.StringIO()
        csv.writer(line, quoting=csv.QUOTE_ALL).writerow([escape_cell(cell) for cell in row])
        yield line.getvalue()


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", cell) is not None
