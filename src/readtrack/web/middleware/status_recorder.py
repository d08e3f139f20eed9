"""The status of a response, for middleware that logs or counts it."""

from starlette.types import Message, Send


class StatusRecorder:
    """Sends messages on and remembers the status of the response. `status`: 0 until the response begins."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)
