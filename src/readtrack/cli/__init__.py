"""The command line: thin. Parses arguments, calls a command, says what happened; errors are a sentence on stderr.

Only typer is imported before a command is known: verbs.py and groups.py say why.
"""

import os
import sys

import typer

from readtrack.cli import commands, subcommands
from readtrack.infra.errors import ReadtrackError, SettingsError

app = typer.Typer(
    name="readtrack",
    help="Tracks what a team reads. Settings are environment variables READTRACK_…; `readtrack check` lists them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
commands.register(app)
subcommands.register(app)


def main() -> None:
    """The entry point."""
    os.umask(0o077)  # the database and what stands beside it are for their owner only
    try:
        app()
    except (ReadtrackError, SettingsError, OSError) as error:
        sys.stderr.write(f"{_sentence(error)}\n")
        sys.exit(1)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    return str(error)
