"""API endpoints for backlinks, unlinked mentions, and autocompletion of references."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.library.references import autocomplete, unlinked_mentions
from readtrack.library.references.resolve import Place
from readtrack.library.references.unlinked_mentions import MAX_SHOWN
from readtrack.team.discussion.targets import get_target
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("references")


class Mention(ResponseModel):
    """A text that mentions the paper or topic.

    `number`: id of the summary, topic or comment; `about`: title of what it is on; `where`: URL; `person`: blank for
    topic texts, which have no single author.
    """

    subject: Literal["summary", "topic", "comment"]
    number: int
    about: str
    where: str
    person: str
    version: int
    at: datetime
    passage: str


class MentionList(ResponseModel):
    """The newest mentions.

    `more`: there are further ones, which are not listed; `next` is always null.
    """

    items: list[Mention]
    more: bool
    next: None


class LinkCompletion(ResponseModel):
    """A paper or topic, and the reference to insert."""

    kind: Literal["paper", "topic"]
    title: str
    written: str


class LinkCompletionList(ResponseModel):
    """The best completions; `next` is always null."""

    items: list[LinkCompletion]
    next: None


class MentionQuery(StrictModel):
    """`linked`: texts with a link to it, or texts that only name it."""

    linked: bool = True


class LinkCompletionQuery(StrictModel):
    """The text typed after the brackets."""

    q: str


@router.get("/papers/{paper_id:int}/mentions", responses={200: {"model": MentionList}})
def list_paper_mentions(
    request: Request, paper_id: int, wanted: Annotated[MentionQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List the texts that mention a paper.

    Summaries, comments and topics that link to it, newest first, at most 200. With `linked=false`, those that
    contain its name without a link, at most 20.
    """
    return _mentions_response(request, tx, me, ("paper", get_target(tx, "paper", paper_id).id), linked=wanted.linked)


@router.get("/topics/{slug}/mentions", responses={200: {"model": MentionList}})
def list_topic_mentions(
    request: Request, slug: str, wanted: Annotated[MentionQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List the texts that mention a topic.

    Summaries, comments and topics that link to it, newest first, at most 200. With `linked=false`, those that
    contain its name without a link, at most 20.
    """
    return _mentions_response(request, tx, me, ("topic", get_target(tx, "topic", slug).id), linked=wanted.linked)


@router.get("/references/complete", responses={200: {"model": LinkCompletionList}})
def complete_link(request: Request, wanted: Annotated[LinkCompletionQuery, Query()], _me: Me, tx: ReadTx) -> Response:
    """Complete a link to a paper or topic.

    What two brackets with this beginning may name.
    """
    items = [suggestion._asdict() for suggestion in autocomplete.suggest_references(tx, wanted.q)]
    return conditional_response(request, {"items": items, "next": None})


def _mentions_response(request: Request, tx: Read, me: CurrentUser, target: Place, *, linked: bool) -> Response:
    mentions = (
        unlinked_mentions.list_mentions(tx, me, target, MAX_SHOWN)
        if linked
        else unlinked_mentions.list_unlinked_mentions(tx, me, target)
    )
    return conditional_response(
        request, {"items": [_mention_json(item) for item in mentions.items], "more": mentions.has_more, "next": None}
    )


def _mention_json(item: unlinked_mentions.TextMention) -> dict[str, object]:
    fields = {name: getattr(item, name) for name in ("subject", "person", "version")}
    fields |= {"about": item.title, "where": item.url, "at": item.created_at}
    return {**fields, "number": item.id, "passage": _passage_text(item.passage)}


def _passage_text(passage: Iterable[tuple[str, bool]]) -> str:
    return " ".join("".join(text for text, _is_match in passage).split())
