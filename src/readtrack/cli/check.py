"""`readtrack check`: list settings, find what is wrong with the library, and repair what is safe to repair."""

import json
from collections.abc import Iterator, Sequence

import typer
from rich.console import Console

import readtrack
from readtrack.cli import findings
from readtrack.cli.findings import Finding
from readtrack.infra import config
from readtrack.infra.config import Settings
from readtrack.infra.db.sqlite import sqlite3
from readtrack.infra.errors import ReadtrackError, SettingsError

NOT_SET = "(not set)"
HIDDEN = "(set, not shown)"
FINE, WARNINGS, PROBLEMS = range(3)  # Exit codes, which Nagios and others take for OK, warning and critical.


def check(*, repair: bool = False, full: bool = False, as_json: bool = False) -> int:
    """Run `readtrack check` and return the exit code. Changes nothing without `repair`."""
    try:
        settings = config.load()
    except SettingsError as error:
        _print_result([Finding("settings", str(error))], as_json=as_json)
        return PROBLEMS
    found = findings.find(settings, full=full)
    repairs = _repair(found) if repair else []
    if repairs:
        found = findings.find(settings, full=full)
    if not as_json:
        _print_settings(settings)
        for line in repairs:
            typer.echo(line)
    _print_result(found, as_json=as_json, settings=settings, repairs=repairs)
    if not found:
        return FINE
    return PROBLEMS if any(finding.is_problem for finding in found) else WARNINGS


def _repair(found: Sequence[Finding]) -> list[str]:
    """Run each repair once, and return what they did. If one fails, its findings are still there afterwards."""
    results = []
    for repair in dict.fromkeys(finding.repair for finding in found if finding.repair):
        try:
            results.append(repair())
        except (ReadtrackError, OSError) as error:
            results.append(f"Not repaired: {error}")
    return results


def _print_result(
    found: Sequence[Finding], *, as_json: bool, settings: Settings | None = None, repairs: Sequence[str] = ()
) -> None:
    if as_json:
        values = {name: _format_value(settings, name) for name in Settings.model_fields} if settings else {}
        rows = [
            {
                "part": finding.part,
                "level": "problem" if finding.is_problem else "warning",
                "message": finding.message,
                "repairable": finding.repair is not None,
            }
            for finding in found
        ]
        result = {"version": readtrack.__version__, "settings": values, "repairs": list(repairs), "findings": rows}
        typer.echo(json.dumps(result, ensure_ascii=False, indent=2))
        return
    for finding in found:
        typer.echo(finding.message, err=True)
    if any(finding.repair for finding in found):
        typer.echo("Run `readtrack check --repair` to repair what can be repaired.", err=True)
    typer.echo("No problems found." if not found else f"Problems found: {len(found)}.")


def _print_settings(settings: Settings) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"SQLite {sqlite3.sqlite_version}")
    for line in _setting_lines(settings):
        console.print(line, markup=False)


def _setting_lines(settings: Settings) -> Iterator[str]:
    for name, field in type(settings).model_fields.items():
        yield f"READTRACK_{name.upper()} = {_format_value(settings, name)}: {field.description}"


def _format_value(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    if name == "database_url":
        return settings.shown_url
    if value == "":
        return NOT_SET
    if not Settings.model_fields[name].repr:
        return HIDDEN
    return str(int(value)) if isinstance(value, bool) else str(value)
