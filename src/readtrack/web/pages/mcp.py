"""The library for agents: the Model Context Protocol over streamable HTTP, for API tokens."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from readtrack.infra.errors import NotAllowed, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.web.dependencies.auth import Me
from readtrack.web.routing import page_router

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

router = page_router()


@router.post("/mcp")
def serve_agent(request: Request, me: Me) -> Response:
    """Answer one message of an agent, with the rights of its token. Sessions of browsers are refused."""
    if find_spec("mcp") is None:
        raise NotFound(_("The extra [mcp] is not installed."))
    if me.token_id is None:
        raise NotAllowed(_("This needs an API token."))
    from readtrack.web.mcp.tools import build_server

    return McpResponse(build_server(request.app.state.database, request.app.state.cursors, lambda: me))


class McpResponse(Response):
    """The response that a server gives to the request itself. Each request stands alone and is answered in JSON."""

    def __init__(self, server: "MCPServer[Any]") -> None:
        super().__init__()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.transport_security import TransportSecuritySettings

        request = Request(scope)
        host = request.headers.get("host", "")  # checked already; a page of another origin must not ask
        security = TransportSecuritySettings(allowed_hosts=[host], allowed_origins=[f"{request.url.scheme}://{host}"])
        app = self._server.streamable_http_app(
            streamable_http_path=request.url.path, json_response=True, stateless_http=True, transport_security=security
        )
        async with self._server.session_manager.run():
            await app(scope, receive, send)
