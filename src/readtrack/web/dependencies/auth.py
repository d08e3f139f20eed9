"""Authentication by session cookie, bearer token or trusted proxy header."""

from dataclasses import replace
from functools import partial
from typing import Annotated, cast

from fastapi import BackgroundTasks, Depends, Request
from fastapi.concurrency import run_in_threadpool

from readtrack.infra import i18n, permissions
from readtrack.infra.config import Settings
from readtrack.infra.db import Database, Read
from readtrack.infra.errors import NotSignedIn
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import queries
from readtrack.team.accounts.commands import record_use
from readtrack.team.accounts.identities import ExternalIdentity, identity_from_header
from readtrack.web.dependencies.csrf import check_origin
from readtrack.web.dependencies.database import write_after_response

COOKIE = "readtrack"
SECURE_COOKIE = "__Host-readtrack"
MAX_IDENTITY_LENGTH = 255


def cookie_name(settings: Settings) -> str:
    """Return the name of the session cookie.

    The __Host- prefix used with HTTPS keeps other hosts and paths from setting it.
    """
    return SECURE_COOKIE if settings.secure else COOKIE


async def find_current_user(request: Request, afterwards: BackgroundTasks) -> CurrentUser | None:
    """Return the current user or None. Raise NotSignedIn for an invalid bearer token."""
    if hasattr(request.state, "visitor"):  # authenticated once per request
        return cast("CurrentUser | None", request.state.visitor)
    authorization = _authorization(request)
    if authorization is None and not _is_anonymous_program(request):  # browsers do not send tokens by themselves
        check_origin(request)
    user = await _load_current_user(request, authorization)
    if user is not None:
        user = record_visit(request, afterwards, user)
        if authorization is None:  # with a token, the language comes from the request headers only
            i18n.set_preferred_language(user.language)
    request.state.visitor = user
    return user


def record_visit(request: Request, background_tasks: BackgroundTasks, user: CurrentUser) -> CurrentUser:
    """Add the client address, and schedule recording the visit after the response if that is due."""
    user = replace(user, address=request.client.host if request.client else "")
    if user.use_due:
        background_tasks.add_task(write_after_response, request.app.state.database, partial(record_use, user=user))
    return user


async def get_current_user(request: Request, afterwards: BackgroundTasks) -> CurrentUser:
    """Return the current user.

    Raise NotSignedIn (pages redirect to sign-in), or NotAllowed for a token without read access.
    """
    user = await find_current_user(request, afterwards)
    if user is None:
        raise NotSignedIn(_("Sign in to continue."))
    permissions.require(user, "see")  # excludes tokens for feeds
    return user


def is_for_programs(request: Request) -> bool:
    """Return True for addresses that programs ask, not pages: the API and the server for agents."""
    return request.url.path.startswith(("/api/", "/mcp"))


def _is_anonymous_program(request: Request) -> bool:
    """Return True for a request of a program without any credentials of a browser: it is told to sign in."""
    sent_by_browsers = {"cookie", "origin", "sec-fetch-site"}
    is_program = is_for_programs(request) and not sent_by_browsers & {*request.headers}
    return is_program and find_proxy_identity(request) is None


async def _load_current_user(request: Request, authorization: str | None) -> CurrentUser | None:
    """Load the user in a separate transaction.

    No connection is held while the request waits for the write lock.
    """
    database: Database = request.app.state.database

    def look() -> CurrentUser | None:
        with database.read() as tx:
            return _find_by_credentials(request, tx, authorization)

    return await run_in_threadpool(look)


def _find_by_credentials(request: Request, tx: Read, authorization: str | None) -> CurrentUser | None:
    if authorization is None:
        proxy_identity = find_proxy_identity(request)
        proxy_user = (
            queries.find_visitor_by_identity(tx, proxy_identity.issuer, proxy_identity.subject)
            if proxy_identity
            else None
        )
        if proxy_user is not None:
            return proxy_user
        secret = request.cookies.get(cookie_name(request.app.state.settings))
        return queries.find_visitor_by_sign_in(tx, secret) if secret else None
    user = queries.find_visitor_by_token(tx, _bearer_token(authorization))
    if user is None:
        message = "This token is not valid: unknown, revoked, expired, or of a disabled person."
        raise NotSignedIn(message, code="bad-token")
    return user


def _authorization(request: Request) -> str | None:
    """Return the Authorization header, without Basic credentials that a trusted proxy passes on."""
    header = request.headers.get("authorization")
    if header is None or header.partition(" ")[0].lower() == "bearer":
        return header
    return None if request.app.state.settings.auth_header and _is_behind_trusted_proxy(request) else header


def _is_behind_trusted_proxy(request: Request) -> bool:
    return bool(getattr(request.state, "fronted", False))


def find_proxy_identity(request: Request) -> ExternalIdentity | None:
    """Return the identity in the trusted proxy's header; None if it is missing, repeated, a list or blank."""
    header = request.app.state.settings.auth_header
    if not header or not _is_behind_trusted_proxy(request):
        return None
    values = request.headers.getlist(header)
    value = _decode_header(values[0]) if len(values) == 1 else ""
    if not 0 < len(value) <= MAX_IDENTITY_LENGTH or "," in value or not value.isprintable():
        return None
    return identity_from_header(header, value)


def _decode_header(value: str) -> str:
    """Decode a header as UTF-8, since Starlette decodes it as Latin-1."""
    try:
        return value.encode("latin-1").decode().strip(" \t")
    except UnicodeError:
        return ""


def _bearer_token(authorization: str) -> str:
    scheme, _, secret = authorization.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


Me = Annotated[CurrentUser, Depends(get_current_user)]
MaybeMe = Annotated[CurrentUser | None, Depends(find_current_user)]
