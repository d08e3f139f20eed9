"""Filing papers under topics."""

from starlette.responses import Response

from readtrack.library.topics import commands
from readtrack.library.topics.assign import remove_from_topic
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.routing import api_router

router = api_router("topics")


@router.put("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def file_paper(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Files a paper under a topic; again: the same."""
    commands.link_topic(tx, me, paper_id, slug)
    return Response(status_code=204)


@router.delete("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def unfile_paper(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Takes a paper out of a topic; again: the same. The trash files it there again, for thirty days."""
    remove_from_topic(tx, me, paper_id, slug)
    return Response(status_code=204)
