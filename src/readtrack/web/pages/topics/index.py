"""The index of topics: tree, filtered list, and autocompletion."""

from typing import Any, get_args

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics import commands, queries
from readtrack.library.topics.filter import TopicFilter, Which, find_topics
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.pages.topics.form import validate_topic
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()
FILTERS: tuple[Which, ...] = get_args(Which)


@router.get("/topics")
def list_page(request: Request, me: Me, tx: ReadTx, of: str = "", q: str = "", after: str = "") -> Response:
    """Show the tree or the filtered list; as a fragment, completions of a topic's name."""
    if is_fragment(request):
        query = "".join(request.query_params.get(field, "") for field in ("name", "parent", "into", "topic"))
        return render(request, "topics/_options.html", topics=queries.suggest_topics(tx, query))
    topic_filter = TopicFilter(next((value for value in FILTERS if value == of), None), q)
    return (
        _render_matches(request, me, tx, topic_filter, after=after)
        if topic_filter
        else _index(request, me, tx, after=after)
    )


@router.post("/topics")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a topic; show the index with the form again (422) on errors."""
    form_result, errors = validate_topic(tx, fields, None)
    if form_result.value is None or errors:
        return _index(request, me, tx, status=422, typed=form_result.raw_values, errors=errors)
    topic = commands.add_topic(tx, me, form_result.value)
    return redirect_with_flash(request, f"/topics/{topic.slug}", _("“{name}” is a topic now.").format(name=topic.name))


def _index(request: Request, me: CurrentUser, tx: Read, *, after: str = "", status: int = 200, **form: Any) -> Response:  # noqa: ANN401
    page = queries.topic_tree(tx, me, read_page_request(request, "topics", after=after))
    context = {"topics": page.items, "next": get_next_cursor(request, "topics", page), "after": after}
    return render(
        request,
        "topics/list.html",
        status,
        **context,
        topic_filter=TopicFilter(),
        **({"typed": {}, "errors": {}} | form),
    )


def _render_matches(request: Request, me: CurrentUser, tx: Read, topic_filter: TopicFilter, *, after: str) -> Response:
    page = find_topics(tx, me, topic_filter, read_page_request(request, topic_filter.question, after=after))
    aliases = queries.find_aliases(tx, [row.id for row in page.items])
    context: dict[str, Any] = {
        "topics": page.items,
        "aliases": aliases,
        "next": get_next_cursor(request, topic_filter.question, page),
    }
    return render(request, "topics/found.html", **context, after=after, topic_filter=topic_filter)
