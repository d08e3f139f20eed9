"""API documentation for signed-in users: OpenAPI document and reference page."""

from fastapi import Request
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.responses.json import JsonResponse
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render

router = page_router()


@router.get("/api/openapi.json")
def show_openapi(request: Request, _me: Me) -> Response:
    """Return the OpenAPI 3.1 document."""
    return JsonResponse(request.app.openapi())


@router.get("/api/docs")
def show_reference(request: Request, _me: Me) -> Response:
    """Show the API reference generated from the OpenAPI document."""
    return render(request, "help/api.html", description=request.app.openapi())
