"""Page for a draft by a language model, labelled as such, with a form to use it."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import current_language
from readtrack.infra.i18n import gettext as _
from readtrack.library.papers.lists import get_row
from readtrack.reading.summaries.queries import find_my_summary
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.llm import FormDraft
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, render
from readtrack.workspace.ai_drafts.generate import AiDraft

router = page_router()


@router.post("/papers/{paper_id:int}/ai-draft")
def show_draft(request: Request, paper_id: int, me: Me, draft: FormDraft, tx: ReadTx) -> Response:
    """Show a draft and how it can be used. Nothing is saved."""
    own_summary, template = find_my_summary(tx, me, paper_id), "ai_drafts/_drafted.html"
    text = "\n\n".join(part for part in (own_summary.markdown if own_summary else "", _format_draft(draft)) if part)
    context: dict[str, Any] = {"draft": draft, "mine": own_summary, "text": text, "language": current_language()}
    page = template if is_fragment(request) else "ai_drafts/drafted.html"
    return render(request, page, row=get_row(tx, me, paper_id), **context)


def _format_draft(draft: AiDraft) -> str:
    """Return the draft below a line that labels it, which the user removes after checking it."""
    label = _("AI draft ({model}), not checked yet.").format(model=draft.model)
    return f"> {label}\n\n{draft.text}"
