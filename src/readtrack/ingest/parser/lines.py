"""Notes as lines: line ends, indentation, and the text of a line that says nothing about others.

Only the `text` of a line is changed; `raw` stays verbatim.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS
from readtrack.ingest.parser.headings.vocabulary import FIELD_NAMES

LINE_END = re.compile(r"\r\n|\n|\r")
_SHORTCODES = {"star": "⭐", "star2": "🌟", "fire": "🔥", "white_check_mark": "✅", "heavy_check_mark": "✔"}
_SHORTCODE = re.compile(rf"(?<![\w/]):(?P<code>{'|'.join(_SHORTCODES)}):(?![\w/])")  # not in an address or Org's tags
_TAB_WIDTH = 4
_WIDTH = {"│": 1, " ": 1, "\t": _TAB_WIDTH, "\u00a0": 1, "\u3000": 2, "\ufeff": 0}
# `**<details><summary>Title**</summary>`
_BOLD_FOLD = re.compile(r"^\s{0,3}\*\*(?=<details)|(?<=<summary>)\*\*|\*\*(?=</summary>)")
_QUOTED_ITEM = re.compile(r">\s?(?=\s{0,12}(?:[-*+]|\d{1,3}[.)])\s)")  # `> - Title`: an item all the same
_BREAK_LAST = re.compile(r"(?<=[^\s>])\s?</?br\s?/?>$", re.IGNORECASE)
# A field in two columns: `TITLE<tab>Attention Is All You Need`.
_TABBED_FIELD = re.compile(r"\s*(?P<name>[^\W\d_][^\t:：|]{0,30}?)[ ]*\t+\s*(?P<value>[^\s\t][^\t]*)")
# The same with a dash or a wide gap, which is one if several lines have it: `Paper - Attention Is All You Need`.
_DASHED_FIELD = re.compile(
    r"\s*(?P<mark>(?:[-*+•]\s+)?)(?P<name>[^\W\d_][^\t:：|–—-]{0,30}?)(?:\s{1,3}[-–—]\s+|\s{2,20})(?P<value>\S.*)"
)
_ADDRESS_ITEM = re.compile(r"[-*+•]\s<?https?://[^\s<>]{1,2000}>?")
_NUMBERED_ITEM = re.compile(r"\d{1,3}[.)、]\s")
_NUMBERED_TITLE = re.compile(r"\d{1,3}[.)、]\s(?!.*(?:://|[:：?？]$))(?:\S+\s){3,40}\S+")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)、])(?:\s|$)")
_REMARK = re.compile(
    rf"(?!.*(?:://|\]\(|[:：]$)|[①-⑳])(?=[\w“「《（(]).{{0,40}}?[{CJK_LETTERS}](?:[^{CJK_LETTERS}]*[{CJK_LETTERS}]){{3}}"
)
HEADING_OF_SIGNS = re.compile(r"={2,6}\s\S")  # a heading of AsciiDoc or of a wiki
_MARKS_OF_ITEM = re.compile(r"(?P<marks>\*{2,5})\s+(?=\S)")
_TREE = re.compile(r"[│|\u00a0 ]*[├└]─{1,3}[\u00a0 ]?(?P<name>\S.*)")
_MIN_DASHED = 3  # different names
_OUTLINE_NUMBER = re.compile(r"[ \t\u3000]*(?P<number>\d{1,2}(?:\.\d{1,2}){0,5})\.?[ \t\u3000]+(?P<name>\S.*)")
_MIN_OUTLINE = 3  # numbers of several levels
_FIELD_NAMES = frozenset(name for names in FIELD_NAMES.values() for name in names)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line.

    `raw`: verbatim, without the line end. `text`: the visible text, stripped. `indent`: in columns.
    """

    number: int
    raw: str
    text: str
    indent: int


def split(text: str, first: int = 1) -> list[TextLine]:
    """Split at LF, CRLF and CR only. `first`: the number of the first line.

    A line end at the end of the note does not begin another line.
    """
    raw_lines = LINE_END.split(text)
    if raw_lines[-1] == "":
        raw_lines.pop()
    texts = [_visible_text(raw) for raw in raw_lines]
    for index, match in _find_dashed_fields(raw_lines).items():
        texts[index] = clean_line(f"{match['mark']}{match['name']}: {match['value']}")
    for index, match in _match_tree(raw_lines).items():
        texts[index] = f"- {match['name'].strip().rstrip('/')}"
    indents = [_indent(_without_quote(raw)) for raw in raw_lines]
    if outline := _match_outline(raw_lines):
        _indent_outline(outline, texts, indents)
    _indent_below_breaks(raw_lines, texts, indents)
    _unmark_addresses(texts, indents)
    if any(raw.startswith("=") and HEADING_OF_SIGNS.match(raw) for raw in raw_lines):
        _indent_by_marks(texts, indents)
    return [
        TextLine(number, raw, text, indent)
        for number, (raw, text, indent) in enumerate(zip(raw_lines, texts, indents, strict=True), first)
    ]


def _match_tree(raw_lines: Sequence[str]) -> dict[int, re.Match[str]]:
    """Return the files and folders of a tree, as the command of that name draws it."""
    return {index: match for index, raw in enumerate(raw_lines) if "─" in raw and (match := _TREE.fullmatch(raw))}


def _match_outline(raw_lines: Sequence[str]) -> dict[int, re.Match[str]]:
    """Return the lines of an outline, `1. Topic`, `1.2. Part`, `1.2.1. Title`, by their index, {} if there is none.

    Each number is higher than the one before. Days (`3.14`, `3.15`) are no outline, as there is no `3`.
    """
    matches = {index: match for index, raw in enumerate(raw_lines) if (match := _OUTLINE_NUMBER.fullmatch(raw))}
    numbers = [tuple(map(int, match["number"].split("."))) for match in matches.values()]
    known = set(numbers)
    parts = [number for number in numbers if number[:-1] in known]
    firsts = {number[:-1]: number[-1] for number in reversed(parts)}
    is_outline = len(parts) >= _MIN_OUTLINE and all(first <= 1 for first in firsts.values())
    is_outline = is_outline and all(one < other for one, other in pairwise(numbers))
    return matches if is_outline else {}


def _indent_outline(outline: Mapping[int, re.Match[str]], texts: list[str], indents: list[int]) -> None:
    """Make items of the lines of an outline, as deep as their numbers say, with what follows each below it."""
    depth = 0
    for index in range(len(texts)):
        if match := outline.get(index):
            texts[index] = clean_line(f"- {match['name']}")
            indents[index] = _TAB_WIDTH * match["number"].count(".")
            depth = indents[index] + _TAB_WIDTH
        elif texts[index].startswith("#"):
            depth = 0
        else:
            indents[index] += depth


def _indent_below_breaks(raw_lines: Sequence[str], texts: Sequence[str], indents: list[int]) -> None:
    """Indent the remark in Chinese or Japanese that an item goes on with after `<br>` at its end.

    Other lines may be items without a bullet, or headings.
    """
    depth = 0
    for index, text in enumerate(texts):
        if _ITEM.match(text):
            depth = indents[index] + _TAB_WIDTH if ends_with_break_tag(raw_lines[index]) else 0
        elif depth and _REMARK.match(text):
            indents[index] = max(indents[index], depth)
        else:
            depth = 0


def _unmark_addresses(texts: list[str], indents: list[int]) -> None:
    """Make an item that is only an address part of the numbered title above it: `1. A Title of Words`, `+ https://…`.

    If several are below any number, the numbers are topics.
    """
    found = [
        index
        for index in range(1, len(texts))
        if "://" in texts[index] and _ADDRESS_ITEM.fullmatch(texts[index]) and _NUMBERED_ITEM.match(texts[index - 1])
    ]
    if any(index + 1 < len(texts) and texts[index + 1][:2] == texts[index][:2] for index in found):
        return
    for index in found:
        if _NUMBERED_TITLE.fullmatch(texts[index - 1]) and indents[index] >= indents[index - 1]:
            texts[index] = texts[index][2:].strip("<>")
            indents[index] = indents[index - 1] + _TAB_WIDTH


def _indent_by_marks(texts: list[str], indents: list[int]) -> None:
    """Indent the items of AsciiDoc and wikis by the number of their marks: `** Remark`."""
    for index, text in enumerate(texts):
        if marks := _MARKS_OF_ITEM.match(text):
            texts[index] = f"* {text[marks.end() :]}"
            indents[index] += _TAB_WIDTH * (marks.end("marks") - 1)


def ends_with_break_tag(raw: str) -> bool:
    return ">" in raw[-4:] and _BREAK_LAST.search(raw.rstrip()) is not None


def _find_dashed_fields(raw_lines: Sequence[str]) -> dict[int, re.Match[str]]:
    """Return the fields with a dash by the index of their line, also an unknown one between two others."""
    matches = {index: match for index, raw in enumerate(raw_lines) if (match := _match_dashed_field(raw))}
    known = {index for index, match in matches.items() if match["name"].casefold() in _FIELD_NAMES}
    if len({matches[index]["name"].casefold() for index in known}) < _MIN_DASHED:
        return {}
    return {index: match for index, match in matches.items() if index in known or {index - 1, index + 1} <= known}


def _match_dashed_field(raw: str) -> re.Match[str] | None:
    may_be_one = "  " in raw or any(dash in raw for dash in (" - ", " – ", " — "))
    return _DASHED_FIELD.fullmatch(raw) if may_be_one else None


def _visible_text(raw: str) -> str:
    """Return the text of a line. A field in two columns gets the colon that others have."""
    field = _TABBED_FIELD.fullmatch(raw) if "\t" in raw else None
    if field and field["name"].casefold() in _FIELD_NAMES:
        return clean_line(f"{field['name']}: {field['value']}")
    raw = _BOLD_FOLD.sub("", raw) if "<details" in raw or "</summary" in raw else raw
    text = _with_signs(clean_line(_without_quote(raw))).replace("\u2010", "-")  # the hyphen of typesetters
    return _BREAK_LAST.sub("", text) if text.endswith(">") else text


def _with_signs(text: str) -> str:
    """Replace shortcodes such as :star: by their emoji; Org would take them for tags."""
    return _SHORTCODE.sub(lambda match: _SHORTCODES[match["code"]], text) if text.count(":") > 1 else text


def _without_quote(raw: str) -> str:
    """Return a list item without the sign of a quotation before it."""
    return _QUOTED_ITEM.sub("", raw, count=1) if raw.startswith(">") else raw


def count_line_ends(text: str) -> int:
    return len(LINE_END.findall(text)) if "\r" in text else text.count("\n")


def _indent(raw: str) -> int:
    columns = 0
    for character in raw:
        if character not in _WIDTH:
            break
        columns += _WIDTH[character] if character != "\t" else _TAB_WIDTH - columns % _TAB_WIDTH
    return columns
