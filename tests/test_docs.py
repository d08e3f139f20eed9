"""What people and scripts rely on is written down: every setting, command, address and format has its place."""

import re
from pathlib import Path

import typer.main
from fastapi.routing import APIRoute

from readtrack.cli import app as command_line
from readtrack.infra.config import Settings
from readtrack.web.app import all_routes
from readtrack.workspace.export import formats
from tests.tables import cases

ROOT = Path(__file__).parents[1]
WRITTEN = "\n".join(
    path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
)


def commands_of(group, before="readtrack"):
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{before} {name}")
        else:
            yield f"{before} {name}"


def addresses():
    for route in all_routes():
        if isinstance(route, APIRoute) and (path := route.path).startswith("/api/v1/"):
            yield re.sub(r":\w+", "", path.removeprefix("/api/v1"))


@cases("name", sorted(Settings.model_fields))
def test_every_setting_is_documented(name):
    assert f"READTRACK_{name.upper()}" in WRITTEN


@cases("command", sorted(commands_of(typer.main.get_command(command_line))))
def test_every_command_is_documented(command):
    assert command in WRITTEN


def test_the_guide_to_the_api_names_only_requests_that_exist():
    guide = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    addressed = {*re.findall(r'(?:\$API|["`])(/[a-z/{}_.0-9]+)', guide)} - {"/api/docs", "/api/openapi.json", "/mcp"}
    named = {path.removeprefix("/api/v1") for path in addressed}
    there = [re.sub(r"\{[^}]*\}", "[^/]+", address) for address in addresses()]
    assert len(named) > 10
    assert [path for path in sorted(named) if not any(re.fullmatch(address, path) for address in there)] == []


@cases("name", sorted(formats.all_exports()))
def test_every_format_is_documented(name):
    assert f"`{name}`" in WRITTEN or f"format={name}" in WRITTEN
