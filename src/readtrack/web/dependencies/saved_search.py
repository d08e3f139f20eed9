"""The saved view that a page is shown for, as its address names it."""

from fastapi import Request

from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.web.dependencies.forms import whole
from readtrack.web.templating.environment import note_left_out
from readtrack.workspace.saved_searches.queries import ViewRow, find_view


def shown_view(request: Request, tx: Read, me: Visitor, said: str) -> ViewRow | None:
    """The view of that number; None, with a notice, when there is none that I may see."""
    view = find_view(tx, me, whole(said)) if said else None
    if said and view is None:
        note_left_out(request, "view", said)
    return view
