"""Pages for topics: index, single topic with coverage and reading order, and the topics of a paper."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.comparisons.queries import get_topic_comparisons
from readtrack.library.matching.inbox import SHOWN_BESIDE, LeadFilter, list_leads
from readtrack.library.papers.lists import PaperFilter, add_team_columns, list_papers
from readtrack.library.references.resolve import get_render_context
from readtrack.library.references.unlinked_mentions import list_mentions
from readtrack.library.topics import commands, queries
from readtrack.library.topics.commands import TopicCreate
from readtrack.library.topics.coverage import PAPERS, PEOPLE, count_summaries, cursor_context, get_coverage
from readtrack.library.topics.delete import delete_topic, remove_from_topic
from readtrack.library.topics.links import WORDS, list_links
from readtrack.library.topics.queries import TopicCondition, TopicFilter, find_topics
from readtrack.library.topics.reading_order import (
    ReadingOrderMove,
    list_order,
    list_unordered_papers,
    move_in_order,
    remove_paper_from_order,
)
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.reading.drafts.queries import list_drafts_of
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, parse_int, validate_form, validate_input
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.pages.discussion import build_discussion_context, list_related_questions
from readtrack.web.pages.topics.edit import validate_topic
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()
FILTERS: tuple[TopicCondition, ...] = get_args(TopicCondition)


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
    return redirect_with_flash(request, f"/topics/{topic.slug}", _("Topic added"))


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


@router.get("/topics/{slug}")
def show_page(request: Request, slug: str, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show a topic with its papers. Aliases redirect to the slug."""
    current_slug = queries.find_slug(tx, slug)
    if current_slug not in {None, slug}:
        return redirect_with_flash(request, f"/topics/{current_slug}")
    topic = queries.get_topic(tx, me, slug)
    paper_filter = PaperFilter(q=f'topic:"{slug}"')
    page = list_papers(tx, me, paper_filter, read_page_request(request, paper_filter.question, after=after))
    papers, cursor = add_team_columns(tx, me, page.items), get_next_cursor(request, paper_filter.question, page)
    subject = DiscussionTarget("topic", topic.row.id, slug)
    discussion_context = {
        **build_discussion_context(request, tx, me, subject),
        **list_related_questions(tx, me, subject),
    }
    discussion_context["comparisons"] = get_topic_comparisons(tx, me, topic.row.id)
    discussion_context["leads"] = list_leads(tx, me, PageRequest(SHOWN_BESIDE), LeadFilter(topic=slug))
    discussion_context |= {"mentions": list_mentions(tx, me, ("topic", topic.row.id)), "mentioned": subject}
    discussion_context["render_context"] = get_render_context(tx, [topic.markdown], [("topic", topic.row.id)])
    discussion_context["drafts"] = list_drafts_of(tx, me, DraftSubject("topic", topic.row.id), limit=1)
    topic_context = _topic_context(tx, me, topic.row.id)
    papers_context: dict[str, Any] = {"papers": papers, "next": cursor, "after": after, "q": paper_filter.q}
    return render(request, "topics/show.html", topic=topic, **papers_context, **discussion_context, **topic_context)


@router.get("/topics/{slug}/coverage")
def coverage_page(request: Request, slug: str, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show the reading coverage of the topic, one page of papers at a time."""
    topic, cursor_key = queries.get_topic(tx, me, slug), cursor_context(slug)
    page = get_coverage(tx, me, topic.row.id, read_page_request(request, cursor_key, after=after))
    context: dict[str, Any] = {
        "covered": page.items[0],
        "next": get_next_cursor(request, cursor_key, page),
        "after": after,
    }
    return render(request, "topics/coverage.html", topic=topic, **context)


@router.post("/topics/{slug}/delete")
def delete(request: Request, slug: str, me: Me, tx: WriteTx) -> Response:
    """Delete a topic without papers."""
    undo_id = delete_topic(tx, me, slug)
    undo = (_("Restore"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, "/topics", _("Moved to trash"), undo=undo)


def _topic_context(tx: Read, me: CurrentUser, topic_id: int) -> dict[str, Any]:
    """Return the context beside the papers: reading order, coverage, summaries, links."""
    unordered = list_unordered_papers(tx, topic_id) if permissions.has_permission(me, "edit") else ()
    coverage = get_coverage(tx, me, topic_id, PageRequest(PAPERS), people=PEOPLE)
    return {
        "ordered": list_order(tx, me, topic_id),
        "left": unordered,
        "left_choices": [(str(row.id), row.title or _("Paper {number}").format(number=row.id)) for row in unordered],
        "covered": coverage.items[0],
        "more_covered": coverage.next is not None,
        "summaries": count_summaries(tx, me, topic_id),
        "links": list_links(tx, topic_id),
        "link_kinds": WORDS,
    }


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
            request, f"/papers/{paper_id}?topics=open", _("Saved"), undo=(_("Undo"), undo) if undo else ("", "")
        )
    return _render_topics(request, queries.find_paper_topics(tx, [paper_id]).get(paper_id, []), paper_id, undo=undo)


def _render_topic_error(request: Request, tx: Read, paper_id: int, errors: Mapping[str, str]) -> Response:
    message = " ".join(errors.values())
    if not is_fragment(request):
        raise Invalid(message)
    topics = queries.find_paper_topics(tx, [paper_id]).get(paper_id, [])
    return _render_topics(request, topics, paper_id, status=422, topic_error=message)


def _render_topics(
    request: Request, topics: Sequence[tuple[str, str]], paper_id: int, *, status: int = 200, **context: str
) -> Response:
    row = {"id": paper_id, "topics": topics}
    return render(request, "topics/_of_paper.html", status, row=row, topics_open=True, **context)


@router.post("/topics/{slug}/order")
def add_to_order(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Append a paper of the topic to the order."""
    move_in_order(tx, me, slug, parse_int(fields.get("paper")), step=ReadingOrderMove(to="bottom"))
    return redirect_with_flash(request, f"/topics/{slug}#order", _("Paper added"))


@router.post("/topics/{slug}/order/{paper_id:int}/position")
def move_paper(request: Request, slug: str, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move a paper up, down, to an end, or out of the order."""
    order_url = f"/topics/{slug}#order"
    if fields.get("to") != "out":
        is_moved = move_in_order(
            tx, me, slug, paper_id, step=validate_input(ReadingOrderMove, {"to": fields.get("to")})
        )
        return redirect_with_flash(request, order_url, _("Moved") if is_moved else _("No changes"))
    undo_id = remove_paper_from_order(tx, me, slug, paper_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore") if undo_id else ("", "")
    return redirect_with_flash(request, order_url, _("Removed"), undo=undo)
