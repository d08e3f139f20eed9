"""API endpoints for background jobs."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.jobs import queue
from readtrack.infra.validation import StrictModel
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.responses.json import JsonResponse, conditional_response
from readtrack.web.routing import api_router

router = api_router("jobs")


class JobRead(BaseModel):
    """A background job: progress, attempts, next attempt, and error."""

    id: int
    kind: str
    state: str
    progress_done: int
    total: int | None
    attempts: int
    run_at: datetime
    error: str
    created_at: datetime
    ended_at: datetime | None


class JobsQuery(StrictModel):
    """The filter of jobs."""

    failed: bool = False


@router.get("/jobs", responses={200: {"model": list[JobRead]}})
def list_jobs(request: Request, wanted: Annotated[JobsQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List jobs.

    The newest 100. Those of accounts and mail are for admins and for the person who started them.
    """
    return conditional_response(
        request,
        {
            "items": [
                _job_json(job) for job in queue.list_jobs(tx, failed=wanted.failed, condition=queue.visible_jobs(me))
            ]
        },
    )


@router.get("/jobs/{job_id:int}", responses={200: {"model": JobRead}})
def get_job(request: Request, job_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a job."""
    return conditional_response(request, _job_json(queue.get_job(tx, job_id, condition=queue.visible_jobs(me))))


@router.post("/jobs/{job_id:int}/retry", responses={200: {"model": JobRead}})
def retry_job(job_id: int, me: Me, tx: WriteTx) -> Response:
    """Retry a failed or waiting job.

    Safe to repeat.
    """
    permissions.require(me, "manage-jobs")
    queue.retry_job(tx, job_id)
    tx.expire_all()
    return JsonResponse(_job_json(queue.get_job(tx, job_id)))


def _job_json(job: Any) -> dict[str, Any]:  # noqa: ANN401 - the row
    return {name: getattr(job, name) for name in JobRead.model_fields}
