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
    KeyBinding(("?",), N_("These keys")),
    KeyBinding(("/",), N_("Search")),
    KeyBinding(("Ctrl+k", "Meta+k"), N_("Go to a paper, a topic, a person, or do something")),
    KeyBinding(("c",), N_("Add papers")),
    KeyBinding(("z",), N_("Undo what was done last")),
    KeyBinding(("Escape",), N_("Close, leave a field")),
)
ROWS = (
    KeyBinding(("j", "ArrowDown"), N_("Next row")),
    KeyBinding(("k", "ArrowUp"), N_("Previous row")),
    KeyBinding(("o", "Enter"), N_("Open the row")),
    KeyBinding(("v",), N_("Open its source in a new window")),
    KeyBinding(("V",), N_("Open its source here")),
    KeyBinding(("x",), N_("Choose the row")),
    KeyBinding(("J", "K"), N_("Choose it and the next, the previous")),
    KeyBinding(("A",), N_("What to do with the chosen")),
    KeyBinding(("[",), N_("Newer page")),
    KeyBinding(("]",), N_("Older page")),
)
PAPERS = (
    KeyBinding(("1", "2", "3", "4", "5"), N_("To read, reading, paused, read, dropped")),
    KeyBinding(("t",), N_("File under a topic")),
    KeyBinding(("a",), N_("Ask somebody to read it")),
    KeyBinding(("l",), N_("Link it to another paper")),
    KeyBinding(("m",), N_("Propose it for a meeting")),
    KeyBinding(("y",), N_("Copy its citation and address")),
)
PAPER = (
    KeyBinding(("e",), N_("Edit my summary")),
    KeyBinding(("n",), N_("Say something")),
    KeyBinding(("r",), N_("Reply, quoting what is marked")),
    KeyBinding(("p",), N_("How far I am")),
)
QUEUE = (
    KeyBinding(("Alt+ArrowUp", "Alt+ArrowDown"), N_("Up, down")),
    KeyBinding(("T", "B"), N_("To the top, to the bottom")),
)
BOARD = (
    KeyBinding(("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"), N_("From card to card")),
    KeyBinding(("Alt+ArrowLeft", "Alt+ArrowRight"), N_("Move the card to another column")),
    KeyBinding(("Alt+ArrowUp", "Alt+ArrowDown"), N_("Move the card up, down")),
)
EDITOR = (
    KeyBinding(("Ctrl+s",), N_("Save")),
    KeyBinding(("Ctrl+Enter",), N_("Save; from a summary also: mark the paper as read")),
    KeyBinding(("Ctrl+Shift+p",), N_("Preview")),
    KeyBinding(("Ctrl+b", "Ctrl+i"), N_("Strong, emphasised")),
    KeyBinding(("Ctrl+k",), N_("Link")),
    KeyBinding(("Ctrl+m",), N_("Maths")),
)
PREVIEW = (KeyBinding(("a", "s"), N_("Add, skip the line")), KeyBinding(("e",), N_("Edit the line")))
TRIAGE = (
    KeyBinding(("i",), N_("Keep it in the library")),
    KeyBinding(("d",), N_("Reject it for the team")),
    KeyBinding(("s",), N_("To my queue")),
    KeyBinding(("u",), N_("Undo")),
)
REVIEW = (
    KeyBinding(("a",), N_("Yes")),
    KeyBinding(("b",), N_("Into the second")),
    KeyBinding(("d",), N_("No")),
    KeyBinding(("p",), N_("On its own")),
    KeyBinding(("e",), N_("Correct it")),
)
LEADS = (
    KeyBinding(("i",), N_("It is the first that was found")),
    KeyBinding(("d",), N_("That is another work")),
    KeyBinding(("s",), N_("Look for it again")),
    KeyBinding(("r",), N_("Drop it")),
    KeyBinding(("e",), N_("Say which paper it is")),
)
GO = tuple(KeyBinding((f"g {place.key}",), place.name) for group in navigation.GROUPS for place in group)
SECTIONS = (
    ShortcutSection(N_("Everywhere"), "", EVERYWHERE),
    ShortcutSection(N_("In lists"), "[data-row]", ROWS),
    ShortcutSection(N_("Papers, in lists and on their page"), "[data-status], #my-reading", PAPERS),
    ShortcutSection(N_("On the page of a paper"), "#my-reading", PAPER),
    ShortcutSection(N_("In my queue"), "#queue", QUEUE),
    ShortcutSection(N_("On the board"), "#board", BOARD),
    ShortcutSection(N_("While writing"), "textarea[data-draft]", EDITOR),
    ShortcutSection(N_("In a preview of notes"), ".entry", PREVIEW),
    ShortcutSection(N_("Where papers wait to be decided"), ".triage", TRIAGE),
    ShortcutSection(N_("In what needs a look"), ".look", REVIEW),
    ShortcutSection(N_("In leads"), ".lead", LEADS),
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
