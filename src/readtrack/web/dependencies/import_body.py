"""Body of an import request: JSON, plain text, or a form with text or a file in any encoding."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from readtrack.infra.db import Database
from readtrack.infra.errors import UnsupportedMedia
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.ingest import parser
from readtrack.ingest.imports.commands import NoteCreate
from readtrack.ingest.imports.uploads import refusal_reason
from readtrack.web.dependencies.database import queued_database
from readtrack.web.dependencies.forms import Fields, read_fields, validate_input
from readtrack.web.responses.json import read_json

BOTH = N_("Paste notes or choose a file, not both.")


@dataclass(frozen=True)
class ImportBody:
    """The notes of a request."""

    text: str
    title: str = ""
    error: str = ""  # why the file was rejected

    def require(self) -> None:
        """Raise UnsupportedMedia if the file was rejected."""
        if self.error:
            raise UnsupportedMedia(self.error)


async def read_import_body(request: Request, title: str = "") -> ImportBody:
    """Read the body in any supported media type. Raise UnsupportedMedia for others."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"text/plain", "text/markdown"}:
        return ImportBody(await run_in_threadpool(parser.decode, await request.body()), title)
    if kind in {"multipart/form-data", "application/x-www-form-urlencoded"}:
        return await run_in_threadpool(_from_form, await read_fields(request))
    if kind == "application/json":
        return _from_json(await read_json(request))
    message = _("Send notes as application/json, text/plain, text/markdown, or a file in multipart/form-data.")
    raise UnsupportedMedia(message)


def _from_form(fields: Fields) -> ImportBody:
    path, data = next((file for file in fields.files.values() if file[1]), ("", b""))
    name, text = path.replace("\\", "/").rsplit("/", 1)[-1], fields.get("text")
    title = fields.get("title") or name
    if not data:
        return ImportBody(text, title)
    refusal = _(BOTH) if text.strip() else refusal_reason(name, data)
    return ImportBody(text, fields.get("title"), refusal) if refusal else ImportBody(parser.decode(data), title)


def _from_json(body: object) -> ImportBody:
    note = validate_input(NoteCreate, body)
    return ImportBody(note.text, note.title)


async def _read_text_body(request: Request, title: str = "") -> ImportBody:
    import_body = await read_import_body(request, title)
    import_body.require()
    return import_body


TextImportBody = Annotated[ImportBody, Depends(_read_text_body)]
AnyImportBody = Annotated[ImportBody, Depends(read_import_body)]  # the form shows why a file was rejected
# ^ Notes are parsed one at a time and outside of a transaction, because long ones take seconds.
OneAtATime = Annotated[Database, Depends(queued_database(), scope="function")]
