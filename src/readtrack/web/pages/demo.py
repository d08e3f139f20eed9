"""Sign-in to the demo as any of its readers, by a secret URL; only served by `readtrack demo`."""

import hmac

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra.errors import Invalid, NotFound
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import OPERATOR
from readtrack.team.accounts import commands, queries
from readtrack.web.dependencies.auth import MaybeMe
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.sign_in import set_session_cookie
from readtrack.web.templating.environment import render


def demo_router(code: str) -> APIRouter:
    """Return the routes of the demo with this code."""
    router = APIRouter(include_in_schema=False)

    @router.get("/invitations/accept/demo/{given}")
    def enter_page(request: Request, given: str, _visitor: MaybeMe, tx: ReadTx) -> Response:
        """Show a button for each reader."""
        _require_code(given, code)
        return render(request, "demo/enter.html", people=queries.list_people(tx, OPERATOR, PageRequest()).items)

    @router.post("/invitations/accept/demo/{given}")
    def enter(request: Request, given: str, visitor: MaybeMe, fields: Form, tx: WriteTx) -> Response:
        """Sign in as a reader, replacing the current session."""
        _require_code(given, code)
        person = queries.get_person(tx, _parse_person(fields.get("person")))
        agent = request.headers.get("user-agent", "")
        session = commands.sign_in_new(tx, person, agent=agent, instead_of=visitor)
        return set_session_cookie(request, RedirectResponse("/", 303), *session)

    return router


def _require_code(entered_code: str, code: str) -> None:
    if not hmac.compare_digest(entered_code.encode(errors="replace"), code.encode()):
        raise NotFound("This demo link has expired. `readtrack demo` prints a new one at each start.")


def _parse_person(person: str) -> int:
    if not (person.isascii() and person.isdigit()):
        raise Invalid("Choose one of the members.")
    return int(person)
