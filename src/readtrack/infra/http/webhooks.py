"""What webhooks are sent with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.types import Http, HttpResponse


class WebhookClient(Protocol):
    """The part of the HTTP client that sends webhooks."""

    def deliver(self, url: str, content: bytes, headers: Mapping[str, str]) -> HttpResponse:
        """Send `content` as it is, and return the answer with whatever status. A redirect is not followed."""
        ...


@dataclass(frozen=True)
class WebhookSender:
    """A client, the key from which the secrets of webhooks are derived, and the base URL of links."""

    client: WebhookClient
    secret_key: str = field(repr=False)
    home: str


@runtime_checkable
class WebhookHttp(Protocol):
    """An HTTP client that can also send webhooks."""

    @property
    def webhooks(self) -> WebhookSender | None: ...


def get_webhook_sender(http: Http) -> WebhookSender:
    """Return the sender of a job. Raise SourceRefused if there is none."""
    sender = http.webhooks if isinstance(http, WebhookHttp) else None
    if sender is None:
        message = "Webhooks can't be sent here."
        raise SourceRefused(message)
    return sender
