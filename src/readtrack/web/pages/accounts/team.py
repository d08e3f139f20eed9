"""Pages for the list of people and their profiles."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import ROLES
from readtrack.team.accounts import queries
from readtrack.team.activity.feed_items import build_feed_items
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render
from readtrack.workspace.home.profile import find_current_papers, get_reader_profile

router = page_router()
QUESTION = "people"
MOST_LINES = 10


@router.get("/people")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show everyone by name, with what they are reading."""
    page = queries.list_people(tx, me, read_page_request(request, QUESTION, after=after))
    context: dict[str, Any] = {
        "people": page.items,
        "at": find_current_papers(tx, me, [person.id for person in page.items]),
        "count": queries.count_people(tx),
        "next": get_next_cursor(request, QUESTION, page),
        **_management_context(request, me),
    }
    return render(request, "accounts/list.html", **context)


@router.get("/people/{person_id:int}")
def show_page(request: Request, person_id: int, me: Me, tx: ReadTx) -> Response:
    """Show a person's profile: what they read and wrote, as far as it is shared."""
    profile = get_reader_profile(tx, me, person_id)
    feed_items = build_feed_items(profile.events, me.time_zone)[:MOST_LINES]
    return render(request, "accounts/person.html", reader=profile, lines=feed_items, **_management_context(request, me))


def _management_context(request: Request, me: Me) -> dict[str, Any]:
    return {
        "manages": permissions.has_permission(me, "manage-people"),
        "mails": bool(request.app.state.settings.smtp_url),
        "roles": [(role, _(role)) for role in ROLES],
    }
