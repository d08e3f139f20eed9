"""Every key and what it does: the one table that the help is made from, and that tests hold pages and scripts against.

A key is named as the browser names it ("J" is Shift and j); with "g h" one is pressed after the other.
"""

from collections.abc import Sequence
from typing import NamedTuple

from readtrack.infra.i18n import N_
from readtrack.web.templating import navigation


class Key(NamedTuple):
    """Any of the keys does it."""

    keys: tuple[str, ...]
    does: str


class Section(NamedTuple):
    """Keys of one kind of page. `where`: a selector of what such a page has; blank: every page."""

    name: str
    where: str
    keys: Sequence[Key]


EVERYWHERE = (
    Key(("?",), N_("These keys")),
    Key(("/",), N_("Search")),
    Key(("Ctrl+k", "Meta+k"), N_("Go to a paper, a topic, a person, or do something")),
    Key(("c",), N_("Add papers")),
    Key(("z",), N_("Undo what was done last")),
    Key(("Escape",), N_("Close, leave a field")),
)
ROWS = (
    Key(("j", "ArrowDown"), N_("Next row")),
    Key(("k", "ArrowUp"), N_("Previous row")),
    Key(("o", "Enter"), N_("Open the row")),
    Key(("v",), N_("Open its source in a new window")),
    Key(("V",), N_("Open its source here")),
    Key(("x",), N_("Choose the row")),
    Key(("J", "K"), N_("Choose it and the next, the previous")),
    Key(("A",), N_("What to do with the chosen")),
    Key(("[",), N_("Newer page")),
    Key(("]",), N_("Older page")),
)
PAPERS = (
    Key(("1", "2", "3", "4", "5"), N_("To read, reading, paused, read, dropped")),
    Key(("t",), N_("File under a topic")),
    Key(("a",), N_("Ask somebody to read it")),
    Key(("l",), N_("Link it to another paper")),
    Key(("m",), N_("Propose it for a meeting")),
    Key(("y",), N_("Copy its citation and address")),
)
PAPER = (
    Key(("e",), N_("Edit my summary")),
    Key(("n",), N_("Say something")),
    Key(("r",), N_("Reply, quoting what is marked")),
    Key(("p",), N_("How far I am")),
)
QUEUE = (
    Key(("Alt+ArrowUp", "Alt+ArrowDown"), N_("Up, down")),
    Key(("T", "B"), N_("To the top, to the bottom")),
)
BOARD = (
    Key(("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"), N_("From card to card")),
    Key(("Alt+ArrowLeft", "Alt+ArrowRight"), N_("Move the card to another column")),
    Key(("Alt+ArrowUp", "Alt+ArrowDown"), N_("Move the card up, down")),
)
EDITOR = (
    Key(("Ctrl+s",), N_("Save")),
    Key(("Ctrl+Enter",), N_("Save; from a summary also: mark the paper as read")),
    Key(("Ctrl+Shift+p",), N_("Preview")),
    Key(("Ctrl+b", "Ctrl+i"), N_("Strong, emphasised")),
    Key(("Ctrl+k",), N_("Link")),
    Key(("Ctrl+m",), N_("Maths")),
)
PREVIEW = (Key(("a", "s"), N_("Add, skip the line")), Key(("e",), N_("Edit the line")))
TRIAGE = (
    Key(("i",), N_("Keep it in the library")),
    Key(("d",), N_("Reject it for the team")),
    Key(("s",), N_("To my queue")),
    Key(("u",), N_("Undo")),
)
LOOKS = (
    Key(("a",), N_("Yes")),
    Key(("b",), N_("Into the second")),
    Key(("d",), N_("No")),
    Key(("p",), N_("On its own")),
    Key(("e",), N_("Correct it")),
)
LEADS = (
    Key(("i",), N_("It is the first that was found")),
    Key(("d",), N_("That is another work")),
    Key(("s",), N_("Look for it again")),
    Key(("r",), N_("Drop it")),
    Key(("e",), N_("Say which paper it is")),
)
GO = tuple(Key((f"g {place.key}",), place.name) for group in navigation.GROUPS for place in group)
SECTIONS = (
    Section(N_("Everywhere"), "", EVERYWHERE),
    Section(N_("In lists"), "[data-row]", ROWS),
    Section(N_("Papers, in lists and on their page"), "[data-status], #my-reading", PAPERS),
    Section(N_("On the page of a paper"), "#my-reading", PAPER),
    Section(N_("In my queue"), "#queue", QUEUE),
    Section(N_("On the board"), "#board", BOARD),
    Section(N_("While writing"), "textarea[data-draft]", EDITOR),
    Section(N_("In a preview of notes"), ".entry", PREVIEW),
    Section(N_("Where papers wait to be decided"), ".triage", TRIAGE),
    Section(N_("In what needs a look"), ".look", LOOKS),
    Section(N_("In leads"), ".lead", LEADS),
    Section(N_("Go to"), "", GO),
)
_SHOWN = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc", "Meta": "⌘"}


def strokes(key: str) -> list[str]:
    """A key as keyboards name it, stroke by stroke: "Alt+ArrowUp" is Alt ↑, "J" is Shift J, "g h" is g h."""
    parts = key.split("+") if len(key) > 1 else [key]
    if len(key) == 1 and key.isupper():
        parts = ["Shift", key]
    elif len(parts) > 1 and len(parts[-1]) == 1:
        parts[-1] = parts[-1].upper()
    return [_SHOWN.get(part, part) for piece in parts for part in piece.split()]


def shortcut(key: str) -> str:
    """The same as `aria-keyshortcuts` wants it."""
    return f"Shift+{key}" if len(key) == 1 and key.isupper() else key
