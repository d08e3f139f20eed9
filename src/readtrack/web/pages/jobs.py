"""The page of what is going on in the background, and what admins do about it."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.i18n import N_, ngettext
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.ingest.job_overview import get_job_overview
from readtrack.library.enrichment import source_commands
from readtrack.library.enrichment.source_status import find_shared_reasons
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
KIND_NAMES = {
    "backup.create": N_("Backup"),
    "bulk.act": N_("Bulk edit"),
    "bulk.undo": N_("Undo bulk edit"),
    "citations.ask": N_("Fetch references"),
    "graph.map": N_("Draw graph"),
    "images.forget": N_("Delete images"),
    "notices.mail": N_("Daily email"),
    "webhooks.send": N_("Webhooks"),
    "papers.again": N_("Refresh metadata"),
    "papers.bypass": N_("Ask other sources"),
    "papers.cancel": N_("Cancel requests"),
    "papers.duplicates": N_("Find duplicates"),
    "papers.encode": N_("Find similar papers"),
    "papers.resolve": N_("Search titles"),
    "papers.restore": N_("Restore requests"),
    "papers.retry": N_("Try now"),
    "papers.versions": N_("Check for new versions"),
    "people.address-changed": N_("Account email"),
    "people.forgotten": N_("Account email"),
    "people.letter": N_("Account email"),
}
STATE_NAMES = {
    "done": N_("Done"),
    "failed": N_("Failed"),
    "idle": N_("Idle"),
    "offline": N_("Offline"),
    "paused": N_("Paused"),
    "queued": N_("Queued"),
    "resting": N_("Not answering"),
    "running": N_("Running"),
    "throttled": N_("Rate limited"),
    "waiting": N_("Waiting"),
}


@router.get("/jobs")
def show_jobs(request: Request, me: Me, tx: ReadTx, show: str = "") -> Response:
    """Show sources, imports and other jobs: what waits, until when, and why.

    `show` is "all" to list idle sources too.
    """
    settings = request.app.state.settings
    overview = get_job_overview(tx, me, settings.bases, offline=settings.offline)
    shown_sources = [source for source in overview.sources if source.is_active or show == "all"]
    return render(
        request,
        "jobs/list.html",
        overview=overview,
        sources=shown_sources,
        shared_reasons=find_shared_reasons(shown_sources),
        shows_all=show == "all",
        kind_names=KIND_NAMES,
        state_names=STATE_NAMES,
    )


@router.post("/jobs/sources/{source}/pause")
def pause_source(request: Request, source: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Pause a source; offer to resume it."""
    message = _("{source} paused").format(source=_(source_commands.pause_source(tx, me, source)))
    return redirect_with_flash(
        request, _next_path(fields), message, undo=(_("Resume"), f"/jobs/sources/{source}/resume")
    )


@router.post("/jobs/sources/{source}/resume")
def resume_source(request: Request, source: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Resume a paused source."""
    message = _("{source} resumed").format(source=_(source_commands.resume_source(tx, me, source)))
    return redirect_with_flash(request, _next_path(fields), message)


@router.post("/jobs/sources/{source}/retry")
def try_source_now(request: Request, source: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Send a source's requests now."""
    label = source_commands.try_source_now(tx, me, source, request.app.state.settings.bases)
    return redirect_with_flash(request, _next_path(fields), _("Trying {source} now").format(source=_(label)))


@router.post("/jobs/sources/{source}/cancel")
def cancel_requests(request: Request, source: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Have the waiting requests of a source canceled; offer to undo it."""
    count = source_commands.cancel_requests(tx, me, source)
    message = ngettext("Canceling {count} request", "Canceling {count} requests", count).format(count=f"{count:,}")
    undo = (_("Undo"), f"/jobs/sources/{source}/restore") if count else ("", "")
    return redirect_with_flash(request, _next_path(fields), message, undo=undo)


@router.post("/jobs/sources/{source}/restore")
def restore_requests(request: Request, source: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo the canceling of a source's requests."""
    label = source_commands.restore_requests(tx, me, source)
    message = _("Restoring requests to {source}").format(source=_(label))
    return redirect_with_flash(request, _next_path(fields), message)


@router.post("/jobs/{job_id:int}/retry")
def retry_job(request: Request, job_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Retry a failed or waiting job."""
    permissions.require(me, "manage-jobs")
    queue.retry_job(tx, job_id)
    return redirect_with_flash(request, _next_path(fields), _("Trying again"))


def _next_path(fields: Fields) -> str:
    return safe_next(fields.get("next"), "/jobs")
