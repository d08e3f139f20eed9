"""The trash in a browser."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import Cut
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.pagination import cursor_for, cut_for
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import go, render
from readtrack.workspace.trash import queries
from readtrack.workspace.trash.commands import RESTORING, bring_back

router = page_router()


@router.get("/trash")
def list_page(request: Request, me: Me, tx: ReadTx, of: str = "", after: str = "") -> Response:
    """What can be brought back: some of each kind, or a page of one."""
    kinds = queries.kinds_of(me)
    if of not in kinds:
        some = [(kind, queries.list_trash(tx, me, kind, Cut(queries.SHORT))) for kind in kinds]
        shelves = [(kind, page.items, bool(page.next)) for kind, page in some if page.items]
        return render(request, "trash/list.html", shelves=shelves, kinds=kinds, of="", next=None, after="")
    question = queries.question_of(of)
    page = queries.list_trash(tx, me, of, cut_for(request, question, after=after))
    older = cursor_for(request, question, page)
    shelves = [(of, page.items, False)] if page.items else []
    return render(request, "trash/list.html", shelves=shelves, kinds=kinds, of=of, next=older, after=after)


@router.post("/trash/{shelf}/{thing_id:int}/restore")
def restore(request: Request, shelf: str, thing_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Brings it back, and goes where it stands, or stays in the list."""
    if shelf not in RESTORING:
        raise NotFound(_("There is no such part of the trash. Nothing was changed."))
    address = bring_back(tx, me, shelf, thing_id)
    return go(request, safe_next(fields.get("next"), address), _("Back again."))
