"""Preprocessing of a note's lines: comments, links and blocks split over lines, references to definitions, spelling.

Only the `text` of a line is changed. Every format reads the result, in which each link is `[text](address)`.
"""

import re
from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from readtrack.ingest.parser import latex_lists
from readtrack.ingest.parser.field_tables import convert_field_tables
from readtrack.ingest.parser.lines import TextLine
from readtrack.ingest.parser.link_spelling import spell
from readtrack.ingest.parser.reasons import HIDDEN, USED
from readtrack.ingest.parser.reference_names import repeat_authors, without_emphasis_on_names

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


@dataclass(frozen=True)
class PreprocessedLines:
    """The lines of a note as the formats read them.

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


def preprocess_lines(lines: Sequence[TextLine]) -> PreprocessedLines:
    texts = [line.text for line in lines]
    ignored = _hide_comments(texts)
    continued = _join_split_blocks(texts)
    definitions = _find_definitions(texts)
    continued |= _join_split_links(texts, definitions)
    texts = [_with_plain_marks(text) for text in texts]
    repeat_authors(texts)
    if latex_lists.has_items(texts):
        ignored |= latex_lists.hide_comments(texts)
        continued |= latex_lists.convert_headings(texts) | latex_lists.convert_items(texts)
    ignored |= convert_field_tables(texts)
    texts = [spell(text) if _has_mark(text) else text for text in texts]
    ignored |= _resolve_definitions(texts, definitions)
    changed = [_with_text(line, text) for line, text in zip(lines, texts, strict=True)]
    return PreprocessedLines(changed, ignored, continued)


def _with_plain_marks(text: str) -> str:
    """Return a line with the usual mark of an item, without marks around its names or the whole item."""
    if text.startswith("*"):
        text = _STARRED_NUMBER.sub("", text)
    if text.startswith("#. "):  # numbered by reStructuredText
        text = f"1{text[1:]}"
    if text[:1].isdigit():
        text = _separate_number(text)
    text = without_emphasis_on_names(text)
    return CROSSED_OUT.sub(_without_strike, text) if "~~" in text else text


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
    closing_lines = [index for index, text in enumerate(texts) if "-->" in text]
    for start in range(len(texts)):
        if "<!--" not in texts[start]:
            continue
        before, is_open = _without_comments(texts[start])
        last = _end_of_comment(start, closing_lines) if is_open else start
        if last is None:
            continue
        behind = [texts[last].partition("-->")[2].strip()] if is_open else []
        texts[start : last + 1] = [before, *[""] * (last - start - 1), *behind]
        reasons |= {index: HIDDEN for index in range(start, last + 1) if not texts[index]}
    return reasons


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


def _find_definitions(texts: Sequence[str]) -> dict[str, _Definition]:
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


def _resolve_definitions(texts: list[str], definitions: Mapping[str, _Definition]) -> dict[int, str]:
    """Replace references by links. Return the reasons for the lines of used definitions; the others become links."""
    used_keys: set[str] = set()
    definition_lines = {definition.index for definition in definitions.values()}
    for index, text in enumerate(texts if definitions else ()):
        if ("[" in text or "_" in text) and index not in definition_lines:
            texts[index] = _resolve_references(text, definitions, used_keys)
    for key, definition in definitions.items():
        unused = _link(definition.title or definition.name, definition).strip()
        texts[definition.index] = "" if key in used_keys else unused
    return {definitions[key].index: USED for key in used_keys}


def _resolve_references(text: str, definitions: Mapping[str, _Definition], used_keys: set[str]) -> str:
    """Replace `[text][name]`, `[name]`, and "`name`_" and `name_` of reStructuredText. Add the keys to `used_keys`."""

    def resolve(match: re.Match[str]) -> str:
        label = match.groupdict().get("text") or match["name"]
        key = _key(match["name"] or label)
        if not key or key not in definitions:
            return match[0]
        used_keys.add(key)
        return _link(label, definitions[key])

    def resolve_target(match: re.Match[str]) -> str:
        definition = definitions.get(_key(match["name"]))
        return resolve(match) if definition and definition.is_target else match[0]

    if "_" in text:
        text = _WORD_REFERENCE.sub(resolve_target, _PHRASE.sub(resolve_target, text))
    return _SHORT.sub(resolve, _FULL.sub(resolve, text) if "][" in text else text)


def _link(label: str, definition: _Definition) -> str:
    """Return the link. A number is replaced by the definition's title."""
    name = definition.title if label.strip().isdigit() else label
    return f"[{name}]({definition.address})" if name else f" {definition.address} "


def _key(name: str) -> str:
    key = " ".join(name.casefold().split())
    return "" if key in {"x", "✓", "✔"} else key
