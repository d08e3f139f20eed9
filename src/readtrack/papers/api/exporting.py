"""Papers as files: those of a question or a view, streamed, and one paper in each format that has a suffix."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from readtrack import exports
from readtrack.errors import FieldError, Invalid
from readtrack.languages import gettext as _
from readtrack.papers import queries
from readtrack.papers.exporting import exported, find_ids, streamed
from readtrack.views.queries import asked
from readtrack.web.answers import StreamedAnswer
from readtrack.web.routers import api_router
from readtrack.web.transactions import ReadTx
from readtrack.web.visitor import Me

router = api_router("papers")
FORMATS = tuple(exports.all_exports())
OF_SUFFIX = {"bib": "bibtex", "ris": "ris", "md": "markdown"}


class ExportQuery(BaseModel):
    """Which papers, in which format: all, or those of a question, or of a saved view."""

    model_config = ConfigDict(extra="forbid")
    format: Annotated[str, Field(json_schema_extra={"enum": list(FORMATS)})]
    q: str = ""
    view: int | None = None


@router.get("/export")
def export(request: Request, wanted: Annotated[ExportQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """The papers as a file, the oldest first. Which they are is settled at the start; it is sent as it is made."""
    if wanted.format not in FORMATS:
        detail = _("`format` is one of {known}.").format(known=", ".join(FORMATS))
        raise Invalid(detail, [FieldError("/format", "unknown-format", detail)])
    q, _sort = asked(tx, me, wanted.view, q=wanted.q)
    ids, kind = find_ids(tx, me, q), exports.all_exports()[wanted.format]
    pieces = streamed(request.app.state.database, me, wanted.format, ids)
    return StreamedAnswer(pieces, media_type=kind.media_type, headers=_named(f"readtrack{kind.suffix}"))


@router.get("/papers/{paper_id:int}.bib")
def show_bibtex(paper_id: int, me: Me, tx: ReadTx) -> Response:
    """One paper as BibTeX."""
    return _one(paper_id, me, tx, "bib")


@router.get("/papers/{paper_id:int}.ris")
def show_ris(paper_id: int, me: Me, tx: ReadTx) -> Response:
    """One paper as RIS."""
    return _one(paper_id, me, tx, "ris")


@router.get("/papers/{paper_id:int}.md")
def show_markdown(paper_id: int, me: Me, tx: ReadTx) -> Response:
    """One paper as Markdown, with the summaries that the team shares."""
    return _one(paper_id, me, tx, "md")


def _one(paper_id: int, me: Me, tx: ReadTx, suffix: str) -> Response:
    queries.get_row(tx, me, paper_id)
    name = OF_SUFFIX[suffix]
    text = exported(tx, me, name, [paper_id])
    return Response(text, media_type=exports.all_exports()[name].media_type, headers=_named(f"{paper_id}.{suffix}"))


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
