"""Pages to erase a former member, after a confirmation by name."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import normalize
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.queries import PersonRow
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.get("/people/{person_id:int}/erase")
def erase_page(request: Request, person_id: int, me: Me, tx: ReadTx) -> Response:
    """Show what would be deleted and what would be kept."""
    permissions.require(me, "manage-people")
    return _page(request, queries.get_person_row(tx, me, person_id))


@router.post("/people/{person_id:int}/erase")
def erase(request: Request, person_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Erase the person if their name was entered correctly."""
    permissions.require(me, "manage-people")
    person = queries.get_person_row(tx, me, person_id)
    if normalize.key(fields.get("name")) != normalize.key(person.name):
        return _page(
            request, person, error=_("This is not the name. Nothing was erased; type {name}.").format(name=person.name)
        )
    new_name = commands.erase_person(tx, me, person_id)
    return redirect_with_flash(
        request, "/people", _("Erased. What they wrote for the team stays, by {called}.").format(called=new_name)
    )


def _page(request: Request, person: PersonRow, *, error: str = "") -> Response:
    errors = {"name": error} if error else {}
    return render(request, "accounts/erase.html", 422 if error else 200, person=person, errors=errors)
