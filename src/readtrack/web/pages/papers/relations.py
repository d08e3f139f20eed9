"""Forms for relations, on a paper's page."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.library.papers import lists
from readtrack.library.relations import links
from readtrack.library.relations.links import (
    WORDS,
    RelationCreate,
    RelationKey,
    RelationUpdate,
    dismiss_suggestion,
    find_paper_choices,
    restore_suggestion,
)
from readtrack.library.relations.suggest import list_suggestions
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.pages.papers.paper_choice import render_paper_choice
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()
SHOWN = "#relations"


@router.get("/papers/named")
def list_named(request: Request, me: Me, tx: ReadTx) -> Response:
    """Return papers whose titles contain the words of the one parameter, which has the name of the form's field."""
    text = next(iter(request.query_params.values()), "")
    return render(request, "papers/_named.html", choices=find_paper_choices(tx, me, text))


@router.post("/papers/{paper_id:int}/relations")
def create(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Relate the paper to the named one; ask which one is meant (422) if that is unclear."""
    try:
        target_id = links.get_paper_by_text(tx, me, fields.get("paper"), exclude_id=paper_id)
        data = validate_form(RelationCreate, {"to": target_id, **_relation_fields(fields)}).or_raise()
        is_new = links.add_relation(tx, me, paper_id, data)
    except Invalid as error:
        return render_paper_choice(request, fields, error, back=f"/papers/{paper_id}{SHOWN}")
    message = _("Papers linked") if is_new else _("These papers are already linked.")
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}"), message)


@router.get("/papers/{paper_id:int}/relations/{kind}/{to:int}/edit")
def edit_page(request: Request, paper_id: int, kind: str, to: int, me: Me, tx: ReadTx, next: str = "") -> Response:
    """Show the form with the current relation."""
    relation = links.get_relation(tx, me, paper_id, _require_relation_key(kind, to))
    rows = lists.list_rows(tx, me, [paper_id, to])
    next_path = safe_next(next, f"/papers/{paper_id}{SHOWN}")
    context: dict[str, Any] = {
        "one": rows[paper_id],
        "other": rows[to],
        "relation": relation,
        "kinds": list_relation_kinds(),
        "back": next_path,
    }
    return render(request, "papers/relation.html", **context)


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/edit")
def edit(request: Request, paper_id: int, kind: str, to: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Change the kind or the note of a relation."""
    update = validate_form(RelationUpdate, _relation_fields(fields)).or_raise()
    links.edit_relation(tx, me, paper_id, _require_relation_key(kind, to), edit=update)
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}"), _("Saved"))


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/remove")
def remove(request: Request, paper_id: int, kind: str, to: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Remove a relation, from either paper."""
    undo_id = links.remove_relation(tx, me, paper_id, _require_relation_key(kind, to))
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore") if undo_id else ("", "")
    message = _("Removed")
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}"), message, undo=undo)


@router.get("/papers/{paper_id:int}/relations/suggested")
def list_suggested(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Show suggested relations, as a fragment or a page."""
    suggestions = list_suggestions(tx, me, paper_id)
    template = "papers/_suggested.html" if is_fragment(request) else "papers/suggested.html"
    return render(request, template, row=lists.get_row(tx, me, paper_id), suggestions=suggestions)


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/dismiss")
def refuse(request: Request, paper_id: int, kind: str, to: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Dismiss a suggested relation."""
    dismiss_suggestion(tx, me, paper_id, _require_relation_key(kind, to))
    undo = (_("Undo"), f"/papers/{paper_id}/relations/{kind}/{to}/offer")
    next_path = safe_next(fields.get("next"), f"/papers/{paper_id}{SHOWN}")
    return redirect_with_flash(request, next_path, _("Suggestion dismissed"), undo=undo)


@router.post("/papers/{paper_id:int}/relations/{kind}/{to:int}/offer")
def offer(request: Request, paper_id: int, kind: str, to: int, me: Me, tx: WriteTx) -> Response:
    """Undo the dismissal of a suggested relation."""
    restore_suggestion(tx, me, paper_id, _require_relation_key(kind, to))
    return redirect_with_flash(request, f"/papers/{paper_id}/relations/suggested", _("Undone"))


def list_relation_kinds() -> list[tuple[str, str]]:
    """Return the kinds of relations with their labels."""
    return [(kind, _(labels[0]).lower()) for kind, labels in WORDS.items()]


def _relation_fields(fields: Fields) -> dict[str, str]:
    return {"kind": fields.get("kind"), "note": fields.get("note")}


def _require_relation_key(kind: str, target_id: int) -> RelationKey:
    form_result = validate_form(RelationKey, {"to": target_id, "kind": kind})
    if form_result.value is None:
        raise NotFound(_("Relation not found."))
    return form_result.value
