"""Erasing a former member: what goes and what stays is said first, then the name is typed."""

from fastapi import Request
from starlette.responses import Response

from readtrack import names, policy
from readtrack.languages import gettext as _
from readtrack.people import commands, queries
from readtrack.people.queries import PersonRow
from readtrack.web.forms import Form
from readtrack.web.routers import page_router
from readtrack.web.templating import go, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = page_router()


@router.get("/people/{person_id:int}/erase")
def erase_page(request: Request, person_id: int, me: Me, tx: ReadTx) -> Response:
    """What would go, and what would stay."""
    policy.require(me, "manage-people")
    return _page(request, queries.get_person_row(tx, me, person_id))


@router.post("/people/{person_id:int}/erase")
def erase(request: Request, person_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Erases, when the name was typed as it is."""
    policy.require(me, "manage-people")
    person = queries.get_person_row(tx, me, person_id)
    if names.key(fields.get("name")) != names.key(person.name):
        return _page(
            request, person, error=_("This is not the name. Nothing was erased; type {name}.").format(name=person.name)
        )
    called = commands.erase_person(tx, me, person_id)
    return go(request, "/people", _("Erased. What they wrote for the team stays, by {called}.").format(called=called))


def _page(request: Request, person: PersonRow, *, error: str = "") -> Response:
    errors = {"name": error} if error else {}
    return render(request, "people/erase.html", 422 if error else 200, person=person, errors=errors)
