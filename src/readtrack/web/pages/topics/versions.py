"""Pages for the version history of topics."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.diff import VERSIONS_AT_ONCE, version_steps
from readtrack.library.topics import history
from readtrack.library.topics.queries import get_topic
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.web.templating.text_editor import VersionPair, VersionRangeParams, compare_versions

router = page_router()


@router.get("/topics/{slug}/versions")
def versions_page(request: Request, slug: str, wanted: VersionRangeParams, me: Me, tx: ReadTx) -> Response:
    """Show the versions of a topic; `?compare=3&to=5` compares two."""
    topic = get_topic(tx, me, slug)
    cursor_context = f"versions of topic {topic.row.id}"
    page_request = read_page_request(request, cursor_context, limit=VERSIONS_AT_ONCE, after=wanted.after)
    page = history.list_topic_versions(tx, me, slug, page_request)
    oldest_number = page.items[-1].number if page.items else 0
    previous_version = history.find_topic_version(tx, me, slug, oldest_number - 1) if page.next else None
    context: dict[str, Any] = {
        "steps": version_steps(page.items, previous_version),
        "pair": _pair(tx, me, slug, wanted.numbers(topic.version)),
    }
    cursor = get_next_cursor(request, cursor_context, page)
    return render(request, "topics/versions.html", topic=topic, next=cursor, after=wanted.after, **context)


@router.post("/topics/{slug}/versions/{number:int}/restore")
def restore(request: Request, slug: str, number: int, me: Me, tx: WriteTx) -> Response:
    """Restore an old version as the newest."""
    topic = history.restore_version(tx, me, slug, number)
    return redirect_with_flash(request, f"/topics/{topic.slug}", _("Restored"))


def _pair(tx: Read, me: CurrentUser, slug: str, numbers: tuple[int, int] | None) -> VersionPair | None:
    if numbers is None:
        return None
    return compare_versions(*(history.get_topic_version(tx, me, slug, number) for number in numbers))
