"""The places of the side bar: keys after g, addresses, icons, names. The help of keys and the palette tell them too."""

from typing import NamedTuple

from readtrack.infra import permissions
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.infra.text import normalize


class Place(NamedTuple):
    """`act`: what one must be allowed to do to be led there; blank: nothing. `counted`: a number stands beside it."""

    key: str
    address: str
    icon: str
    name: str
    act: str = ""
    counted: bool = False


MINE = (
    Place("h", "/home", "home", N_("Home")),
    Place("i", "/inbox", "inbox", N_("Inbox"), counted=True),
    Place("q", "/queue", "queue", N_("Queue")),
    Place("b", "/board", "board", N_("Board")),
)
OURS = (
    Place("l", "/papers", "library", N_("Library")),
    Place("t", "/topics", "topic", N_("Topics")),
    Place("u", "/questions", "question", N_("Questions")),
    Place("a", "/assignments", "assign", N_("Assignments")),
    Place("m", "/meetings", "meeting", N_("Meetings")),
    Place("p", "/progress", "progress", N_("Progress")),
    Place("v", "/activity", "activity", N_("Activity")),
)
KEPT = (
    Place("f", "/imports/new", "import", N_("Import"), act="import"),
    Place("n", "/notes", "note", N_("Notes")),
    Place("w", "/leads", "search", N_("Leads")),
    Place("k", "/look", "look", N_("Needs a look"), act="edit", counted=True),
    Place("d", "/trash", "trash", N_("Trash")),
)
REST = (
    Place("e", "/people", "people", N_("People")),
    Place("s", "/settings", "settings", N_("Settings")),
    Place("x", "/help/search", "help", N_("Help")),
)
GROUPS = (MINE, OURS, KEPT, REST)
ACTIONS = (
    Place("c", "/papers/new", "plus", N_("Add papers"), act="add"),
    Place("", "/meetings/new", "meeting", N_("Plan a meeting"), act="schedule"),
    Place("", "/people/invitations", "people", N_("Invite somebody"), act="manage-people"),
    Place("", "/settings/appearance", "settings", N_("Appearance and keys")),
    Place("?", "/help/keys", "help", N_("Keys")),
)
DOCK = frozenset({"h", "i", "q", "l"})  # the four that a phone always shows


def places_for(visitor: Visitor) -> list[Place]:
    """All of them that this person is led to."""
    return [place for group in GROUPS for place in group if not place.act or permissions.may(visitor, place.act)]


def place_of(path: str) -> str:
    """The address of the place that a page belongs to; blank for none."""
    return _FIRST.get(path.split("/", 2)[1] if "/" in path else path, "")


def named_like(visitor: Visitor, typed: str) -> list[Place]:
    """What one can do and where one can go, by words in its name; blank: all of it."""
    led = [place._replace(key=f"g {place.key}") for place in places_for(visitor)]
    done = [action for action in ACTIONS if not action.act or permissions.may(visitor, action.act)]
    wanted = normalize.key(typed)
    return [one for one in (*done, *led) if wanted in normalize.key(_(one.name))]


_FIRST = {place.address.split("/")[1]: place.address for group in GROUPS for place in group} | {
    "": "/home",
    "map": "/topics",
}
