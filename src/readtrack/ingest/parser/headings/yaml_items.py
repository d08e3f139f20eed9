"""Lists of mappings in front matter, such as the sessions and papers of a seminar's page.

They are read by indentation, without a YAML parser: one would refuse the whole front matter for an unquoted colon in a
title, and does not tell where in the file a value stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.headings.vocabulary import key_of
from readtrack.ingest.parser.lines import TextLine

KEY = re.compile(r"(?P<key>[^\s:#\-{\[][^:]{0,60}?)\s?:(?:\s+(?P<value>.*)|$)")
_ITEM = re.compile(r"-(?:\s+(?P<value>.*)|$)")
_PAIR = re.compile(
    r"\s*(?P<key>[^\s:,{}\[\]][^:,{}]{0,60}?)\s?:\s*(?P<value>\"[^\"]*\"|'[^']*'|\[[^\[\]]*\]|[^,{}]*)\s*(?:,|$)"
)
_WIKI = re.compile(r"\[\[([^\[\]|]{1,300})(?:\|([^\[\]]{0,300}))?\]\]")
_BLOCK_MARKS = frozenset({">", "|", ">-", "|-", ">+", "|+"})
_TABLE = re.compile(r"\[{1,2}(?:[\w-]{1,60}\.){0,5}(?P<name>[\w-]{1,60})\]{1,2}")  # of TOML
_MAX_NESTING, _MAX_TEXT_CHARS = 8, 20_000
_COMMENT = re.compile(r"\s#\s.*$")
_BEHIND_QUOTES = re.compile(r"(?P<value>\"[^\"]*\"|'[^']*')\s+#\s.*")
_WORKS = frozenset({"paper", "article", "publication", "reading", "work", "论文", "論文"})


@dataclass
class YamlItem:
    """A mapping in a list, or the whole front matter.

    `first`/`last`: indexes of its lines, both included. `name`: of the list. `is_list`: the value of the last key is a
    list. `fields`: values by lower-case name; a list has several.
    """

    first: int
    last: int
    indent: int
    name: str = ""
    parent: "YamlItem | None" = None
    fields: dict[str, list[str]] = field(default_factory=dict)
    listed: dict[int, tuple[str, str]] = field(default_factory=dict)  # by index: name of the list, item that is a text
    children: "list[YamlItem]" = field(default_factory=list)
    key: str = ""
    key_indent: int = -1
    is_session: bool = False  # its date is that of a meeting

    def add(self, key: str, value: str) -> None:
        self.key = key
        self.fields[key] = parse_values(value, key)

    def go_on(self, text: str) -> None:
        """Add a line to the value of the last key."""
        values = self.fields.get(self.key)
        if values is not None and len("".join(values[-1:])) < _MAX_TEXT_CHARS:
            values[-1:] = [" ".join([*values[-1:], text]) if values else strip_quotes(text)]


def parse_values(value: str, key: str = "") -> list[str]:
    """Return the values of a field: the items of `[a, b]`, the names in a text that lists topics, or the text."""
    if value.startswith("[") and value.endswith("]") and not value.startswith("[["):
        return split_topic_names(value[1:-1], ",")
    if key_of(key) == "topics" and key != "topic":  # one topic, whose name may contain a comma
        return split_topic_names(value)
    text = strip_quotes(without_wiki_links(value))
    return [text] if text else []


def without_wiki_links(value: str) -> str:
    return _WIKI.sub(lambda link: link[2] or link[1], value)


def strip_quotes(value: str) -> str:
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text.strip()


def normalize_key(name: str) -> str:
    return " ".join(name.strip("\"'").casefold().replace("_", " ").replace("-", " ").split())


def read_items(lines: Sequence[TextLine], start: int, end: int) -> YamlItem:
    """Return the fields between two indexes, with the mappings of its lists as children."""
    reader = _Reader(YamlItem(start, end - 1, -1))
    for index in range(start, end):
        reader.read(index, lines[index].text, lines[index].indent)
    reader.close(end - 1)
    return reader.root


@dataclass
class _Reader:
    root: YamlItem
    open: list[YamlItem] = field(default_factory=list)
    block_indent: int | None = None  # of the key of a text of several lines
    last: int = 0

    def read(self, index: int, text: str, indent: int) -> None:
        if not text or (text.startswith("#") and self.block_indent is None):
            return
        if self.block_indent is not None and indent > self.block_indent:
            self.item.go_on(text)
            self.last = index
            return
        self.block_indent = None
        if table := _TABLE.fullmatch(text):
            self._leave(-1)
            if text.startswith("[["):
                self._begin(index, -1, table["name"])
            self.last = index
            return
        item = _ITEM.fullmatch(text)
        pair = None if item else KEY.fullmatch(text.replace(" = ", ": ", 1))
        if item:
            self._leave(indent)
            self._list_item(index, (item["value"] or "").strip(), indent)
        elif pair:
            self._leave(indent)
            self._pair(index, pair["key"], (pair["value"] or "").strip(), indent)
        else:
            self.item.go_on(text)
        self.last = index

    @property
    def item(self) -> YamlItem:
        return self.open[-1] if self.open else self.root

    def close(self, last: int) -> None:
        self.last = min(self.last, last)
        self._leave(-1)

    def _leave(self, indent: int) -> None:
        """Close the mappings that end before a line of that indentation."""
        while self.open and self.open[-1].indent >= indent:
            self.open.pop().last = self.last

    def _list_item(self, index: int, value: str, indent: int) -> None:
        pair = KEY.fullmatch(value)
        if value.startswith("{") and value.endswith("}"):
            child = self._begin(index, indent)
            for match in _PAIR.finditer(value[1:-1]):
                child.add(normalize_key(match["key"]), match["value"].strip())
        elif pair and not value.startswith(('"', "'")):
            self._begin(index, indent)
            self._pair(index, pair["key"], (pair["value"] or "").strip(), indent + 1)
        elif not value:
            self._begin(index, indent)
        elif (text := strip_quotes(without_wiki_links(value))) and self.item.key:
            self.item.fields.setdefault(self.item.key, []).append(text)
            self.item.listed[index] = (self.item.key, text)

    def _begin(self, index: int, indent: int, name: str = "") -> YamlItem:
        item = self.item
        if len(self.open) == _MAX_NESTING:
            return item
        child = YamlItem(index, index, indent, name or item.key, item)
        item.children.append(child)
        self.open.append(child)
        return child

    def _pair(self, index: int, name: str, value: str, indent: int) -> None:
        item = self.item
        is_nested = item.key in _WORKS and indent > item.key_indent >= 0 and not item.fields.get(item.key)
        if is_nested:  # the mapping of one paper among the fields of a session
            item = self._begin(index, item.key_indent, item.key)
        value = _BEHIND_QUOTES.sub(r"\g<value>", value) if value.startswith(('"', "'")) else _COMMENT.sub("", value)
        is_block = value in _BLOCK_MARKS
        item.key_indent = indent
        item.add(normalize_key(name), "" if is_block else value)
        self.block_indent = indent if is_block else None
