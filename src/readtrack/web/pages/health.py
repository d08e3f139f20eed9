"""Health checks. They reveal nothing else, because they need no authentication."""

from fastapi import Request
from starlette.responses import PlainTextResponse, Response

from readtrack.infra import db
from readtrack.infra.db import Database
from readtrack.infra.errors import ReadtrackError
from readtrack.infra.jobs import scheduler
from readtrack.web.routing import page_router
from readtrack.workspace.system_status import is_disk_almost_full

router = page_router()


@router.get("/healthz")
async def healthy() -> Response:
    """Report that the process responds."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
def check_readiness(request: Request) -> Response:
    """Report whether database, schema, disk and worker are as they should be, with a word for each that is not.

    A failed periodic task is only a warning: pages work without it, and a restart would not help.
    """
    database, settings = request.app.state.database, request.app.state.settings
    try:
        failed_parts, failed_tasks = _check_database(database)
    except ReadtrackError:
        failed_parts, failed_tasks = ["database"], []
    if is_disk_almost_full(settings):
        failed_parts.append("disk")
    if failed_parts:
        return PlainTextResponse(f"not ready: {', '.join(failed_parts)}\n", 503)
    warnings = [f"warning: the periodic task “{name}” failed; readtrack check says how\n" for name in failed_tasks]
    return PlainTextResponse("".join(["ready\n", *warnings]))


def _check_database(database: Database) -> tuple[list[str], list[str]]:
    """Return what is wrong with schema and worker, and the names of failed tasks."""
    current, expected = db.current_revision(database)
    if current != expected:
        return ["schema"], []
    with database.read() as tx:
        is_working = scheduler.is_worker_running(scheduler.last_heartbeat(tx))
        return [] if is_working else ["worker"], [failure.name for failure in scheduler.list_failures(tx)]
