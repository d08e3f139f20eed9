"""Keyset paging: one row more than asked tells whether there is a next page; nothing is counted, nothing is skipped."""

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from readtrack.infra.errors import BadRequest
from readtrack.infra.i18n import gettext as _

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
_SIGNATURE = 16  # bytes
_PORTION = 16  # bytes: the length tells nothing of the numbers in it
T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some rows, and the (sort value, id) of the last one when there are more. Doors make it a cursor.

    `first`: the same of the first row, when there are rows before it.
    """

    items: Sequence[T]
    next: tuple[Any, int] | None = None
    first: tuple[Any, int] | None = None


@dataclass(frozen=True)
class PageRequest:
    """Where a list begins and how long it may be. `after` is the (sort value, id) of the row before the first.

    `back`: the rows that end right before that one instead, in the same order.
    """

    limit: int = DEFAULT_LIMIT
    after: tuple[Any, int] | None = None
    back: bool = False


class Cursors:
    """Makes and reads cursors: signed, good for one question only, and closed: the ids within count what others keep
    private, too.
    """

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(b"cursor:" + secret.encode()).digest()
        self._veil = hashlib.sha256(b"cursor veil:" + secret.encode()).digest()

    def write(self, question: str, last: tuple[Any, int]) -> str:
        """A cursor for the rows of `question` after that row."""
        body = json.dumps(last, separators=(",", ":"), default=str).encode()
        body += b" " * (-len(body) % _PORTION)
        signature = self._sign(question, body)
        return base64.urlsafe_b64encode(signature + self._veiled(signature, body)).rstrip(b"=").decode()

    def read(self, question: str, cursor: str) -> tuple[Any, int]:
        """The row a cursor stands at. Raises BadRequest when it is forged, or made for another question."""
        try:
            raw = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        except ValueError:
            raw = b""
        signature = raw[:_SIGNATURE]
        body = self._veiled(signature, raw[_SIGNATURE:])
        if not hmac.compare_digest(signature, self._sign(question, body)):
            message = _("This link to the next page belongs to another list. Start again from the first page.")
            raise BadRequest(message, code="bad-cursor")
        value, row_id = json.loads(body)
        return value, row_id

    def _sign(self, question: str, body: bytes) -> bytes:
        return hmac.digest(self._key, question.encode() + b"\0" + body, "sha256")[:_SIGNATURE]

    def _veiled(self, signature: bytes, body: bytes) -> bytes:
        """The body made unreadable, or readable again: the signature, which no other body has, makes its mask."""
        mask = hashlib.shake_256(self._veil + signature).digest(len(body))
        return bytes(one ^ other for one, other in zip(body, mask, strict=True))


def build_page_request(limit: int | None, after: tuple[Any, int] | None = None, *, back: bool = False) -> PageRequest:
    """Too large a limit is cut, a negative one refused."""
    if limit is not None and limit < 1:
        message = _("`limit` must be 1 or more.")
        raise BadRequest(message, code="bad-limit")
    return PageRequest(min(limit or DEFAULT_LIMIT, MAX_LIMIT), after, back)


def split_page(rows: Sequence[T], limit: int) -> tuple[Sequence[T], bool]:
    """Takes off the one row more, and says whether it was there."""
    return rows[:limit], len(rows) > limit
