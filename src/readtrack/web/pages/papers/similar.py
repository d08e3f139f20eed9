"""Page for similar papers, also used as a fragment of a paper's page."""

from fastapi import Request
from starlette.responses import Response

from readtrack.library.papers.lists import add_team_columns, get_row
from readtrack.library.papers.similar import list_similar_papers
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, render

router = page_router()


@router.get("/papers/{paper_id:int}/similar")
def near_page(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the most similar papers."""
    row, papers = get_row(tx, me, paper_id), add_team_columns(tx, me, list_similar_papers(tx, me, paper_id))
    template = "papers/_similar.html" if is_fragment(request) else "papers/similar.html"
    return render(request, template, row=row, papers=papers)
