"""What people get: the wheel, built from the sdist, installed without checkout, network or Node.js."""

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest

from readtrack.workspace.export.formatted_citations import STYLES
from tests.ports import free_port

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
NO_NETWORK = {"npm_config_registry": "http://127.0.0.1:9"}
UV = [sys.executable, "-m", "uv", "--offline", "--no-cache", "--quiet"]  # in a quarter of the time of build and pip
PATIENCE = 20  # seconds


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the sdist, and the wheel that was built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    options = ["--no-build-isolation", "--python", sys.executable, "--out-dir", folder]
    subprocess.run([*UV, "build", *options, ROOT], check=True, env=os.environ | NO_NETWORK, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """An environment with the wheel and what requirements.txt pins for this machine, nothing else but pip."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    packages = next(folder.glob("lib/python*/site-packages"))
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if name := re.match(r"[\w.-]+(?===)", line):
            _link(name[0], into=packages)
    _link("pip", into=packages)
    (wheel,) = built.glob("*.whl")
    options = ["--python", folder / "bin/python", "--no-deps", "--no-index"]
    subprocess.run([*UV, "pip", "install", *options, wheel], check=True, capture_output=True)
    return folder


@pytest.mark.deep
def test_the_wheel_requires_what_it_needs_and_nothing_more(installed):
    assert "No broken requirements found" in _run(installed, "python", "-m", "pip", "check")


def test_templates_migrations_and_assets_are_packaged(installed):
    (package,) = installed.glob("lib/python*/site-packages/readtrack")
    expected = [
        "templates/base.html",
        "migrations/env.py",
        "citation_styles/README.md",
        *(f"citation_styles/{style}.csl" for style in STYLES),
        "web/static/vendor/htmx.min.js",
        "web/static/vendor/htmx.LICENSE",
    ]
    assert [name for name in expected if not (package / name).is_file()] == []


def test_a_library_is_created_and_served_outside_the_checkout(installed, tmp_path):
    environment = {"READTRACK_DATA": str(tmp_path / "data"), "READTRACK_OFFLINE": "1"}
    port = free_port()
    command = [installed / "bin/readtrack", "serve", "--port", str(port), "--no-worker"]
    with subprocess.Popen(command, env=_environment(installed) | environment, cwd=tmp_path) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            assert _get(f"{address}/healthz", server)
            (htmx,) = re.findall(r'src="([^"]+htmx[^"]+)"', _get(f"{address}/sign-in", server))
            assert "htmx" in _get(f"{address}{htmx}", server)
        finally:
            server.terminate()


def _link(name: str, *, into: Path) -> None:
    """Puts a package of this environment into another, if this machine has it at all (some are for others)."""
    try:
        files = distribution(name).files or []
    except ModuleNotFoundError:
        return
    for first in {file.parts[0] for file in files} - {"..", "__pycache__"}:
        if not (into / first).exists():  # whole folders, with what Python has compiled of them
            (into / first).symlink_to(Path(str(distribution(name).locate_file(first))))


def _environment(installed: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("READTRACK_", "PYTHON"))}
    return kept | {"PATH": str(installed / "bin")}


def _run(installed: Path, program: str, *arguments: object, **environment: str) -> str:
    done = subprocess.run(
        [installed / "bin" / program, *map(str, arguments)],
        env=_environment(installed) | environment,
        cwd=installed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _get(address: str, server: subprocess.Popen) -> str:
    """What stands there; waits for a server that is still starting."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return answer.read().decode()
        except (ConnectionError, urllib.error.URLError) as error:
            if isinstance(error, urllib.error.HTTPError) or server.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.05)
