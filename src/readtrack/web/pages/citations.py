"""Pages for frequently cited works, and actions to fetch citations."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import gettext as _
from readtrack.library.citations import commands
from readtrack.library.citations.frequently_cited import list_missing_works
from readtrack.library.topics.queries import list_recent_topics
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render, with_query

router = page_router()
HERE = "/citations"
MAX_TOPIC_CHOICES = 50  # recent topics to choose from


@router.get("/citations")
def list_page(request: Request, me: Me, tx: ReadTx, topic: str = "", refused: str = "") -> Response:
    """Show works that are cited often but missing, or with `refused` the dismissed ones."""
    topics = [(row.slug, row.name) for row in list_recent_topics(tx, MAX_TOPIC_CHOICES)]
    slugs = {slug for slug, _name in topics}
    context: dict[str, Any] = {
        "works": list_missing_works(tx, me, topic, dismissed=bool(refused)),
        "topic": topic,
        "topics": topics if not topic or topic in slugs else [(topic, topic), *topics],
        "refused": bool(refused),
        "here": with_query(HERE, topic=topic, refused=refused),
    }
    return render(request, "citations/missing.html", **context)


@router.post("/citations/{work_id:int}/add")
def add(request: Request, work_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a work to the library by its identifier."""
    _paper_id, is_new = commands.add_work(tx, me, work_id)
    message = _("Paper added") if is_new else _("Already in library")
    return redirect_with_flash(request, safe_next(fields.get("next"), HERE), message)


@router.post("/citations/{work_id:int}/dismiss")
def refuse(request: Request, work_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Dismiss a work."""
    commands.dismiss_work(tx, me, work_id)
    undo = (_("Undo"), f"/citations/{work_id}/reopen")
    return redirect_with_flash(request, safe_next(fields.get("next"), HERE), _("Work dismissed"), undo=undo)


@router.post("/citations/{work_id:int}/reopen")
def reopen(request: Request, work_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo the dismissal of a work."""
    commands.reopen_work(tx, me, work_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), HERE), _("Restored"))


@router.post("/papers/{paper_id:int}/citations/ask")
def ask(request: Request, paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Fetch the citations of a paper."""
    commands.request_citations(tx, me, paper_id)
    return redirect_with_flash(request, f"/papers/{paper_id}#relations", _("Fetching references"))


@router.post("/topics/{slug}/citations/ask")
def ask_of_topic(request: Request, slug: str, me: Me, tx: WriteTx) -> Response:
    """Fetch the citations of a topic's papers."""
    count = commands.request_topic_citations(tx, me, slug)
    message = _("Fetching references") if count else _("Nothing left to fetch")
    return redirect_with_flash(request, with_query(HERE, topic=slug), message)
