"""What a request to import carries: text in JSON, as itself, in a form, or a file of whatever encoding."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from readtrack import notes
from readtrack.db import Database
from readtrack.errors import UnsupportedMedia
from readtrack.imports.commands import NoteAdd
from readtrack.web.answers import read_json
from readtrack.web.forms import read_fields, valid


@dataclass(frozen=True)
class Sent:
    """Notes as they came."""

    text: str
    title: str = ""


async def read_sent(request: Request, title: str = "") -> Sent:
    """Reads the body in whichever form it came. Raises UnsupportedMedia for any other."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"text/plain", "text/markdown"}:
        return Sent(notes.decode(await request.body()), title)
    if kind in {"multipart/form-data", "application/x-www-form-urlencoded"}:
        fields = await read_fields(request)
        name, data = next((file for file in fields.files.values() if file[1]), ("", b""))
        text = notes.decode(data) if data else fields.get("text")
        return Sent(text, fields.get("title") or name.replace("\\", "/").rsplit("/", 1)[-1])
    if kind == "application/json":
        return _from_json(await read_json(request))
    message = "Send notes as application/json, text/plain, text/markdown, or a file in multipart/form-data."
    raise UnsupportedMedia(message)


def _from_json(body: object) -> Sent:
    note = valid(NoteAdd, body)
    return Sent(note.text, note.title)


async def _database(request: Request) -> AsyncIterator[Database]:
    yield request.app.state.database


SentNotes = Annotated[Sent, Depends(read_sent)]
# One note is read at a time, outside of any transaction: long ones take seconds, in which others shall get answers.
OneAtATime = Annotated[Database, Depends(_database, scope="function", max_concurrency=1)]
