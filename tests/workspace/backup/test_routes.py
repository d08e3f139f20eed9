"""The page of backups is for admins, a download asks for the password, and everyone can download their own data."""

import io
import zipfile
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.errors import NotAllowed
from readtrack.infra.jobs import queue
from readtrack.infra.models import Event, Job, Notification
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts.passwords import hash_password
from readtrack.workspace.backup import schedule
from readtrack.workspace.backup.archive import open_archive
from readtrack.workspace.backup.create import create_backup
from readtrack.workspace.backup.files import dated_name, list_backups
from readtrack.workspace.backup.schedule import JOB, require_access, schedule_daily_backup
from tests import make
from tests.depth import DEEP
from tests.raising import raise_when

PASSWORD = "a long enough phrase"


@pytest.fixture
def admin(database) -> CurrentUser:
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="admin", password_hash=hash_password(PASSWORD))


def run_jobs(database):
    nobody: Any = None
    while queue.run_due_job(database, nobody, kinds=(JOB,)):
        pass


@pytest.mark.both_databases
def test_an_admin_has_a_backup_made_and_downloads_it_with_their_password(database, settings, admin, sign_in):
    browser = sign_in(admin)
    assert "No backups" in browser.get("/settings/backups").text
    assert browser.post("/settings/backups").status_code == 303
    assert "Backing up…" in browser.get("/settings/backups").text
    run_jobs(database)
    (backup,) = list_backups(settings.backup_folder)
    page = html.fromstring(browser.get("/settings/backups").text)
    (address,) = [form.action for form in page.forms if (form.action or "").endswith(".zip")]
    assert "Verified" in page.text_content()
    assert address == f"/settings/backups/{backup.name}"
    assert "Confirm" in browser.post(address).text
    assert browser.post(address, data={"current": "wrong"}).status_code == 422
    answer = browser.post(address, data={"current": PASSWORD})
    assert (answer.status_code, answer.content) == (200, backup.path.read_bytes())
    assert answer.headers["cache-control"] == "no-store"
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Event.data)).where(col(Event.verb) == "backup.downloaded")).all() == [
            {"name": backup.name}
        ]
    assert f"downloaded the backup {backup.name}" in html.fromstring(browser.get("/admin/audit").text).text_content()


@pytest.mark.parametrize("role", ["viewer", "member", "editor"] if DEEP else ["editor"])
def test_others_see_no_backups(database, settings, sign_in, role):
    with database.write() as tx:
        eve = make.visitor(tx, "Eve", role=role)
    settings.backup_folder.mkdir()
    path, _manifest = create_backup(database, settings.backup_folder)
    browser = sign_in(eve)
    for method, address in (("GET", ""), ("POST", ""), ("POST", f"/{path.name}")):
        assert browser.request(method, f"/settings/backups{address}").status_code == 403
    assert "/settings/backups" not in browser.get("/settings/profile").text


NAMES = ("secret_key", "..%2fsecret_key", "%2e%2e/secret_key", "readtrack-20260331T040000Z.zip", "%00", "..")


def test_a44_no_name_leads_out_of_the_folder(database, settings, admin, sign_in):
    settings.backup_folder.mkdir()
    (settings.backup_folder / "secret_key").write_text("secret")
    browser = sign_in(admin)
    for name in NAMES:
        answer = browser.post(f"/settings/backups/{name}", data={"current": PASSWORD})
        assert answer.status_code in {303, 404, 405}, name
        assert "only for tests" not in answer.text


def test_a_backup_is_made_once_a_day_if_there_is_a_folder_for_it(database, settings):
    schedule_daily_backup(database, settings)
    daily = settings.model_copy(update={"backup_dir": str(settings.data / "daily"), "backup_keep": 1})
    daily.backup_folder.mkdir()
    (daily.backup_folder / dated_name(before="0030")).touch()  # one of an upgrade does not count
    for _ in range(3):
        schedule_daily_backup(database, daily)
        run_jobs(database)
    assert list_backups(settings.backup_folder) == []
    assert len([backup for backup in list_backups(daily.backup_folder) if not backup.before]) == 1
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Job.state))).all() == ["done"]


def test_admins_are_told_that_a_backup_failed(database, settings, admin, sign_in):
    with database.write() as tx:
        make.visitor(tx, "Eve")
        make.visitor(tx, "Gone", role="admin", disabled_at=sa.func.now())
    settings.backup_folder.write_bytes(b"not a folder")
    browser = sign_in(admin)
    browser.post("/settings/backups")
    run_jobs(database)
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Notification.person_id))).all() == [admin.id]
    assert "Backup failed" in browser.get("/notifications").text
    assert "The last backup failed" in browser.get("/settings/backups").text


def test_admins_are_told_of_a_backup_that_breaks_too(database, settings, admin, monkeypatch):
    raise_when(monkeypatch, "workspace.backup.schedule.create_backup", lambda *_: True, KeyError("tables"))
    with database.write() as tx:
        schedule.request_backup(tx, admin, settings)
    run_jobs(database)
    with database.read() as tx:
        [notice] = tx.scalars(sa.select(Notification))
    assert (notice.person_id, notice.data["problem"]) == (admin.id, queue.BROKEN)


@pytest.mark.both_databases
def test_everyone_downloads_their_own_data_and_nobody_elses(database, sign_in, tmp_path):
    with database.write() as tx:
        me = make.visitor(tx, "Ada", password_hash="hash-of-ada", totp_salt="salt-of-ada", recovery=["recovery-of-ada"])
        other = make.visitor(tx, "Grace")
        paper, unread = make.paper(tx, "Read by Ada"), make.paper(tx, "Read by Grace")
        for person, read in ((me, paper), (other, unread)):
            make.reading(tx, person.id, read.id, private=True, reason=f"Reason of {person.name}")
            make.summary(tx, person.id, read.id, f"Summary of {person.name}", private=True)
            make.comment(tx, person.id, f"Comment of {person.name}", paper_id=read.id)
            make.question(tx, f"Question of {person.name}", created_by=person.id)
    answer = sign_in(me).get("/settings/my-data")
    assert answer.headers["content-type"] == "application/zip"
    path = tmp_path / "mine.zip"
    path.write_bytes(answer.content)
    with open_archive(path) as archive:
        archive.verify()
        assert archive.manifest.kind == "person"
        assert [row["title"] for row in archive.rows("paper")] == ["Read by Ada"]
        assert [row["name"] for row in archive.rows("person")] == ["Ada"]
        for table in ("reading", "summary", "summary_version", "comment", "question", "identifier"):
            assert archive.manifest.tables[table].count == 1, table
    with zipfile.ZipFile(io.BytesIO(answer.content)) as plain:
        texts = b"".join(plain.read(name) for name in plain.namelist()).decode()
    assert "Summary of Ada" in texts
    assert not any(secret in texts for secret in ("hash-of-ada", "salt-of-ada", "recovery-of-ada"))
    assert "Grace" not in texts


def test_a_token_downloads_no_backup(database, settings, admin):
    with pytest.raises(NotAllowed):
        require_access(replace(admin, scopes=frozenset({"admin", "read"})))
