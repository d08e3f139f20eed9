"""Forms for the reading order of a topic."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import gettext as _
from readtrack.library.topics.reading_order import ReadingOrderMove, move_in_order, remove_paper_from_order
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form, parse_int, validate_input
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash

router = page_router()


@router.post("/topics/{slug}/order")
def bring_in(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Append a paper of the topic to the order."""
    move_in_order(tx, me, slug, parse_int(fields.get("paper")), step=ReadingOrderMove(to="bottom"))
    return redirect_with_flash(request, f"/topics/{slug}#order", _("It is read last, until you move it."))


@router.post("/topics/{slug}/order/{paper_id:int}/position")
def move(request: Request, slug: str, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move a paper up, down, to an end, or out of the order."""
    order_url = f"/topics/{slug}#order"
    if fields.get("to") != "out":
        is_moved = move_in_order(
            tx, me, slug, paper_id, step=validate_input(ReadingOrderMove, {"to": fields.get("to")})
        )
        return redirect_with_flash(request, order_url, _("Moved.") if is_moved else _("It stands there already."))
    undo_id = remove_paper_from_order(tx, me, slug, paper_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore") if undo_id else ("", "")
    return redirect_with_flash(request, order_url, _("It is in no order now; it stays under the topic."), undo=undo)
