"""Pagination by signed cursors in URLs."""

from typing import Annotated, Any

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from readtrack.infra import pagination
from readtrack.infra.errors import BadRequest
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import Cursors, Page, PageRequest
from readtrack.infra.validation import NeverNull, StrictModel
from readtrack.web.templating.environment import add_notice, is_fragment

Limit = Annotated[int | None, NeverNull, Field(json_schema_extra={"minimum": 1})]


class PageQuery(StrictModel):
    """Query parameters of a list: how many rows, and the cursor after which they begin."""

    limit: Limit = None
    after: Annotated[str | None, NeverNull] = None


def read_page_request(
    request: Request,
    cursor_context: str,
    *,
    limit: int | None = None,
    after: str | None = None,
    before: str | None = None,
) -> PageRequest:
    """Return the part of the list requested by the URL.

    Raise BadRequest for a negative limit, and in the API for a cursor that is forged or belongs to another list; pages
    start from the beginning then, with a notice.
    """
    cursor = after or before
    if not cursor:
        return pagination.build_page_request(limit)
    try:
        return pagination.build_page_request(
            limit, _cursors(request).read(cursor_context, cursor), back=bool(before and not after)
        )
    except BadRequest:
        if request.url.path.startswith("/api/") or is_fragment(request):
            raise
    add_notice(request, _("Invalid page link. Showing the first page."))
    return pagination.build_page_request(limit)


def get_next_cursor(request: Request, cursor_context: str, page: Page[Any]) -> str | None:
    """Return the cursor of the next page, None on the last one."""
    return _cursors(request).write(cursor_context, page.next) if page.next else None


def get_previous_cursor(request: Request, cursor_context: str, page: Page[Any]) -> str | None:
    """Return the cursor of the previous page, None on the first one."""
    return _cursors(request).write(cursor_context, page.first) if page.first else None


def add_next_link(request: Request, answer: Response, cursor: str | None) -> Response:
    """Add a Link header with the next page, if there is one."""
    if cursor:
        next_url = request.url.include_query_params(after=cursor)
        answer.headers["Link"] = f'<{next_url.path}?{next_url.query}>; rel="next"'
    return answer


def _cursors(request: Request) -> Cursors:
    cursors: Cursors = request.app.state.cursors
    return cursors
