"""Body of an import request: JSON, plain text, or a form with text or a file in any encoding.

Files and plain text may be large: they are written to disk while they arrive.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from readtrack.infra import disk, permissions
from readtrack.infra.db import Database
from readtrack.infra.errors import UnsupportedMedia
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text.normalize import clean
from readtrack.infra.validation import StrictModel
from readtrack.ingest import parser
from readtrack.ingest.imports.commands import SMALL_BYTES, Columns, NoteCreate
from readtrack.ingest.imports.stored_text import LongText, inspect_file
from readtrack.ingest.imports.uploads import SAMPLE_BYTES, refusal_reason
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import RequestQueue
from readtrack.web.dependencies.forms import MAX_FIELD_BYTES, MAX_FIELDS, refuse_slow_form, validate_input
from readtrack.web.responses.json import read_json

BOTH = N_("Paste notes or choose a file, not both.")
EMPTY = N_("{file} is empty. Choose another file.")
TOO_BUSY = N_("Other large files are being read. Try again in a minute.")
IN_MEMORY_BYTES = 1_000_000
MAX_COLUMNS_CHARS = 100_000  # of the mapping of columns in a form
_INSPECTIONS = RequestQueue(2, wait_seconds=60.0, message=TOO_BUSY)  # each reads a file of up to 200 MB
_PREVIEWS = RequestQueue(1)  # notes are parsed one at a time and outside of a transaction, which may take seconds


@dataclass(frozen=True)
class ImportBody:
    """The notes of a request. `long_text`: what a job is to read, if they are long; `text` is empty then for a file.

    `columns`: what the columns of a CSV file are read as, by their names.
    """

    text: str
    title: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    error: str = ""  # why the file was rejected
    long_text: LongText | None = None

    @property
    def notes(self) -> str | LongText:
        """The text, or the long text that a job is to read."""
        return self.text if self.long_text is None else self.long_text

    def require(self) -> None:
        """Raise UnsupportedMedia if the file was rejected."""
        if self.error:
            raise UnsupportedMedia(self.error)


async def read_import_body(request: Request, me: Me, title: str = "") -> AsyncIterator[ImportBody]:
    """Read the body in any supported media type. Raise NotAllowed before that, UnsupportedMedia for other types."""
    permissions.require(me, "import")
    await _require_space(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"text/plain", "text/markdown"}:
        with SpooledTemporaryFile(IN_MEMORY_BYTES) as file:
            async for piece in request.stream():
                await run_in_threadpool(file.write, piece)
            yield await _inspect(file.tell(), _from_plain_text, file, title)
    elif kind in {"multipart/form-data", "application/x-www-form-urlencoded"}:
        await refuse_slow_form(request)
        async with request.form(max_files=5, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES) as form:
            size = sum(len(value) if isinstance(value, str) else value.size or 0 for value in form.values())
            columns = _parse_columns(form.get("columns"))
            yield replace(await _inspect(size, _from_form, form), columns=columns)
    elif kind == "application/json":
        note = validate_input(NoteCreate, await read_json(request))
        body = await _inspect(len(note.text), _from_text, note.text, note.title)
        yield replace(body, columns=note.columns)
    else:
        message = _("Send notes as application/json, text/plain, text/markdown, or a file in multipart/form-data.")
        raise UnsupportedMedia(message)


async def _require_space(request: Request) -> None:
    """Raise DiskFull if there is too little space for a body that goes to the disk."""
    length = int(request.headers.get("content-length", "0"))  # checked in middleware/body_limit.py
    if length > IN_MEMORY_BYTES or "transfer-encoding" in request.headers:
        await run_in_threadpool(disk.require_space, request.app.state.settings, length)


async def _inspect(size: int, read: Callable[..., ImportBody], *arguments: object) -> ImportBody:
    """Read a body outside of the event loop: few long ones at a time, so that memory and pages do not suffer."""
    if size <= SMALL_BYTES:
        return await run_in_threadpool(read, *arguments)
    async with _INSPECTIONS.acquire_slot():
        return await run_in_threadpool(read, *arguments)


class _ColumnsField(StrictModel):
    columns: Columns


def _parse_columns(value: object) -> Mapping[str, str]:
    """Return the JSON object of a form field. Raise Invalid if it is none."""
    if not isinstance(value, str) or not value.strip():
        return {}
    try:
        columns = json.loads(clean(value[:MAX_COLUMNS_CHARS]))
    except (ValueError, RecursionError):
        columns = value
    return validate_input(_ColumnsField, {"columns": columns}).columns


def _from_form(form: FormData) -> ImportBody:
    fields = {name: clean(value) for name, value in form.multi_items() if isinstance(value, str)}
    text, title = fields.get("text", ""), fields.get("title", "")
    uploads = [value for value in form.values() if isinstance(value, UploadFile) and (value.size or value.filename)]
    upload = next((value for value in uploads if value.size), next(iter(uploads), None))
    if upload is None:
        return _from_text(text, title)
    name = (upload.filename or "").replace("\\", "/").rsplit("/", 1)[-1]
    sample = upload.file.read(SAMPLE_BYTES)
    refusal = _(BOTH) if text.strip() else refusal_reason(name, sample, upload.size or 0)
    body = _from_file(upload.file, title or name)
    is_blank = body.long_text.is_blank if body.long_text else not body.text.strip()
    refusal = refusal or (_(EMPTY).format(file=f"“{name[:100]}”" if name else _("This file")) if is_blank else "")
    return ImportBody(text, title, error=refusal) if refusal else body


def _from_plain_text(file: IO[bytes], title: str) -> ImportBody:
    size = file.seek(0, 2)
    file.seek(0)
    refusal = refusal_reason("", file.read(SAMPLE_BYTES), size)
    return ImportBody("", title, error=refusal) if refusal else _from_file(file, title)


def _from_text(text: str, title: str) -> ImportBody:
    data = text.encode(errors="replace")
    if len(data) <= SMALL_BYTES:
        return ImportBody(text, title)
    return ImportBody(text, title, long_text=inspect_file(BytesIO(data), len(data)))


def _from_file(file: IO[bytes], title: str) -> ImportBody:
    size = file.seek(0, 2)
    file.seek(0)
    if size <= SMALL_BYTES:
        return ImportBody(parser.decode(file.read()), title)
    return ImportBody("", title, long_text=inspect_file(file, size))


AnyImportBody = Annotated[ImportBody, Depends(read_import_body)]  # the form shows why a file was rejected


def _require_text(sent: AnyImportBody) -> ImportBody:
    sent.require()
    return sent


async def _wait_for_turn(request: Request, sent: AnyImportBody) -> AsyncIterator[Database]:
    if sent.long_text is not None:  # not parsed here
        yield request.app.state.database
        return
    async with _PREVIEWS.acquire_slot():
        yield request.app.state.database


async def _wait_to_read_again(request: Request) -> AsyncIterator[Database]:
    async with _PREVIEWS.acquire_slot():
        yield request.app.state.database


TextImportBody = Annotated[ImportBody, Depends(_require_text)]
OneAtATime = Annotated[Database, Depends(_wait_for_turn, scope="function")]
ReadAgain = Annotated[Database, Depends(_wait_to_read_again, scope="function")]
