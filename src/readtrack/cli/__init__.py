"""The command line: parses arguments, calls a command and prints the result.

Errors are a sentence on stderr. Only typer is imported until the command is known, so that commands start fast; see
commands.py.
"""

import os
import sys

import typer

from readtrack.cli import commands
from readtrack.infra.errors import NewerSchema, ReadtrackError, SettingNotUsableYet, SettingsError

app = typer.Typer(
    name="readtrack",
    help="Track what your team reads. Settings are environment variables; `readtrack check` lists them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
commands.register(app)
commands.register_groups(app)


def main() -> None:
    """Run the command line."""
    os.umask(0o077)  # The database and files next to it are accessible to their owner only.
    try:
        app()
    except (ReadtrackError, SettingsError, OSError) as error:
        sys.stderr.write(f"{format_error(error)}\n")
        sys.exit(exit_code_of(error))


def exit_code_of(error: Exception) -> int:
    """Return the exit code that tells a service manager whether starting again may help."""
    is_permanent = isinstance(error, SettingsError | NewerSchema) and not isinstance(error, SettingNotUsableYet)
    return os.EX_CONFIG if is_permanent else 1


def format_error(error: Exception) -> str:
    """Return the error as a sentence."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    return str(error)
