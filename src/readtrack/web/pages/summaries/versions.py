"""Pages for the version history of summaries."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.diff.versions import VERSIONS_AT_ONCE, version_steps
from readtrack.library.papers.lists import get_row
from readtrack.reading.summaries import queries
from readtrack.reading.summaries.queries import SummaryRow
from readtrack.reading.summaries.three_way_save import restore_version
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.web.templating.text_history import VersionPair, VersionRange, VersionRangeParams, compare_versions

router = page_router()


@router.get("/papers/{paper_id:int}/summary/versions")
def my_versions_page(request: Request, paper_id: int, wanted: VersionRangeParams, me: Me, tx: ReadTx) -> Response:
    """Show the versions of my summary."""
    return versions_page(request, queries.get_my_summary(tx, me, paper_id).id, wanted, me, tx)


@router.get("/summaries/{summary_id:int}/versions")
def versions_page(request: Request, summary_id: int, wanted: VersionRangeParams, me: Me, tx: ReadTx) -> Response:
    """Show the visible versions of a summary, newest first; `?compare=3&to=5` compares two."""
    summary = queries.get_summary(tx, me, summary_id)
    cursor_context = f"versions of {summary_id}"
    page_request = read_page_request(request, cursor_context, limit=VERSIONS_AT_ONCE, after=wanted.after)
    page = queries.list_versions(tx, me, summary_id, page_request)
    previous_version = queries.find_version_before(tx, me, summary_id, page.items[-1].number) if page.next else None
    context: dict[str, Any] = {
        "steps": version_steps(page.items, previous_version),
        "pair": _pair(tx, me, summary, wanted),
    }
    context |= {"summary": summary, "paper": get_row(tx, me, summary.paper_id), "mine": summary.person_id == me.id}
    cursor = get_next_cursor(request, cursor_context, page)
    return render(request, "summaries/versions.html", **context, next=cursor, after=wanted.after)


@router.post("/summaries/{summary_id:int}/versions/{number:int}/restore")
def restore(request: Request, summary_id: int, number: int, me: Me, tx: WriteTx) -> Response:
    """Restore an old version of my summary as the newest."""
    summary = restore_version(tx, me, summary_id, number)
    message = _("Version {number} is back, as version {newest}.")
    if summary.private:
        message = _("Version {number} is back, as version {newest}; only you read it.")
    return redirect_with_flash(
        request, f"/papers/{summary.paper_id}", message.format(number=number, newest=summary.version)
    )


def _pair(tx: Read, me: CurrentUser, summary: SummaryRow, version_range: VersionRange) -> VersionPair | None:
    numbers = version_range.numbers(summary.version)
    if numbers is None:
        return None
    return compare_versions(*(queries.get_summary_version(tx, me, summary.id, number) for number in numbers))
