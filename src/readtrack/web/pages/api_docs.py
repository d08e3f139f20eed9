"""The description of the API, for people and for programs; for those who are signed in."""

from fastapi import Request
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.responses.json import JsonResponse
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render

router = page_router()


@router.get("/api/openapi.json")
def show_openapi(request: Request, _me: Me) -> Response:
    """OpenAPI 3.1."""
    return JsonResponse(request.app.openapi())


@router.get("/api/docs")
def show_reference(request: Request, _me: Me) -> Response:
    """The same as a page: every address with its parameters, made from the description itself."""
    return render(request, "help/api.html", description=request.app.openapi())
