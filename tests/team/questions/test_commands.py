"""Verbs of questions: asked, answered by a comment, dropped, opened again; nobody's change is lost."""

import pytest
import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, StaleVersion
from readtrack.infra.models import Comment, Event, Notification, Person, Question
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.commands import delete_paper
from readtrack.team.discussion.commands import CommentCreate, add_comment, delete_comment
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.team.questions import commands, queries
from readtrack.team.questions.commands import QuestionCreate, QuestionUpdate
from readtrack.team.questions.queries import QuestionFilter
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, name) for name in ("Ada", "Bo Lee")]


def ask(tx, me, text="Why is recovery slow?", **fields):
    return commands.ask_question(tx, me, QuestionCreate(text=text, **fields)).id


def said(tx, me, question_id, text="Because."):
    subject = DiscussionTarget("question", question_id, str(question_id))
    return add_comment(tx, me, subject, CommentCreate(markdown=text)).id


def listed(tx, me, **wanted):
    return [row.text for row in queries.list_questions(tx, me, QuestionFilter(**wanted), PageRequest()).items]


def test_a_question_is_on_its_paper_and_topic_with_its_owner(database, people):
    ada, bo = people
    with database.write() as tx:
        paper, topic = make.paper(tx, "On recovery"), make.topic(tx, "Recovery")
        number = ask(tx, ada, paper=paper.id, topic="recovery", owner=bo.id)
        row = queries.get_question(tx, number)
        assert (row.paper_id, row.paper, row.topic, row.owner, row.asked_by, row.state) == (
            paper.id, "On recovery", topic.slug, "Bo Lee", "Ada", "open",
        )  # fmt: skip
        [event] = tx.scalars(sa.select(Event)).all()
        assert (event.verb, event.paper_id, event.data) == ("question.asked", paper.id, {"question": number})
        [notice] = tx.scalars(sa.select(Notification)).all()
        assert (notice.person_id, notice.question_id) == (bo.id, number)


@pytest.mark.parametrize(
    ("fields", "pointer"), [({"paper": 99}, "/paper"), ({"topic": "x"}, "/topic"), ({"owner": 99}, "/owner")]
)
def test_a_question_about_a_missing_item_is_refused(database, people, fields, pointer):
    with database.write() as tx:
        with pytest.raises(Invalid) as refused:
            ask(tx, people[0], **fields)
        assert [error.pointer for error in refused.value.errors] == [pointer]
        assert tx.scalars(sa.select(Question)).all() == []


def test_a_question_is_answered_by_a_comment_of_its_own_discussion(database, people):
    ada, bo = people
    with database.write() as tx:
        number, other = ask(tx, ada), ask(tx, ada, "Another?")
        wrong, gone, right = said(tx, bo, other), said(tx, bo, number), said(tx, bo, number)
        delete_comment(tx, bo, gone)
        for comment in (wrong, gone, 999):
            with pytest.raises(Invalid, match=f"Comment {comment} not found"):
                commands.answer_question(tx, ada, number, comment)
        commands.answer_question(tx, ada, number, right)
        row = queries.get_question(tx, number)
        assert (row.state, row.answer_id, row.closed_by) == ("answered", right, "Ada")
        commands.reopen_question(tx, bo, number)
        row = queries.get_question(tx, number)
        assert (row.state, row.answer_id, row.closed_by, row.closed_at) == ("open", None, None, None)


ANSWER = {"open": "reopen_question", "dropped": "drop_question"}


@pytest.mark.parametrize(("state", "possible"), [("open", {"dropped"}), ("answered", {"open"}), ("dropped", {"open"})])
def test_an_invalid_state_change_is_refused(database, people, state, possible):
    ada = people[0]
    with database.write() as tx:
        question = make.question(tx, state=state)
        for wanted, verb in ANSWER.items():
            if wanted in possible:
                continue
            with pytest.raises(Conflict) as refused:
                getattr(commands, verb)(tx, ada, question.id)
            assert (refused.value.code, refused.value.allowed) == ("bad-transition", commands.ALLOWED[state])


def test_a_stale_form_overwrites_nothing(database, people):
    ada, bo = people
    with database.write() as tx:
        number = ask(tx, ada)
        commands.edit_question(tx, bo, number, QuestionUpdate(text="Theirs?"), version=1)
        with pytest.raises(StaleVersion) as stale:
            commands.edit_question(tx, ada, number, QuestionUpdate(text="Mine?"), version=1)
        assert stale.value.current == {"version": 2, "yours": 1, "text": "Theirs?", "state": "open"}
        event = tx.scalars(sa.select(Event).order_by(col(Event.id).desc())).first()
        assert (event.before, event.after) == ({"text": "Why is recovery slow?"}, {"text": "Theirs?"})


def test_editing_all_fields_sets_the_state_too(database, people):
    ada = people[0]
    with database.write() as tx:
        number = ask(tx, ada)
        comment = said(tx, ada, number)
        for wrong in ({"state": "answered"}, {"state": "open", "answer": comment}):
            with pytest.raises(Invalid, match="answer"):
                commands.edit_question(
                    tx,
                    ada,
                    number,
                    QuestionUpdate(text="Why?", **wrong),
                    version=queries.get_question(tx, number).version,
                )
        version = queries.get_question(tx, number).version
        edit = QuestionUpdate(text="Why then?", state="answered", answer=comment)
        commands.edit_question(tx, ada, number, edit, version=version)
        row = queries.get_question(tx, number)
        assert (row.text, row.state, row.answer_id) == ("Why then?", "answered", comment)


def test_a_questions_deleted_paper_is_hidden_but_not_forgotten(database, people):
    ada = people[0]
    with database.write() as tx:
        paper = make.paper(tx)
        number = ask(tx, ada, paper=paper.id)
        delete_paper(tx, make.visitor(tx, role="editor"), paper.id)
        assert queries.get_question(tx, number).paper_id is None
        commands.edit_question(tx, ada, number, QuestionUpdate(text="Still?"), version=1)
        assert tx.get_one(Question, number).paper_id == paper.id


def test_a_question_with_a_disabled_owner_can_be_edited_but_not_given_to_a_disabled_person(database, people):
    ada, bo = people
    with database.write() as tx:
        number, other = ask(tx, ada, owner=bo.id), ask(tx, ada, "Another?")
        tx.get_one(Person, bo.id).disabled_at = now()
        commands.edit_question(tx, ada, number, QuestionUpdate(text="Still?", owner=bo.id), version=1)
        row = queries.get_question(tx, number)
        assert (row.text, row.owner_id) == ("Still?", bo.id)
        with pytest.raises(Invalid, match=f"No such member: {bo.id}"):
            commands.edit_question(tx, ada, other, QuestionUpdate(text="Another?", owner=bo.id), version=1)


def test_a_form_sent_twice_creates_one_question_until_it_is_closed(database, people):
    ada, bo = people
    with database.write() as tx:
        make.topic(tx, "Recovery")
        wanted = QuestionCreate(text="Why?", topic="recovery")
        first, again = (commands.ask_question_once(tx, ada, wanted).id or 0 for _ in range(2))
        assert first == again
        others = [
            (bo, wanted),
            (ada, QuestionCreate(text="Why?")),
            (ada, QuestionCreate(text="How?", topic="recovery")),
        ]
        assert first not in {commands.ask_question_once(tx, who, what).id for who, what in others}
        commands.drop_question(tx, ada, first)
        assert commands.ask_question_once(tx, ada, wanted).id != first


def test_a_comment_meant_to_answer_a_closed_question_is_not_posted(database, people):
    ada = people[0]
    with database.write() as tx:
        dropped, number = make.question(tx, state="dropped"), ask(tx, ada)
        with pytest.raises(Conflict, match="Reopen this question first"):
            commands.post_answer(tx, ada, dropped.id, CommentCreate(markdown="Because."))
        assert tx.scalars(sa.select(Comment)).all() == []
        said_twice = [commands.post_answer(tx, ada, number, CommentCreate(markdown="Because.")).id for _ in range(2)]
        row = queries.get_question(tx, number)
        assert (row.state, [row.answer_id] * 2, row.version) == ("answered", said_twice, 2)


def test_only_an_unused_question_can_be_deleted_by_its_author_or_an_editor(database, people):
    ada, bo = people
    with database.write() as tx:
        editor, number, talked = make.visitor(tx, role="editor"), ask(tx, ada, owner=bo.id), ask(tx, ada)
        said(tx, bo, talked)
        with pytest.raises(NotAllowed):
            commands.delete_question(tx, bo, number)
        with pytest.raises(Conflict, match="can't be deleted"):
            commands.delete_question(tx, ada, talked)
        noted = commands.note_question(tx, ada, "From a note?", topic_id=None)
        make.entry(tx, kind="question", question_id=noted)
        with pytest.raises(Conflict, match="can't be deleted"):
            commands.delete_question(tx, editor, noted)
        commands.delete_question(tx, editor, number)
        with pytest.raises(NotFound):
            queries.get_question(tx, number)
        assert tx.scalar(sa.select(sa.func.count()).where(col(Notification.question_id) == number)) == 0


def test_lists_are_filtered_by_state_owner_topic_and_paper(database, people):
    ada, bo = people
    with database.write() as tx:
        paper, topic = make.paper(tx), make.topic(tx, "Recovery")
        make.question(tx, "one", created_by=ada.id)
        make.question(tx, "two", created_by=bo.id, owner_id=ada.id, paper_id=paper.id)
        make.question(tx, "three", created_by=ada.id, owner_id=bo.id, topic_id=topic.id)
        make.question(tx, "four", created_by=bo.id, state="dropped", topic_id=topic.id)
        assert listed(tx, ada) == ["three", "two", "one"]
        assert listed(tx, ada, mine=True) == ["two", "one"]
        assert listed(tx, ada, state="all", topic="recovery") == ["four", "three"]
        assert listed(tx, ada, paper=paper.id) == ["two"]
        assert listed(tx, ada, state="dropped") == ["four"]


def test_a_viewer_cannot_change_questions(database, people):
    with database.write() as tx:
        viewer, number = make.visitor(tx, role="viewer"), ask(tx, people[0])
        for attempt in (
            lambda: ask(tx, viewer),
            lambda: commands.take_question(tx, viewer, number),
            lambda: commands.drop_question(tx, viewer, number),
            lambda: commands.delete_question(tx, viewer, number),
        ):
            with pytest.raises(NotAllowed, match="requires the member role"):
                attempt()


@pytest.mark.parametrize(
    "fields", [{}, {"text": " \n"}, {"text": "x" * 2001}, {"text": "x", "state": "open"}, {"text": "x", "paper": 0}]
)
def test_an_invalid_question_is_refused(fields):
    with pytest.raises(ValidationError):
        QuestionCreate(**fields)
