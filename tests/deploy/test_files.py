"""The files with which readtrack is deployed: they name what exists, and pass the programs that read them."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from readtrack.infra import config
from readtrack.infra.config import PREFIX, Settings
from tests.tables import cases

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = sorted(path.name for path in DEPLOY.glob("compose.*.yaml"))
SECRETS = {
    "database_password": "x" * 48,
    "database_url": "postgresql+psycopg://readtrack:x@database/readtrack",
    "secret_key": "x" * 64,
}
NAMING = [ROOT / "Dockerfile", *DEPLOY.iterdir(), ROOT / "README.md", *ROOT.glob("docs/*.md")]


def composed(name):
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


@cases("path", NAMING, ids=lambda path: path.name)
def test_every_setting_that_is_named_exists(path):
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    named = set(re.findall(rf"\b{PREFIX}[A-Z_]*[A-Z]\b", path.read_text(encoding="utf-8")))
    assert {name.removesuffix("_FILE") for name in named if not name.startswith(f"{PREFIX}TEST_")} <= known


@pytest.mark.parametrize("name", COMPOSE)
def test_every_service_gets_settings_that_are_accepted(name, tmp_path):
    for secret, text in SECRETS.items():
        (tmp_path / secret).write_text(text, encoding="utf-8")
    own = [service for service in composed(name)["services"].values() if service["image"] == "readtrack"]
    assert own
    for service in own:
        given = {
            setting: re.sub(r"\$\{SITE\b[^}]*\}", "reading.example.org", value).replace("/run/secrets", str(tmp_path))
            for setting, value in service["environment"].items()
        }
        settings = config.load(given, data=tmp_path)
        assert (settings.secure, len(settings.proxies), bool(settings.backup_dir)) == (True, 1, True)


@pytest.mark.parametrize("name", COMPOSE)
def test_every_service_is_confined_and_refers_to_what_is_there(name):
    file = composed(name)
    for service in file["services"].values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert set(service.get("depends_on", ())) <= set(file["services"])
        assert set(service["networks"]) <= set(file["networks"])
        assert set(service.get("secrets", ())) <= set(file.get("secrets", ()))
        sources = {volume.partition(":")[0] for volume in service["volumes"]}
        assert {source for source in sources if not source.startswith(".")} <= set(file["volumes"])
        assert all((DEPLOY / source).exists() for source in sources if source.startswith("."))


def test_the_image_is_made_of_all_that_the_wheel_is_made_of():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    targets = wheel["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", "hatch_build.py", "package.json", "package-lock.json", "requirements.txt"}
    needed |= {wheel["project"]["readme"], *wheel["project"]["license-files"], *targets["force-include"]}
    needed |= {package.partition("/")[0] for package in targets["packages"]}
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert needed <= {line.removeprefix("!") for line in lines if line.startswith("!")}


def test_traefik_is_told_where_to_send_requests():
    http = composed("traefik.yaml")["http"]
    router = http["routers"]["readtrack"]
    assert router["rule"] == "Host(`reading.example.org`) && !Path(`/metrics`)"
    balancer = http["services"][router["service"]]["loadBalancer"]
    assert balancer["serversTransport"] in http["serversTransports"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_accepts_the_unit_and_finds_it_confined(tmp_path):
    unit = tmp_path / "readtrack.service"
    text = (DEPLOY / unit.name).read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/readtrack/bin/readtrack", sys.executable), encoding="utf-8")
    for command in (["verify"], ["security", "--offline=true", "--threshold=20"]):
        done = subprocess.run(["systemd-analyze", *command, unit], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
