"""Templates are compiled once, for all languages and processes of the tests: it takes four seconds each time."""

import os
from functools import partial

from jinja2 import Environment, FileSystemBytecodeCache

FOLDER = "READTRACK_TEST_TEMPLATES"


def keep() -> None:
    """Let environments that are made from now on take from that folder what was compiled already, and add to it.

    A template that has changed is compiled again.
    """
    from readtrack.web.templating import environment  # noqa: PLC0415 - tests of other parts do without

    if folder := os.environ.get(FOLDER):
        compiled = FileSystemBytecodeCache(folder)
        environment.Environment = partial(Environment, bytecode_cache=compiled)  # type: ignore[attr-defined, assignment]
