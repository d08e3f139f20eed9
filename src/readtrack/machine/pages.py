"""Drafts by a machine in a browser: shown, marked as such, and put into a form that a person sends."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.languages import current
from readtrack.languages import gettext as _
from readtrack.machine.asking import FormDraft
from readtrack.machine.drafting import Drafted
from readtrack.papers.queries import get_row
from readtrack.summaries.queries import find_my_summary
from readtrack.web.routers import page_router
from readtrack.web.templating import is_fragment, render
from readtrack.web.transactions import ReadTx
from readtrack.web.visitor import Me

router = page_router()


@router.post("/papers/{paper_id:int}/machine")
def show_draft(request: Request, paper_id: int, me: Me, drafted: FormDraft, tx: ReadTx) -> Response:
    """A draft, and what can be made of it. Nothing is saved."""
    mine, template = find_my_summary(tx, me, paper_id), "machine/_drafted.html"
    text = "\n\n".join(part for part in (mine.markdown if mine else "", _marked(drafted)) if part)
    shown: dict[str, Any] = {"drafted": drafted, "mine": mine, "text": text, "language": current()}
    page = template if is_fragment(request) else "machine/drafted.html"
    return render(request, page, row=get_row(tx, me, paper_id), **shown)


def _marked(drafted: Drafted) -> str:
    """The text with a line above it that says who wrote it; whoever checked it takes that away."""
    return f"> {_('A draft by a machine ({model}), not checked yet.').format(model=drafted.model)}\n\n{drafted.text}"
