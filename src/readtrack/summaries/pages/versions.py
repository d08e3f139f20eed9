"""The versions of a summary in a browser."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack.papers.queries import get_row
from readtrack.summaries import queries
from readtrack.web.cursors import cursor_for, cut_for
from readtrack.web.templating import render
from readtrack.web.transactions import ReadTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)
VERSIONS_AT_ONCE = 20


@router.get("/papers/{paper_id:int}/summary/versions")
def my_versions_page(request: Request, paper_id: int, me: Me, tx: ReadTx, after: str = "") -> Response:
    """What I saved, version by version."""
    return versions_page(request, queries.get_my_summary(tx, me, paper_id).id, me, tx, after)


@router.get("/summaries/{summary_id:int}/versions")
def versions_page(request: Request, summary_id: int, me: Me, tx: ReadTx, after: str = "") -> Response:
    """The versions of a summary that I may read, the newest first."""
    summary = queries.get_summary(tx, me, summary_id)
    question = f"versions of {summary_id}"
    page = queries.list_versions(tx, me, summary_id, cut_for(request, question, limit=VERSIONS_AT_ONCE, after=after))
    cursor, paper = cursor_for(request, question, page), get_row(tx, me, summary.paper_id)
    found: dict[str, Any] = {"summary": summary, "paper": paper, "versions": page.items}
    return render(request, "summaries/versions.html", **found, next=cursor, after=after)
