"""Old addresses of pages, from bookmarks and mails, and where each page is now."""

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from readtrack.web.routing import page_router

router = page_router()
MOVED: Mapping[str, str] = {
    "/bulk/done": "/history",
    "/folder": "/export/markdown",
    "/forgotten": "/password-reset",
    "/inbox": "/notifications",
    "/join/{code}": "/invitations/accept/{code}",
    "/leads": "/unresolved",
    "/leads/{lead_id:int}": "/unresolved/{lead_id}",
    "/look": "/review",
    "/map": "/graph",
    "/papers/{paper_id:int}/near": "/papers/{paper_id}/similar",
    "/set-up/{code}": "/setup/{code}",
    "/settings/hosts": "/settings/blocked-hosts",
    "/settings/notices": "/settings/notifications",
}


def redirect_to_new_address(request: Request) -> Response:
    """Redirect for good, with the same parameters in the path and in the query."""
    parameters = {name: quote(str(value), safe="") for name, value in request.path_params.items()}
    address = MOVED[request.scope["route"].path].format(**parameters)
    return RedirectResponse(f"{address}?{request.url.query}" if request.url.query else address, 301)


for old in MOVED:
    router.add_api_route(old, redirect_to_new_address)
