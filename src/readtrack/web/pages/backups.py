"""Settings pages for backups of the library, and for downloading one's own data."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import FileResponse, Response

from readtrack.infra import permissions
from readtrack.infra.db import Database
from readtrack.infra.i18n import gettext as _
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import FormProof, confirm_on_page
from readtrack.web.dependencies.database import ReadTx, WriteTx, queued_database
from readtrack.web.dependencies.forms import Form
from readtrack.web.responses.json import StreamedResponse
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.workspace.backup import schedule
from readtrack.workspace.backup.person_data import open_person_data

router = page_router()
CHUNK_BYTES = 1 << 16
ZIP = "application/zip"
# One archive at a time is written, because that takes processor time and temporary space.
OneArchive = Annotated[Database, Depends(queued_database())]  # until the response has been sent


@router.get("/settings/backups")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the backups in the folder."""
    overview = schedule.get_backup_overview(tx, me, request.app.state.settings)
    return render(request, "backups/list.html", overview=overview)


@router.post("/settings/backups")
def create(request: Request, me: Me, tx: WriteTx) -> Response:
    """Have a backup made."""
    schedule.request_backup(tx, me, request.app.state.settings)
    return redirect_with_flash(request, "/settings/backups", _("Backing up"))


@router.post("/settings/backups/{backup}")
def download(request: Request, backup: str, me: Me, fields: Form, proof: FormProof, tx: WriteTx) -> Response:
    """Send a backup, after asking for the password: it has everybody's private data."""
    schedule.require_access(me)
    confirmation = confirm_on_page(request, tx, me, fields=fields, proof=proof)
    if isinstance(confirmation, Response):
        return confirmation
    file = schedule.take_backup(tx, confirmation, request.app.state.settings, backup)
    return FileResponse(file.path, media_type=ZIP, filename=file.name, headers={"Cache-Control": "no-store"})


@router.get("/settings/my-data")
def download_my_data(me: Me, database: OneArchive) -> Response:
    """Send the signed-in person's own data."""
    permissions.require_browser(me)
    headers = {"Content-Disposition": 'attachment; filename="readtrack-my-data.zip"', "Cache-Control": "no-store"}
    return StreamedResponse(_stream_person_data(database, me.id), media_type=ZIP, headers=headers)


def _stream_person_data(database: Database, person_id: int) -> Iterator[bytes]:
    with open_person_data(database, person_id) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
