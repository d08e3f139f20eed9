"""What is shown when a summary was saved elsewhere meanwhile: no text is lost."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.db import Read
from readtrack.errors import Stale
from readtrack.markdown import MAX_BYTES
from readtrack.papers.queries import get_row
from readtrack.policy import Visitor
from readtrack.summaries.commands import Newer, SummaryEdit
from readtrack.summaries.differences import differences
from readtrack.web.templating import render


def conflict_page(
    request: Request, me: Visitor, tx: Read, paper_id: int, *, mine: SummaryEdit, stale: Stale
) -> Response:
    """Both texts, and the three ways out of it."""
    newer: Any = stale.current
    both = _both(newer, mine)
    context = {"newer": newer, "mine": mine, "both": both if len(both.encode()) <= MAX_BYTES else ""}
    changes = differences(newer.markdown, mine.markdown)
    paper = get_row(tx, me, paper_id)
    return render(request, "summaries/conflict.html", 409, paper=paper, changes=changes, said=stale.message, **context)


def _both(newer: Newer, mine: SummaryEdit) -> str:
    return "\n\n---\n\n".join(text for text in (newer.markdown, mine.markdown) if text)
