"""What is shown when a summary was changed elsewhere meanwhile, in the same place: no text is lost."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.db import Read
from readtrack.errors import Stale
from readtrack.languages import gettext as _
from readtrack.papers.queries import get_row
from readtrack.policy import Visitor
from readtrack.summaries.commands import Newer, SummaryEdit
from readtrack.texts.merging import taken, touches
from readtrack.web.conflicts import carried, clash_of
from readtrack.web.forms import Fields
from readtrack.web.templating import render


def conflict_page(
    request: Request, me: Visitor, tx: Read, paper_id: int, *, mine: SummaryEdit, stale: Stale, fields: Fields
) -> Response:
    """All three texts, and the ways out of it."""
    newer: Any = stale.current
    heads = (_("[Version {number}:]").format(number=newer.version), _("[Mine:]"), _("[End]"))
    clash = clash_of(newer.base.markdown if newer.base else None, newer.markdown, mine.markdown, heads)
    context = {"newer": newer, "mine": mine, "clash": clash, "line": _line(newer, mine), "sent": carried(fields)}
    paper = get_row(tx, me, paper_id)
    private = newer.private or mine.private
    return render(request, "summaries/conflict.html", 409, paper=paper, private=private, said=stale.message, **context)


def _line(newer: Newer, mine: SummaryEdit) -> str:
    """The one line of both together; mine where both changed it."""
    lines = (newer.base.tldr if newer.base else "", newer.tldr, mine.tldr)
    return mine.tldr if touches(*lines) else taken(*lines)
