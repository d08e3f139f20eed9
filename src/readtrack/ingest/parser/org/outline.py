"""Org notes as a tree of headings with status words: the usual ones, and those that a note declares with #+TODO:.

Whether stars are headings or Markdown bullets is decided once per note.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from readtrack.infra.text.titles.marks import status_of
from readtrack.ingest.parser.lines import HEADING_OF_SIGNS, TextLine

_DECLARED = re.compile(r"#\+(?:SEQ_|TYP_)?TODO:\s{0,20}(?P<words>.{1,500})", re.IGNORECASE)
_STATUS_WORD = re.compile(r"(?P<word>[^\s(|]{1,40})(?:\([^()]{0,20}\))?")
_USUAL = {
    "to_read": "TODO INBOX NEXT PROJ TOREAD TO-READ TO_READ SOMEDAY LATER QUEUE QUEUED UNREAD NEW "
    "PLAN PLANNED MAYBE TBR IDEA",
    "reading": "READING STARTED START STRT DOING IN-PROGRESS IN_PROGRESS INPROGRESS PROGRESS CURRENT ONGOING",
    "paused": "WAITING WAIT HOLD ON-HOLD PAUSED BLOCKED PENDING SUSPENDED",
    "read": "DONE READ FINISHED COMPLETED COMPLETE SKIMMED REVIEWED SUMMARIZED ANNOTATED STUDIED CLOSED",
    "dropped": "CANCELLED CANCELED DROPPED GAVEUP ABANDONED KILL KILLED SKIP SKIPPED REJECTED WONTREAD DNF OBSOLETE "
    "ABORT ABORTED WONTFIX",
}
_STATUS = {word: status for status, words in _USUAL.items() for word in words.split()}
# Titles may begin with these words.
_DECLARED_ONLY = frozenset(["NEW", "PLAN", "START", "CURRENT", "COMPLETE", "CLOSED", "PROGRESS", "IDEA", "QUEUE"])
_SMALL = ("todo", "done", "inbox", "toread", "to-read", "cancelled", "canceled", "waiting", "unread", "skimmed")
_STARS = re.compile(r"(?P<stars>\*{1,15}) (?P<rest>.*)")
_KEYWORD = re.compile(r"#\+[A-Za-z_]{2,30}(?:\[[^\[\]]{0,50}\])?:(?:\s|$)")
_TAGGED = re.compile(r"\*{1,15} .{1,500}\s:(?:[\w@#%-]{1,50}:){1,20}")
_STATED = re.compile(r"\*{1,15} (?:TODO|DONE|NEXT|CANCELLED|CANCELED|INBOX|WAITING)\b")
_LINK = re.compile(r"\[\[[^\[\]]{1,1000}\]\[")
_SEVERAL = 2
_ATX = re.compile(r"#{1,6} \S")
_PRIORITY = re.compile(r"\[#\w{1,2}\]\s?")
_TAGS = re.compile(r"(?:^|\s):(?P<tags>(?:[\w@#%-]{1,50}:){1,20})$")
_COOKIE = re.compile(r"\s?\[(?:\d{0,4}/\d{0,4}|\d{0,3}%)\]")
_STAMP = re.compile(r"[<\[](?P<stamp>\d{4}-\d\d-\d\d[^<>\[\]]{0,40})[>\]](?:--[<\[][^<>\[\]]{0,60}[>\]])?\s?")
_MARKED = re.compile(
    r"(?<![^\s(\[\"“])(?P<mark>[*=~])(?=\S)(?P<inner>[^*=~]{1,300})(?<=\S)(?P=mark)(?![^\s)\]\"”.,:;])"
)
_WRAPPED_TAGS = re.compile(r"\s:[\w@]{2,40}:[\w@: ]{0,60}$")
_NO_WORDS = ("*", "#", "-", "+", "|", "[", "CLOSED:", "SCHEDULED:", "DEADLINE:")
_MAX_WRAPPED_LINES, _WRAPPED_AT = 6, 50
_NO_TOPICS = frozenset(
    [
        "toc", "noexport", "export", "ignore", "archive", "attach", "attachment", "crypt", "refile", "read",
        "toread", "read_later", "paper", "papers", "article", "articles", "book", "books", "link", "links",
        "todo", "done", "inbox", "bookmark", "bookmarks", "pdf", "try", "important", "someday", "note", "notes",
        "org", "drill", "unnumbered", "hastodo", "project", "tbr", "interesting",
    ]
)  # fmt: skip


def collect_status_words(texts: Iterable[str]) -> dict[str, str]:
    """Return the status of each word that may begin a heading, for the note with these lines."""
    status_by_word = {word: status for word, status in _STATUS.items() if word not in _DECLARED_ONLY}
    status_by_word |= {word: _STATUS[word.upper()] for word in _SMALL}
    for text in texts:
        if text.startswith("#+") and (match := _DECLARED.fullmatch(text)):
            status_by_word |= _parse_keywords(match["words"])
    return status_by_word


def take_status_word(text: str, status_by_word: Mapping[str, str]) -> tuple[str, str]:
    """Return the status of a heading's first word and the rest, or "" and the whole text."""
    word, _, rest = text.partition(" ")
    status = status_by_word.get(word.removesuffix(":"))
    if status is None and _PRIORITY.match(rest) and word.isupper():
        status = _STATUS.get(word, "to_read")
    return (status, rest.lstrip()) if status else ("", text)


def _parse_keywords(text: str) -> dict[str, str]:
    """Return the status of each declared word.

    Words after the bar are done states; without a bar only the last word is.
    """
    before, bar, after = text.partition("|")
    open_words = [match["word"] for match in _STATUS_WORD.finditer(before)]
    closed_words = (
        [match["word"] for match in _STATUS_WORD.finditer(after)] if bar else [open_words.pop()] if open_words else []
    )
    return {word: _open_status(word) for word in open_words} | {word: _closed_status(word) for word in closed_words}


def _open_status(word: str) -> str:
    """Return the status of a word before the bar: READ there means still to be read."""
    status = _STATUS.get(word.upper()) or status_of(word) or "to_read"
    return "to_read" if status in {"read", "dropped"} else status


def _closed_status(word: str) -> str:
    return "dropped" if (_STATUS.get(word.upper()) or status_of(word)) == "dropped" else "read"


@dataclass
class OrgNode:
    """A heading.

    `index`: index of its line. `body_start`: index of the line after it. `end`: index after its own lines, where its
    children begin. `subtree_end`: index after its last child.
    """

    index: int
    body_start: int
    level: int
    title: str
    status: str = ""
    tags: tuple[str, ...] = ()
    stamp: str = ""
    end: int = 0
    subtree_end: int = 0
    parent: "OrgNode | None" = None
    children: list["OrgNode"] = field(default_factory=list)


def is_org(lines: Sequence[TextLine]) -> bool:
    """Return True if the note has more signs of Org than headings and links of other markup.

    `# Words` below several deeper headings with stars are comments of Org.
    """
    signs = stars = deeper_stars = marks = comments = 0
    first = next((line.raw for line in lines if line.raw.startswith(("*", "# ", "##", "="))), "")
    for line in lines:
        raw = line.raw
        if raw.startswith("*"):
            is_heading = _STARS.match(raw) is not None and not raw.rstrip().endswith("*")
            stars += is_heading
            deeper_stars += is_heading and raw.startswith("**")
            signs += 2 * (_STATED.match(raw) is not None or _TAGGED.fullmatch(line.text) is not None)
        elif raw.startswith("# "):
            comments += 1
        elif raw.startswith("#"):
            signs += 2 * bool(_KEYWORD.match(raw))
            marks += _ATX.match(raw) is not None
        elif raw.startswith("="):
            marks += 2 * (HEADING_OF_SIGNS.match(raw) is not None)
        elif line.text.upper() == ":PROPERTIES:":
            signs += 2
        signs += "[[" in raw and _LINK.search(raw) is not None
        marks += "](http" in raw
    has_comments = _STARS.match(first) is not None and deeper_stars >= _SEVERAL
    signs, marks = signs + deeper_stars, marks + (0 if has_comments else comments)
    return signs > 0 and (stars > 0 or signs > 1) and signs > marks


def headings(lines: Sequence[TextLine]) -> list[OrgNode]:
    """Return all headings of the tree in line order."""
    status_by_word = collect_status_words(line.text for line in lines)
    nodes: list[OrgNode] = []
    open_nodes: list[OrgNode] = []
    for index, line in enumerate(lines):
        match = _STARS.fullmatch(line.text) if not line.indent and line.text.startswith("*") else None
        if not match:
            continue
        end = _end_of_wrapped(lines, index)
        rest = " ".join([match["rest"], *(line.text for line in lines[index + 1 : end])])
        rest = _WRAPPED_TAGS.sub("", rest) if end > index + 1 else rest
        node = _node((index, end), len(match["stars"]), rest, status_by_word)
        while open_nodes and open_nodes[-1].level >= node.level:
            open_nodes.pop().subtree_end = index
        if open_nodes:
            node.parent = open_nodes[-1]
            node.parent.children.append(node)
        open_nodes.append(node)
        nodes.append(node)
    for node, next_node in zip_longest(nodes, nodes[1:]):
        node.end = next_node.index if next_node else len(lines)
        node.subtree_end = node.subtree_end or len(lines)
    return nodes


def _end_of_wrapped(lines: Sequence[TextLine], start: int) -> int:
    """Return the index after a heading that an exporter has wrapped, before its drawer."""
    for index in range(start + 1, min(start + _MAX_WRAPPED_LINES, len(lines))):
        line = lines[index]
        if line.text.upper() == ":PROPERTIES:":
            return index
        if len(lines[index - 1].raw) < _WRAPPED_AT or not line.text or line.indent or line.text.startswith(_NO_WORDS):
            break
    return start + 1


def _node(span: tuple[int, int], level: int, rest: str, status_by_word: Mapping[str, str]) -> OrgNode:
    status, rest = take_status_word(rest, status_by_word)
    rest = _COOKIE.sub("", _PRIORITY.sub("", rest, count=1))
    tags = _TAGS.search(rest)
    names = tuple(tags["tags"].strip(":").split(":")) if tags else ()
    rest = rest[: tags.start()] if tags else rest
    stamp = _STAMP.match(rest)
    title = rest[stamp.end() :] if stamp else rest
    title = title.removeprefix("COMMENT ").strip()
    return OrgNode(*span, level, strip_markup(title), status, _topics(names), stamp["stamp"] if stamp else "")


def _topics(tags: Sequence[str]) -> tuple[str, ...]:
    return tuple(tag.replace("_", " ").strip() for tag in tags if tag.casefold() not in _NO_TOPICS)


def strip_markup(text: str) -> str:
    r"""Return text without the marks of *bold*, =code= and ~code~, and without a trailing line break \\."""
    return _MARKED.sub(r"\g<inner>", text).removesuffix("\\\\").strip()
