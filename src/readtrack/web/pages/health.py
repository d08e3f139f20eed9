"""Whether the process is up and the library usable; tells strangers nothing else."""

from fastapi import Request
from starlette.responses import PlainTextResponse, Response

from readtrack.infra import db
from readtrack.infra.jobs import periodic
from readtrack.web.routing import page_router

router = page_router()


@router.get("/healthz")
async def healthy() -> Response:
    """The process answers."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
def check_readiness(request: Request) -> Response:
    """The database answers and its tables are those of this version.

    A periodic task that failed is a warning only: pages work without it, and no restart would mend it.
    """
    database = request.app.state.database
    at, wanted = db.current_revision(database)
    if at != wanted:
        return PlainTextResponse("not ready\n", 503)
    with database.read() as tx:
        failed = [failure.name for failure in periodic.list_failures(tx)]
    warnings = [f"warning: the periodic task “{name}” failed; readtrack check says how\n" for name in failed]
    return PlainTextResponse("".join(["ready\n", *warnings]))
