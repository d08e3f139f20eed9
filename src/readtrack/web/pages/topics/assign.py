"""Forms to assign a paper to topics, on the paper's page."""

from collections.abc import Mapping, Sequence

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.library.topics import commands, queries
from readtrack.library.topics.assign import remove_from_topic
from readtrack.library.topics.commands import TopicCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()


@router.post("/papers/{paper_id:int}/topics")
def file_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add the paper to a topic given by any name; an unknown name creates a topic."""
    form_result = validate_form(TopicCreate, {"name": fields.get("name")})
    if form_result.value is None:
        return _render_topic_error(request, tx, paper_id, form_result.errors)
    existing_slug = queries.find_slug(tx, form_result.value.name)
    commands.link_topic(tx, me, paper_id, existing_slug or commands.get_or_add_topic(tx, me, form_result.value.name))
    return _topics_response(request, tx, paper_id)


@router.post("/papers/{paper_id:int}/topics/{slug}/remove")
def unfile_paper(request: Request, paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Remove the paper from a topic and offer undo."""
    undo_id = remove_from_topic(tx, me, paper_id, slug)
    return _topics_response(request, tx, paper_id, undo=f"/trash/others/{undo_id}/restore" if undo_id else "")


def _topics_response(request: Request, tx: Read, paper_id: int, *, undo: str = "") -> Response:
    if not is_fragment(request):
        return redirect_with_flash(
            request, f"/papers/{paper_id}", _("Saved."), undo=(_("Undo"), undo) if undo else ("", "")
        )
    return _render_topics(request, queries.find_paper_topics(tx, [paper_id]).get(paper_id, []), paper_id, undo=undo)


def _render_topic_error(request: Request, tx: Read, paper_id: int, errors: Mapping[str, str]) -> Response:
    message = " ".join(errors.values())
    if not is_fragment(request):
        raise Invalid(_("{sentence} Nothing was changed: go back and write the topic's name.").format(sentence=message))
    topics = queries.find_paper_topics(tx, [paper_id]).get(paper_id, [])
    return _render_topics(request, topics, paper_id, status=422, topic_error=message)


def _render_topics(
    request: Request, topics: Sequence[tuple[str, str]], paper_id: int, *, status: int = 200, **context: str
) -> Response:
    return render(request, "topics/_of_paper.html", status, row={"id": paper_id, "topics": topics}, **context)
