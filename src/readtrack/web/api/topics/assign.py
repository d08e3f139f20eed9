"""API endpoints to assign papers to topics."""

from starlette.responses import Response

from readtrack.library.topics import commands
from readtrack.library.topics.assign import remove_from_topic
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.routing import api_router

router = api_router("topics")


@router.put("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def add_paper_to_topic(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Add a paper to a topic.

    Safe to repeat.
    """
    commands.link_topic(tx, me, paper_id, slug)
    return Response(status_code=204)


@router.delete("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def remove_paper_from_topic(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Remove a paper from a topic.

    It can be restored from the trash for 30 days. Safe to repeat.
    """
    remove_from_topic(tx, me, paper_id, slug)
    return Response(status_code=204)
