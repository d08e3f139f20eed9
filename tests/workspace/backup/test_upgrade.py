"""A library of an older schema is backed up before it is upgraded; archives of it are brought up when restored."""

import pytest
import sqlalchemy as sa
from alembic import command

from readtrack.bootstrap import open_library
from readtrack.infra import db
from readtrack.infra.db import Database, migrations
from readtrack.infra.errors import StorageUnavailable
from readtrack.workspace.backup.create import create_backup
from readtrack.workspace.backup.files import list_backups
from readtrack.workspace.backup.restore import restore_archive
from tests.infra.db.test_migrations import move
from tests.infra.db.test_upgrade import older  # noqa: F401 - a fixture
from tests.sample_library import furnished
from tests.workspace.backup.test_round_trip import SENT, opened, other, rows_of  # noqa: F401 - `other` is a fixture

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*expression-based index")]


def assert_same_content(path, other_path):
    """Compare all rows, but for what restoring changes on purpose, and references, which the next start indexes."""
    first, second = rows_of(path, SENT), rows_of(other_path, SENT)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name] and name != "text_reference"] == []


def test_f12_an_upgrade_is_preceded_by_a_backup_that_restores_to_the_same(older, settings, other, tmp_path):  # noqa: F811
    settings = settings.model_copy(update={"database_url": older.url})
    open_library(settings).dispose()
    (backup,) = list_backups(settings.backup_folder)
    assert backup.manifest is not None
    assert (backup.before, backup.manifest.revision) == (migrations.wanted_revision(), "0011")
    restored = other("sqlite" if older.dialect == "postgresql" else "postgresql")
    restore_archive(backup.path, restored)
    upgraded, brought_up = tmp_path / "upgraded.zip", tmp_path / "brought-up.zip"
    create_backup(older, upgraded)
    with opened(restored) as database:
        create_backup(database, brought_up)
    assert_same_content(brought_up, upgraded)
    open_library(settings).dispose()
    assert len(list_backups(settings.backup_folder)) == 1, "nothing to upgrade, nothing to back up"


@pytest.mark.deep
@pytest.mark.both_databases
@pytest.mark.parametrize("revision", migrations.known_revisions()[1:-1])
def test_f12_every_past_revision_is_restored_as_it_is_upgraded(server, revision, tmp_path):
    url, restored = server.copy(furnished), f"sqlite:///{tmp_path / 'restored.sqlite3'}"
    past, upgraded, brought_up = (tmp_path / f"{name}.zip" for name in ("past", "upgraded", "brought-up"))
    with opened(url) as database:
        move(database, command.downgrade, revision)
        create_backup(database, past)
        move(database, command.upgrade, "head")
        create_backup(database, upgraded)
    server.drop(url)
    restore_archive(past, restored)
    with opened(restored) as database:
        create_backup(database, brought_up)
    assert_same_content(brought_up, upgraded)


def test_f13_without_a_backup_nothing_is_upgraded_unless_asked_for(database, settings):
    move(database, command.downgrade, before := migrations.known_revisions()[-2])
    settings.data.mkdir(exist_ok=True)
    settings.backup_folder.write_bytes(b"not a folder")
    with pytest.raises(StorageUnavailable, match=r"not upgraded.*readtrack migrate --no-backup"):
        open_library(settings)
    assert db.revision_of(database) == before
    open_library(settings, back_up=False).dispose()
    assert db.revision_of(database) == migrations.wanted_revision()


def test_f11_an_older_program_names_the_backup_that_it_can_restore(database, settings):
    settings.backup_folder.mkdir(parents=True)
    path, _manifest = create_backup(database, settings.backup_folder, before="9999")
    with database.write() as tx:
        tx.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StorageUnavailable, match="created by a newer version") as refusal:
        open_library(settings)
    assert refusal.value.message.endswith(str(path))


def test_a_new_library_is_made_without_a_backup(settings, tmp_path):
    empty = settings.model_copy(update={"database_url": f"sqlite:///{tmp_path / 'new.sqlite3'}"})
    open_library(empty).dispose()
    assert list_backups(empty.backup_folder) == []
    assert db.revision_of(Database(empty.url)) == migrations.wanted_revision()
