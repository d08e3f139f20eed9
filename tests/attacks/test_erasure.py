"""A62: erasing a former member. What named them or was theirs alone is gone; what the team was given stays."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel, col

from readtrack import search
from readtrack.infra import clock, events, undo_log
from readtrack.infra.errors import Conflict, NotAllowed
from readtrack.infra.models import (
    Event,
    IdempotencyKey,
    Identity,
    Invitation,
    Job,
    Notification,
    Reading,
    ReadingEvent,
    Summary,
    SummaryVersion,
    Token,
    UndoEntry,
    UserSession,
)
from readtrack.infra.permissions import OPERATOR, CurrentUser
from readtrack.library.duplicates.merge import list_merges, merge_papers, unmerge
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.schemas import InvitationCreate, MeUpdate, PersonSetUp, TokenCreate
from readtrack.team.notifications.queries import count_unread
from tests import make

pytestmark = pytest.mark.slow  # a whole library each

NAMES = ("Zédrik Ünal", "Zed Newname", "zed@example.org", "192.0.2.77", "Firefox of Zed")
SECRET = "Nobody else may read this."
SHARED = "What the team was given."


@pytest.fixture
def ada(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada", role="admin")


@pytest.fixture
def zed(database, ada):
    """Somebody who did everything once, in private and for all."""
    with database.write() as tx:
        me = make.visitor(tx, NAMES[0], role="editor", time_zone="Asia/Tokyo", password_hash="x")
        me = CurrentUser(me.id, me.name, me.role, address="192.0.2.77", confirmed=True)
        first, second = make.paper(tx, "One"), make.paper(tx, "Two")
        search.update_papers(tx, [first.id, second.id])
        make.added(tx, Identity(person_id=me.id, issuer="https://id.example.org", subject="1", name=NAMES[0]))
        make.added(tx, Notification(person_id=me.id, kind="reply", actor_id=ada.id, paper_id=first.id))
        commands.sign_in_new(tx, queries.get_person(tx, me.id), agent="Firefox of Zed", address="192.0.2.77")
        token, _ = commands.create_token(tx, me, TokenCreate(name="Zed Newname's", scopes=["write"]))
        by_token = CurrentUser(me.id, me.name, me.role, token_id=token.id, address="192.0.2.77")
        set_reading(tx, by_token, first.id, ReadingUpdate(status="reading"))
        set_reading(tx, me, second.id, ReadingUpdate(status="reading", private=True))
        edit_summary(tx, me, first.id, SummaryUpdate(markdown=SHARED), version=None)
        edit_summary(tx, me, second.id, SummaryUpdate(markdown=SECRET, private=True), version=None)
        commands.edit_me(tx, me, MeUpdate(name=NAMES[1], email=NAMES[2]))
        commands.set_role(tx, ada, me.id, "member")
        events.record_event(tx, ada, "person.reminded", data={"person": NAMES[1], "status": "read"})
        return me


def erase(database, ada, zed):
    with database.write() as tx:
        commands.disable_person(tx, ada, zed.id)
    with database.write() as tx:
        return commands.erase_person(tx, ada, zed.id)


def dump(database):
    with database.read() as tx:
        return "\n".join(
            str(tuple(row)) for table in SQLModel.metadata.sorted_tables for row in tx.execute(sa.select(table))
        )


def count(database, table, *where):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table).where(*where))


def test_a62_erasing_a_person_removes_their_name_email_and_private_texts_everywhere(database, ada, zed):
    before = dump(database)
    assert [word for word in (*NAMES, SECRET) if word not in before] == []
    called = erase(database, ada, zed)
    after = dump(database)
    assert [word for word in (*NAMES, SECRET, "id.example.org", "Asia/Tokyo") if word in after] == []
    assert called == f"Former member {zed.id}"
    assert SHARED in after


def test_a62_sent_and_failed_mail_jobs_no_longer_contain_the_address(database, ada):
    with database.write() as tx:
        code = commands.invite(tx, ada, InvitationCreate(email="Zed@Example.org"))
        zed = commands.join(tx, code, PersonSetUp(name="Zed", password="correct horse battery"), password_hash="x")
        me = CurrentUser(zed.id or 0, zed.name, zed.role, confirmed=True)
        for address in ("old@example.org", "zed@example.org"):
            commands.edit_me(tx, me, MeUpdate(email=address))
        commands.request_reset_link(tx, "OLD@example.org", address="192.0.2.1")
        commands.mail_reset_link(tx, ada, me.id)
        for job in tx.scalars(sa.select(Job)):
            job.state, job.error = (
                "failed",
                "relay.example.org rejected the email (550: <zed@example.org> unknown).",
            )
            make.added(tx, Notification(person_id=ada.id, kind="job", job_id=job.id, data={"problem": job.error}))
        tx.add(
            Invitation(kind="join", code_hash="1", email="OLD@example.org", expires_at=clock.now() + timedelta(days=7))
        )
    erase(database, ada, zed)
    assert [word for word in ("zed@", "old@") if word in dump(database).lower()] == []


def test_a62_a_cached_idempotent_response_of_another_person_does_not_contain_the_name(database, ada, zed, sign_in):
    browser, wanted = sign_in(ada), {"paper": 1, "person": zed.id}
    browser.post("/api/v1/assignments", json=wanted, headers={"Idempotency-Key": "1"})
    assert count(database, IdempotencyKey) == 1
    erase(database, ada, zed)
    assert NAMES[1] not in dump(database)


def test_a62_texts_they_had_deleted_are_erased_too(database, ada, zed):
    with database.write() as tx:
        paper_id = tx.scalars(sa.select(col(Summary.paper_id)).where(col(Summary.markdown) == SHARED)).one()
        delete_summary(tx, zed, paper_id)
        comment = make.comment(tx, zed.id, "Said in haste.", paper_id=paper_id, deleted_at=clock.now())
        make.comment(tx, ada.id, "Answered.", paper_id=paper_id, parent_id=comment.id)
    erase(database, ada, zed)
    after = dump(database)
    assert [word for word in (SHARED, "Said in haste.") if word in after] == []
    assert "Answered." in after


def test_a62_a_text_that_is_now_shared_keeps_no_versions_from_when_it_was_private(database, ada, zed):
    with database.write() as tx:
        paper_id = make.paper(tx).id
        edit_summary(tx, zed, paper_id, SummaryUpdate(markdown="Too harsh to be read.", private=True), version=None)
        edit_summary(tx, zed, paper_id, SummaryUpdate(markdown="For all."), version=1)
    erase(database, ada, zed)
    after = dump(database)
    assert ("Too harsh" in after, "For all." in after) == (False, True)


@pytest.mark.parametrize("private", [(True, True), (True, False), (False, True)])
def test_a62_merged_papers_can_still_be_unmerged(database, ada, zed, private):
    with database.write() as tx:
        one, other = (make.paper(tx).id for _ in range(2))
        for paper_id, alone in zip((one, other), private, strict=True):
            edit_summary(tx, zed, paper_id, SummaryUpdate(markdown="Words.", private=alone), version=None)
            set_reading(tx, zed, paper_id, ReadingUpdate(status="reading", private=alone))
        merge_papers(tx, ada, one, into_id=other)
    erase(database, ada, zed)
    with database.write() as tx:
        [merge] = list_merges(tx, other)
        assert unmerge(tx, ada, merge.id).id == one


def test_a62_people_notified_of_a_now_private_summary_are_not_notified_again(database, ada, zed):
    with database.write() as tx:
        paper_id = make.paper(tx).id
        edit_summary(tx, zed, paper_id, SummaryUpdate(markdown="@Ada, look."), version=None)
        edit_summary(tx, zed, paper_id, SummaryUpdate(markdown="@Ada, look.", private=True), version=1)
        assert count_unread(tx, ada.id) == 0
    assert count(database, Notification, col(Notification.person_id) == ada.id) == 1
    erase(database, ada, zed)
    with database.read() as tx:
        assert count_unread(tx, ada.id) == 0


def test_a62_private_content_is_deleted_and_shared_content_stays(database, ada, zed):
    erase(database, ada, zed)
    gone, halved = (Identity, UserSession, Token, Notification), (Reading, ReadingEvent, Summary)
    assert [count(database, table, col(table.person_id) == zed.id) for table in gone] == [0] * 4
    assert [count(database, table, col(table.person_id) == zed.id) for table in halved] == [1] * 3
    assert count(database, SummaryVersion) == 1
    assert count(database, Event, col(Event.person_id) == zed.id, col(Event.private)) == 0
    assert count(database, Event, col(Event.person_id) == zed.id) > 0


def test_a62_search_does_not_find_private_text(database, ada, zed):
    erase(database, ada, zed)
    with database.read() as tx:
        assert search.check(tx) == []


def test_a62_a_former_member_is_labelled_as_such_and_cannot_return(database, ada, zed, sign_in):
    erase(database, ada, zed)
    person = sign_in(ada).get(f"/api/v1/people/{zed.id}").json()
    assert (person["name"], person["email"], person["disabled"], person["erased"]) == (
        f"Former member {zed.id}", None, True, True,
    )  # fmt: skip
    with pytest.raises(Conflict, match="was erased"), database.write() as tx:
        commands.enable_person(tx, ada, zed.id)


def test_a62_the_name_can_be_reused_without_inheriting_anything(database, ada, zed):
    erase(database, ada, zed)
    with database.write() as tx:
        assert queries.find_name_conflicts(tx, NAMES[1], NAMES[2]) == {}
        new = make.visitor(tx, NAMES[1])
        assert count(database, Reading, col(Reading.person_id) == new.id) == 0


def test_a62_words_that_merely_resemble_the_name_are_unchanged(database, ada):
    with database.write() as tx:
        someone = make.visitor(tx, "read")
        events.record_event(tx, ada, "reading.set", data={"status": "read", "person": "read"})
        commands.disable_person(tx, ada, someone.id)
        commands.erase_person(tx, ada, someone.id)
    with database.read() as tx:
        (data,) = tx.scalars(sa.select(col(Event.data)).where(col(Event.verb) == "reading.set")).all()
    assert data == {"status": "read", "person": f"Former member {someone.id}"}


def test_a62_only_an_admin_can_erase_a_disabled_person_after_typing_the_name(database, ada, zed, sign_in):
    with pytest.raises(Conflict, match="Disable this account before"), database.write() as tx:
        commands.erase_person(tx, ada, zed.id)
    with pytest.raises(NotAllowed), database.write() as tx:
        commands.erase_person(tx, zed, ada.id)
    with database.write() as tx:
        commands.disable_person(tx, ada, zed.id)
    browser = sign_in(ada)
    assert "Type the name" in browser.get(f"/people/{zed.id}/erase").text
    assert browser.post(f"/people/{zed.id}/erase", data={"name": "Zed"}).status_code == 422
    assert browser.post(f"/people/{zed.id}/erase", data={"name": NAMES[1].upper()}).status_code == 303
    assert browser.delete(f"/api/v1/people/{zed.id}").json()["name"] == f"Former member {zed.id}"


def test_a62_the_operator_can_erase_a_person_on_the_command_line(database, ada, zed):
    with database.write() as tx:
        commands.disable_person(tx, OPERATOR, zed.id)
        commands.erase_person(tx, OPERATOR, zed.id)
        assert queries.get_person(tx, zed.id).erased_at


def test_a62_their_undo_entries_are_deleted_together_with_the_texts(database, ada, zed):
    with database.write() as tx:
        undo_log.record_undo_entry(tx, zed, "macro.removed", {"title": SECRET, "add": {"name": "x", "body": SECRET}})
        kept = undo_log.record_undo_entry(tx, ada, "macro.removed", {"title": "of Ada"})
    erase(database, ada, zed)
    with database.read() as tx:
        assert list(tx.scalars(sa.select(col(UndoEntry.id)))) == [kept]
    assert SECRET not in dump(database)
