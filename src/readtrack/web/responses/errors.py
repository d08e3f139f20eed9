"""Error responses: problem+json for programs, otherwise a page or a fragment."""

import re
from collections.abc import Collection
from contextlib import suppress
from typing import Any, cast
from urllib.parse import quote, urlencode

from fastapi import BackgroundTasks, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from readtrack.infra import disk
from readtrack.infra.errors import (
    BadRequest,
    Conflict,
    DiskFull,
    FieldError,
    Invalid,
    NotFound,
    NotSignedIn,
    PaperMerged,
    ReadtrackError,
    StaleVersion,
)
from readtrack.infra.i18n import gettext as _
from readtrack.infra.validation import validation_message
from readtrack.search import QueryError
from readtrack.web.dependencies.auth import find_current_user, is_for_programs
from readtrack.web.middleware.body_limit import RenderError
from readtrack.web.responses.json import JsonResponse, ReplayedResponse, missing_if_match_error
from readtrack.web.responses.problem import PROBLEM_MEDIA_TYPE, TITLES
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render, unknown_parameter_message

_PAPER = re.compile(r"(/papers/)[0-9]+")
PAGES = frozenset({400, 401, 403, 404, 405, 409, 413, 415, 421, 422, 429, 500, 503, 507})


def install_error_handlers(app: FastAPI) -> None:
    """Register handlers for everything that endpoints can raise."""
    app.add_exception_handler(ReadtrackError, error_response)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _handle_bad_parameters)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _handle_http_error)  # type: ignore[arg-type]
    app.add_exception_handler(ClientDisconnect, _ignore_disconnect)
    app.add_exception_handler(ReplayedResponse, _give_stored_response)
    app.add_exception_handler(OSError, _handle_full_disk)
    # The framework raises it again afterwards, for the request log.
    app.add_exception_handler(Exception, _handle_unexpected)


def build_failure_handler(app: FastAPI) -> RenderError:
    """Return what answers a body too large, outside of the application."""

    def failure(scope: Scope, error: ReadtrackError) -> Response:
        return error_response(Request({**scope, "app": app}), error)  # which the application itself would set

    return failure


def error_response(request: Request, error: ReadtrackError) -> Response:
    """Return the response to an error in the format of the request."""
    headers = _headers(error)
    if isinstance(error, PaperMerged) and request.method in {"GET", "HEAD"}:
        return _redirect_to_survivor(request, error)
    if is_for_programs(request):
        return JsonResponse(problem_details(request, error), error.status, headers, media_type=PROBLEM_MEDIA_TYPE)
    if isinstance(error, NotSignedIn) and request.method == "GET" and not is_fragment(request):
        return RedirectResponse(f"/sign-in?next={quote(_request_path(request))}", 303)
    status = 409 if isinstance(error, StaleVersion) else error.status
    template = f"errors/{status if status in PAGES else 500}.html"
    context = {"message": _(error.message), "reference": _reference(request, status)}
    response = render(request, template, status, **context, written=getattr(request.state, "written", {}))
    response.headers.update(headers)
    return response


def problem_details(request: Request, error: ReadtrackError) -> dict[str, Any]:
    """Return the body described by RFC 9457."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": _(TITLES.get(error.status, "Error")),
        "status": error.status,
        "detail": _(error.message),
        "code": error.code,
        "request_id": str(getattr(request.state, "request_id", "")),
        "errors": [
            {"pointer": field_error.pointer, "code": field_error.code, "detail": field_error.detail}
            for field_error in getattr(error, "errors", ())
        ],
    }
    if isinstance(error, Conflict) and error.allowed:
        body["allowed"] = list(error.allowed)
    if isinstance(error, QueryError):
        body |= {"position": error.position, "length": error.length, "suggestion": error.suggestion}
    if isinstance(error, StaleVersion) and error.current is not None:
        body["current"] = error.current
    return body


def _headers(error: ReadtrackError) -> dict[str, str]:
    headers = {}
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = 'Bearer realm="readtrack"'
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        headers["Retry-After"] = str(max(1, round(retry_after)))
    return headers


def _redirect_to_survivor(request: Request, error: PaperMerged) -> Response:
    """Redirect to the surviving paper; in the API permanently, but uncached because a merge can be undone."""
    survivor_url = _PAPER.sub(rf"\g<1>{error.paper_id}", _request_path(request), count=1)
    return RedirectResponse(
        survivor_url, 301 if survivor_url.startswith("/api/") else 303, {"Cache-Control": "no-store"}
    )


def _give_stored_response(_request: Request, error: Exception) -> Response:
    return cast("ReplayedResponse", error).response


def _handle_full_disk(request: Request, error: Exception) -> Response:
    """Explain a full disk, as when an upload fills the temporary folder. Raise any other error of the system."""
    if cast("OSError", error).errno not in disk.FULL_ERRORS:
        raise error
    return error_response(request, DiskFull(_(disk.FULL)))


def _handle_unexpected(request: Request, _error: Exception) -> Response:
    message = _("Try again. If it keeps failing, give an admin this reference: {reference}.")
    reference = str(getattr(request.state, "request_id", ""))
    return error_response(request, ReadtrackError(message.format(reference=reference)))


def _handle_bad_parameters(request: Request, error: RequestValidationError) -> Response:
    """Redirect pages without invalid parameters; return an error in the API."""
    bad_names = {str(problem["loc"][1]) for problem in error.errors() if problem["loc"][0] == "query"}
    is_query_only = len(bad_names) == len(error.errors()) and bad_names <= request.query_params.keys()
    if request.method == "GET" and is_query_only and not is_for_programs(request):
        return _redirect_without(request, bad_names)
    problems = [
        FieldError(_pointer(detail), str(detail["type"]).replace("_", "-"), validation_message(detail))
        for detail in error.errors()
    ]
    if any(detail["loc"][0] == "path" for detail in error.errors()):
        return error_response(request, NotFound(_("This doesn't exist, or you don't have access to it.")))
    if any(detail["loc"] == ("header", "if-match") for detail in error.errors()):
        return error_response(request, missing_if_match_error())
    return error_response(request, Invalid(_("Some fields or parameters are invalid."), problems))


def _pointer(problem: Any) -> str:  # noqa: ANN401
    return "".join(f"/{part}" for part in problem["loc"][1:])


async def _handle_http_error(request: Request, error: HTTPException) -> Response:
    """Convert the framework's errors: unknown path, wrong method, malformed form.

    No endpoint has asked who the visitor of an unknown path is, but the page has their navigation and language.
    """
    if not is_for_programs(request):
        with suppress(ReadtrackError):  # what is wrong with the credentials is no answer to this request
            await find_current_user(request, BackgroundTasks())
    return await run_in_threadpool(_answer_http_error, request, error)


def _answer_http_error(request: Request, error: HTTPException) -> Response:
    if error.status_code == 405:
        return _refuse_method(request)
    if error.status_code == 404 and (canonical := _path_without_slash(request)):
        return RedirectResponse(canonical, 308)
    if error.status_code == 404:
        return error_response(request, NotFound(_("This doesn't exist, or you don't have access to it.")))
    readtrack_error = BadRequest(str(error.detail))
    readtrack_error.status = error.status_code
    response = error_response(request, readtrack_error)
    response.headers.update(error.headers or {})
    return response


def _refuse_method(request: Request) -> Response:
    """Answer a method that no route has: OPTIONS with the methods of all routes at this address, others with an error.

    The framework's `Allow` has those of the first route only.
    """
    scope = request.scope
    routes = [route for route in request.app.routes if route.matches(scope)[0] is not Match.NONE]
    methods = {method for route in routes for method in getattr(route, "methods", None) or ()} | {"OPTIONS"}
    if "GET" in methods:
        methods.add("HEAD")  # see middleware/head_requests.py
    headers = {"Allow": ", ".join(sorted(methods))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=headers)
    error = BadRequest(_("This address doesn't support this method."), code="method-not-allowed")
    error.status = 405
    response = error_response(request, error)
    response.headers.update(headers)
    return response


def _redirect_without(request: Request, names: Collection[str]) -> Response:
    """Redirect to the same page without these parameters, with a notice."""
    parameters, first = request.query_params, min(names)
    remaining_query = urlencode([(name, value) for name, value in parameters.multi_items() if name not in names])
    message = "" if is_fragment(request) else unknown_parameter_message(first, parameters[first])
    path = quote(request.scope["path"])
    return redirect_with_flash(request, f"{path}?{remaining_query}" if remaining_query else path, message, kind="warn")


def _path_without_slash(request: Request) -> str:
    """Return the URL without trailing slashes if such a page exists, else "".

    The path matches a route of the application, so the redirect cannot lead to another site.
    """
    path = request.scope["path"].rstrip("/")
    if request.method != "GET" or path == request.scope["path"] or is_for_programs(request):
        return ""
    scope = {**request.scope, "path": path}
    if not any(route.matches(scope)[0] is Match.FULL for route in request.app.routes):
        return ""
    return quote(path) + (f"?{request.url.query}" if request.url.query else "")


async def _ignore_disconnect(_request: Request, _error: Exception) -> Response:
    """Return an empty response to a client that has disconnected.

    Without this handler, a traceback is logged each time, which would let anyone fill the log.
    """
    return Response(status_code=400)


def _reference(request: Request, status: int) -> str:
    return str(getattr(request.state, "request_id", "")) if status > 500 else ""  # a 500 says it in its message


def _request_path(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")
