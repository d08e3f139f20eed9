"""What is left behind for others to read: the log, and files beside the database."""

import asyncio
import os
import stat
import subprocess
import sys

import pytest
import sqlalchemy as sa

from tests.conftest import ADDRESS

pytestmark = pytest.mark.slow  # many requests to a whole application

SECRET = "Xy7" * 12


@pytest.mark.parametrize("path", [f"/set-up/{SECRET}", f"//join/{SECRET}", f"/x/join/{SECRET}", f"/%6aoin/{SECRET}"])
def test_a_one_time_link_is_not_in_the_log_however_it_was_typed(client, logged, path):
    client.get(f"{ADDRESS}{path}")

    assert "request" in {line["event"] for line in logged}
    assert SECRET not in repr(logged)


@pytest.mark.parametrize("hostile", ["%1b[31m", "%07", "%0afake", "%c2%9b31m", "%e2%80%ae", "%e2%80%a8", "a" * 5_000])
def test_no_address_commands_the_terminal_that_shows_the_log(client, logged, hostile):
    client.get(f"/{hostile}")

    path = next(line["path"] for line in logged if line["event"] == "request")
    assert path.isprintable()
    assert len(path) < 400


def test_what_people_wrote_is_not_in_the_errors_of_the_database(database):
    with database.read() as tx, pytest.raises(sa.exc.StatementError) as caught:
        tx.execute(sa.text("SELECT * FROM missing WHERE x = :x"), {"x": SECRET})

    assert SECRET not in str(caught.value)


def test_who_goes_away_in_the_middle_of_a_form_leaves_one_line_in_the_log(app, logged):
    headers = [(b"content-type", b"application/x-www-form-urlencoded"), (b"sec-fetch-site", b"same-origin")]
    scope = {"type": "http", "method": "POST", "path": "/sign-in", "query_string": b"", "headers": headers}
    messages = iter([{"type": "http.request", "body": b"name=", "more_body": True}, {"type": "http.disconnect"}])

    async def receive():
        return next(messages)

    async def send(_message):
        pass

    asyncio.run(app(scope, receive, send))

    assert [line["event"] for line in logged] == ["request"]


def test_files_are_for_their_owner_only_even_in_a_folder_for_all(tmp_path):
    environment = {"PATH": os.environ["PATH"], "READTRACK_DATA": str(tmp_path)}
    tmp_path.chmod(0o755)

    subprocess.run([sys.executable, "-m", "readtrack", "migrate"], env=environment, check=True, umask=0o022)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes["readtrack.sqlite3"] == modes["secret_key"] == 0o600
    assert {mode & 0o077 for mode in modes.values()} == {0}
