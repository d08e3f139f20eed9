"""Who is here."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack import policy
from readtrack.models import ROLES
from readtrack.people import queries
from readtrack.web.cursors import cursor_for, cut_for
from readtrack.web.templating import render
from readtrack.web.transactions import ReadTx
from readtrack.web.visitor import Me

router = APIRouter()
QUESTION = "people"


@router.get("/people")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Everybody, by name."""
    return _people(request, me, tx, after=after)


def _people(request: Request, me: Me, tx: ReadTx, *, after: str = "") -> Response:
    page = queries.list_people(tx, me, cut_for(request, QUESTION, after=after))
    context: dict[str, Any] = {
        "people": page.items,
        "count": queries.count_people(tx),
        "next": cursor_for(request, QUESTION, page),
        "manages": policy.may(me, "manage-people"),
        "mails": bool(request.app.state.settings.smtp_url),
        "roles": [(role, role) for role in ROLES],
        "errors": {},
    }
    return render(request, "people/list.html", **context)
