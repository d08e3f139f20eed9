"""The places of the side bar and their pages, with the key after g of each; also used by the palette and the help."""

from collections.abc import Callable
from typing import NamedTuple

from readtrack.infra import permissions
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize


class NavItem(NamedTuple):
    """`permission`: required to see the item, "" if none is."""

    key: str
    address: str
    icon: str
    name: str
    permission: str = ""


class NavSection(NamedTuple):
    """One place in the side bar. It leads to its first page; the others are tabs there. `count_id` is its number's."""

    name: str
    pages: tuple[NavItem, ...]
    count_id: str = ""


SECTIONS = (
    NavSection(N_("Home"), (NavItem("h", "/home", "home", N_("Home")),)),
    NavSection(
        N_("Notifications"), (NavItem("i", "/notifications", "inbox", N_("Notifications")),), count_id="inbox-count"
    ),
    NavSection(
        N_("Library"),
        (
            NavItem("l", "/papers", "library", N_("Papers")),
            NavItem("b", "/board", "board", N_("Board")),
            NavItem("q", "/queue", "queue", N_("Queue")),
            NavItem("y", "/views", "view", N_("Saved searches")),
            NavItem("d", "/trash", "trash", N_("Trash")),
        ),
    ),
    NavSection(
        N_("Topics"),
        (
            NavItem("t", "/topics", "topic", N_("Topics")),
            NavItem("g", "/graph", "topic", N_("Graph")),
            NavItem("u", "/questions", "question", N_("Questions")),
        ),
    ),
    NavSection(
        N_("Team"),
        (
            NavItem("v", "/activity", "activity", N_("Activity")),
            NavItem("a", "/assignments", "assign", N_("Assignments")),
            NavItem("e", "/people", "people", N_("Members")),
            NavItem("p", "/progress", "progress", N_("Statistics")),
        ),
    ),
    NavSection(N_("Meetings"), (NavItem("m", "/meetings", "meeting", N_("Meetings")),)),
    NavSection(
        N_("Import"),
        (
            NavItem("f", "/imports/new", "import", N_("Import"), permission="import"),
            NavItem("n", "/notes", "note", N_("Notes")),
            NavItem("w", "/unresolved", "search", N_("Unresolved references")),
            NavItem("k", "/review", "look", N_("Needs review"), permission="edit"),
            NavItem("j", "/jobs", "wait", N_("Jobs")),
        ),
        count_id="look-count",
    ),
)
ACCOUNT = (
    NavItem("s", "/settings", "settings", N_("Settings")),
    NavItem("x", "/help/search", "help", N_("Help")),
)
ACTIONS = (
    NavItem("c", "/papers/new", "plus", N_("Add papers"), permission="add"),
    NavItem("", "/meetings/new", "meeting", N_("New meeting"), permission="schedule"),
    NavItem("", "/people/invitations", "people", N_("Invite"), permission="manage-people"),
    NavItem("", "/settings/appearance", "settings", N_("Appearance")),
    NavItem("?", "/help/keys", "help", N_("Keyboard shortcuts")),
)
DOCK = {"Home", "Library", "Notifications"}  # what a phone shows beside its menu
ITEMS = (*(item for section in SECTIONS for item in section.pages), *ACCOUNT)


def list_nav_items(visitor: CurrentUser) -> list[NavItem]:
    """Return the items this person may see."""
    return [item for item in ITEMS if not item.permission or permissions.has_permission(visitor, item.permission)]


def list_sections(may: Callable[[str], bool]) -> list[NavSection]:
    """Return the sections with the pages whose permissions the visitor has."""
    permitted = [
        section._replace(pages=tuple(item for item in section.pages if not item.permission or may(item.permission)))
        for section in SECTIONS
    ]
    return [section for section in permitted if section.pages]


def find_section_name(path: str) -> str:
    """Return the name of the section that a page belongs to, "" for none."""
    return _SECTION_OF.get(path.split("/", 2)[1] if "/" in path else path, "")


def search_nav_items(visitor: CurrentUser, text: str) -> list[NavItem]:
    """Return the actions and items whose name contains the text; all of them if it is blank."""
    items = [item._replace(key=f"g {item.key}") for item in list_nav_items(visitor)]
    actions = [
        action for action in ACTIONS if not action.permission or permissions.has_permission(visitor, action.permission)
    ]
    key = normalize.key(text)
    return [entry for entry in (*actions, *items) if key in normalize.key(_(entry.name))]


_SECTION_OF = {item.address.split("/")[1]: section.name for section in SECTIONS for item in section.pages} | {
    "": "Home",
    "comparisons": "Topics",
    "citations": "Library",
    "history": "Library",
}
