"""A folder of Markdown in a browser: out, and in again."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack import policy
from readtrack.db import Database
from readtrack.errors import Invalid
from readtrack.languages import gettext as _
from readtrack.vault.bringing import Brought
from readtrack.vault.commands import bring_in
from readtrack.vault.packing import MOST_SENT, unpacked
from readtrack.web.forms import Form
from readtrack.web.routers import page_router
from readtrack.web.templating import render
from readtrack.web.transactions import ReadTx, queued_database
from readtrack.web.visitor import Me

router = page_router()
OneFolder = Annotated[Database, Depends(queued_database(), scope="function")]  # one at a time, as each is large


def brought(me: Me, fields: Form, database: OneFolder) -> Brought:
    """What a folder brings in, portion by portion, before the transaction of the answer begins."""
    policy.require(me, "import")
    name, data = fields.files.get("file", ("", b""))
    if not name and not data:
        raise Invalid(_("Choose the zip of a folder. Nothing was brought in."))
    return bring_in(database, me, unpacked(data, most=MOST_SENT))


@router.get("/folder")
def folder_page(request: Request, _me: Me, _tx: ReadTx, q: str = "") -> Response:
    """What leaves as a folder, and the form that brings one in."""
    return render(request, "vault/folder.html", q=q, brought=None)


@router.post("/folder")
def bring(request: Request, _me: Me, brought: Annotated[Brought, Depends(brought)], _tx: ReadTx) -> Response:
    """Brings a folder in, and tells what came of it."""
    return render(request, "vault/folder.html", q="", brought=brought)
