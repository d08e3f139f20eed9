"""JSON lists, a page at a time."""

from collections.abc import Sequence
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.pagination import Page
from readtrack.web.dependencies.pagination import add_next_link, get_next_cursor
from readtrack.web.responses.json import conditional_response


def page_response(
    request: Request, cursor_context: str, page: Page[Any], items: Sequence[Any], **extra: object
) -> Response:
    """Return the items of one page, with the cursor of the next one in the body and in a Link header."""
    cursor = get_next_cursor(request, cursor_context, page)
    return add_next_link(request, conditional_response(request, {"items": items, "next": cursor, **extra}), cursor)
