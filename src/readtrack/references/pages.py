"""Where a paper or a topic is named, in a browser; and the button that makes a link of a name in my own text."""

from typing import Any, Literal
from urllib.parse import quote

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.db import Read, Write
from readtrack.discussion.queries import title_of
from readtrack.discussion.subjects import Subject, get_subject
from readtrack.errors import Stale
from readtrack.languages import gettext as _
from readtrack.policy import Visitor
from readtrack.references import commands, mentioning
from readtrack.references.commands import Said
from readtrack.references.mentioning import MOST
from readtrack.topics.queries import find_slug
from readtrack.web.forms import Fields, Form, valid
from readtrack.web.routers import page_router
from readtrack.web.templating import go, is_fragment, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

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
        commands.link_mention(tx, me, (_kind(subject), subject.id), said)
    except Stale:
        return go(request, back, _("That text was saved anew in between. Nothing was changed; look at it once more."))
    return go(request, back, _("It is a link now, in a new version of the text."))


def _shown(request: Request, me: Visitor, tx: Read, subject: Subject) -> Response:
    place = (_kind(subject), subject.id)
    context: dict[str, Any] = {"subject": subject, "unlinked": mentioning.list_unlinked(tx, me, place)}
    if is_fragment(request):
        return render(request, "references/_found.html", **context)
    context |= {"title": title_of(tx, subject), "mentions": mentioning.list_mentions(tx, me, place, MOST)}
    return render(request, "references/show.html", **context)


def _kind(subject: Subject) -> Literal["paper", "topic"]:
    return "paper" if subject.kind == "paper" else "topic"
