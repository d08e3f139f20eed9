"""What is said when a topic is saved, alone or with what others saved meanwhile; and shown when both clash."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.db import Read, Write
from readtrack.errors import Stale
from readtrack.languages import gettext as _
from readtrack.policy import Visitor
from readtrack.texts.merging import taken, touches
from readtrack.topics.commands import TopicEdit
from readtrack.topics.queries import get_topic
from readtrack.topics.versions.commands import NOTHING, Saved, names_of_both, save_together, set_aside
from readtrack.topics.versions.queries import find_topic_version, names_of
from readtrack.web.conflicts import carried, clash_of
from readtrack.web.forms import Fields
from readtrack.web.templating import go, render

Said = Mapping[str, Any]  # names, parent and text of a version


def save_form(tx: Write, me: Visitor, slug: str, edit: TopicEdit, *, version: int, aside: bool) -> Saved:
    """Saves what a form says, or keeps it in the history only (`aside`). Raises Stale when it clashes."""
    if aside:
        return Saved(set_aside(tx, me, slug, edit, version=version), aside=True)
    return save_together(tx, me, slug, edit, version=version)


def saved_page(request: Request, saved: Saved) -> Response:
    """To the topic; to its history when something came together there."""
    topic, there = saved.topic, f"/topics/{saved.topic.slug}"
    if saved.met is not None:
        said = _("Merged with version {number}, which was saved meanwhile. Below is what came together.")
        return go(request, f"{there}/versions", said.format(number=saved.met))
    if saved.aside:
        return go(request, there, _("What stands there is as it was. What you wrote is in the history."))
    if saved.already not in {None, topic.version}:
        said = _("This text was saved already, as version {number}; version {newest} came after it.")
        return go(request, there, said.format(number=saved.already, newest=topic.version))
    return go(request, there, _("Saved."))


def conflict_page(
    request: Request, me: Visitor, tx: Read, slug: str, *, mine: TopicEdit, stale: Stale, fields: Fields
) -> Response:
    """All three texts, and the ways out of it."""
    newer: Any = stale.current
    base = newer["base"]
    last = find_topic_version(tx, me, slug, newer["version"])
    by = (last.person if last else None) or ""
    clash = clash_of(base["markdown"] if base else None, newer["markdown"], mine.markdown, _heads(newer["version"], by))
    found = {"clash": clash, "saved_by": by, "said": stale.message, "sent": carried(fields)}
    sides = _sides(tx, base, newer, {**mine.model_dump(), "aliases": mine.names[1:]})
    return render(request, "topics/conflict.html", 409, topic=get_topic(tx, me, slug), **sides, **found)


def _heads(version: int, by: str) -> tuple[str, str, str]:
    theirs = _("[Version {number}, {name}:]") if by else _("[Version {number}:]")
    return theirs.format(number=version, name=by), _("[Mine:]"), _("[End]")


def _sides(tx: Read, base: Said | None, newer: Said, mine: Said) -> dict[str, Any]:
    """What each of them says, and both together; parents by their names, as people read and write them."""
    together = _names_together(base or NOTHING, newer, mine)
    sides = {"base": base, "newer": newer, "mine": mine, "together": together}
    called = names_of(tx, [side["parent"] for side in sides.values() if side and side["parent"]])
    return {name: side and {**side, "parent": called.get(side["parent"] or "", "")} for name, side in sides.items()}


def _names_together(base: Said, newer: Said, mine: Said) -> dict[str, Any]:
    """The names of both; mine where both changed one."""
    fields = {name: (base[name], newer[name], mine[name]) for name in ("name", "parent")}
    whole = {name: mine[name] if touches(*three) else taken(*three) for name, three in fields.items()}
    return {**whole, "aliases": names_of_both(base["aliases"], newer["aliases"], mine["aliases"])}
