"""Drafts in a browser: the list of mine, and what becomes of one. They are kept by the editors' own forms."""

from fastapi import Request
from starlette.responses import Response

from readtrack import policy
from readtrack.drafts import commands, queries
from readtrack.drafts.commands import About
from readtrack.languages import gettext as _
from readtrack.topics.queries import get_topic
from readtrack.web.editors import keep_typed
from readtrack.web.forms import Form
from readtrack.web.next import safe_next
from readtrack.web.routers import page_router
from readtrack.web.templating import go, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = page_router()


@router.get("/drafts")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """What I typed and did not save, the newest first."""
    policy.require(me, "see")
    return render(request, "drafts/list.html", drafts=queries.list_drafts(tx, me))


@router.post("/papers/{paper_id:int}/summary/draft")
def keep_of_summary(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Keeps what was typed about a paper, and leads back to it."""
    return _kept(request, keep_typed(tx, me, About("summary", paper_id), fields), f"/papers/{paper_id}/summary")


@router.post("/topics/{slug}/draft")
def keep_of_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """The same of a topic's text."""
    about = About("topic", get_topic(tx, me, slug).row.id)
    return _kept(request, keep_typed(tx, me, about, fields), f"/topics/{slug}")


@router.post("/drafts/{draft_id:int}/discard")
def discard(request: Request, draft_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Forgets one of mine."""
    commands.discard_draft(tx, me, draft_id)
    return go(request, safe_next(fields.get("next"), "/drafts"), _("The draft is discarded."))


def _kept(request: Request, draft_id: int, text: str) -> Response:
    said = _("Your draft is kept. Nobody else sees it, and nothing is saved yet.")
    return go(request, f"{text}/edit?draft={draft_id}", said)
