"""Whether the process is up and the library usable; tells strangers nothing else."""

from fastapi import Request
from starlette.responses import PlainTextResponse, Response

from readtrack import db
from readtrack.web.routers import page_router

router = page_router()


@router.get("/healthz")
async def healthy() -> Response:
    """The process answers."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
def ready(request: Request) -> Response:
    """The database answers and its tables are those of this version."""
    at, wanted = db.current_revision(request.app.state.database)
    return PlainTextResponse("ready\n") if at == wanted else PlainTextResponse("not ready\n", 503)
