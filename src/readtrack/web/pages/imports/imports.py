"""Pages to start an import, list imports, and show their report."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.errors import Invalid, TooLarge, UnsupportedMedia
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.imports import commands, queries, report
from readtrack.ingest.imports.store import store_notes
from readtrack.ingest.sample_notes import read_sample_notes
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.import_body import AnyImportBody, OneAtATime
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
SHOWN_AGAIN = 200_000  # characters of rejected notes shown again in the form


@router.get("/imports/new")
def new_page(request: Request, me: Me, tx: ReadTx, sample: str = "", title: str = "") -> Response:
    """Show the import form. `sample`: fill in sample notes; `title`: the notes to add a revision to."""
    permissions.require(me, "import")
    typed = {"text": read_sample_notes(), "title": "sample notes"} if sample else {"title": title[:200]}
    return render(request, "imports/new.html", typed=typed, errors={}, imports=queries.list_imports(tx, 8))


@router.post("/imports")
def create(request: Request, me: Me, sent: AnyImportBody, database: OneAtATime) -> Response:
    """Create an import and redirect to its preview.

    Parsing runs before the transaction, so that it does not block writers.
    """
    permissions.require(me, "import")
    try:
        sent.require()
        import_id, created = store_notes(database, me, sent.notes, sent.title, sent.columns)
    except (Invalid, TooLarge, UnsupportedMedia) as error:
        typed = {"text": sent.text[:SHOWN_AGAIN], "title": sent.title}
        is_about_file = sent.error or (sent.long_text is not None and not sent.text)
        errors = {"file" if is_about_file else "text": error.message}
        return render(request, "imports/new.html", error.status, typed=typed, errors=errors, imports=[])
    return redirect_with_flash(
        request,
        f"/imports/{import_id}",
        "" if created else _("These notes already exist. Showing the existing import."),
        kind="info",
    )


@router.post("/imports/{import_id:int}/cancel")
def cancel(request: Request, import_id: int, me: Me, tx: WriteTx) -> Response:
    """Cancel an import and say what stays."""
    if commands.cancel_import(tx, me, import_id) == "discarded":
        return redirect_with_flash(request, "/imports", _("Import canceled. Nothing was added."))
    return redirect_with_flash(request, f"/imports/{import_id}", _("Import canceled"))


@router.post("/imports/{import_id:int}/retry")
def retry(request: Request, import_id: int, me: Me, tx: WriteTx) -> Response:
    """Read a long text on after its job has failed."""
    commands.retry_reading(tx, me, import_id)
    return redirect_with_flash(request, f"/imports/{import_id}")


@router.get("/imports")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Show all imports, newest first."""
    return render(request, "imports/list.html", imports=queries.list_imports(tx))


@router.get("/imports/{import_id:int}/report")
def report_page(request: Request, import_id: int, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Show the report of an import: what became of its lines."""
    state = queries.get_import(tx, import_id)
    if not state.is_read:
        return redirect_with_flash(request, f"/imports/{import_id}")
    return render(request, "imports/report.html", state=state, report=report.get_report(tx, import_id))
