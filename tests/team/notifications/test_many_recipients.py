"""Many people and many comments: everybody is told, and a notice counts only what is still there."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.models import Comment, Notification, Person
from readtrack.infra.notifications import BATCH_SIZE, notify, retract_notifications
from readtrack.team.discussion import commands
from readtrack.team.discussion.commands import CommentCreate
from readtrack.team.discussion.targets import get_target
from tests import make


@pytest.fixture
def thread(database):
    """Bo began a thread; Eve answered sixty-two times. Bo's one notice joins all of it."""
    with database.write() as tx:
        bo, eve = make.visitor(tx, "Bo"), make.visitor(tx, "Eve")
        subject = get_target(tx, "paper", make.paper(tx).id)
        first = commands.add_comment(tx, bo, subject, CommentCreate(markdown="x"))
        answer = CommentCreate(markdown="y", parent=first.id)
        return eve, [commands.add_comment(tx, eve, subject, answer).id for _ in range(62)]


def notices(database):
    with database.read() as tx:
        return [(row.count, row.comment_id) for row in tx.scalars(sa.select(Notification))]


@pytest.mark.deep
def test_a_deleted_comment_is_not_counted_in_any_notification(database, thread):
    eve, numbers = thread
    assert notices(database) == [(62, numbers[-1])]
    with database.write() as tx:
        for number in (numbers[0], numbers[1], numbers[30], numbers[-1]):
            commands.delete_comment(tx, eve, number)
    assert notices(database) == [(58, numbers[-2])]


@pytest.mark.deep
def test_retracting_the_same_comment_twice_counts_once(database, thread):
    _, numbers = thread
    with database.write() as tx:
        tx.get(Comment, numbers[5]).hidden_at = clock.now()
        tx.flush()
        for _ in range(2):
            retract_notifications(tx, numbers[5])
    assert notices(database) == [(61, numbers[-1])]


def crowd(tx, count):
    rows = [{"name": f"P{number}", "name_key": f"p{number}"} for number in range(count)]
    return list(tx.scalars(sa.insert(Person).returning(col(Person.id)), rows))


def test_everybody_is_notified_however_many_they_are(database, statements):
    about, once = {}, "x:1"
    with database.write() as tx:
        me, people = make.visitor(tx, "Eve"), crowd(tx, 2 * BATCH_SIZE + 50)
        about["paper_id"] = make.paper(tx).id
        tx.get(Person, people[-1]).notification_settings = {"assignment": "mail"}
        tx.get(Person, people[-2]).notification_settings = {"assignment": "nothing"}
        tx.flush()
        with statements() as asked:
            notify(tx, me, "assignment", people, subject_ids=about, group_key=once)
        assert (
            len(asked) == 18
        )  # six for each slice: their choices, what they have, numbers, what is new in a savepoint
    with database.read() as tx:
        told = {row.person_id: row for row in tx.scalars(sa.select(Notification))}
    assert set(told) == {*people} - {people[-2]}
    assert [number for number, row in told.items() if row.mail_due] == [people[-1]]
    assert {(row.count, row.kind, row.actor_id, row.group_key) for row in told.values()} == {
        (1, "assignment", me.id, "assignment:x:1")
    }


def test_an_unread_notification_is_updated_and_others_get_a_new_one(database):
    with database.write() as tx:
        me, (first, second) = make.visitor(tx, "Eve"), crowd(tx, 2)
        about = {"paper_id": make.paper(tx).id}
        notify(tx, me, "assignment", [first], subject_ids=about, group_key="x:1")
        notify(tx, me, "assignment", [first, second, me.id], subject_ids=about, group_key="x:1")
        told = tx.execute(
            sa.select(col(Notification.person_id), col(Notification.count)).order_by(col(Notification.person_id))
        ).all()
        assert [tuple(row) for row in told] == [(first, 2), (second, 1)]
