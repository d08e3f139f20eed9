"""API endpoints for background jobs."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.validation import StrictModel
from readtrack.ingest.job_overview import list_import_progress
from readtrack.library.enrichment import source_commands
from readtrack.library.enrichment.source_status import SourceStatus, list_sources
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.responses.json import ItemList, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("jobs")


class JobRead(ResponseModel):
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


class StartedJob(ResponseModel):
    """The job that does what was requested; null if there is nothing to do."""

    job: int | None


class SourceRead(ResponseModel):
    """A source of metadata.

    `state`: offline, paused, resting (after failures), throttled (the site asked for a pause), failed (its job has
    given up), running, queued, waiting (until `next_try_at`) or idle. `waiting`: number of requests, counted up to
    1000. `failures`: in a row; `resting_hosts`: of a source with many hosts, such as `url`. `reason`: why it is not
    asked, or its last problem. `answers`, `errors`: of all requests so far.
    """

    name: str
    label: str
    state: str
    waiting: int
    last_answer_at: datetime | None
    next_try_at: datetime | None
    reason: str
    failures: int
    resting_hosts: int
    job_id: int | None
    answers: int
    errors: int


class ImportProgressRead(ResponseModel):
    """How far an import is.

    `state`: parsing, committing, committed or failed. `papers_waiting`: its papers that wait for metadata,
    counted up to 200.
    """

    id: int
    title: str
    number: int
    state: str
    progress_done: int
    total: int | None
    error: str
    papers_waiting: int


class JobsQuery(StrictModel):
    """The filter of jobs."""

    failed: bool = False


@router.get("/jobs", responses={200: {"model": ItemList[JobRead]}})
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
    """Get a job.

    Finished jobs are deleted after 30 days, failed ones after 90, except those of imports that are not committed;
    404 from then on.
    """
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


@router.get("/imports/progress", responses={200: {"model": ItemList[ImportProgressRead]}})
def list_imports_in_progress(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """List imports in progress.

    Also those that have failed or whose papers wait for metadata, newest first.
    """
    return conditional_response(request, {"items": [vars(progress) for progress in list_import_progress(tx)]})


@router.get("/sources", responses={200: {"model": ItemList[SourceRead]}})
def list_all_sources(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """List the sources of metadata.

    With what waits for each, until when, and why.
    """
    return conditional_response(request, {"items": [vars(source) for source in _list_sources(request, tx)]})


@router.get("/sources/{source}", responses={200: {"model": SourceRead}})
def get_source(request: Request, source: str, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Get a source of metadata."""
    return conditional_response(request, _source_json(request, tx, source))


@router.post("/sources/{source}/pause", responses={200: {"model": SourceRead}})
def pause_source(request: Request, source: str, me: Me, tx: WriteTx) -> Response:
    """Pause a source.

    It is not asked until it is resumed; other sources are asked instead. For admins. Safe to repeat.
    """
    source_commands.pause_source(tx, me, source)
    return JsonResponse(_source_json(request, tx, source))


@router.post("/sources/{source}/resume", responses={200: {"model": SourceRead}})
def resume_source(request: Request, source: str, me: Me, tx: WriteTx) -> Response:
    """Resume a paused source.

    For admins. Safe to repeat.
    """
    source_commands.resume_source(tx, me, source)
    return JsonResponse(_source_json(request, tx, source))


@router.post("/sources/{source}/retry", responses={200: {"model": SourceRead}})
def try_source_now(request: Request, source: str, me: Me, tx: WriteTx) -> Response:
    """Send a source's requests now.

    Whatever they wait for: a rest after failures, a pause that the site asked for. Responds 409 if the source is
    paused.
    """
    source_commands.try_source_now(tx, me, source, request.app.state.settings.bases)
    return JsonResponse(_source_json(request, tx, source))


@router.post("/sources/{source}/cancel", responses={200: {"model": SourceRead}})
def cancel_requests(request: Request, source: str, me: Me, tx: WriteTx) -> Response:
    """Cancel the waiting requests of a source.

    A job cancels them in steps. Then nothing waits for them. Refreshing the metadata of a paper sends them again.
    """
    source_commands.cancel_requests(tx, me, source)
    return JsonResponse(_source_json(request, tx, source))


@router.post("/sources/{source}/restore", responses={200: {"model": SourceRead}})
def restore_requests(request: Request, source: str, me: Me, tx: WriteTx) -> Response:
    """Undo the canceling of a source's requests.

    A job restores them in steps.
    """
    source_commands.restore_requests(tx, me, source)
    return JsonResponse(_source_json(request, tx, source))


def _list_sources(request: Request, tx: Read) -> list[SourceStatus]:
    settings = request.app.state.settings
    return list_sources(tx, settings.bases, offline=settings.offline)


def _source_json(request: Request, tx: Read, name: str) -> dict[str, Any]:
    source = next((source for source in _list_sources(request, tx) if source.name == name), None)
    if source is None:
        raise NotFound(_("Source {source} not found.").format(source=name))
    return dict(vars(source))


def _job_json(job: Any) -> dict[str, Any]:  # noqa: ANN401 - the row
    return {name: getattr(job, name) for name in JobRead.model_fields}
