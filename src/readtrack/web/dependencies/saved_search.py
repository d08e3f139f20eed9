"""The saved search named in the URL of a page."""

from fastapi import Request

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.web.dependencies.forms import parse_int
from readtrack.web.templating.environment import note_unknown_parameter
from readtrack.workspace.saved_searches.queries import ViewRow, find_view


def find_saved_search(request: Request, tx: Read, me: CurrentUser, view_text: str) -> ViewRow | None:
    """Return the saved search; None with a notice if it is not visible."""
    view = find_view(tx, me, parse_int(view_text)) if view_text else None
    if view_text and view is None:
        note_unknown_parameter(request, "view", view_text)
    return view
