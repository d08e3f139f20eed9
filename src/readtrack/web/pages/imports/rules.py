"""Page for the team's import rules."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.imports import rules
from readtrack.ingest.imports.rules import RuleCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.pages.imports.column_table import field_labels
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.get("/imports/rules")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Show all rules with their authors."""
    return render(request, "imports/rules.html", **_context(tx))


@router.post("/imports/rules")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a rule; show the form again (422) on errors."""
    permissions.require(me, "import")
    form_result = validate_form(RuleCreate, _rule_input(fields.values))
    if form_result.value is None:
        return render(
            request, "imports/rules.html", 422, typed=fields.values, errors=form_result.errors, **_context(tx)
        )
    rules.add_rule(tx, me, form_result.value)
    return redirect_with_flash(request, "/imports/rules", _("Saved"))


@router.post("/imports/rules/{rule_id:int}/delete")
def delete(request: Request, rule_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a rule. Earlier imports are not changed."""
    undo = (_("Undo"), f"/trash/others/{rules.remove_rule(tx, me, rule_id)}/restore")
    message = _("Removed")
    return redirect_with_flash(request, "/imports/rules", message, undo=undo)


def _context(tx: Read) -> dict[str, Any]:
    return {"rules": rules.list_rules(tx), "sentence": rules.format_rule, "field_labels": field_labels()}


def _rule_input(values: Mapping[str, str]) -> dict[str, str]:
    """Convert the page's two forms into a rule.

    For a site, it has a kind or "skip"; for a heading, a topic or none.
    """
    rule = {"pattern": values.get("pattern", ""), "value": values.get("value", ""), "name": values.get("name", "")}
    if rule["pattern"] == "heading":
        return {**rule, "says": "topic" if rule["name"].strip() else "no_topic"}
    kind = values.get("word", "")
    return {**rule, "says": "skip"} if kind == "skip" else {**rule, "says": "kind", "name": kind}
