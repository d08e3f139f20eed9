"""API endpoints to export and import a folder of Markdown files as a zip file."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Depends, Query, Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Database, Read
from readtrack.infra.errors import UnsupportedMedia
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.ingest.markdown_folder.commands import import_folder
from readtrack.ingest.markdown_folder.file_names import build_folder_names
from readtrack.ingest.markdown_folder.import_result import FolderImportResult
from readtrack.ingest.markdown_folder.zip_file import MAX_UPLOAD_BYTES, MEDIA_TYPE, pack_folder, unpack_folder
from readtrack.library.topics.queries import get_topic
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, queued_database
from readtrack.web.openapi import file_response
from readtrack.web.responses.json import JsonResponse, ResponseModel, StreamedResponse
from readtrack.web.routing import api_router
from readtrack.workspace.saved_searches.queries import resolve_saved_search

router = api_router("Markdown folder")


# One upload at a time, because of its memory use
OneFolder = Annotated[Database, Depends(queued_database(), scope="function")]


class FolderQuery(StrictModel):
    """The papers to export: all, those of a query, or those of a saved search."""

    q: str = ""
    view: int | None = None


class FolderImportRead(ResponseModel):
    """The result of a folder import.

    `left_out`: a sentence for each item that was ignored or not changed.
    """

    papers_added: int
    papers_known: int
    topics_added: int
    topics_known: int
    relations: int
    tables: int
    summaries: int
    left_out: list[str]


async def read_zip_body(request: Request, me: Me) -> bytes:
    """Return the zip file in the body. Raise NotAllowed or UnsupportedMedia."""
    permissions.require(me, "import")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise UnsupportedMedia(_("Send the folder as application/zip."))
    return await request.body()


def import_posted_folder(
    me: Me, data: Annotated[bytes, Depends(read_zip_body)], database: OneFolder
) -> FolderImportResult:
    """Import the folder in portions."""
    return import_folder(database, me, unpack_folder(data, max_bytes=MAX_UPLOAD_BYTES))


@router.get("/export/markdown.zip", responses=file_response(MEDIA_TYPE))
def export_markdown_folder(request: Request, wanted: Annotated[FolderQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Export papers and their topics as a zip of Markdown files.

    Metadata as front matter, shared summaries, relations, and links that work in Obsidian and Logseq.
    """
    q, _sort = resolve_saved_search(tx, me, wanted.view, q=wanted.q)
    return _zip_response(request, me, tx, q, name="readtrack")


@router.get("/topics/{slug}/export/markdown.zip", responses=file_response(MEDIA_TYPE))
def export_topic_markdown_folder(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """Export a topic as a zip of Markdown files.

    With the topics below it.
    """
    topic = get_topic(tx, me, slug)
    return _zip_response(request, me, tx, f'topic:"{topic.row.slug}"', name="topic")


@router.post(
    "/imports/markdown",
    responses={200: {"model": FolderImportRead}},
    openapi_extra={
        "requestBody": {"required": True, "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}
    },
)
def import_markdown_folder(brought: Annotated[FolderImportResult, Depends(import_posted_folder)]) -> Response:
    """Import a zip of Markdown files that readtrack exported.

    What is in the library is never overwritten; `left_out` lists what was not imported. Safe to repeat.
    """
    return JsonResponse(asdict(brought))


def _zip_response(request: Request, me: CurrentUser, tx: Read, q: str, *, name: str) -> Response:
    names = build_folder_names(tx, me, q)
    chunks = pack_folder(request.app.state.database, me, names)
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return StreamedResponse(chunks, media_type=MEDIA_TYPE, headers=headers)
