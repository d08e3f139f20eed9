"""Page to export and import a folder of Markdown files."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Database
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.markdown_folder.commands import import_folder
from readtrack.ingest.markdown_folder.import_result import FolderImportResult
from readtrack.ingest.markdown_folder.zip_file import MAX_UPLOAD_BYTES, unpack_folder
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, queued_database
from readtrack.web.dependencies.forms import Form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render

router = page_router()
# One upload at a time, because of its memory use
OneFolder = Annotated[Database, Depends(queued_database(), scope="function")]


def import_uploaded_folder(me: Me, fields: Form, database: OneFolder) -> FolderImportResult:
    """Import the folder in portions, before the endpoint's transaction begins."""
    permissions.require(me, "import")
    name, data = fields.files.get("file", ("", b""))
    if not name and not data:
        raise Invalid(_("Choose a zip file."))
    return import_folder(database, me, unpack_folder(data, max_bytes=MAX_UPLOAD_BYTES))


@router.get("/export/markdown")
def folder_page(request: Request, _me: Me, _tx: ReadTx, q: str = "") -> Response:
    """Show the export links and the import form."""
    return render(request, "markdown_folder/folder.html", q=q, import_result=None)


@router.post("/imports/markdown")
def bring(
    request: Request,
    _me: Me,
    import_result: Annotated[FolderImportResult, Depends(import_uploaded_folder)],
    _tx: ReadTx,
) -> Response:
    """Import a folder and show the result."""
    return render(request, "markdown_folder/folder.html", q="", import_result=import_result)
