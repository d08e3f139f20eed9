"""The discussion of a page: what the pages of papers, topics and questions put into their templates alike."""

from typing import Any

from fastapi import Request

from readtrack.infra.db import Read
from readtrack.infra.pagination import Page, PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.team.discussion import queries
from readtrack.team.discussion.queries import REPLIES_PER_THREAD, THREADS_PER_PAGE, CommentRow
from readtrack.team.discussion.targets import DiscussionTarget, get_target
from readtrack.team.questions.queries import SHOWN_BESIDE, QuestionFilter, list_questions
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.templating.environment import with_query


def build_discussion_context(request: Request, tx: Read, me: CurrentUser, subject: DiscussionTarget) -> dict[str, Any]:
    """The threads that `?talk=` asks for, and the address of those before them."""
    asked = request.query_params.get("talk", "")
    talk = queries.get_discussion(
        tx,
        me,
        subject,
        read_page_request(request, _discussion_cursor_key(subject), limit=THREADS_PER_PAGE, after=asked),
    )
    cursor = get_next_cursor(request, _discussion_cursor_key(subject), Page([], talk.next))
    return {"talk": talk, "talk_earlier": with_query(subject.address, talk=cursor) if cursor else "", "talk_at": asked}


def list_related_questions(tx: Read, me: CurrentUser, subject: DiscussionTarget) -> dict[str, Any]:
    """The newest open questions on a paper or a topic; `more_questions`: there are others."""
    on_paper = subject.kind == "paper"
    wanted = QuestionFilter(paper=subject.id) if on_paper else QuestionFilter(topic=subject.name)
    page = list_questions(tx, me, wanted, PageRequest(SHOWN_BESIDE))
    asks = {"paper" if on_paper else "topic": subject.name}
    return {"questions": page.items, "more_questions": page.next is not None, "question_on": asks}


def get_comment_address(request: Request, tx: Read, comment: CommentRow) -> str:
    """The address at which a comment is shown: on its subject's page, or on its thread's when that is long."""
    if comment.parent_id is not None and queries.count_later_answers(tx, comment) >= REPLIES_PER_THREAD:
        cursor = get_next_cursor(request, thread_cursor_key(comment.thread_id), Page([], (None, comment.id - 1)))
        return f"{with_query(f'/threads/{comment.thread_id}', after=cursor)}#comment-{comment.id}"
    subject = get_target(tx, *comment.target)
    talk = None
    if queries.count_after(tx, subject, comment.thread_id) >= THREADS_PER_PAGE:
        talk = get_next_cursor(request, _discussion_cursor_key(subject), Page([], (None, comment.thread_id + 1)))
    return f"{with_query(subject.address, talk=talk)}#comment-{comment.id}"


def thread_cursor_key(thread_id: int) -> str:
    """What a cursor into a thread is good for."""
    return f"thread {thread_id}"


def _discussion_cursor_key(subject: DiscussionTarget) -> str:
    return f"talk on {subject.kind} {subject.id}"
