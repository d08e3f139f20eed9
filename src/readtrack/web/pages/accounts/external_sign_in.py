"""Sign-in by an OpenID provider or as whom the proxy names; joining with either; linking them in one's settings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra.db import Read, Write, savepoint
from readtrack.infra.errors import NotAllowed, NotFound, ReadtrackError, SourceRefused, SourceUnavailable
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import HalfWay
from readtrack.infra.permissions import Visitor
from readtrack.team.accounts import commands, oidc, queries
from readtrack.team.accounts.commands import pending_sign_ins
from readtrack.team.accounts.identities import Known, get_second_factor, list_identities
from readtrack.team.accounts.oidc import Asked, Provider
from readtrack.web.dependencies.auth import MaybeMe, Me, named_by_proxy
from readtrack.web.dependencies.confirm_password import FormProof
from readtrack.web.dependencies.database import ReadTx, WriteTx, write_in_turn
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.session_cookies import wait, wait_no_more, waiting_of
from readtrack.web.dependencies.sign_in import admit, ways
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import go, render

router = page_router()
SETTINGS = "/settings/identities"
ANSWER = "/sign-in/provider/answer"
AT_ONCE = 4  # questions to the provider at once in a process: it may be slow
NO_ANSWER = N_("That answer belongs to no sign-in that began here, or came too late. Nothing was changed; start again.")
DECLINED = N_("The provider did not let you in. Nothing was changed; try again, or sign in another way.")
NOT_YOU = N_("Somebody else is signed in here by now. Nothing was linked; start again.")


async def count(request: Request, _visitor: MaybeMe) -> Provider:
    """Counts the question to the provider in a transaction of its own. Raises TooMany."""
    provider, address = _provider(request), request.client.host if request.client else ""
    await write_in_turn(request.app.state.database, partial(pending_sign_ins.count_question, address=address))
    return provider


def question(request: Request, provider: Annotated[Provider, Depends(count)]) -> Asked | ReadtrackError:
    """A new question to the provider, asked while no transaction is open; a problem is told where the person is."""
    try:
        return oidc.ask(provider, _answer_at(request))
    except (SourceRefused, SourceUnavailable) as problem:
        return problem


Question = Annotated[Asked | ReadtrackError, Depends(question, max_concurrency=AT_ONCE)]


@dataclass(frozen=True)
class Answered:
    """What came back: the sign-in that waited for it, and who it is, or what was wrong."""

    waiting: HalfWay | None
    known: Known | None
    problem: str = ""


async def take(request: Request, _visitor: MaybeMe) -> HalfWay | None:
    """Ends the sign-in that waits for this answer, whatever comes of it."""
    secret = waiting_of(request)
    if not secret:
        return None
    state = request.query_params.get("state", "")
    return await write_in_turn(
        request.app.state.database, partial(pending_sign_ins.take_answered, secret=secret, state=state)
    )


def answer(request: Request, waiting: Annotated[HalfWay | None, Depends(take)]) -> Answered:
    """Asks the provider who it is, with no transaction open."""
    given = request.query_params
    if waiting is None:
        return Answered(None, None, _(NO_ANSWER))
    if "error" in given:
        return Answered(waiting, None, _(DECLINED))
    asked = Asked(given.get("state", ""), waiting.nonce, waiting.verifier)
    return _asked(request, waiting, asked, _provider(request))


@router.post("/sign-in/provider")
def begin(request: Request, _visitor: MaybeMe, fields: Form, asked: Question, tx: WriteTx) -> Response:
    """Sends the browser to the provider."""
    return _send(request, tx, asked, to=safe_next(fields.get("next"), "/"), back="/sign-in")


@router.post("/join/{code}/provider")
def begin_joining(request: Request, code: str, _visitor: MaybeMe, asked: Question, tx: WriteTx) -> Response:
    """The same, to join with an invitation."""
    invited = queries.get_invitation(tx, "join", code)
    _refuse_reset(invited.person_id)
    return _send(request, tx, asked, to="/", back=f"/join/{code}", invitation_id=invited.id)


@router.post("/settings/identities")
def begin_linking(request: Request, me: Me, proof: FormProof, asked: Question, tx: WriteTx) -> Response:
    """The same, to link what the provider says to the person who is signed in."""
    confirmed = commands.confirm(tx, me, proof)
    if not isinstance(confirmed, Visitor):
        return _identities(request, me, tx, errors=confirmed)
    return _send(request, tx, asked, to=SETTINGS, back=SETTINGS, person_id=me.id)


@router.get("/sign-in/provider/answer")
def finish(
    request: Request,
    visitor: MaybeMe,
    answered: Annotated[Answered, Depends(answer, max_concurrency=AT_ONCE)],
    tx: WriteTx,
) -> Response:
    """Where the provider sends the browser back to. A GET that changes something, as OpenID has it: its `state` is good
    once, in the browser that asked.
    """
    if answered.waiting is None:  # whatever this browser began may still be answered
        return go(request, "/sign-in", answered.problem, kind="bad")
    links = answered.waiting.person_id is not None
    if answered.known is None:
        return _problem(request, answered.problem, links=links)
    try:
        with savepoint(tx):
            return _finished(request, tx, answered.waiting, answered.known, visitor=visitor)
    except ReadtrackError as problem:
        return _problem(request, problem.message, links=links)


@router.post("/join/{code}/proxy")
def join_by_proxy(request: Request, code: str, visitor: MaybeMe, tx: WriteTx) -> Response:
    """Joins as whom the proxy names."""
    invited = queries.get_invitation(tx, "join", code)
    _refuse_reset(invited.person_id)
    person = commands.join_known(tx, invited.id, _named(request))
    return admit(request, tx, person, to="/", said=_welcome(person.name), instead_of=visitor)


@router.get("/settings/identities")
def identities_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """By whom I am known, and what more I could link."""
    return _identities(request, me, tx)


@router.post("/settings/identities/proxy")
def link_proxy(request: Request, me: Me, proof: FormProof, tx: WriteTx) -> Response:
    """Links what the proxy says to the person who is signed in."""
    confirmed = commands.confirm(tx, me, proof)
    if not isinstance(confirmed, Visitor):
        return _identities(request, me, tx, errors=confirmed)
    commands.link_identity(tx, confirmed, _named(request))
    return go(request, SETTINGS, _("Linked. From now on the proxy lets you in."))


@router.post("/settings/identities/{identity_id:int}/unlink")
def unlink(request: Request, identity_id: int, me: Me, tx: WriteTx) -> Response:
    """Ends a link; sessions stay."""
    commands.unlink_identity(tx, me, identity_id)
    return go(request, SETTINGS, _("Unlinked. It does not let you in any more."))


def _identities(request: Request, me: Visitor, tx: Read, *, errors: Mapping[str, str] | None = None) -> Response:
    mine = get_second_factor(tx, me)
    context = {"identities": list_identities(tx, me), "password": mine.password, "second_factor": mine.on}
    given = {**context, **ways(request, tx), "errors": errors or {}}
    return render(request, "accounts/identities.html", 422 if errors else 200, **given)


def _asked(request: Request, waiting: HalfWay, asked: Asked, provider: Provider) -> Answered:
    given = request.query_params
    try:
        claims = oidc.claims_of(
            provider, asked, given.get("code", ""), answer_at=_answer_at(request), issuer=given.get("iss")
        )
    except (NotAllowed, SourceRefused, SourceUnavailable) as problem:
        return Answered(waiting, None, problem.message)
    return Answered(waiting, Known(provider.key, claims.subject, claims.name))


def _finished(request: Request, tx: Write, waiting: HalfWay, known: Known, *, visitor: Visitor | None) -> Response:
    if waiting.person_id is not None:
        if visitor is None or visitor.id != waiting.person_id:
            raise NotAllowed(_(NOT_YOU))
        commands.link_identity(tx, replace(visitor, confirmed=True), known)  # confirmed before the question was sent
        return wait_no_more(request, go(request, SETTINGS, _("Linked. From now on it lets you in.")))
    if waiting.invitation_id is not None:
        person = commands.join_known(tx, waiting.invitation_id, known)
        return admit(request, tx, person, to="/", said=_welcome(person.name), instead_of=visitor)
    person = commands.come_in_known(tx, known)
    return admit(request, tx, person, to=safe_next(waiting.next, "/"), instead_of=visitor)


def _send(
    request: Request, tx: Write, asked: Asked | ReadtrackError, *, to: str, back: str, **whose: int | None
) -> Response:
    """To the provider by a page that leads there at once: a form of ours may not be redirected to another site."""
    if isinstance(asked, ReadtrackError):
        return go(request, back, asked.message, kind="bad")
    secret = pending_sign_ins.begin(
        tx, "oidc", to=to, state=asked.state, nonce=asked.nonce, verifier=asked.verifier, **whose
    )
    name = _provider(request).name
    return wait(request, render(request, "accounts/leaving.html", address=asked.address, provider=name), secret)


def _problem(request: Request, sentence: str, *, links: bool) -> Response:
    return wait_no_more(request, go(request, SETTINGS if links else "/sign-in", sentence, kind="bad"))


def _provider(request: Request) -> Provider:
    provider: Provider | None = request.app.state.provider
    if provider is None:
        raise NotFound(_("No provider is set up here. Nothing was changed; sign in with your password."))
    return provider


def _named(request: Request) -> Known:
    named = named_by_proxy(request)
    if named is None:
        raise NotFound(_("No proxy says here who you are. Nothing was changed."))
    return named


def _refuse_reset(person_id: int | None) -> None:
    if person_id is not None:
        message = _(
            "This link sets the password of a person who is here already. Link other ways in under Settings, then."
        )
        raise NotAllowed(message)


def _answer_at(request: Request) -> str:
    """Ours, by the settings: the Host header is said by whoever asks."""
    return f"{request.app.state.settings.base_url.rstrip('/')}{ANSWER}"


def _welcome(name: str) -> str:
    return _("Welcome, {name}. If the team calls you otherwise, change your name under Settings.").format(name=name)
