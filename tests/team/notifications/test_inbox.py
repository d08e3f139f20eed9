"""What stands in an inbox, and what leaves it by itself when its subject may not be seen any more."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import NotFound
from readtrack.infra.models import Comment, Event, Meeting, Note, NoteRevision, Notification, Question
from readtrack.infra.notifications import notify
from readtrack.infra.pagination import PageRequest
from readtrack.team.discussion.commands import CommentCreate, add_comment, delete_comment, hide_comment
from readtrack.team.discussion.targets import get_target
from readtrack.team.notifications import commands, queries
from readtrack.team.notifications.commands import NotificationSettings
from readtrack.team.notifications.queries import NotificationFilter, count_unread
from tests import make
from tests.depth import DEEP

pytestmark = pytest.mark.slow  # many requests


@pytest.fixture
def tx(database):
    with database.write() as tx:
        yield tx


@pytest.fixture
def me(tx):
    return make.visitor(tx, "Bo")


@pytest.fixture
def ada(tx):
    return make.visitor(tx, "Ada")


def inbox(tx, me, state="unread", cut=None):
    return [
        row.id for row in queries.list_notifications(tx, me, NotificationFilter(state), cut or PageRequest(50)).items
    ]


def comment_of(tx, ada):
    paper = make.paper(tx)
    comment = make.added(tx, Comment(person_id=ada.id, paper_id=paper.id, markdown="@Bo, look."))
    return {"comment_id": comment.id}, comment, paper


def paper_of(tx, _ada):
    paper = make.paper(tx)
    return {"paper_id": paper.id}, paper, paper


def assignment_of(tx, ada):
    paper = make.paper(tx)
    asked = make.assignment(tx, ada.id, paper.id)
    return {"assignment_id": asked.id}, asked, paper


def summary_of(tx, ada):
    paper = make.paper(tx)
    summary = make.summary(tx, ada.id, paper.id)
    return {"summary_id": summary.id}, summary, paper


GONE = {
    "a comment was deleted": (comment_of, lambda subject, _: setattr(subject, "deleted_at", now())),
    "a comment was hidden": (comment_of, lambda subject, _: setattr(subject, "hidden_at", now())),
    "the paper of a comment was deleted": (comment_of, lambda _, paper: setattr(paper, "deleted_at", now())),
    "a paper was deleted": (paper_of, lambda _, paper: setattr(paper, "deleted_at", now())),
    "the paper of an assignment was deleted": (assignment_of, lambda _, paper: setattr(paper, "deleted_at", now())),
    "a summary became private": (summary_of, lambda subject, _: setattr(subject, "private", True)),
    "a summary was deleted": (summary_of, lambda subject, _: setattr(subject, "deleted_at", now())),
    "the paper of a summary was deleted": (summary_of, lambda _, paper: setattr(paper, "deleted_at", now())),
}


@pytest.mark.parametrize("what", GONE)
def test_a_notification_is_shown_only_while_its_subject_is_accessible(tx, me, ada, what):
    make_it, take_away = GONE[what]
    about, subject, paper = make_it(tx, ada)
    notice = make.notice(tx, me.id, "mention", actor_id=ada.id, **about)
    assert inbox(tx, me) == [notice.id]
    assert count_unread(tx, me.id) == 1
    take_away(subject, paper)
    tx.flush()
    assert inbox(tx, me, "all") == []
    assert count_unread(tx, me.id) == 0
    with pytest.raises(NotFound):
        queries.get_notification(tx, me, notice.id)


def test_the_author_is_still_notified_about_their_private_summary(tx, me):
    summary = make.summary(tx, me.id, make.paper(tx).id, private=True)
    notice = make.notice(tx, me.id, "mention", summary_id=summary.id)
    assert inbox(tx, me) == [notice.id]


def test_nobody_can_see_or_mark_another_persons_notifications(tx, me, ada):
    notice = make.notice(tx, me.id)
    assert inbox(tx, ada, "all") == []
    with pytest.raises(NotFound):
        commands.mark_notification_read(tx, ada, notice.id)
    assert commands.mark_all_read(tx, ada) == 0
    assert count_unread(tx, me.id) == 1


@pytest.mark.deep
def test_a_read_notification_leaves_the_unread_ones_and_new_activity_creates_a_new_one(tx, me, ada):
    def happens():
        notify(tx, ada, "reply", [me.id], subject_ids={"paper_id": paper.id}, group_key="thread:1")

    paper = make.paper(tx)
    times = 1000 if DEEP else 50
    for _ in range(times):
        happens()
    (row,) = queries.list_notifications(tx, me, NotificationFilter(), PageRequest(50)).items
    assert row.times == times
    commands.mark_notification_read(tx, me, row.id)
    assert (inbox(tx, me), inbox(tx, me, "all")) == ([], [row.id])
    happens()
    (newer,) = inbox(tx, me)
    assert newer != row.id


def thread_of(tx, me, ada, count):
    """A thread in which Ada wrote that often, each time telling Bo."""
    eve = make.visitor(tx, "Eve")
    subject = get_target(tx, "paper", make.paper(tx).id)
    begun = make.comment(tx, me.id, paper_id=subject.id)
    return eve, [add_comment(tx, ada, subject, CommentCreate(markdown="So.", parent=begun.id)).id for _ in range(count)]


@pytest.mark.parametrize("gone", ["deleted", "hidden"])
def test_when_one_of_several_replies_is_deleted_the_notification_links_to_the_previous_one(tx, me, ada, gone):
    eve, said = thread_of(tx, me, ada, 3)
    boss = make.visitor(tx, "Boss", role="admin")
    for left in (2, 1):
        if gone == "deleted":
            delete_comment(tx, ada, said[left])
        else:
            hide_comment(tx, boss, said[left])
        (row,) = queries.list_notifications(tx, me, NotificationFilter(), PageRequest(50)).items
        assert (row.comment_id, row.times, row.by) == (said[left - 1], left, "Ada")
    delete_comment(tx, ada, said[0])
    assert inbox(tx, me) == []
    assert inbox(tx, eve) == []


def test_a_reply_deleted_earlier_is_not_linked_to_again(tx, me, ada):
    _, said = thread_of(tx, me, ada, 3)
    delete_comment(tx, ada, said[1])
    delete_comment(tx, ada, said[2])
    (row,) = queries.list_notifications(tx, me, NotificationFilter(), PageRequest(50)).items
    assert (row.comment_id, row.times) == (said[0], 1)


def test_deleting_a_newer_reply_does_not_make_read_ones_unread(tx, me, ada):
    eve, (first,) = thread_of(tx, me, ada, 1)
    commands.mark_all_read(tx, me)
    thread = tx.get_one(Comment, first).parent_id
    subject = get_target(tx, "paper", tx.get_one(Comment, first).paper_id)
    late = add_comment(tx, eve, subject, CommentCreate(markdown="And?", parent=thread)).id or 0
    delete_comment(tx, eve, late)
    assert inbox(tx, me) == []


def test_mark_all_as_read_excludes_notifications_newer_than_the_page(tx, me):
    early = [make.notice(tx, me.id) for _ in range(3)]
    shown_at = queries.list_notifications(tx, me, NotificationFilter(), PageRequest(50)).items[0].created_at
    late = make.notice(tx, me.id)
    assert late.created_at > shown_at
    assert commands.mark_all_read(tx, me, until=shown_at) == len(early)
    assert inbox(tx, me) == [late.id]
    assert commands.mark_all_read(tx, me) == 1


def test_pages_follow_newest_first(tx, me):
    at = now()
    ids = [make.notice(tx, me.id, created_at=at).id for _ in range(5)]
    page = queries.list_notifications(tx, me, NotificationFilter(), PageRequest(2))
    seen = [row.id for row in page.items]
    while page.next:
        page = queries.list_notifications(
            tx, me, NotificationFilter(), PageRequest(2, (page.next[0].isoformat(), page.next[1]))
        )
        seen += [row.id for row in page.items]
    assert seen == sorted(ids, reverse=True)


def test_a_person_who_opted_out_is_not_notified_and_one_who_chose_mail_gets_a_digest(tx, me, ada):
    commands.update_notification_settings(tx, me, NotificationSettings(reply="nothing", mention="mail"))
    for kind in ("reply", "mention", "assignment"):
        notify(tx, ada, kind, [me.id], subject_ids={"paper_id": make.paper(tx).id}, group_key="x")
    told = tx.execute(
        sa.select(col(Notification.kind), col(Notification.mail_due)).order_by(col(Notification.kind))
    ).all()
    assert [tuple(row) for row in told] == [("assignment", False), ("mention", True)]


def test_unsubscribing_from_mail_leaves_nothing_to_send(tx, me, ada):
    commands.update_notification_settings(tx, me, NotificationSettings(reply="mail", mention="mail"))
    for kind in ("reply", "mention"):
        notify(tx, ada, kind, [me.id], subject_ids={"paper_id": make.paper(tx).id}, group_key="x")
    assert commands.update_notification_settings(tx, me, NotificationSettings(reply="page"))["mention"] == "mail"
    due = tx.scalars(sa.select(col(Notification.kind)).where(col(Notification.mail_due))).all()
    assert due == ["mention"]


def test_changing_a_notification_setting_is_a_private_event_and_no_change_is_none(tx, me):
    for _ in range(2):
        commands.update_notification_settings(tx, me, NotificationSettings(reply="mail"))
    (event,) = tx.scalars(sa.select(Event)).all()
    assert (event.verb, event.private, event.after["reply"]) == ("person.notices-chosen", True, "mail")


def test_each_subject_has_its_name_in_the_inbox(tx, me, ada):
    paper = make.paper(tx, "", identifier="arxiv:2401.00001")
    paper.title = paper.title_key = ""
    topic = make.topic(tx, "Checkpointing")
    question = make.added(tx, Question(text="Why so slow?"))
    meeting = make.added(tx, Meeting(title="Reading group"))
    note = make.added(tx, Note(title="Links", title_key="links"))
    revision = make.added(tx, NoteRevision(note_id=note.id, text="x", sha256="x", line_count=1))
    make.notice(tx, me.id, "reply", actor_id=ada.id, paper_id=paper.id)
    make.notice(tx, me.id, "mention", topic_id=topic.id)
    make.notice(tx, me.id, "mention", question_id=question.id)
    make.notice(tx, me.id, "meeting", meeting_id=meeting.id)
    make.notice(tx, me.id, "job", import_id=revision.id)
    rows = queries.list_notifications(tx, me, NotificationFilter(), PageRequest(50)).items[::-1]
    assert [row.paper or row.topic or row.question or row.meeting or row.note for row in rows] == [
        "arXiv 2401.00001", "Checkpointing", "Why so slow?", "Reading group", "Links",
    ]  # fmt: skip
    assert (rows[0].by, rows[1].topic_slug) == ("Ada", "checkpointing")


def test_old_read_notifications_are_deleted_and_unread_ones_stay(tx, me, monkeypatch):
    long_ago = now() - commands.KEEP_READ_FOR - timedelta(hours=1)
    kept = [
        make.notice(tx, me.id, created_at=long_ago).id,
        make.notice(tx, me.id, created_at=long_ago, read_at=now()).id,
    ]
    old = [make.notice(tx, me.id, created_at=long_ago, read_at=long_ago).id for _ in range(3)]
    monkeypatch.setattr(commands, "MAX_DELETED_AT_ONCE", 2)
    commands.delete_old_notifications(tx)
    assert {*inbox(tx, me, "all")} == {*kept, max(old)}
    commands.delete_old_notifications(tx)
    assert {*inbox(tx, me, "all")} == {*kept}
