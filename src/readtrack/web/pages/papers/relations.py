"""How papers hang together, as forms on a paper's page."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.library.papers import lists
from readtrack.library.relations import links
from readtrack.library.relations.links import WORDS, RelationCreate, RelationKey, RelationUpdate
from readtrack.library.relations.suggestions.dismiss import dismiss_suggestion, restore_suggestion
from readtrack.library.relations.suggestions.paper_choices import find_paper_choices
from readtrack.library.relations.suggestions.suggest import list_suggestions
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()
SHOWN = "#relations"


@router.get("/papers/named")
def list_named(request: Request, me: Me, tx: ReadTx, paper: str = "") -> Response:
    """Titles that have these words, for a field that offers them."""
    return render(request, "papers/_named.html", choices=find_paper_choices(tx, me, paper))


@router.post("/papers/{paper_id:int}/relations")
def create(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Links this paper to the one that the form names; asks which one when none or several may be meant."""
    try:
        to = links.get_paper_by_text(tx, fields.get("paper"))
        wanted = validate_form(RelationCreate, {"to": to, **_relation_fields(fields)}).or_raise()
        made = links.add_relation(tx, me, paper_id, wanted)
    except Invalid as problem:
        unknown = any(error.pointer == "/paper" for error in problem.errors)
        choices = find_paper_choices(tx, me, fields.get("paper"), but=paper_id) if unknown else []
        row = lists.get_row(tx, me, paper_id)
        context: dict[str, Any] = {
            "row": row,
            "choices": choices,
            "typed": fields.values,
            "kinds": list_relation_kinds(),
        }
        return render(request, "papers/which.html", 422, **context, problem=problem.message)
    told = _("Linked.") if made else _("They were linked so already.")
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}"), told)


@router.get("/papers/{paper_id:int}/relations/{kind}/{to:int}/edit")
def edit_page(request: Request, paper_id: int, kind: str, to: int, me: Me, tx: ReadTx, next: str = "") -> Response:
    """The form with what the relation says now."""
    said = links.get_relation(tx, me, paper_id, _require_relation_key(kind, to))
    rows = lists.list_rows(tx, me, [paper_id, to])
    back = safe_next(next, f"/papers/{paper_id}{SHOWN}")
    context: dict[str, Any] = {
        "one": rows[paper_id],
        "other": rows[to],
        "said": said,
        "kinds": list_relation_kinds(),
        "back": back,
    }
    return render(request, "papers/relation.html", **context)


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/edit")
def edit(request: Request, paper_id: int, kind: str, to: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Says it otherwise, or with another note."""
    said = validate_form(RelationUpdate, _relation_fields(fields)).or_raise()
    links.edit_relation(tx, me, paper_id, _require_relation_key(kind, to), said=said)
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}"), _("Saved."))


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/remove")
def remove(request: Request, paper_id: int, kind: str, to: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Takes a link away, from either of its ends."""
    deed_id = links.remove_relation(tx, me, paper_id, _require_relation_key(kind, to))
    undo = (_("Undo"), f"/trash/others/{deed_id}/restore") if deed_id else ("", "")
    said = _("The link is gone; both papers are as they were.")
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}"), said, undo=undo)


@router.get("/papers/{paper_id:int}/relations/suggested")
def list_suggested(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """What may belong to it: a part of its page, or a page of its own."""
    found = list_suggestions(tx, me, paper_id)
    template = "papers/_suggested.html" if is_fragment(request) else "papers/suggested.html"
    return render(request, template, row=lists.get_row(tx, me, paper_id), suggestions=found)


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/dismiss")
def refuse(request: Request, paper_id: int, kind: str, to: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """They do not belong together."""
    dismiss_suggestion(tx, me, paper_id, _require_relation_key(kind, to))
    undo = (_("Undo"), f"/papers/{paper_id}/relations/{kind}/{to}/offer")
    back = safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}")
    return redirect_with_flash(request, back, _("They stay apart; it is not offered again."), undo=undo)


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/offer")
def offer(request: Request, paper_id: int, kind: str, to: int, me: Me, tx: WriteTx) -> Response:
    """Takes that back."""
    restore_suggestion(tx, me, paper_id, _require_relation_key(kind, to))
    return redirect_with_flash(
        request, f"/papers/{paper_id}/relations/suggested", _("Taken back; it may be offered again.")
    )


def list_relation_kinds() -> list[tuple[str, str]]:
    """What a paper can do to another, as its page says it."""
    return [(kind, _(words[0]).lower()) for kind, words in WORDS.items()]


def _relation_fields(fields: Fields) -> dict[str, str]:
    return {"kind": fields.get("kind"), "note": fields.get("note")}


def _require_relation_key(kind: str, to: int) -> RelationKey:
    checked = validate_form(RelationKey, {"to": to, "kind": kind})
    if checked.value is None:
        raise NotFound(_("These two papers are not linked so (any more). Nothing was changed."))
    return checked.value
