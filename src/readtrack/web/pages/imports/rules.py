"""Page for the team's import rules."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.imports import rules
from readtrack.ingest.imports.rules import RuleCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.get("/imports/rules")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Show all rules with their authors."""
    return render(request, "imports/rules.html", rules=rules.list_rules(tx), sentence=rules.format_rule)


@router.post("/imports/rules")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a rule; show the form again (422) on errors."""
    permissions.require(me, "import")
    wanted = validate_form(RuleCreate, _rule_input(fields.values))
    if wanted.value is None:
        shown = {"rules": rules.list_rules(tx), "sentence": rules.format_rule}
        return render(request, "imports/rules.html", 422, typed=fields.values, errors=wanted.errors, **shown)
    rules.add_rule(tx, me, wanted.value)
    return redirect_with_flash(request, "/imports/rules", _("The rule is kept. It holds for imports from now on."))


@router.post("/imports/rules/{rule_id:int}/delete")
def delete(request: Request, rule_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a rule. Earlier imports are not changed."""
    undo = (_("Undo"), f"/trash/others/{rules.remove_rule(tx, me, rule_id)}/restore")
    said = _("The rule is gone. What it has done in earlier imports stays.")
    return redirect_with_flash(request, "/imports/rules", said, undo=undo)


def _rule_input(typed: Mapping[str, str]) -> dict[str, str]:
    """Convert the page's two forms into a rule.

    For a site, it has a kind or "skip"; for a heading, a topic or none.
    """
    wanted = {"pattern": typed.get("pattern", ""), "value": typed.get("value", ""), "name": typed.get("name", "")}
    if wanted["pattern"] == "heading":
        return {**wanted, "says": "topic" if wanted["name"].strip() else "no_topic"}
    word = typed.get("word", "")
    return {**wanted, "says": "skip"} if word == "skip" else {**wanted, "says": "kind", "name": word}
