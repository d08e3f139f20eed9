"""Pages for autosaved drafts: list, save and discard."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.i18n import gettext as _
from readtrack.library.topics.queries import get_topic
from readtrack.reading.drafts import commands, queries
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.web.templating.text_editor import save_form_draft

router = page_router()


@router.get("/drafts")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show my drafts, newest first."""
    permissions.require(me, "see")
    return render(request, "drafts/list.html", drafts=queries.list_drafts(tx, me))


@router.post("/papers/{paper_id:int}/summary/draft")
def keep_of_summary(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save a draft of a summary and redirect to its form."""
    return _redirect_to_draft(
        request, save_form_draft(tx, me, DraftSubject("summary", paper_id), fields), f"/papers/{paper_id}/summary"
    )


@router.post("/topics/{slug}/draft")
def keep_of_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save a draft of a topic's text and redirect to its form."""
    subject = DraftSubject("topic", get_topic(tx, me, slug).row.id)
    return _redirect_to_draft(request, save_form_draft(tx, me, subject, fields), f"/topics/{slug}")


@router.post("/drafts/{draft_id:int}/discard")
def discard(request: Request, draft_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Discard one of my drafts."""
    commands.discard_draft(tx, me, draft_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), "/drafts"), _("Draft discarded"))


def _redirect_to_draft(request: Request, draft_id: int, page_path: str) -> Response:
    message = _("Draft saved")
    return redirect_with_flash(request, f"{page_path}/edit?draft={draft_id}", message)
