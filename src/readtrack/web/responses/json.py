"""JSON responses: serialization without validation, lists by page, ETags, and idempotent POST requests."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any, Generic, TypeVar

import sqlalchemy as sa
from fastapi import Depends, Header, Request
from pydantic import BaseModel, ConfigDict
from pydantic_core import from_json, to_json
from sqlmodel import col
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from readtrack.infra.clock import now
from readtrack.infra.db.locks import lock_name
from readtrack.infra.errors import BadRequest, Invalid, PreconditionNeeded, UnsupportedMedia
from readtrack.infra.models import IdempotencyKey
from readtrack.infra.pagination import Page
from readtrack.infra.text.normalize import clean
from readtrack.infra.validation import NeverNull
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.pagination import add_next_link, get_next_cursor

KEY_LIFETIME = timedelta(hours=24)
MAX_KEY_LENGTH = 255
_TAG = re.compile(r'"([0-9]{1,18})\.([0-9]{1,18})(?:\.[0-9a-f]{1,64})?"')
Headers = Mapping[str, str] | None
Item = TypeVar("Item")


class ResponseModel(BaseModel):
    """What a response contains, for the OpenAPI description.

    Responses are not validated, so no validators are built (a tenth of the time that the server takes to start).
    """

    model_config = ConfigDict(defer_build=True)


class ItemList(ResponseModel, Generic[Item]):
    """A complete list, without further pages."""

    items: list[Item]

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """Return the name of the list in the OpenAPI description: JobList for JobRead."""
        return f"{params[0].__name__.removesuffix('Read')}List"


class StreamedResponse(StreamingResponse):
    """A streamed body, which is not generated for HEAD requests."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("state", {}).get("only_head"):  # set by HeadRequestsMiddleware, as the route sees a GET
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": b""})
            return
        await super().__call__(scope, receive, send)


class JsonResponse(Response):
    """A JSON response of plain values and dates."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - any JSON value
        return to_json(content)


def etag(row_id: int, version: int) -> str:
    """Return the strong ETag of a versioned row."""
    return f'"{row_id}.{version}"'


def conditional_response(request: Request, payload: Any, *, tag: str | None = None) -> Response:  # noqa: ANN401
    """Return the payload, or 304 if the client has it.

    The ETag is a hash of the body, because the body contains data without versions. With `tag`, the hash is appended to
    it and forms a strong ETag, which is valid for If-Match.
    """
    response = JsonResponse(payload)
    digest = hashlib.sha256(bytes(response.body)).hexdigest()[:24]
    mark = f'{tag[:-1]}.{digest}"' if tag else f'W/"{digest}"'
    headers = {"ETag": mark, "Cache-Control": "private, no-cache", "Vary": "Authorization, Cookie"}
    client_tags = {value.strip().removeprefix("W/") for value in request.headers.get("if-none-match", "").split(",")}
    if request.method == "GET" and mark.removeprefix("W/") in client_tags:
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return response


_EDITED_VERSION = Header(description="The ETag of the version that is edited.")
IfMatch = Annotated[str, _EDITED_VERSION]  # without it: 428, see web/responses/errors.py
OptionalIfMatch = Annotated[str | None, NeverNull, _EDITED_VERSION]


def missing_if_match_error() -> PreconditionNeeded:
    return PreconditionNeeded("Send If-Match with the last ETag, so that newer changes aren't overwritten.")


def parse_if_match(tag: str, row_id: int) -> int:
    """Return the version of a row in If-Match, or 0, which never matches."""
    match = _TAG.fullmatch(tag.strip())
    return int(match[2]) if match and match[1] == str(row_id) else 0


async def read_json(request: Request) -> Any:  # noqa: ANN401 - checked by the caller's model
    """Return the JSON body. Raise UnsupportedMedia or BadRequest."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        message = "Send this as application/json."
        raise UnsupportedMedia(message)
    body = await request.body()
    try:
        data = from_json(body)
    except ValueError as error:
        message = "The body isn't valid JSON."
        raise BadRequest(message, code="bad-json") from error
    return _replace_nul(data) if b"\\u0000" in body else data


def _replace_nul(data: Any) -> Any:  # noqa: ANN401 - JSON, which from_json lets nest 200 deep
    """Replace NUL characters, which PostgreSQL rejects."""
    if isinstance(data, dict):
        return {clean(name): _replace_nul(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_replace_nul(value) for value in data]
    return clean(data) if isinstance(data, str) else data


class ReplayedResponse(Exception):
    """Ends a repeated request with the response that was stored; see web/responses/errors.py."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def _hash_body(request: Request) -> str:
    return hashlib.sha256(await request.body()).hexdigest()


_KEY_HEADER = Header(
    description="Repeated requests with the same key have one effect, for a day.",
    json_schema_extra={"minLength": 1, "maxLength": MAX_KEY_LENGTH},
)


class IdempotentRequest:
    """A POST with an Idempotency-Key has one effect: its response is stored in the effect's transaction.

    As a dependency, it ends a repeated request with the stored response, so that the endpoint does not run again.
    Raises Invalid when the same key came with another body.
    """

    def __init__(
        self,
        request: Request,
        me: Me,
        body_hash: Annotated[str, Depends(_hash_body)],  # the body is read before the transaction begins
        tx: WriteTx,
        idempotency_key: Annotated[str | None, NeverNull, _KEY_HEADER] = None,
    ) -> None:
        self._request, self._me, self._body_hash, self._tx = request, me, body_hash, tx
        self._key = idempotency_key
        if self._key is not None:
            self._replay(self._key)

    def _replay(self, key: str) -> None:
        if not 0 < len(key) <= MAX_KEY_LENGTH:
            message = f"Idempotency-Key must have 1 to {MAX_KEY_LENGTH} characters."
            raise BadRequest(message, code="bad-idempotency-key")
        lock_name(self._tx, f"idempotency:{self._me.id}:{key}")  # concurrent requests with the same key wait
        stored = self._tx.scalar(sa.select(IdempotencyKey).where(*self._mine(), col(IdempotencyKey.expires_at) > now()))
        if stored is None:
            return
        if stored.body_hash != self._body_hash:
            message = "This Idempotency-Key was used with a different body. Use a new key."
            raise Invalid(message, code="idempotency-key-reused")
        headers = {**stored.headers, "Idempotency-Replayed": "true"}
        raise ReplayedResponse(Response(stored.body, stored.status, headers, media_type="application/json"))

    def answer(self, payload: Any, *, status: int = 201, headers: Headers = None) -> Response:  # noqa: ANN401
        """Return the response, and store it for a day when the request has a key."""
        response = JsonResponse(payload, status, dict(headers or {}))
        if self._key is not None:
            # Its own row of an earlier day makes room; those of others are deleted by infra/jobs/cleanup.py.
            self._tx.bulk_execute(
                sa.delete(IdempotencyKey).where(*self._mine(), col(IdempotencyKey.expires_at) <= now())
            )
            self._tx.add(self._build_record(self._key, response, dict(headers or {})))
        return response

    def _build_record(self, key: str, response: Response, headers: dict[str, str]) -> IdempotencyKey:
        return IdempotencyKey(
            person_id=self._me.id,
            key=key,
            method=self._request.method,
            path=self._request.url.path,
            body_hash=self._body_hash,
            status=response.status_code,
            headers=headers,
            body=bytes(response.body).decode(),
            expires_at=now() + KEY_LIFETIME,
        )

    def _mine(self) -> tuple[sa.ColumnElement[bool], ...]:
        return (
            col(IdempotencyKey.person_id) == self._me.id,
            col(IdempotencyKey.key) == self._key,
            col(IdempotencyKey.method) == self._request.method,
            col(IdempotencyKey.path) == self._request.url.path,
        )


Body = Annotated[Any, Depends(read_json)]
IdempotentPost = Annotated[IdempotentRequest, Depends(IdempotentRequest)]


def page_response(
    request: Request, cursor_context: str, page: Page[Any], items: Sequence[Any], **extra: object
) -> Response:
    """Return the items of one page, with the cursor of the next one in the body and in a Link header."""
    cursor = get_next_cursor(request, cursor_context, page)
    return add_next_link(request, conditional_response(request, {"items": items, "next": cursor, **extra}), cursor)
