"""Choose the language of each request by its Accept-Language; a person's own choice comes with who they are."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from readtrack.infra import i18n


class LanguageMiddleware:
    """Outside of everything that answers, because errors speak, too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            i18n.begin_request(Headers(scope=scope).get("accept-language", ""))
        await self._app(scope, receive, send)
