"""Health checks. They reveal nothing else, because they need no authentication."""

from fastapi import Request
from starlette.responses import PlainTextResponse, Response

from readtrack.infra import db
from readtrack.infra.jobs import scheduler
from readtrack.web.routing import page_router

router = page_router()


@router.get("/healthz")
async def healthy() -> Response:
    """Report that the process responds."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
def check_readiness(request: Request) -> Response:
    """Report whether the database responds and has the schema of this version.

    A failed periodic task is only a warning: pages work without it, and a restart would not help.
    """
    database = request.app.state.database
    current, expected = db.current_revision(database)
    if current != expected:
        return PlainTextResponse("not ready\n", 503)
    with database.read() as tx:
        failed_tasks = [failure.name for failure in scheduler.list_failures(tx)]
    warnings = [f"warning: the periodic task “{name}” failed; readtrack check says how\n" for name in failed_tasks]
    return PlainTextResponse("".join(["ready\n", *warnings]))
