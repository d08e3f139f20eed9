"""Every key and what it does: the one table that the help is made from, and that tests hold pages and scripts against.

A key is named as the browser names it ("J" is Shift and j); with "g h" one is pressed after the other.
"""

from collections.abc import Sequence
from typing import NamedTuple

from readtrack.infra.i18n import N_
from readtrack.web.templating import navigation


class KeyBinding(NamedTuple):
    """Any of the keys does it."""

    keys: tuple[str, ...]
    description: str


class ShortcutSection(NamedTuple):
    """Keys of one kind of page. `selector`: a selector of what such a page has; blank: every page."""

    name: str
    selector: str
    keys: Sequence[KeyBinding]


EVERYWHERE = (
    KeyBinding(("?",), N_("Keyboard shortcuts")),
    KeyBinding(("/",), N_("Search")),
    KeyBinding(("Ctrl+k", "Meta+k"), N_("Go to…")),
    KeyBinding(("c",), N_("Add papers")),
    KeyBinding(("z",), N_("Undo last change")),
    KeyBinding(("Escape",), N_("Close")),
)
ROWS = (
    KeyBinding(("j", "ArrowDown"), N_("Next row")),
    KeyBinding(("k", "ArrowUp"), N_("Previous row")),
    KeyBinding(("o", "Enter"), N_("Open row")),
    KeyBinding(("v",), N_("Open link in new tab")),
    KeyBinding(("V",), N_("Open link")),
    KeyBinding(("x",), N_("Select")),
    KeyBinding(("J", "K"), N_("Select and move down or up")),
    KeyBinding(("A",), N_("Bulk edit")),
    KeyBinding(("[",), N_("Previous page")),
    KeyBinding(("]",), N_("Next page")),
)
PAPERS = (
    KeyBinding(("1", "2", "3", "4", "5"), N_("To read, reading, paused, read, dropped")),
    KeyBinding(("t",), N_("Add topic")),
    KeyBinding(("a",), N_("Assign")),
    KeyBinding(("l",), N_("Link paper")),
    KeyBinding(("m",), N_("Propose for meeting")),
    KeyBinding(("y",), N_("Copy citation")),
)
PAPER = (
    KeyBinding(("e",), N_("Edit my summary")),
    KeyBinding(("n",), N_("New comment")),
    KeyBinding(("r",), N_("Quote reply")),
    KeyBinding(("p",), N_("Progress")),
)
QUEUE = (
    KeyBinding(("Alt+ArrowUp", "Alt+ArrowDown"), N_("Move up or down")),
    KeyBinding(("T", "B"), N_("Move to top or bottom")),
)
BOARD = (
    KeyBinding(("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"), N_("Move between cards")),
    KeyBinding(("Alt+ArrowLeft", "Alt+ArrowRight"), N_("Move card to another column")),
    KeyBinding(("Alt+ArrowUp", "Alt+ArrowDown"), N_("Move up or down")),
)
EDITOR = (
    KeyBinding(("Ctrl+s",), N_("Save")),
    KeyBinding(("Ctrl+Enter",), N_("Save; in a summary, also mark the paper as read")),
    KeyBinding(("Ctrl+Shift+p",), N_("Preview")),
    KeyBinding(("Ctrl+b", "Ctrl+i"), N_("Bold, italic")),
    KeyBinding(("Ctrl+k",), N_("Link")),
    KeyBinding(("Ctrl+m",), N_("Math")),
)
PREVIEW = (KeyBinding(("a", "s"), N_("Add or skip the line")), KeyBinding(("e",), N_("Edit the line")))
TRIAGE = (
    KeyBinding(("i",), N_("Keep in library")),
    KeyBinding(("d",), N_("Mark irrelevant")),
    KeyBinding(("s",), N_("Add to queue")),
    KeyBinding(("u",), N_("Undo")),
)
REVIEW = (
    KeyBinding(("a",), N_("Yes")),
    KeyBinding(("b",), N_("Merge into the second paper")),
    KeyBinding(("d",), N_("No")),
    KeyBinding(("p",), N_("Separate")),
    KeyBinding(("e",), N_("Edit details")),
)
LEADS = (
    KeyBinding(("i",), N_("Accept first match")),
    KeyBinding(("d",), N_("Not this paper")),
    KeyBinding(("s",), N_("Search again")),
    KeyBinding(("r",), N_("Dismiss")),
    KeyBinding(("e",), N_("Choose paper…")),
)
GO = tuple(KeyBinding((f"g {item.key}",), item.name) for item in navigation.ITEMS)
SECTIONS = (
    ShortcutSection(N_("Everywhere"), "", EVERYWHERE),
    ShortcutSection(N_("Lists"), "[data-row]", ROWS),
    ShortcutSection(N_("Papers"), "[data-status], #my-reading", PAPERS),
    ShortcutSection(N_("Paper page"), "#my-reading", PAPER),
    ShortcutSection(N_("Queue"), "#queue", QUEUE),
    ShortcutSection(N_("Board"), "#board", BOARD),
    ShortcutSection(N_("Editor"), "textarea[data-draft]", EDITOR),
    ShortcutSection(N_("Import preview"), ".entry", PREVIEW),
    ShortcutSection(N_("Triage"), ".triage", TRIAGE),
    ShortcutSection(N_("Needs review"), ".look", REVIEW),
    ShortcutSection(N_("Unresolved references"), ".lead", LEADS),
    ShortcutSection(N_("Go to"), "", GO),
)
_SHOWN = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc", "Meta": "⌘"}


def split_strokes(key: str) -> list[str]:
    """A key as keyboards name it, stroke by stroke: "Alt+ArrowUp" is Alt ↑, "J" is Shift J, "g h" is g h."""
    parts = key.split("+") if len(key) > 1 else [key]
    if len(key) == 1 and key.isupper():
        parts = ["Shift", key]
    elif len(parts) > 1 and len(parts[-1]) == 1:
        parts[-1] = parts[-1].upper()
    return [_SHOWN.get(part, part) for piece in parts for part in piece.split()]


def to_aria_shortcut(key: str) -> str:
    """The same as `aria-keyshortcuts` wants it."""
    return f"Shift+{key}" if len(key) == 1 and key.isupper() else key
