"""Answer HEAD as GET is answered, without the body: routes need not know of it."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadRequestsMiddleware:
    """Routes see a GET; `request.state.only_head` tells those that would make a long body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        state = {**scope.get("state", {}), "only_head": True}
        await self._app({**scope, "method": "GET", "state": state}, receive, send_without_body)
