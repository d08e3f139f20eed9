"""The guide for operators as it is written: its commands are run, and its settings are accepted."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from readtrack.bootstrap import open_library
from readtrack.infra import config
from readtrack.infra.db import Database
from readtrack.team.accounts.queries import has_people
from tests import make
from tests.nowhere import surroundings
from tests.processes import processes
from tests.workspace.backup.test_faults import file_of

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
SETTINGS = re.findall(r"\n```\n((?:READTRACK_\w+=[^\s…]+(?: .*)?\n)+)```", GUIDE)
FILES = {"oidc": "secret", "llm": "secret"}


@pytest.fixture
def library(tmp_path, sqlite_files):
    """The folder of a library with Ada and Grace."""
    data = tmp_path / "var/lib/readtrack"
    settings = config.load({}, data=data).ready()
    shutil.move(file_of(sqlite_files.copy()), data / "readtrack.sqlite3")
    database = open_library(settings)
    with database.write() as tx:
        for name in ("Ada", "Grace"):
            make.person(tx, name, role="admin")
    database.dispose()
    return data


# In the place of the program, which takes seconds to start: whoever reads what the shell writes runs it, and tells the
# exit code.
READTRACK = """exec 3>&1 >>{log} 2>&1
readtrack() {{ env | grep ^READTRACK_ >&3; echo "run $*" >&3; read code; return $code; }}
"""


@pytest.fixture
def run_section(library, tmp_path):
    """Runs the commands below a heading of the guide, with its folders in one of this test's own."""
    (tmp_path / "srv/backups").mkdir(parents=True)

    def run(heading, **replaced):
        section = re.split(rf"^#+ {heading}$", GUIDE, flags=re.MULTILINE)[1]
        commands = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0]
        for written, own in replaced.items():
            assert written in commands
            commands = commands.replace(written, own)
        commands = re.sub(r"/(srv|var/lib|tmp)/", rf"{tmp_path}/\1/", commands)
        log, environment = tmp_path / "log", dict[str, str]()
        with subprocess.Popen(
            ["sh", "-euc", READTRACK.format(log=log) + commands],
            env=surroundings(library),
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as shell:
            for line in shell.stdout or ():
                kind, *words = shlex.split(line)
                if kind == "run":
                    code = processes().wait(processes().start(*words, environment=environment, log=log))
                    print(code, file=shell.stdin, flush=True)
                else:
                    name, _, value = line.rstrip("\n").partition("=")
                    environment[name] = value
        said = log.read_text(encoding="utf-8")
        assert shell.returncode == 0, said
        return said

    return run


@pytest.mark.slow
@pytest.mark.deep
def test_the_drill_works(run_section, tmp_path):
    (tmp_path / "tmp").mkdir()
    said = run_section("Drill")
    assert "No problems found." in said
    assert "Grace" in said
    assert not (tmp_path / "tmp/drill").exists()


@pytest.mark.slow
@pytest.mark.deep
def test_a_backup_replaces_the_library(run_section, library):
    run_section("Back up")
    run_section("Restore")
    database = Database(f"sqlite:///{library / 'readtrack.sqlite3'}")
    with database.read() as tx:
        assert has_people(tx)
    database.dispose()
    assert len([*library.glob("readtrack.sqlite3.before-restore-*")]) == 1


@pytest.mark.slow
def test_a_library_moves_from_sqlite_to_postgresql(run_section, postgres):
    url = postgres.copy()
    written = "postgresql+psycopg://readtrack@localhost/readtrack"
    said = run_section("Move from SQLite to PostgreSQL", **{written: url})
    assert "No problems found." in said
    database = Database(url)
    with database.read() as tx:
        assert has_people(tx)
    database.dispose()
    postgres.drop(url)


def test_the_secrets_of_containers_are_accepted(run_section, tmp_path):
    (tmp_path / "deploy").mkdir()
    run_section("In a container")
    secrets = tmp_path / "deploy/secrets"
    assert (secrets.stat().st_mode & 0o777, len([*secrets.iterdir()])) == (0o700, 3)
    given = {f"READTRACK_{name.upper()}_FILE": str(secrets / name) for name in ("database_url", "secret_key")}
    settings = config.load(given, data=tmp_path)
    assert (secrets / "database_password").read_text().strip() in settings.database_url


@pytest.mark.parametrize("block", SETTINGS)
def test_settings_of_the_guide_are_accepted(block, tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    lines = [re.sub(r"\s+#.*", "", line) for line in block.replace("/run/secrets", str(tmp_path)).splitlines()]
    given = {"READTRACK_BASE_URL": "https://reading.example.org", "READTRACK_DATA": str(tmp_path)}
    config.load(given | dict(line.split("=", 1) for line in lines))
