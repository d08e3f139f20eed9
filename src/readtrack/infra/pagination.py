"""Keyset pagination without counts or offsets.

One extra row is fetched to detect a next page.
"""

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
_SIGNATURE_BYTES = 16  # Bytes.
_PADDING_BYTES = 16  # Bytes; padding hides the length of the values.
T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of rows.

    `next` is the (sort value, ID) of the last row if there are more; the web layer turns it into a cursor. `first` is
    the same for the first row if there are rows before it.
    """

    items: Sequence[T]
    next: tuple[Any, int] | None = None
    first: tuple[Any, int] | None = None


@dataclass(frozen=True)
class PageRequest:
    """The requested range of a list.

    `after` is the (sort value, ID) of the row before the first one. With `back`, the rows that end just before that row
    are returned, in the same order.
    """

    limit: int = DEFAULT_LIMIT
    after: tuple[Any, int] | None = None
    back: bool = False


class Cursors:
    """Encodes and decodes cursors.

    Cursors are signed and valid for one query only. They are also encrypted, because their IDs would reveal the number
    of other people's private rows.
    """

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(b"cursor:" + secret.encode()).digest()
        self._veil = hashlib.sha256(b"cursor veil:" + secret.encode()).digest()

    def write(self, question: str, last: tuple[Any, int]) -> str:
        """Return a cursor for the rows of `question` after the given row."""
        body = json.dumps(last, separators=(",", ":"), default=str).encode()
        body += b" " * (-len(body) % _PADDING_BYTES)
        signature = self._sign(question, body)
        return base64.urlsafe_b64encode(signature + self._veiled(signature, body)).rstrip(b"=").decode()

    def read(self, question: str, cursor: str) -> tuple[Any, int]:
        """Return the row encoded in a cursor.

        Raise BadRequest if it is forged or belongs to another query.
        """
        try:
            raw = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        except ValueError:
            raw = b""
        signature = raw[:_SIGNATURE_BYTES]
        body = self._veiled(signature, raw[_SIGNATURE_BYTES:])
        if not hmac.compare_digest(signature, self._sign(question, body)):
            message = _("Invalid page link. Start again from the first page.")
            raise BadRequest(message, code="bad-cursor")
        value, row_id = json.loads(body)
        return value, row_id

    def _sign(self, question: str, body: bytes) -> bytes:
        return hmac.digest(self._key, question.encode() + b"\0" + body, "sha256")[:_SIGNATURE_BYTES]

    def _veiled(self, signature: bytes, body: bytes) -> bytes:
        """Encrypt or decrypt the body by XOR with a keystream.

        The keystream is derived from the key and the signature, which is unique per body.
        """
        mask = hashlib.shake_256(self._veil + signature).digest(len(body))
        return bytes(body_byte ^ mask_byte for body_byte, mask_byte in zip(body, mask, strict=True))


def build_page_request(limit: int | None, after: tuple[Any, int] | None = None, *, back: bool = False) -> PageRequest:
    """Cap the limit at MAX_LIMIT. Raise BadRequest if it is less than 1."""
    if limit is not None and limit < 1:
        message = _("`limit` must be at least 1.")
        raise BadRequest(message, code="bad-limit")
    return PageRequest(min(limit or DEFAULT_LIMIT, MAX_LIMIT), after, back)


def split_page(rows: Sequence[T], limit: int) -> tuple[Sequence[T], bool]:
    """Remove the extra row and return whether it existed."""
    return rows[:limit], len(rows) > limit
