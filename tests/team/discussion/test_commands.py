"""Verbs of comments: threads of one level, only one's own, places that stay, what one has seen, and who is told."""

import threading
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, StaleVersion
from readtrack.infra.models import Comment, Event, Notification
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.commands import delete_paper
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.team.discussion import commands, queries
from readtrack.team.discussion.commands import CommentCreate, CommentUpdate, ReadMarkerUpdate
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.team.questions.commands import answer_question
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick


def say(tx, me, subject, text="Why?", **fields):
    return commands.add_comment(tx, me, subject, CommentCreate(markdown=text, **fields)).id


def on(row, kind="paper"):
    return DiscussionTarget(kind, row.id, row.slug if kind == "topic" else str(row.id))


def shown(tx, me, subject):
    return queries.get_discussion(tx, me, subject, PageRequest(limit=queries.THREADS_PER_PAGE))


def texts(talk):
    return [[thread.root.markdown, *(reply.markdown for reply in thread.replies)] for thread in talk.threads]


def told(tx, kind):
    rows = sa.select(col(Notification.person_id), col(Notification.count)).where(col(Notification.kind) == kind)
    return dict(tx.execute(rows).all())


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, name) for name in ("Ada", "Bo Lee", "Chika")]


@pytest.fixture
def paper(database):
    with database.write() as tx:
        return on(make.paper(tx))


def test_replies_are_in_the_thread_of_their_parent_however_deep(database, people, paper):
    ada, bo, chika = people
    with database.write() as tx:
        first = say(tx, ada, paper, "one")
        second = say(tx, bo, paper, "two")
        answer = say(tx, bo, paper, "one, answered", parent=first)
        say(tx, chika, paper, "and that again", parent=answer)
        say(tx, chika, paper, "two, answered", parent=second)
        talk = shown(tx, ada, paper)
        assert texts(talk) == [["one", "one, answered", "and that again"], ["two", "two, answered"]]
        assert (talk.count, talk.new_count, talk.last_seen_id) == (5, 4, 0)


@pytest.mark.parametrize("kind", ["paper", "topic", "question"])
def test_comments_of_one_target_appear_on_no_other(database, people, kind):
    ada = people[0]
    with database.write() as tx:
        made: Any = {"paper": make.paper, "topic": make.topic, "question": make.question}[kind]
        one, other = on(made(tx), kind), on(made(tx), kind)
        said = say(tx, ada, one)
        assert texts(shown(tx, ada, one)) == [["Why?"]]
        assert texts(shown(tx, ada, other)) == []
        for parent in (said, 999):
            with pytest.raises(Invalid, match=f"Comment {parent} not found"):
                say(tx, ada, other, parent=parent)
        for seen in (said, 999):
            with pytest.raises(Invalid, match=f"Comment {seen} not found"):
                commands.mark_seen(tx, ada, other, ReadMarkerUpdate(comment=seen))


def test_only_the_author_can_edit_and_delete(database, people, paper):
    ada, bo, _ = people
    with database.write() as tx:
        admin = make.visitor(tx, role="admin")
        said = say(tx, ada, paper)
        for other in (bo, admin):
            with pytest.raises(NotAllowed, match="Only the author"):
                commands.edit_comment(tx, other, said, CommentUpdate(markdown="Mine"), version=1)
            with pytest.raises(NotAllowed):
                commands.delete_comment(tx, other, said)
        with pytest.raises(NotAllowed, match="requires the admin role"):
            commands.hide_comment(tx, bo, said)
        commands.edit_comment(tx, ada, said, CommentUpdate(markdown="Why not?"), version=1)
        assert texts(shown(tx, bo, paper)) == [["Why not?"]]


def test_a_stale_window_overwrites_nothing(database, people, paper):
    ada = people[0]
    with database.write() as tx:
        said = say(tx, ada, paper, "one")
        commands.edit_comment(tx, ada, said, CommentUpdate(markdown="two"), version=1)
        with pytest.raises(StaleVersion, match="another window") as stale:
            commands.edit_comment(tx, ada, said, CommentUpdate(markdown="mine"), version=1)
        assert stale.value.current == {"version": 2, "yours": 1, "markdown": "two"}
        commands.edit_comment(tx, ada, said, CommentUpdate(markdown="two"), version=2)
        [event] = tx.scalars(sa.select(Event).where(col(Event.verb) == "comment.edited")).all()
        assert (event.before, event.after, event.paper_id) == ({"markdown": "one"}, {"markdown": "two"}, paper.id)
        assert "one" not in str(event.data)


def test_a_deleted_comment_keeps_its_place_only_while_it_has_replies(database, people, paper):
    ada, bo, _ = people
    with database.write() as tx:
        alone, first = say(tx, ada, paper, "alone"), say(tx, ada, paper, "secret")
        answer = say(tx, bo, paper, "an answer", parent=first)
        for said in (alone, first):
            commands.delete_comment(tx, ada, said)
        assert texts(shown(tx, bo, paper)) == [["", "an answer"]]
        assert queries.get_comment(tx, bo, first).deleted
        with pytest.raises(NotFound):
            queries.get_comment(tx, bo, alone)
        say(tx, bo, paper, "more", parent=first)
        with pytest.raises(NotFound):
            commands.edit_comment(tx, ada, first, CommentUpdate(markdown="x"), version=1)
        with pytest.raises(Conflict, match="was deleted"):
            say(tx, bo, paper, "to nobody", parent=alone)
        commands.delete_comment(tx, bo, answer)
        commands.restore_comment(tx, ada, alone)
        assert texts(shown(tx, bo, paper)) == [["alone"], ["", "more"]]


def test_a_deleted_comment_can_be_restored_for_thirty_days(database, people, paper):
    ada, bo, _ = people
    with database.write() as tx:
        said = say(tx, ada, paper)
        with pytest.raises(NotFound):
            commands.restore_comment(tx, ada, said)
        commands.delete_comment(tx, ada, said)
        with pytest.raises(NotAllowed):
            commands.restore_comment(tx, bo, said)
        with time_machine.travel(now().replace(year=now().year + 1)), pytest.raises(Conflict, match="30 days"):
            commands.restore_comment(tx, ada, said)


def test_a_comment_hidden_by_an_admin_is_visible_to_its_author_and_admins_only(database, people, paper):
    ada, bo, _ = people
    with database.write() as tx:
        admin, editor = make.visitor(tx, role="admin"), make.visitor(tx, "Editor", role="editor")
        said = say(tx, ada, paper, "rude")
        commands.hide_comment(tx, admin, said)
        read = {who.name: queries.get_comment(tx, who, said).markdown for who in (ada, bo, editor, admin)}
        assert read == {"Ada": "rude", "Bo Lee": "", "Editor": "", admin.name: "rude"}
        assert all(comment.hidden for comment in queries.list_comments(tx, bo, paper, PageRequest()).items)
        commands.show_comment(tx, admin, said)
        assert texts(shown(tx, bo, paper)) == [["rude"]]


def test_a_thread_is_resolved_as_a_whole_and_reopened(database, people, paper):
    ada, bo, _ = people
    with database.write() as tx:
        first = say(tx, ada, paper)
        answer = say(tx, bo, paper, parent=first)
        for _ in range(2):
            assert commands.resolve_thread(tx, ada, answer).id == first
        assert shown(tx, bo, paper).threads[0].root.resolved_by == "Ada"
        commands.delete_comment(tx, ada, first)
        commands.reopen_thread(tx, bo, first)
        assert shown(tx, bo, paper).threads[0].root.resolved_at is None
        verbs = tx.scalars(sa.select(col(Event.verb)).order_by(col(Event.id))).all()
        assert verbs[2:] == ["thread.resolved", "comment.deleted", "thread.reopened"]


def test_other_peoples_comments_are_unread_until_viewed(database, people, paper):
    ada, bo, _ = people
    with database.write() as tx:
        first = say(tx, ada, paper)
        assert (shown(tx, ada, paper).new_count, shown(tx, bo, paper).new_count) == (0, 1)
        second = say(tx, ada, paper)
        commands.mark_seen(tx, bo, paper, ReadMarkerUpdate(comment=first))
        talk = shown(tx, bo, paper)
        assert (talk.new_count, [talk.is_new(thread.root, bo.id) for thread in talk.threads]) == (1, [False, True])
        for seen in (second, first):
            commands.mark_seen(tx, bo, paper, ReadMarkerUpdate(comment=seen))
            assert shown(tx, bo, paper).new_count == 0


def test_mentioned_people_are_notified_and_participants_once(database, people, paper):
    ada, bo, chika = people
    with database.write() as tx:
        first = say(tx, ada, paper, "@bo lee and @Ada, what of Fig. 6? `@Chika`")
        assert told(tx, "mention") == {bo.id: 1}
        taken_back = [say(tx, chika, paper, text, parent=first) for text in ("yes", "@Ada indeed")]
        say(tx, bo, paper, "ah", parent=first)
        assert told(tx, "mention") == {bo.id: 1, ada.id: 1}
        assert told(tx, "reply") == {ada.id: 2, chika.id: 1}
        notice = tx.scalars(sa.select(Notification).where(col(Notification.person_id) == bo.id)).one()
        assert (notice.comment_id, notice.paper_id) == (first, paper.id)
        for comment_id in taken_back:
            commands.delete_comment(tx, chika, comment_id)
        say(tx, ada, paper, "I see", parent=first)
        assert told(tx, "reply") == {ada.id: 1, bo.id: 1, chika.id: 1}


def test_an_edit_notifies_only_newly_mentioned_people(database, people, paper):
    ada, bo, chika = people
    with database.write() as tx:
        said = say(tx, ada, paper, "@Chika?")
        commands.edit_comment(tx, ada, said, CommentUpdate(markdown='@Chika? @"Bo Lee"?'), version=1)
        assert told(tx, "mention") == {chika.id: 1, bo.id: 1}


def test_the_author_and_owner_of_a_question_are_notified_of_comments(database, people):
    ada, bo, chika = people
    with database.write() as tx:
        subject = on(make.question(tx, created_by=ada.id, owner_id=bo.id), "question")
        say(tx, chika, subject, "Perhaps so.")
        assert told(tx, "reply") == {ada.id: 1, bo.id: 1}


def test_a_question_is_reopened_when_its_answer_is_deleted(database, people):
    ada = people[0]
    with database.write() as tx:
        question = make.question(tx)
        said = say(tx, ada, on(question, "question"), "Because.")
        answer_question(tx, ada, question.id, said)
        commands.delete_comment(tx, ada, said)
        tx.refresh(question)
        assert (question.state, question.answer_id, question.version) == ("open", None, 3)


def test_a_missing_target_cannot_be_discussed(database, people, paper):
    ada = people[0]
    with database.write() as tx:
        said = say(tx, ada, paper)
        delete_paper(tx, make.visitor(tx, role="editor"), paper.id)
        for attempt in (
            lambda: say(tx, ada, paper),
            lambda: commands.edit_comment(tx, ada, said, CommentUpdate(markdown="x"), version=1),
            lambda: commands.delete_comment(tx, ada, said),
            lambda: commands.resolve_thread(tx, ada, said),
            lambda: commands.mark_seen(tx, ada, paper, ReadMarkerUpdate(comment=said)),
            lambda: queries.get_comment(tx, ada, said),
            lambda: say(tx, ada, DiscussionTarget("topic", 99, "none")),
            lambda: say(tx, ada, DiscussionTarget("question", 99, "99")),
        ):
            with pytest.raises(NotFound):
                attempt()


def test_a_viewer_can_read_and_mark_as_read_but_not_comment(database, people, paper):
    with database.write() as tx:
        viewer, said = make.visitor(tx, role="viewer"), say(tx, people[0], paper)
        for attempt in (
            lambda: say(tx, viewer, paper),
            lambda: commands.resolve_thread(tx, viewer, said),
            lambda: commands.delete_comment(tx, viewer, said),
        ):
            with pytest.raises(NotAllowed, match="requires the member role"):
                attempt()
        commands.mark_seen(tx, viewer, paper, ReadMarkerUpdate(comment=said))
        assert shown(tx, viewer, paper).new_count == 0


def test_a_discussed_topic_cannot_be_deleted_and_a_merge_moves_its_discussion(database, people):
    ada, bo, _ = people
    with database.write() as tx:
        editor = make.visitor(tx, role="editor")
        gone, kept = on(make.topic(tx, "Gone"), "topic"), on(make.topic(tx, "Kept"), "topic")
        question = make.question(tx, topic_id=gone.id)
        first, second = say(tx, ada, kept, "@bo lee one"), say(tx, ada, gone, "@bo lee two")
        with pytest.raises(Conflict, match="1 comment, 1 question"):
            delete_topic(tx, editor, "gone")
        for subject, seen in ((kept, first), (gone, second)):
            commands.mark_seen(tx, bo, subject, ReadMarkerUpdate(comment=seen))
        commands.mark_seen(tx, editor, gone, ReadMarkerUpdate(comment=second))
        merge_topics(tx, editor, "gone", "kept")
        assert texts(shown(tx, bo, kept)) == [["@bo lee one"], ["@bo lee two"]]
        assert (shown(tx, bo, kept).new_count, shown(tx, editor, kept).new_count) == (1, 2)
        tx.refresh(question)
        assert question.topic_id == kept.id
        assert set(tx.scalars(sa.select(col(Notification.topic_id)))) == {kept.id}


@pytest.mark.parametrize("fields", [{}, {"markdown": " \n"}, {"markdown": "x" * 100_001}, {"markdown": "x", "id": 1}])
def test_an_invalid_comment_is_refused(fields):
    with pytest.raises(ValidationError):
        CommentCreate(**fields)


def test_a_reply_concurrent_with_the_deletion_of_its_parent_is_serialised(database, people, paper):
    ada, bo, _ = people
    with database.write() as tx:
        first = say(tx, ada, paper, "one")
    start, ends = threading.Barrier(2), []

    def attempt(who, verb):
        start.wait()
        try:
            with database.write() as tx:
                verb(tx, who)
            ends.append(who.name)
        except Conflict:
            ends.append("refused")

    verbs = [(ada, lambda tx, me: commands.delete_comment(tx, me, first))]
    verbs.append((bo, lambda tx, me: say(tx, me, paper, "two", parent=first)))
    threads = [threading.Thread(target=attempt, args=each) for each in verbs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as tx:
        assert texts(shown(tx, ada, paper)) == ([["", "two"]] if "refused" not in ends else [])
        assert tx.scalar(sa.select(col(Comment.deleted_at)).where(col(Comment.id) == first)) is not None
