"""Page for the trash."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import PageRequest
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.workspace.trash import queries
from readtrack.workspace.trash.restore import RESTORE_COMMANDS, restore_item

router = page_router()


@router.get("/trash")
def list_page(request: Request, me: Me, tx: ReadTx, of: str = "", after: str = "") -> Response:
    """Show what can be restored: a few items of each kind, or a page of one kind."""
    kinds = queries.list_kinds(me)
    if of not in kinds:
        pages = [(kind, queries.list_trash(tx, me, kind, PageRequest(queries.PREVIEW_ITEMS))) for kind in kinds]
        sections = [(kind, page.items, bool(page.next)) for kind, page in pages if page.items]
        return render(request, "trash/list.html", shelves=sections, kinds=kinds, of="", next=None, after="")
    cursor_context = queries.question_of(of)
    page = queries.list_trash(tx, me, of, read_page_request(request, cursor_context, after=after))
    cursor = get_next_cursor(request, cursor_context, page)
    sections = [(of, page.items, False)] if page.items else []
    return render(request, "trash/list.html", shelves=sections, kinds=kinds, of=of, next=cursor, after=after)


@router.post("/trash/{shelf}/{thing_id:int}/restore")
def restore(request: Request, shelf: str, thing_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Restore an item, and redirect to it or back to the list."""
    if shelf not in RESTORE_COMMANDS:
        raise NotFound(_("This doesn't exist, or you don't have access to it."))
    address = restore_item(tx, me, shelf, thing_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), address), _("Restored"))
