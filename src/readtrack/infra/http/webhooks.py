"""What webhooks are sent with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.types import OFFLINE, Http, HttpResponse


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


def find_webhook_sender(http: Http) -> WebhookSender | None:
    """Return what sends webhooks, None if readtrack is offline."""
    return http.webhooks if isinstance(http, WebhookHttp) else None


def get_webhook_sender(http: Http) -> WebhookSender:
    """Return what sends webhooks. Raise SourceRefused if readtrack is offline."""
    sender = find_webhook_sender(http)
    if sender is None:
        raise SourceRefused(OFFLINE, code="offline")
    return sender
