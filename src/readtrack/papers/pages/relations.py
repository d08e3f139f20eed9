"""How papers hang together, as forms on a paper's page."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack.errors import Invalid
from readtrack.languages import gettext as _
from readtrack.papers import relations
from readtrack.papers.relations import RelationAdd, RelationRemove
from readtrack.web.forms import Form, check
from readtrack.web.templating import go
from readtrack.web.transactions import WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)


@router.post("/papers/{paper_id:int}/relations")
def create(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Links this paper to the one that the form names."""
    to = relations.find_meant(tx, fields.get("paper"))
    checked = check(RelationAdd, {"to": to, "kind": fields.get("kind"), "note": fields.get("note")})
    if checked.value is None:
        raise Invalid(" ".join(checked.errors.values()) + " Nothing was changed.")
    made = relations.add_relation(tx, me, paper_id, checked.value)
    return go(request, f"/papers/{paper_id}#relations", _("Linked.") if made else _("They were linked so already."))


@router.post("/papers/{paper_id:int}/relations/{kind}/{to}/remove")
def remove(request: Request, paper_id: int, kind: str, to: int, me: Me, tx: WriteTx) -> Response:
    """Takes a link away."""
    checked = check(RelationRemove, {"to": to, "kind": kind})
    deed_id = relations.remove_relation(tx, me, paper_id, checked.value) if checked.value else None
    undo = (_("Undo"), f"/trash/others/{deed_id}/restore") if deed_id else ("", "")
    said = _("The link is gone; both papers are as they were.")
    return go(request, f"/papers/{paper_id}#relations", said, undo=undo)
