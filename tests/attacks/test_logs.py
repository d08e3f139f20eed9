"""What is left behind for others to read: the log, and files beside the database."""

import asyncio
import os
import stat

import pytest
import sqlalchemy as sa

from readtrack import cli
from tests.conftest import ADDRESS

pytestmark = pytest.mark.slow  # many requests to a whole application

SECRET = "Xy7" * 12


@pytest.mark.parametrize(
    "path", [f"/setup/{SECRET}", f"//invitations/accept/{SECRET}", f"/x/join/{SECRET}", f"/%6aoin/{SECRET}"]
)
def test_a_one_time_link_is_not_logged_however_it_was_typed(client, logged, path):
    client.get(f"{ADDRESS}{path}")

    assert "request" in {line["event"] for line in logged}
    assert SECRET not in repr(logged)


CODE = "q3rT_9xK-Zb7w2LmPfV8sHn4YdUcJ0aEoGi6NtBv1Rk"  # as links have them
TYPED = [
    "/JOIN/{}", "/Set-Up/{}", "/jion/{}", "/join{}", "/setup/{}", "/set_up/{}", "/joim/x/{}", "/{}", "/{}/join",
    "/sign-in%3Ftoken={}", "/x%3Fa=1&code={}", "/feeds/1.atom%3Ftoken={}", "/join?code={}", "/feeds/1.atom?token={}",
    "/a.{}", "/%4aOIN/{}", "/%254aOIN/{}", "/jion;code={}", "/jion:{}", "/jion,{}", "/jion%20{}", "/jion%0a{}",
    "/jion/x{}.",
]  # fmt: skip


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("code", [CODE, CODE.lower(), CODE.upper(), "a1" * 16, SECRET])
def test_a_code_is_not_logged_wherever_it_appears(client, logged, typed, code):
    client.get(f"{ADDRESS}{typed.format(code)}")

    pieces = [code[start : start + 12] for start in range(len(code) - 12)]
    assert not [piece for piece in pieces if piece in repr(logged)]


@pytest.mark.parametrize(
    "path",
    ["/topics/a-survey-of-distributed-systems-and-consensus-2023", "/api/v1/papers/123456789012345678/topics/llm-2"],
)
def test_the_log_shows_which_page_was_requested(client, logged, path):
    client.get(f"{ADDRESS}{path}")

    assert path in {line.get("path") for line in logged}


@pytest.mark.parametrize("hostile", ["%1b[31m", "%07", "%0afake", "%c2%9b31m", "%e2%80%ae", "%e2%80%a8", "a" * 5_000])
def test_no_path_sends_control_sequences_to_a_terminal_showing_the_log(client, logged, hostile):
    client.get(f"/{hostile}")

    path = next(line["path"] for line in logged if line["event"] == "request")
    assert path.isprintable()
    assert len(path) < 400


def test_database_errors_do_not_contain_user_text(database):
    with database.read() as tx, pytest.raises(sa.exc.StatementError) as caught:
        tx.execute(sa.text("SELECT * FROM missing WHERE x = :x"), {"x": SECRET})

    assert SECRET not in str(caught.value)


def test_a_client_disconnecting_during_a_form_upload_leaves_one_log_line(app, logged):
    headers = [(b"content-type", b"application/x-www-form-urlencoded"), (b"sec-fetch-site", b"same-origin")]
    scope = {"type": "http", "method": "POST", "path": "/sign-in", "query_string": b"", "headers": headers}
    messages = iter([{"type": "http.request", "body": b"name=", "more_body": True}, {"type": "http.disconnect"}])

    async def receive():
        return next(messages)

    async def send(_message):
        pass

    asyncio.run(app(scope, receive, send))

    assert [line["event"] for line in logged] == ["request"]


def test_files_are_readable_by_their_owner_only_even_in_a_shared_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("READTRACK_DATA", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["readtrack", "migrate"])
    tmp_path.chmod(0o755)
    before = os.umask(0o022)

    try:
        with pytest.raises(SystemExit) as ended:
            cli.main()
    finally:
        os.umask(before)
    assert not ended.value.code

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes["readtrack.sqlite3"] == modes["secret_key"] == 0o600
    assert {mode & 0o077 for mode in modes.values()} == {0}
