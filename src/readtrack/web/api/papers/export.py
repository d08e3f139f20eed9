"""API endpoints for exports: a stream of many papers, or one paper in a format."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.validation import StrictModel
from readtrack.library.papers import lists
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.openapi import file_response
from readtrack.web.responses.json import StreamedResponse
from readtrack.web.routing import api_router
from readtrack.workspace.export import formats
from readtrack.workspace.export.formatted_citations import STYLES, get_formatted_citation
from readtrack.workspace.export.stream import export_text, find_ids, stream_export
from readtrack.workspace.saved_searches.queries import resolve_saved_search

router = api_router("papers")
FORMATS = tuple(formats.all_exports())
FORMAT_BY_SUFFIX = {"bib": "bibtex", "ris": "ris", "md": "markdown"}


def _media_type(suffix: str) -> str:
    return formats.all_exports()[FORMAT_BY_SUFFIX[suffix]].media_type


class ExportQuery(StrictModel):
    """The format, and the papers to export: all, those of a query, or those of a saved search."""

    format: Annotated[str, Field(json_schema_extra={"enum": list(FORMATS)})]
    q: str = ""
    view: int | None = None


class CitationQuery(StrictModel):
    """The style of a citation."""

    style: Annotated[str, Field(json_schema_extra={"enum": list(STYLES)})] = "apa"


@router.get("/export", responses=file_response(*(kind.media_type for kind in formats.all_exports().values())))
def export_papers(request: Request, wanted: Annotated[ExportQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Export papers to a file.

    Oldest first. The selection is made at the start; the file is sent while it is written.
    """
    if wanted.format not in FORMATS:
        detail = _("`format` must be one of {known}.").format(known=", ".join(FORMATS))
        raise Invalid(detail, [FieldError("/format", "unknown-format", detail)])
    q, _sort = resolve_saved_search(tx, me, wanted.view, q=wanted.q)
    ids, kind = find_ids(tx, me, q), formats.all_exports()[wanted.format]
    chunks = stream_export(request.app.state.database, me, wanted.format, ids)
    return StreamedResponse(chunks, media_type=kind.media_type, headers=_attachment_headers(f"readtrack{kind.suffix}"))


@router.get("/papers/{paper_id:int}.bib", responses=file_response(_media_type("bib")))
def get_paper_bibtex(paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a paper as BibTeX."""
    return _export_paper(paper_id, me, tx, "bib")


@router.get("/papers/{paper_id:int}.ris", responses=file_response(_media_type("ris")))
def get_paper_ris(paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a paper as RIS."""
    return _export_paper(paper_id, me, tx, "ris")


@router.get("/papers/{paper_id:int}.md", responses=file_response(_media_type("md")))
def get_paper_markdown(paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a paper as Markdown.

    With the summaries that are shared with the team.
    """
    return _export_paper(paper_id, me, tx, "md")


@router.get("/papers/{paper_id:int}/citation", responses=file_response("text/plain"))
def get_paper_citation(paper_id: int, wanted: Annotated[CitationQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Get a citation of a paper as plain text."""
    return Response(get_formatted_citation(tx, me, paper_id, wanted.style), media_type="text/plain; charset=utf-8")


def _export_paper(paper_id: int, me: Me, tx: ReadTx, suffix: str) -> Response:
    lists.get_row(tx, me, paper_id)
    text = export_text(tx, me, FORMAT_BY_SUFFIX[suffix], [paper_id])
    return Response(text, media_type=_media_type(suffix), headers=_attachment_headers(f"{paper_id}.{suffix}"))


def _attachment_headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
