"""Attacks by what people say: two ids that do not belong together, a deletion in between, floods of mentions."""

import threading

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.action_quotas import QUOTAS
from readtrack.infra.errors import Conflict, Invalid, NotFound, TooManyRequests
from readtrack.infra.models import Comment, Notification
from readtrack.library.papers.commands import delete_paper
from readtrack.team.discussion import commands, queries
from readtrack.team.discussion.commands import CommentCreate, CommentUpdate
from readtrack.team.discussion.targets import get_target
from readtrack.team.questions import commands as questions
from readtrack.team.questions.commands import QuestionCreate
from readtrack.team.questions.queries import get_question
from tests import make
from tests.depth import DEEP
from tests.sample_library import content, count_of

pytestmark = pytest.mark.slow  # many requests to a whole application


def test_a15_ids_of_two_discussions_cannot_be_mixed(library, database, sign_in):
    eve, of = sign_in(library.member), library.of
    with database.write() as tx:
        other = make.paper(tx)
        elsewhere = make.comment(tx, library.member.id, paper_id=other.id).id
        deleted = make.paper(tx)
        unseen = make.comment(tx, library.member.id, paper_id=deleted.id).id
        delete_paper(tx, library.editor, deleted.id)
    here = [f"/papers/{of['paper_id']}", f"/topics/{of['slug']}", f"/questions/{of['question_id']}"]
    before = content(database)

    for at in here:
        for parent in (elsewhere, unseen, 10**9):
            said = eve.post(f"/api/v1{at}/comments", json={"markdown": "x", "parent": parent})
            assert (said.status_code, said.json()["errors"][0]["pointer"]) == (422, "/parent"), (at, parent)
            assert eve.post(f"{at}/comments", data={"markdown": "x", "parent": parent}).status_code == 422
            assert eve.post(f"/api/v1{at}/read-marker", json={"comment": parent}).status_code == 422
    for method, path in (
        ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/restore"), ("POST", "/resolve"), ("POST", "/reopen"),
    ):  # fmt: skip
        headers = {"If-Match": f'"{unseen}.1"'}
        answer = eve.request(method, f"/api/v1/comments/{unseen}{path}", json={"markdown": "x"}, headers=headers)
        assert answer.status_code == 404, (method, path)
    for path in (f"/comments/{unseen}", f"/threads/{unseen}", f"/comments/{unseen}/reply", f"/comments/{unseen}/edit"):
        assert eve.get(path).status_code == 404, path
    tag = eve.get(f"/api/v1/questions/{of['question_id']}").headers["etag"]
    for answer_id in (elsewhere, unseen, of["comment_id"]):
        body = {"state": "answered", "answer": answer_id}
        answer = eve.patch(f"/api/v1/questions/{of['question_id']}", json=body, headers={"If-Match": tag})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/answer")
    wrong_tag = {"If-Match": f'"{elsewhere}.1"'}
    assert eve.patch(f"/api/v1/comments/{of['comment_id']}", json={"markdown": "x"}, headers=wrong_tag).status_code in {
        403,
        412,
    }
    assert content(database) == before


def test_a54_deleting_a_paper_during_discussion_includes_all_of_the_discussion_or_none(library, database):
    paper_id = int(str(library.of["paper_id"]))
    before, start = count_of(database, Comment), threading.Barrier(5)
    said: list[int] = []

    def say(number):
        start.wait()
        try:
            with database.write() as tx:
                subject = get_target(tx, "paper", paper_id)
                made = commands.add_comment(tx, library.member, subject, CommentCreate(markdown=f"{number}"))
                said.append(made.id or 0)
        except NotFound:
            return

    def delete():
        start.wait()
        with database.write() as tx:
            delete_paper(tx, library.editor, paper_id)

    threads = [threading.Thread(target=say, args=(number,)) for number in range(4)] + [threading.Thread(target=delete)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_of(database, Comment) == before + len(said)
    with database.read() as tx:
        for comment_id in said:
            assert queries.find_comment(tx, library.member, comment_id) is None


def test_a54_concurrent_answers_replies_and_deletions_do_not_deadlock(database):
    with database.write() as tx:
        people = [make.visitor(tx, f"P{number}") for number in range(4)]
        number = make.question(tx).id
        subject = get_target(tx, "question", number)
        said = commands.add_comment(tx, people[0], subject, CommentCreate(markdown="Because.")).id or 0
        questions.answer_question(tx, people[0], number, said)
    start, refused = threading.Barrier(4), []

    def each(person, verb):
        start.wait()
        try:
            with database.write() as tx:
                verb(tx, person)
        except (Conflict, Invalid) as error:
            refused.append(error)

    verbs = [
        lambda tx, me: commands.delete_comment(tx, me, said),
        lambda tx, me: commands.add_comment(tx, me, subject, CommentCreate(markdown="Sure?", parent=said)),
        lambda tx, me: questions.post_answer(tx, me, number, CommentCreate(markdown="Or so.")),
        lambda tx, me: questions.post_answer(tx, me, number, CommentCreate(markdown="Or else.", parent=said)),
    ]
    threads = [threading.Thread(target=each, args=pair) for pair in zip(people, verbs, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {type(error) for error in refused} <= {Conflict}  # what they answer was deleted first
    with database.read() as tx:
        row = get_question(tx, number)
        answer = queries.find_comment(tx, people[0], row.answer_id) if row.answer_id else None
        assert (row.state == "answered") == (answer is not None and not answer.deleted)
        assert row.comments == 4 - len(refused) - 1


@pytest.mark.deep
def test_a66_mentioning_everybody_repeatedly_is_limited_and_notifies_each_person_once(database, monkeypatch):
    most = QUOTAS["comment.added"].limit if DEEP else 8
    monkeypatch.setitem(QUOTAS, "comment.added", QUOTAS["comment.added"]._replace(limit=most))
    with database.write() as tx:
        eve, subject = make.visitor(tx, "Eve"), get_target(tx, "paper", make.paper(tx).id)
        everybody = [make.visitor(tx, f"P{number}") for number in range(60)]
        text = " ".join(f"@P{number}" for number in range(60))
        for _ in range(most):
            commands.add_comment(tx, eve, subject, CommentCreate(markdown=text, parent=_first(tx)))
        with pytest.raises(TooManyRequests, match=rf"\({most} in 60 minutes\)"):
            commands.add_comment(tx, eve, subject, CommentCreate(markdown=text))
        told = tx.execute(
            sa.select(col(Notification.person_id), sa.func.count()).group_by(col(Notification.person_id))
        ).all()
        assert len(told) == 50
        assert {count for _, count in told} == {1}
        assert {person_id for person_id, _ in told} < {person.id for person in everybody}


def test_a66_editing_back_and_forth_creates_no_more_notifications(database):
    with database.write() as tx:
        eve, subject = make.visitor(tx, "Eve"), get_target(tx, "paper", make.paper(tx).id)
        make.visitor(tx, "Bo")
        said = commands.add_comment(tx, eve, subject, CommentCreate(markdown="x")).id or 0
        for version in range(1, 41):
            edit = CommentUpdate(markdown=f"{'@Bo' if version % 2 else 'nobody'} {version}")
            commands.edit_comment(tx, eve, said, edit, version=version)
        assert len(tx.scalars(sa.select(Notification)).all()) == 1


@pytest.mark.deep
def test_a66_a_flood_of_questions_is_limited_without_blocking_other_people(database):
    with database.write() as tx:
        eve, bo = make.visitor(tx, "Eve"), make.visitor(tx, "Bo")
        most = QUOTAS["question.asked"].limit
        for number in range(most):
            questions.ask_question(tx, eve, QuestionCreate(text=f"Why {number}?"))
        with pytest.raises(TooManyRequests, match=rf"\({most} in 60 minutes\)"):
            questions.ask_question(tx, eve, QuestionCreate(text="And why?"))
        questions.ask_question(tx, bo, QuestionCreate(text="May I, too?"))


def _first(tx):
    return tx.scalar(sa.select(sa.func.min(col(Comment.id))))
