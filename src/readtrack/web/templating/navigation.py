"""The items of the side bar: keys after g, addresses, icons, names; also used by the palette and the help of keys."""

from typing import NamedTuple

from readtrack.infra import permissions
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize


class NavItem(NamedTuple):
    """`permission`: required to see the item, "" if none is. `has_count`: a number stands beside it."""

    key: str
    address: str
    icon: str
    name: str
    permission: str = ""
    has_count: bool = False


MINE = (
    NavItem("h", "/home", "home", N_("Home")),
    NavItem("i", "/notifications", "inbox", N_("Notifications"), has_count=True),
    NavItem("q", "/queue", "queue", N_("Queue")),
    NavItem("b", "/board", "board", N_("Board")),
)
OURS = (
    NavItem("l", "/papers", "library", N_("Library")),
    NavItem("t", "/topics", "topic", N_("Topics")),
    NavItem("u", "/questions", "question", N_("Questions")),
    NavItem("a", "/assignments", "assign", N_("Assignments")),
    NavItem("m", "/meetings", "meeting", N_("Meetings")),
    NavItem("p", "/progress", "progress", N_("Progress")),
    NavItem("v", "/activity", "activity", N_("Activity")),
)
KEPT = (
    NavItem("f", "/imports/new", "import", N_("Import"), permission="import"),
    NavItem("n", "/notes", "note", N_("Notes")),
    NavItem("w", "/unresolved", "search", N_("Unresolved references")),
    NavItem("k", "/review", "look", N_("Needs review"), permission="edit", has_count=True),
    NavItem("d", "/trash", "trash", N_("Trash")),
)
REST = (
    NavItem("e", "/people", "people", N_("People")),
    NavItem("s", "/settings", "settings", N_("Settings")),
    NavItem("x", "/help/search", "help", N_("Help")),
)
GROUPS = (MINE, OURS, KEPT, REST)
ACTIONS = (
    NavItem("c", "/papers/new", "plus", N_("Add papers"), permission="add"),
    NavItem("", "/meetings/new", "meeting", N_("New meeting"), permission="schedule"),
    NavItem("", "/people/invitations", "people", N_("Invite"), permission="manage-people"),
    NavItem("", "/settings/appearance", "settings", N_("Appearance")),
    NavItem("?", "/help/keys", "help", N_("Keyboard shortcuts")),
)
DOCK = frozenset({"h", "i", "q", "l"})  # the four that a phone always shows


def list_nav_items(visitor: CurrentUser) -> list[NavItem]:
    """Return the items this person may see."""
    return [
        item
        for group in GROUPS
        for item in group
        if not item.permission or permissions.has_permission(visitor, item.permission)
    ]


def find_nav_address(path: str) -> str:
    """Return the address of the item that a page belongs to, "" for none."""
    return _FIRST.get(path.split("/", 2)[1] if "/" in path else path, "")


def search_nav_items(visitor: CurrentUser, text: str) -> list[NavItem]:
    """Return the actions and items whose name contains the text; all of them if it is blank."""
    items = [item._replace(key=f"g {item.key}") for item in list_nav_items(visitor)]
    actions = [
        action for action in ACTIONS if not action.permission or permissions.has_permission(visitor, action.permission)
    ]
    key = normalize.key(text)
    return [entry for entry in (*actions, *items) if key in normalize.key(_(entry.name))]


_FIRST = {item.address.split("/")[1]: item.address for group in GROUPS for item in group} | {
    "": "/home",
    "graph": "/topics",
}
