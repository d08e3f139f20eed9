"""CSV output that is safe against formula injection and can be read back unchanged."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

MEDIA_TYPE = "text/csv; charset=utf-8"
MARK = "\ufeff"  # Excel detects UTF-8 only with a byte order mark; without it, Chinese and Japanese text is garbled.
# What spreadsheet programs parse as a formula, including the leading characters they ignore. Some convert full-width
# signs to ASCII.
_RISKY = re.compile(r"'*[\s\x00]*[=+\-@＝＋－＠]|'*[\t\r]")
_MADE_HARMLESS = re.compile(rf"'(?={_RISKY.pattern})")


def escape_cell(cell: str) -> str:
    """Prefix a cell with an apostrophe if a spreadsheet program could take it for a formula."""
    return f"'{cell}" if _RISKY.match(cell) and not _is_number(cell) else cell


def unescape_cell(cell: str) -> str:
    """Remove the apostrophe added by `escape_cell`."""
    return cell[1:] if _MADE_HARMLESS.match(cell) else cell


def csv_lines(rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield rows as CSV lines (RFC 4180) with all cells escaped and quoted, starting with a byte order mark."""
    yield MARK
    for row in rows:
        line = io.StringIO()
        csv.writer(line, quoting=csv.QUOTE_ALL).writerow([escape_cell(cell) for cell in row])
        yield line.getvalue()


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", cell) is not None
