"""The form of a topic: checked against what only the library knows, and saved."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack import policy
from readtrack.db import Read
from readtrack.drafts.commands import About
from readtrack.errors import Stale
from readtrack.topics import queries
from readtrack.topics.forms import checked_topic
from readtrack.topics.pages.conflicts import conflict_page, save_form, saved_page
from readtrack.topics.queries import TopicDetail
from readtrack.web.editors import begun, editor_of, forget_typed
from readtrack.web.forms import Form, whole
from readtrack.web.templating import render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)


@router.get("/topics/{slug}/edit")
def edit_page(request: Request, slug: str, me: Me, tx: ReadTx, *, draft: int = 0, template: str = "") -> Response:
    """The form with what stands there now, or with what I typed before (`?draft=7`); `?template=3` adds headings."""
    policy.require(me, "edit")
    topic = queries.get_topic(tx, me, slug)
    typed = begun(tx, me, About("topic", topic.row.id), _typed(topic), draft=draft, template=template)
    return _form(request, me, tx, topic, typed=typed)


@router.post("/topics/{slug}/preview")
def preview_page(request: Request, slug: str, me: Me, fields: Form, tx: ReadTx) -> Response:
    """The form with what was typed, and how its text will look. Nothing is saved."""
    policy.require(me, "edit")
    topic = queries.get_topic(tx, me, slug)
    checked, errors = checked_topic(tx, fields, topic.row.id)
    return _form(request, me, tx, topic, typed=checked.typed, errors=errors)


@router.post("/topics/{slug}/edit")
def edit(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Saves the form; 409 with all texts when somebody changed the same meanwhile."""
    topic = queries.get_topic(tx, me, slug)
    checked, errors = checked_topic(tx, fields, topic.row.id)
    if checked.value is None or errors:
        return _form(request, me, tx, topic, status=422, typed=checked.typed, errors=errors)
    version, aside = whole(fields.get("version")), fields.get("keep") == "theirs"
    try:
        saved = save_form(tx, me, slug, checked.value, version=version, aside=aside)
    except Stale as stale:
        return conflict_page(request, me, tx, slug, mine=checked.value, stale=stale, fields=fields)
    forget_typed(tx, me, About("topic", topic.row.id), fields)
    return saved_page(request, saved)


def _form(
    request: Request,
    me: Me,
    tx: Read,
    topic: TopicDetail,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    editor = editor_of(tx, me, About("topic", topic.row.id), typed, stands=_typed(topic))
    return render(request, "topics/edit.html", status, topic=topic, typed=typed, errors=errors or {}, **editor)


def _typed(topic: TopicDetail) -> Mapping[str, str]:
    row, above = topic.row, [name for _, name in topic.line]
    plain = {
        "name": row.name,
        "parent": above[-1] if above else "",
        "markdown": topic.markdown,
        "version": str(topic.version),
        "was": row.name,
        "keep_name": "1",
    }
    return {**plain, "aliases": "\n".join(topic.aliases)}
