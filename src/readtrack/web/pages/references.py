"""Pages for backlinks and unlinked mentions, and the action that links a mention."""

from typing import Any, Literal
from urllib.parse import quote

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references import unlinked_mentions
from readtrack.library.references.unlinked_mentions import MAX_SHOWN
from readtrack.library.topics.queries import find_slug
from readtrack.team.discussion.queries import get_target_title
from readtrack.team.discussion.targets import DiscussionTarget, get_target
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render
from readtrack.workspace import link_mention
from readtrack.workspace.link_mention import TextRevision

router = page_router()


class LinkMention(BaseModel):
    """The text with the mention, and the version that was shown."""

    subject: Literal["summary", "topic", "comment"]
    text: int
    version: int


@router.get("/papers/{paper_id:int}/mentions")
def of_paper(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the texts that mention a paper; as a fragment, only unlinked mentions."""
    return _render_mentions(request, me, tx, get_target(tx, "paper", paper_id))


@router.get("/topics/{slug}/mentions")
def of_topic(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """Show the texts that mention a topic. Aliases redirect to the slug."""
    current_slug = find_slug(tx, slug)
    if current_slug not in {None, slug}:
        return redirect_with_flash(request, f"/topics/{quote(current_slug or '')}/mentions")
    return _render_mentions(request, me, tx, get_target(tx, "topic", slug))


@router.post("/papers/{paper_id:int}/mentions")
def link_to_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Link a mention of the paper in a text."""
    return _link_mention(request, me, tx, get_target(tx, "paper", paper_id), fields=fields)


@router.post("/topics/{slug}/mentions")
def link_to_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Link a mention of the topic in a text."""
    return _link_mention(request, me, tx, get_target(tx, "topic", slug), fields=fields)


def _link_mention(
    request: Request, me: CurrentUser, tx: Write, subject: DiscussionTarget, *, fields: Fields
) -> Response:
    data = validate_form(LinkMention, fields.values).or_raise()
    revision = TextRevision(data.subject, data.text, data.version)
    mentions_url = f"{subject.address}/mentions"
    try:
        link_mention.link_mention(tx, me, (_kind(subject), subject.id), revision)
    except StaleVersion:
        return redirect_with_flash(request, mentions_url, _("Someone edited this text. Check it and try again."))
    return redirect_with_flash(request, mentions_url, _("Link added"))


def _render_mentions(request: Request, me: CurrentUser, tx: Read, subject: DiscussionTarget) -> Response:
    target = (_kind(subject), subject.id)
    context: dict[str, Any] = {"subject": subject, "unlinked": unlinked_mentions.list_unlinked_mentions(tx, me, target)}
    if is_fragment(request):
        return render(request, "references/_found.html", **context)
    context |= {
        "title": get_target_title(tx, subject),
        "mentions": unlinked_mentions.list_mentions(tx, me, target, MAX_SHOWN),
    }
    return render(request, "references/show.html", **context)


def _kind(subject: DiscussionTarget) -> Literal["paper", "topic"]:
    return "paper" if subject.kind == "paper" else "topic"
