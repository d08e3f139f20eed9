"""Filing papers under topics."""

from starlette.responses import Response

from readtrack.topics import commands
from readtrack.topics.filing import take_out
from readtrack.web.routers import api_router
from readtrack.web.transactions import WriteTx
from readtrack.web.visitor import Me

router = api_router("topics")


@router.put("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def file_paper(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Files a paper under a topic; again: the same."""
    commands.link_topic(tx, me, paper_id, slug)
    return Response(status_code=204)


@router.delete("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def unfile_paper(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Takes a paper out of a topic; again: the same. The trash files it there again, for thirty days."""
    take_out(tx, me, paper_id, slug)
    return Response(status_code=204)
