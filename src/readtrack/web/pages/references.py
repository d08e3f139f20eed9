"""Where a paper or a topic is named, in a browser; and the button that makes a link of a name in my own text."""

from typing import Any, Literal
from urllib.parse import quote

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Stale
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.library.references import unlinked_mentions
from readtrack.library.references.unlinked_mentions import MOST
from readtrack.library.topics.queries import find_slug
from readtrack.team.discussion.queries import title_of
from readtrack.team.discussion.targets import Subject, get_subject
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, valid
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import go, is_fragment, render
from readtrack.workspace import link_mention
from readtrack.workspace.link_mention import Said

router = page_router()


class LinkMention(BaseModel):
    """Which text says it, as it was seen."""

    subject: Literal["summary", "topic", "comment"]
    text: int
    version: int


@router.get("/papers/{paper_id:int}/mentions")
def of_paper(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Every text that names a paper; as a fragment, those that do so without a link."""
    return _shown(request, me, tx, get_subject(tx, "paper", paper_id))


@router.get("/topics/{slug}/mentions")
def of_topic(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """The same of a topic. Any of its names leads here."""
    known = find_slug(tx, slug)
    if known not in {None, slug}:
        return go(request, f"/topics/{quote(known or '')}/mentions")
    return _shown(request, me, tx, get_subject(tx, "topic", slug))


@router.post("/papers/{paper_id:int}/mentions")
def link_to_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Makes a link of the paper's name in a text of mine."""
    return _linked(request, me, tx, get_subject(tx, "paper", paper_id), fields=fields)


@router.post("/topics/{slug}/mentions")
def link_to_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Makes a link of the topic's name in a text of mine."""
    return _linked(request, me, tx, get_subject(tx, "topic", slug), fields=fields)


def _linked(request: Request, me: Visitor, tx: Write, subject: Subject, *, fields: Fields) -> Response:
    wanted = valid(LinkMention, fields.values)
    said = Said(wanted.subject, wanted.text, wanted.version)
    back = f"{subject.address}/mentions"
    try:
        link_mention.link_mention(tx, me, (_kind(subject), subject.id), said)
    except Stale:
        return go(request, back, _("That text was saved anew in between. Nothing was changed; look at it once more."))
    return go(request, back, _("It is a link now, in a new version of the text."))


def _shown(request: Request, me: Visitor, tx: Read, subject: Subject) -> Response:
    place = (_kind(subject), subject.id)
    context: dict[str, Any] = {"subject": subject, "unlinked": unlinked_mentions.list_unlinked(tx, me, place)}
    if is_fragment(request):
        return render(request, "references/_found.html", **context)
    context |= {"title": title_of(tx, subject), "mentions": unlinked_mentions.list_mentions(tx, me, place, MOST)}
    return render(request, "references/show.html", **context)


def _kind(subject: Subject) -> Literal["paper", "topic"]:
    return "paper" if subject.kind == "paper" else "topic"
