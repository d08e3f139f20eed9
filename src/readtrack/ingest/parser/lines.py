"""Notes as lines: line ends, indentation, and the preprocessing of links, references and comments split over lines.

Only the `text` of a line is changed; `raw` stays verbatim.
"""

import re
from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS
from readtrack.ingest.parser import latex_lists
from readtrack.ingest.parser.emphasized_names import without_emphasis_on_names
from readtrack.ingest.parser.field_tables import convert_field_tables
from readtrack.ingest.parser.headings.vocabulary import FIELD_NAMES
from readtrack.ingest.parser.link_spelling import spell
from readtrack.ingest.parser.reasons import HIDDEN, USED
from readtrack.ingest.parser.repeated_authors import repeat_authors

LINE_END = re.compile(r"\r\n|\n|\r")
_SHORTCODES = {"star": "⭐", "star2": "🌟", "fire": "🔥", "white_check_mark": "✅", "heavy_check_mark": "✔"}
_SHORTCODE = re.compile(rf"(?<![\w/]):(?P<code>{'|'.join(_SHORTCODES)}):(?![\w/])")  # not in an address or Org's tags
_TAB_WIDTH = 4
_WIDTH = {"│": 1, " ": 1, "\t": _TAB_WIDTH, "\u00a0": 1, "\u3000": 2, "\ufeff": 0}
_DEFINITION = re.compile(
    r"\[(?P<name>[^\[\]^][^\[\]]{0,200})\]:\s?<?(?P<address>(?:https?://|www\.|\.{0,2}/|#)[^\s<>]{0,2000}|[^\s<>:]{1,300}\.(?:pdf|md|html?))>?"
    r"(?:\s[\"'(](?P<title>.{0,300})[\"')])?",
    re.IGNORECASE,
)
_FULL = re.compile(r"\[(?P<text>[^\[\]]{1,500})\]\[(?P<name>[^\[\]]{0,200})\]")
_SHORT = re.compile(r"(?<![\]\\])\[(?P<name>[^\[\]^][^\[\]]{0,200})\](?![\[(:])")
# reStructuredText: `.. _A Title: https://…` for "`A Title`_" and Word_.
_TARGET = re.compile(
    r"\.\.\s_(?:`(?P<phrase>[^`]{1,300})`|(?P<words>[^`].{0,300}?)):\s(?P<address>https?://\S{1,2000})"
)
_PHRASE = re.compile(r"`(?P<name>[^`<>]{1,300})`__?(?!\w)")
_WORD_REFERENCE = re.compile(r"(?<![\w`])(?P<name>[A-Za-z][\w-]{0,60})_(?!\w)")
_FOOTNOTE_MARK = re.compile(r"(?<=\S)\s?\[\^[^\[\]\s]{1,40}\](?!:)")
_NUMBER_OF_CITATION = re.compile(  # `1: Nath T, Mathis A. Using …`, as PubMed writes it
    r"(\d{1,4}):\s(?=[A-Z][\w'’-]{1,30}(?:\s[A-Z][\w'’-]{1,30})?\s[A-Z]{1,3}[,.]\s)"
)
_TIGHT_NUMBER = re.compile(r"(\d{1,2})[.)、](?:\d{1,2})?(?=[A-Z][a-z]|[A-Z]{2}|A\s|\dD\s)")
CROSSED_OUT = re.compile(  # an item as a whole, or with its year and a remark in brackets behind it
    r"(?P<mark>^\s*(?:[-*+•]|\d{1,3}[.)])\s+)(?P<box>\[[ xX]\]\s+)?~~(?P<inner_box>\[[ xX]?\]\s*)?"
    r"(?P<words>(?:(?!~~).){2,3000})~~(?P<remark>\s?[(（][A-Za-z\s]{0,12}(?:19|20)\d\d[，,][^~]*[)）])?\s*$"
)
_STARRED_NUMBER = re.compile(r"\A\*(?=\d{1,3}[.)、]\s?[^*]+\Z)")  # `*2. Title`: no emphasis, as nothing ends it
# `**<details><summary>Title**</summary>`
_BOLD_FOLD = re.compile(r"^\s{0,3}\*\*(?=<details)|(?<=<summary>)\*\*|\*\*(?=</summary>)")
_QUOTED_ITEM = re.compile(r">\s?(?=\s{0,12}(?:[-*+]|\d{1,3}[.)])\s)")  # `> - Title`: an item all the same
_STARTS_SOMETHING = re.compile(r"[-*+>|]\s|#{1,6}\s|```|~~~|\d{1,3}[.)]\s|\|")
_OPEN_TAG = re.compile(
    r"<(?:a|img)\s[^<>]{0,2000}$|<a\s[^<>]{0,2000}>[^<>]{0,500}$|"
    r"<(?:summary|h[1-6])(?:\s[^<>]{0,300})?>(?:[^<>]|</?(?:b|strong|i|em|code|font)\b[^<>]{0,100}>){0,500}$",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"</(?:a|summary|h[1-6])>", re.IGNORECASE)
_WHOLE = re.compile(
    r"\[[^\[\]]{1,1000}\]\s?\(\s?(?:(?:https?://|www\.)[^\s()]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?"
    r"|[^\s()]{1,300}\.(?:pdf|md|html?|org))\s?\)"
)
# The same of reStructuredText: "`A Title", "<https://…>`_"
_OPEN_RST = re.compile(r"(?:^|[^`\w])`[^`<>]{3,300}$")
_WHOLE_RST = re.compile(r"`[^`<>]{3,1000}<(?:https?://|\.{0,2}/)[^<>\s]{1,2000}>`_")
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
_MAX_JOINED_LINES = 5
_MAX_COMMENT_LINES = 500
# A paragraph or item of HTML, in which line ends mean nothing, unless Markdown or other blocks are in it.
_BLOCK_OPENS = re.compile(r"<(?P<name>p|li|div)(?:\s[^<>]{0,300})?>(?!.*</(?P=name)>)", re.IGNORECASE)
_BLOCK_INSIDE = re.compile(
    r"(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|\||```)|<(?:p|li|div|[uo]l|dl|table|h[1-6]|details|pre|section|article|nav)\b",
    re.IGNORECASE,
)
_MAX_BLOCK_LINES = 40
_MAX_JOINED_CHARS = 5000


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


@dataclass(frozen=True)
class InlineResult:
    """Preprocessed lines.

    `ignored_lines`: reasons by index of lines without content. `continued_lines`: indexes of lines joined to one above.
    """

    lines: list[TextLine]
    ignored_lines: dict[int, str] = field(default_factory=dict)
    continued_lines: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Definition:
    index: int
    name: str
    address: str
    title: str
    is_target: bool = False  # of reStructuredText


def inline(lines: Sequence[TextLine]) -> InlineResult:
    texts = [line.text for line in lines]
    asides = _hide_comments(texts)
    joined = _join_split_blocks(texts)
    definitions = _definitions(texts)
    joined |= _join_split_links(texts, definitions)
    texts = [_STARRED_NUMBER.sub("", text) if text.startswith("*") else text for text in texts]
    texts = [f"1{text[1:]}" if text.startswith("#. ") else text for text in texts]  # numbered by reStructuredText
    texts = [_separate_number(text) if text[:1].isdigit() else text for text in texts]
    texts = [without_emphasis_on_names(text) for text in texts]
    texts = [CROSSED_OUT.sub(_without_strike, text) if "~~" in text else text for text in texts]
    repeat_authors(texts)
    if latex_lists.has_items(texts):
        asides |= latex_lists.hide_comments(texts)
        joined |= latex_lists.convert_items(texts)
    asides |= convert_field_tables(texts)
    texts = [spell(text) if _has_mark(text) else text for text in texts]
    used_keys: set[str] = set()
    if definitions:
        resolve = partial(_resolve_references, definitions=definitions, used_keys=used_keys)
        definition_lines = {item.index for item in definitions.values()}
        texts = [
            resolve(text) if ("[" in text or "_" in text) and index not in definition_lines else text
            for index, text in enumerate(texts)
        ]
    for key, definition in definitions.items():
        if key in used_keys:
            asides[definition.index], texts[definition.index] = USED, ""
        else:
            texts[definition.index] = _unused(definition)
    return InlineResult([_with_text(line, text) for line, text in zip(lines, texts, strict=True)], asides, joined)


def _without_strike(item: re.Match[str]) -> str:
    """Return `- ~~[ ] Title~~` or `- [ ] ~~Title~~` as `- [ ] Title`."""
    box = (item["box"] or item["inner_box"] or "").strip()
    return f"{item['mark']}{box}{' ' if box else ''}{item['words']}{item['remark'] or ''}"


def _separate_number(text: str) -> str:
    """Return `1.Title` or `1.2Title` with a space after the number, so that it is parsed as a list item."""
    number = _TIGHT_NUMBER.match(text) or _NUMBER_OF_CITATION.match(text)
    return f"{number[1]}. {text[number.end() :]}" if number else text


def _has_mark(text: str) -> bool:
    return any(mark in text for mark in ("[", "<", "\\", "&", "://http"))


def _with_text(line: TextLine, text: str) -> TextLine:
    if "[^" in text:
        text = _FOOTNOTE_MARK.sub("", text)
    return line if text == line.text else TextLine(line.number, line.raw, text, line.indent)


def _hide_comments(texts: list[str]) -> dict[int, str]:
    """Remove comments from the texts and return the reasons for lines that contain nothing else."""
    reasons: dict[int, str] = {}
    closing_lines = [position for position, text in enumerate(texts) if "-->" in text]
    position = 0
    while closing_lines and position < len(texts):
        last = _hide_at(texts, position, closing_lines) if "<!--" in texts[position] else None
        if last is not None:
            reasons |= {index: HIDDEN for index in range(position, last + 1) if not texts[index]}
        position = last if last is not None and last > position else position + 1
    return reasons


def _hide_at(texts: list[str], start: int, closing_lines: Sequence[int]) -> int | None:
    """Remove the comments that begin on that line and return the line on which the last one ends."""
    text, is_open = _without_comments(texts[start])
    last = _end_of_comment(start, closing_lines) if is_open else start
    if last is None:
        return None
    rest = texts[last].partition("-->")[2].strip()
    texts[start : last + 1] = [text] + [""] * (last - start)
    if last > start:
        texts[last] = rest
    return last


def _without_comments(text: str) -> tuple[str, bool]:
    """Return the text without comments, and whether the last comment continues below."""
    parts: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        parts.append(text[position:start])
        end = text.find("-->", start + 4)
        if end < 0:
            return " ".join(" ".join(parts).split()), True
        position = end + 3
    return " ".join(" ".join([*parts, text[position:]]).split()), False


def _end_of_comment(start: int, closing_lines: Sequence[int]) -> int | None:
    position = bisect_left(closing_lines, start + 1)
    is_near = position < len(closing_lines) and closing_lines[position] - start <= _MAX_COMMENT_LINES
    return closing_lines[position] if is_near else None


def _join_split_blocks(texts: list[str]) -> frozenset[int]:
    """Join paragraphs and items of HTML into their first line. Return the indexes of the other lines."""
    joined: set[int] = set()
    index = 0
    while index < len(texts):
        opening = _BLOCK_OPENS.match(texts[index]) if texts[index].startswith("<") else None
        last = _end_of_block(texts, index, f"</{opening['name'].lower()}>") if opening else None
        if last is not None:
            texts[index] = " ".join(filter(None, texts[index : last + 1]))
            texts[index + 1 : last + 1] = [""] * (last - index)
            joined.update(range(index + 1, last + 1))
        index = index + 1 if last is None else last + 1
    return frozenset(joined)


def _end_of_block(texts: Sequence[str], start: int, end_tag: str) -> int | None:
    """Return the index of the line on which the block of HTML ends, None if other blocks are in it."""
    length = len(texts[start])
    for last in range(start + 1, min(start + _MAX_BLOCK_LINES, len(texts))):
        length += len(texts[last])
        if length > _MAX_JOINED_CHARS or _BLOCK_INSIDE.match(texts[last]):
            return None
        if end_tag in texts[last].lower():
            return last
    return None


def _join_split_links(texts: list[str], definitions: Container[str]) -> frozenset[int]:
    """Join links split over several lines into their first line.

    Return the indexes of the other lines.
    """
    joined: set[int] = set()
    for index, text in enumerate(texts):
        if _is_open(text) and (last := _end_of_link(texts, index, definitions)) is not None:
            texts[index] = " ".join(texts[index : last + 1]).replace("] (", "](").replace("]( ", "](")
            texts[index + 1 : last + 1] = [""] * (last - index)
            joined.update(range(index + 1, last + 1))
    return frozenset(joined)


def _is_open(text: str) -> bool:
    if "<" in text and len(text) < _MAX_JOINED_CHARS and _OPEN_TAG.search(text[-2600:]):
        return True
    if "`" in text and _OPEN_RST.search(text):
        return True
    if "[" not in text:
        return False
    return text.count("[") > text.count("]") or (text.endswith(("]", "](")) and not text.endswith("]]"))


def _end_of_link(texts: Sequence[str], start: int, definitions: Container[str]) -> int | None:
    """Return the index of the line on which the link that begins on line `start` ends."""
    text = texts[start]
    if len(text) > _MAX_JOINED_CHARS:
        return None
    tag = _OPEN_TAG.search(text[-2600:]) is not None
    open_bracket = text.rfind("`" if _OPEN_RST.search(text) else "[")
    for last in range(start + 1, min(start + _MAX_JOINED_LINES, len(texts))):
        line = texts[last]
        if not line or len(line) > _MAX_JOINED_CHARS or _STARTS_SOMETHING.match(line):
            return None
        if tag:
            if _CLOSED.search(line) or (">" in line and "<img" in text):
                return last
        elif _closes(f"{text[open_bracket:]} {line}", definitions):
            return last
        text += " " + line
    return None


def _closes(text: str, definitions: Container[str]) -> bool:
    """Return True if the new line closes the open bracket, and the address or the name of one after it."""
    if _WHOLE.match(text) or _WHOLE_RST.match(text):
        return True
    reference = _FULL.match(text)
    return reference is not None and _key(reference["name"] or reference["text"]) in definitions


def _definitions(texts: Sequence[str]) -> dict[str, _Definition]:
    """Return the link definitions by name. The first of a name wins."""
    definitions: dict[str, _Definition] = {}
    for index, text in enumerate(texts):
        if text.startswith("[") and "]:" in text and (match := _DEFINITION.fullmatch(text)):
            definition = _Definition(index, match["name"], match["address"], match["title"] or "")
            definitions.setdefault(_key(match["name"]), definition)
        elif text.startswith(".. _") and (match := _TARGET.fullmatch(text)):
            name = match["phrase"] or match["words"]
            definitions.setdefault(_key(name), _Definition(index, name, match["address"], "", is_target=True))
    return definitions


def _resolve_references(text: str, *, definitions: dict[str, _Definition], used_keys: set[str]) -> str:
    def full(match: re.Match[str]) -> str:
        return _as_link(match, _key(match["name"] or match["text"]), match["text"])

    def short(match: re.Match[str]) -> str:
        return _as_link(match, _key(match["name"]), match["name"])

    def target(match: re.Match[str]) -> str:
        definition = definitions.get(_key(match["name"]))
        return short(match) if definition and definition.is_target else match[0]

    def _as_link(match: re.Match[str], key: str, label: str) -> str:
        definition = definitions.get(key)
        if definition is None or not key:
            return match[0]
        used_keys.add(key)
        return _link(label, definition)

    if "_" in text:
        text = _WORD_REFERENCE.sub(target, _PHRASE.sub(target, text))
    return _SHORT.sub(short, _FULL.sub(full, text) if "][" in text else text)


def _link(label: str, definition: _Definition) -> str:
    """Return the link. A number is replaced by the definition's title."""
    name = definition.title if label.strip().isdigit() else label
    return f"[{name}]({definition.address})" if name else f" {definition.address} "


def _unused(definition: _Definition) -> str:
    return _link(definition.title or definition.name, definition).strip()


def _key(name: str) -> str:
    key = " ".join(name.casefold().split())
    return "" if key in {"x", "✓", "✔"} else key
