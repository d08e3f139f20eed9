"""What is imported before a command is known, and before the first answer: sets of modules, no clock."""

import os
import shutil
import subprocess
import sys

import pytest
import sqlalchemy as sa

from tests.depth import some
from tests.test_architecture import SOURCE, dotted

pytestmark = pytest.mark.slow

HEAVY = {
    "sqlalchemy",
    "sqlmodel",
    "fastapi",
    "starlette",
    "pydantic",
    "uvicorn",
    "jinja2",
    "lxml",
    "structlog",
    "babel",
}
RARE = {
    "alembic",
    "arxiv",
    "babel",
    "charset_normalizer",
    "cryptography",
    "httpx2",
    "joserfc",
    "lxml",
    "PIL",
    "requests",
    "segno",
    "smtplib",
    "yaml",
    "readtrack.metadata.catalog",
    "readtrack.cli.demo.content",
    "readtrack.cli.demo.seed",
    "readtrack.infra.http.client",
    "readtrack.ingest.imports.commit_job",
    "readtrack.ingest.parser.parse_note",
    "readtrack.ingest.parser.vocabulary",
    "readtrack.library.matching.commentary",
    "readtrack.metadata.services.crossref",
    "readtrack.cli.worker",
}
NO_GARBAGE = "import gc; gc.disable()"  # as in __main__.py; half a second of each start
SERVE = """
import sys
import readtrack.web.app
from readtrack.cli import serve
from readtrack.infra import config
from readtrack.bootstrap import open_library
ready = config.load().ready()
database = open_library(ready)
serve._create_app(ready, database, "")
database.dispose()
print(*sys.modules)
"""


def said(tmp_path, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
    environment |= {"READTRACK_DATA": str(tmp_path / "data"), "READTRACK_OFFLINE": "1"}
    command = [sys.executable, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)


@pytest.mark.parametrize("words", some([(), ("serve",), ("jobs",), ("import",), ("person",), ("token", "create")], 2))
def test_help_imports_neither_models_nor_frameworks(tmp_path, words):
    told = said(tmp_path, "-X", "importtime", "-m", "readtrack", *words, "--help").stderr
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in told.splitlines()}
    assert "typer" in imported
    own = {"pydantic"} if words else set()  # which typer has for the options of a command
    assert imported & HEAVY <= own


def test_translations_load_without_the_models(tmp_path):
    imported = said(
        tmp_path, "-c", "import sys, readtrack.infra.i18n, readtrack.infra.config; print(*sys.modules)"
    ).stdout
    assert {"sqlalchemy", "sqlmodel", "readtrack.infra.models"}.intersection(imported.split()) == set()


def test_rarely_used_modules_are_not_imported_before_the_first_response(tmp_path, sqlite_files):
    (tmp_path / "data").mkdir(mode=0o700)
    shutil.move(str(sa.make_url(sqlite_files.copy()).database), tmp_path / "data" / "readtrack.sqlite3")
    imported = set(said(tmp_path, "-c", NO_GARBAGE + SERVE).stdout.split())
    assert "readtrack.web.pages.accounts" in imported
    assert imported & RARE == set()


def test_a_separate_worker_knows_every_kind_of_job(tmp_path):
    """Else nobody ever runs them where `serve --no-worker` answers."""
    handling = {f"readtrack.{dotted(path)}" for path in SOURCE if "@queue.handler(" in path.read_text(encoding="utf-8")}
    imported = set(
        said(tmp_path, "-c", f"{NO_GARBAGE}; import sys, readtrack.cli.worker; print(*sys.modules)").stdout.split()
    )
    assert len(handling) > 5
    assert handling - imported == set()
    assert imported & {"lxml", "readtrack.metadata.catalog"} == set()  # imported by the few jobs that use it
