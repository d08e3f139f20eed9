"""Pages for a single topic: overview, coverage, delete."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.comparisons.queries import get_topic_comparisons
from readtrack.library.matching.inbox import SHOWN_BESIDE, LeadFilter, list_leads
from readtrack.library.papers.lists import PaperFilter, add_team_columns, list_papers
from readtrack.library.references.queries import get_render_context
from readtrack.library.references.unlinked_mentions import list_mentions
from readtrack.library.topics import queries
from readtrack.library.topics.coverage import PAPERS, PEOPLE, count_summaries, cursor_context, get_coverage
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.links import WORDS, list_links
from readtrack.library.topics.reading_order import list_order, list_unordered_papers
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.reading.drafts.queries import list_drafts_of
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.discussion import build_discussion_context, list_related_questions
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


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
    undo = (_("Bring back"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, "/topics", _("The topic is in the trash, for 30 days."), undo=undo)


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
