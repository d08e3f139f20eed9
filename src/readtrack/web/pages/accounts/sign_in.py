"""Signing in and out. What is slow or waits stands in dependencies that few may run at once, before the writing."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import Claim
from readtrack.team.accounts.passwords import Verdict, check_password
from readtrack.team.accounts.schemas import SignInTry
from readtrack.web.dependencies.auth import MaybeMe
from readtrack.web.dependencies.database import ReadTx, WriteTx, write_in_turn
from readtrack.web.dependencies.forms import Checked, Form, check
from readtrack.web.dependencies.session_cookies import device_of, forget, session_of
from readtrack.web.dependencies.sign_in import let_in, ways
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import go, render

router = page_router()
HOME = "/"
AT_ONCE = 2  # passwords compared at once in a process: each takes a core and 19 MiB
WRONG = N_("That name and password do not go together. Try again, or ask an admin for a link to set a new password.")


@dataclass(frozen=True)
class Claimed:
    """The form, and whom it claims to be; the attempt is counted."""

    checked: Checked[SignInTry]
    claim: Claim | None


@dataclass(frozen=True)
class Tried:
    """The form and whether the password was right."""

    checked: Checked[SignInTry]
    claim: Claim | None
    verdict: Verdict


async def claim(request: Request, _visitor: MaybeMe, fields: Form) -> Claimed:
    """Counts the attempt in a transaction of its own, which stays whatever follows. Cross-site forms end before it."""
    checked = check(SignInTry, fields.values)
    if checked.value is None:
        return Claimed(checked, None)
    address = request.client.host if request.client else ""
    attempt = partial(
        commands.claim_sign_in, name_or_email=checked.value.name, address=address, device=device_of(request)
    )
    return Claimed(checked, await write_in_turn(request.app.state.database, attempt))


def compare(claimed: Annotated[Claimed, Depends(claim)]) -> Tried:
    """Compares the password while no transaction of ours is open for writing."""
    given, claim = claimed.checked.value, claimed.claim
    if given is None or claim is None:
        return Tried(claimed.checked, None, Verdict(right=False))
    return Tried(claimed.checked, claim, check_password(given.password, claim.password_hash))


@router.get("/sign-in")
def sign_in_page(request: Request, visitor: MaybeMe, tx: ReadTx, next: str = "") -> Response:
    """The form; who is signed in already goes on."""
    if visitor is not None:
        return RedirectResponse(safe_next(next, HOME), 303)
    return _form(request, next, anybody=queries.anybody(tx), **ways(request, tx))


@router.post("/sign-in")
def sign_in(
    request: Request,
    visitor: MaybeMe,
    fields: Form,
    tried: Annotated[Tried, Depends(compare, max_concurrency=AT_ONCE)],
    tx: WriteTx,
) -> Response:
    """Lets in with a session that is new, or says no in words that do not tell whether the name exists."""
    person = commands.prove(tx, tried.claim, tried.verdict) if tried.claim else None
    if person is None:
        wrong = {"password": _(WRONG)} if tried.claim else tried.checked.errors
        given = {"name": fields.get("name"), "errors": wrong, **ways(request, tx)}
        return _form(request, fields.get("next"), status=422, **given)
    return let_in(request, tx, person, to=safe_next(fields.get("next"), HOME), instead_of=visitor)


@router.post("/sign-out")
def sign_out(request: Request, visitor: MaybeMe, tx: WriteTx) -> Response:
    """Ends the session; saying it twice is no error."""
    if visitor is not None:
        commands.sign_out(tx, visitor, cookie=session_of(request))
    if visitor is not None and visitor.scopes is None and visitor.sign_in_id is None:
        stays = go(request, HOME, _("The proxy in front of readtrack signs you in; sign out there."), kind="info")
        return forget(request, stays)
    return forget(request, go(request, "/sign-in", _("Signed out.")))


def _form(request: Request, wanted: str, *, status: int = 200, **context: object) -> Response:
    given = {"anybody": True, "name": "", "errors": {}, **context}
    return render(request, "accounts/sign_in.html", status, next=safe_next(wanted, ""), **given)
