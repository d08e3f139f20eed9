"""What a request to import carries: text in JSON, as itself, in a form, or a file of whatever encoding."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from readtrack import notes
from readtrack.db import Database
from readtrack.errors import UnsupportedMedia
from readtrack.imports.commands import NoteAdd
from readtrack.imports.uploads import refusal
from readtrack.languages import N_
from readtrack.languages import gettext as _
from readtrack.web.answers import read_json
from readtrack.web.forms import Fields, read_fields, valid
from readtrack.web.transactions import queued_database

BOTH = N_("There are pasted notes and a file. Nothing was kept; the text is still here. Import one, then the other.")


@dataclass(frozen=True)
class Sent:
    """Notes as they came."""

    text: str
    title: str = ""
    refused: str = ""  # why the file was not read

    def require(self) -> None:
        """Raises UnsupportedMedia for a file that is no text."""
        if self.refused:
            raise UnsupportedMedia(self.refused)


async def read_sent(request: Request, title: str = "") -> Sent:
    """Reads the body in whichever form it came. Raises UnsupportedMedia for any other."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"text/plain", "text/markdown"}:
        return Sent(await run_in_threadpool(notes.decode, await request.body()), title)
    if kind in {"multipart/form-data", "application/x-www-form-urlencoded"}:
        return await run_in_threadpool(_from_form, await read_fields(request))
    if kind == "application/json":
        return _from_json(await read_json(request))
    message = _("Send notes as application/json, text/plain, text/markdown, or a file in multipart/form-data.")
    raise UnsupportedMedia(message)


def _from_form(fields: Fields) -> Sent:
    path, data = next((file for file in fields.files.values() if file[1]), ("", b""))
    name, text = path.replace("\\", "/").rsplit("/", 1)[-1], fields.get("text")
    title = fields.get("title") or name
    if not data:
        return Sent(text, title)
    refused = _(BOTH) if text.strip() else refusal(name, data)
    return Sent(text, fields.get("title"), refused) if refused else Sent(notes.decode(data), title)


def _from_json(body: object) -> Sent:
    note = valid(NoteAdd, body)
    return Sent(note.text, note.title)


async def _readable(request: Request, title: str = "") -> Sent:
    sent = await read_sent(request, title)
    sent.require()
    return sent


SentNotes = Annotated[Sent, Depends(_readable)]
SentForm = Annotated[Sent, Depends(read_sent)]  # a file that is no text is told in the form
# One note is read at a time, outside of any transaction: long ones take seconds, in which others shall get answers.
OneAtATime = Annotated[Database, Depends(queued_database(), scope="function")]
