"""The page that shows admins at a glance how this readtrack is."""

from fastapi import Request
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.pages.jobs import STATE_NAMES
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render
from readtrack.workspace.system_status import get_system_status

router = page_router()


@router.get("/settings/system")
def show_system(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show version, database, disk, worker, jobs and sources."""
    system = get_system_status(tx, me, request.app.state.settings)
    return render(request, "system/status.html", system=system, state_names=STATE_NAMES)
