"""Headings, paragraphs and items of HTML that share a line, as pages without line ends have them.

The formats read a block a line, so such a line is read as several, and its entries get its number again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from readtrack.infra.text.titles.vocabulary import LETTER
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.lines import LINE_END

_TAG = re.compile(
    r"<(?P<name>/?(?:h[1-6]|li|p|div|[uo]l|section|article|blockquote))(?:\s[^<>]{0,500})?>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<[^<>]{0,2000}>")
_OTHER_FORMS = re.compile(r"<(?:table|t[rhd]|d[ltd]|pre|code|details|summary)\b", re.IGNORECASE)
_PARAGRAPHS = frozenset({"p", "div", "blockquote"})  # may be in an item
_LISTS = frozenset({"ul", "ol"})
_INDENT = "  "
_LONG_LINE_CHARS, _MAX_NESTING = 2000, 8


def split_html_blocks(text: str) -> tuple[str, list[int]] | None:
    """Return the text with each block on a line of its own, and the number of the line that each was on.

    Return None for a text that has no two blocks on a line.
    """
    if "<" not in text:
        return None
    lines = LINE_END.split(text)
    if lines[-1] == "":
        lines.pop()
    blocks = [list(_split_line(line)) for line in lines]
    if all(len(each) == 1 for each in blocks):
        return None
    numbers = [number for number, each in enumerate(blocks, 1) for _ in each]
    return "".join(f"{block}\n" for each in blocks for block in each), numbers


def _split_line(line: str) -> Iterator[str]:
    is_whole = line.rfind("<") <= line.rfind(">")  # no tag goes on below
    if not is_whole or not line.lstrip().startswith("<") or _OTHER_FORMS.search(line):
        yield line
        return
    start = looked_at = depth = 0
    is_in_item = has_words = False
    for tag in _TAG.finditer(line):
        name = tag["name"].lower()
        is_end, name = name.startswith("/"), name.removeprefix("/")
        has_words = has_words or LETTER.search(_ANY_TAG.sub("", line[looked_at : tag.start()])) is not None
        looked_at = tag.end()
        if has_words and not (is_in_item and name in _PARAGRAPHS):
            edge = tag.end() if is_end else tag.start()
            yield _indented(line[start:edge], depth)
            start, has_words = edge, False
        if name in _LISTS:
            depth = max(depth - 1, 0) if is_end else depth + 1
        if name in _LISTS or name == "li":
            is_in_item = name == "li" and not is_end
    if start == 0 or line[start:].strip():
        yield _indented(line[start:], depth if start else 0)


def _indented(block: str, depth: int) -> str:
    """Return a block as deep as the lists around it, but the outermost."""
    return _INDENT * min(max(depth - 1, 0), _MAX_NESTING) + block


def renumber_entries(entries: Iterable[ParsedEntry], numbers: Sequence[int], text: str) -> list[ParsedEntry]:
    """Return entries of blocks with the numbers of their lines in the text, whose lines are in one of part 1 each."""
    lines = LINE_END.split(text)
    result: list[ParsedEntry] = []
    head = last_line = parts = 0
    for entry in entries:
        first, last = numbers[entry.first - 1], numbers[entry.last - 1]
        if first <= last_line:
            parts += 1
            result.append(replace(entry, first=first, last=first, part=parts, raw=_raw_part(lines[first - 1])))
        else:
            head, parts = len(result), 1
            result.append(replace(entry, first=first, last=first, raw=""))
        last_line = max(last_line, last)
        result[head] = replace(result[head], last=last_line, raw="\n".join(lines[result[head].first - 1 : last_line]))
    return result


def _raw_part(line: str) -> str:
    return line if len(line) <= _LONG_LINE_CHARS else ""
