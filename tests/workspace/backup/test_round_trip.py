"""A library that is restored has every row that was backed up, on either database, and nothing is sent twice."""

import json
import threading
from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel, col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database, change_triggers, migrations
from readtrack.infra.errors import Conflict, Invalid, StorageUnavailable
from readtrack.infra.events import record_event
from readtrack.infra.jobs import queue
from readtrack.infra.models import (
    Change,
    ChangeFeed,
    Event,
    IdempotencyKey,
    Job,
    Notification,
    PeriodicTask,
    Topic,
    UserSession,
    Webhook,
    WebhookDelivery,
)
from readtrack.workspace.backup.archive import open_archive
from readtrack.workspace.backup.create import TEMPORARY, create_backup
from readtrack.workspace.backup.restore import restore_archive
from readtrack.workspace.webhooks.collect import forget_unsent
from tests import make
from tests.sample_library import furnished

pytestmark = pytest.mark.filterwarnings("ignore:.*expression-based index")
ENDED = {"state", "run_at", "ended_at", "attempts", "dedup_key", "error", "payload", "lease_until", "fencing_token"}
SENT = {"job": ENDED, "notification": {"mail_due"}, "webhook": {"last_event_id"}}  # Columns that restoring changes.


@contextmanager
def opened(url):
    database = Database(url)
    try:
        yield database
    finally:
        database.dispose()


@pytest.fixture
def other(request, tmp_path):
    """The address of an empty database of either kind."""

    def make_url(dialect):
        if dialect == "sqlite":
            return f"sqlite:///{tmp_path / 'restored.sqlite3'}"
        server = request.getfixturevalue("postgres")
        url = server.copy()
        request.addfinalizer(lambda: server.drop(url))
        return url

    return make_url


def rows_of(path, except_columns=None):
    """The rows of each table of an archive, in one order."""
    with open_archive(path) as archive:
        return {
            name: sorted(comparable(row, (except_columns or {}).get(name, ())) for row in archive.rows(name))
            for name in archive.manifest.tables
        }


def present_changes(database):
    """What the feed of changes has, and what names the library in its cursors."""
    with database.read() as tx:
        columns = (Change.kind, Change.item, Change.reader, Change.audience)
        rows = {tuple(row) for row in tx.execute(sa.select(*map(col, columns)))}
        return rows, tx.scalar(sa.select(col(ChangeFeed.incarnation)))


def comparable(row, except_columns):
    return json.dumps({key: row[key] for key in row if key not in except_columns}, sort_keys=True, default=str)


@pytest.mark.both_databases
@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_every_row_comes_back_on_either_database(server, target, other, tmp_path):
    url, first, second = server.copy(furnished), tmp_path / "first.zip", tmp_path / "second.zip"
    with opened(url) as database:
        with database.write() as tx:  # What was deleted keeps its number.
            topic = make.topic(tx, "Short-lived")
            tx.execute(sa.text("DELETE FROM topic_alias WHERE topic_id = :id"), {"id": topic.id})
            tx.execute(sa.text("DELETE FROM topic WHERE id = :id"), {"id": topic.id})
            queue.end_outgoing_jobs(tx)
            forget_unsent(tx)
            tx.execute(sa.update(Notification).values(mail_due=False))
        create_backup(database, first)
        changes, incarnation = present_changes(database)
    server.drop(url)
    restored = other(target)
    restore_archive(first, restored)
    with opened(restored) as database:
        create_backup(database, second)
        assert rows_of(second) == rows_of(first)
        restored_changes, new_incarnation = present_changes(database)
        assert (restored_changes, new_incarnation != incarnation) == (changes - {("topic", topic.id, 0, 0)}, True)
        with database.read() as tx:
            assert search.check(tx) == change_triggers.find_trigger_problems(tx.connection()) == []
        with database.write() as tx:
            assert make.topic(tx, "Next").id > topic.id
            make.comment(tx, make.person(tx).id, paper_id=make.paper(tx).id)


def test_every_table_is_backed_up_except_those_of_the_running_service(database, tmp_path):
    path, _manifest = create_backup(database, tmp_path / "library.zip")
    with open_archive(path) as archive:
        assert archive.manifest.tables.keys() == SQLModel.metadata.tables.keys() - TEMPORARY
    current = TEMPORARY - migrations.FORMER_TABLES
    of_service = {"session", "pending_sign_in", "login_attempt", "host_rate_limit", "idempotency_key", "periodic_task"}
    assert current == of_service | {"change", "change_feed"}
    for table in SQLModel.metadata.tables.values():
        targets = {key.column.table.name for key in table.foreign_keys}
        assert table.name in current or not targets & current, "a row left out must not be missed by another"


@pytest.mark.both_databases
def test_f28_sessions_end_and_nothing_is_sent_again(server, other, tmp_path, quick_hashes):
    url, path = server.copy(), tmp_path / "library.zip"
    with opened(url) as database:
        with database.write() as tx:
            person = make.person(tx, "Ada")
            secret = {"person_id": person.id, "secret_hash": "x", "expires_at": now() + timedelta(days=1)}
            tx.add(UserSession(**secret))
            stored = {"person_id": person.id, "key": "k", "method": "POST", "path": "/", "body_hash": "", "status": 200}
            tx.add(IdempotencyKey(**stored, body="", expires_at=now()))
            tx.add(PeriodicTask(name="start daily mail"))
            tx.add(Notification(person_id=person.id, kind="job", mail_due=True))
            webhook = make.webhook(tx, person.id)
            make.delivery(tx, webhook.id, event_id=1)
            record_event(tx, None, "paper.added")
            for kind in ("notices.mail", "people.letter", "webhooks.send", "papers.refresh"):
                queue.enqueue(tx, kind, {"kind": kind}, dedup_key=kind)
            tx.execute(sa.update(Job).values(state="running", lease_until=now(), fencing_token="held"))
        create_backup(database, path)
    server.drop(url)
    restored = other("sqlite")
    restore_archive(path, restored)
    with opened(restored) as database, database.read() as tx:
        for table in (UserSession, IdempotencyKey, PeriodicTask):
            assert tx.scalars(sa.select(table)).all() == []
        assert tx.scalars(sa.select(col(Notification.mail_due))).all() == [False]
        assert tx.scalars(sa.select(col(WebhookDelivery.state))).all() == ["failed"]
        assert tx.scalar(sa.select(col(Webhook.last_event_id))) == tx.scalar(sa.select(sa.func.max(col(Event.id))))
        columns = [col(Job.kind), col(Job.state), col(Job.dedup_key), col(Job.lease_until), col(Job.payload)]
        jobs = tx.execute(sa.select(*columns).order_by(col(Job.id)))
        assert [tuple(row) for row in jobs] == [
            ("notices.mail", "done", None, None, {}),
            ("people.letter", "done", None, None, {}),
            ("webhooks.send", "done", None, None, {}),
            ("papers.refresh", "queued", "papers.refresh", None, {"kind": "papers.refresh"}),
        ]


@pytest.mark.both_databases
def test_f27_a_backup_under_writes_is_consistent_at_one_point_and_delays_no_writer(database, tmp_path):
    with database.write() as tx:
        make.topic(tx, "Topic", markdown="0")
    counted, over = [0], threading.Event()

    def write():
        while not over.is_set():
            with database.write() as tx:  # A paper and the text of the topic change together.
                counted[0] += 1
                make.paper(tx, f"Paper {counted[0]}")
                tx.execute(sa.update(Topic).values(markdown=str(counted[0])))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while not counted[0]:
            pass
        for number in range(3):
            before = counted[0]
            path, _manifest = create_backup(database, tmp_path / f"{number}.zip")
            with open_archive(path) as archive:
                papers = [row["title"] for row in archive.rows("paper")]
                (topic,) = archive.rows("topic")
                assert len(papers) == int(topic["markdown"]) == len(list(archive.rows("identifier")))
                assert len(papers) >= before - 1
    finally:
        over.set()
        writer.join()


@pytest.mark.both_databases
def test_a_used_library_is_replaced_only_on_request_and_not_while_it_is_in_use(server, other, tmp_path):
    url, path = server.copy(), tmp_path / "library.zip"
    with opened(url) as database:
        with database.write() as tx:
            make.person(tx, "Ada")
        create_backup(database, path)
        if database.dialect == "postgresql":
            with pytest.raises(StorageUnavailable, match="in use"):
                restore_archive(path, url, replace=True)
    with pytest.raises(Conflict, match="Add --replace"):
        restore_archive(path, url)
    restore_archive(path, url, replace=True)
    with opened(url) as database, database.read() as tx:
        assert tx.scalars(sa.text("SELECT name FROM person")).all() == ["Ada"]
    server.drop(url)


@pytest.mark.both_databases
def test_an_archive_with_a_row_that_refers_to_nothing_leaves_the_library_as_it_is(server, tmp_path, monkeypatch):
    url, path = server.copy(), tmp_path / "library.zip"
    with opened(url) as database:
        with database.write() as tx:
            make.person(tx, "Ada")
        create_backup(database, path)
        with database.write() as tx:
            make.person(tx, "Grace")
    monkeypatch.setattr("readtrack.workspace.backup.archive.Archive.verify", lambda archive: None)
    for spoil, message in ((orphaned, "refers to a missing row"), (twice, "database refuses")):
        monkeypatch.setattr("readtrack.workspace.backup.archive.Archive.rows", spoil)
        with pytest.raises(Invalid, match=message):
            restore_archive(path, url, replace=True)
    with opened(url) as database, database.read() as tx:
        assert tx.scalars(sa.text("SELECT name FROM person ORDER BY id")).all() == ["Ada", "Grace"]
    server.drop(url)


def orphaned(_archive, table):
    return (
        [{"id": 1, "paper_id": 5, "scheme": "doi", "value": "10.1/1", "asserted_by": ""}]
        if table == "identifier"
        else []
    )


def twice(_archive, table):
    return [{"id": 1, "name": "loss", "body": "", "created_at": now()}] * 2 if table == "macro" else []
