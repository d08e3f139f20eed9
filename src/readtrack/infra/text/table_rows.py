"""Splitting of Markdown table rows into cells."""

import re

_BAR = re.compile(r"(?<!\\)\|")


_HOLDS_BARS = re.compile(
    r"`[^`]{1,500}`|\[\[[^\[\]]{1,300}\]\]|\]\([^()\s]{1,2000}\)|\$[^$]{1,300}\$|\[[^\[\]]{1,500}\](?=\()"
)


_MAX_CELLS = 200


def split_row(row: str, width: int = 0) -> list[str]:
    """Return the cells of a row.

    If there are more than `width` cells, bars inside code, formulas and links are not treated as separators.
    """
    body = row.strip().removeprefix("|")
    body = body if body.endswith("\\|") else body.removesuffix("|")
    cells = _BAR.split(body, maxsplit=_MAX_CELLS)
    if width and len(cells) > width:
        guarded_cells = _BAR.split(_HOLDS_BARS.sub(_without_bars, body), maxsplit=_MAX_CELLS)
        cells = guarded_cells if len(guarded_cells) >= width else cells
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _without_bars(match: re.Match[str]) -> str:
    return match[0].replace("\\|", "|").replace("|", "\\|")
