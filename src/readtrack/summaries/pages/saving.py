"""What is said when a summary is saved: alone, together with a version saved meanwhile, or beside it."""

from fastapi import Request
from starlette.responses import Response

from readtrack.db import Write
from readtrack.languages import gettext as _
from readtrack.policy import Visitor
from readtrack.summaries.commands import SummaryEdit
from readtrack.summaries.together import Saved, save_together, set_aside
from readtrack.web.templating import go


def save_form(tx: Write, me: Visitor, paper_id: int, edit: SummaryEdit, *, version: int | None, aside: bool) -> Saved:
    """Saves what a form says, or keeps it in the history only (`aside`). Raises Stale when it clashes."""
    if aside:
        return Saved(set_aside(tx, me, paper_id, edit, version=version or 0), aside=True)
    return save_together(tx, me, paper_id, edit, version=version)


def saved_page(request: Request, paper_id: int, saved: Saved, *, read: bool) -> Response:
    """To the paper; to the history when something came together there. `read`: the paper was marked so, too."""
    summary, there = saved.summary, f"/papers/{paper_id}"
    if saved.met is not None:
        said = _("Merged with version {number}, which was saved meanwhile. Below is what came together.")
        return go(request, f"/summaries/{summary.id}/versions", said.format(number=saved.met))
    if saved.aside:
        return go(request, there, _("What stands there is as it was. What you wrote is in the history."))
    if saved.already not in {None, summary.version}:
        said = _("This text was saved already, as version {number}; version {newest} came after it.")
        return go(request, there, said.format(number=saved.already, newest=summary.version))
    said = _("Your summary is saved, version {version}.")
    if read:
        said = _("Your summary is saved, version {version}, and the paper is marked as read.")
    return go(request, there, said.format(version=summary.version))
