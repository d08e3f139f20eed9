"""Several processes that answer: where forking is safe, all is imported once and each of them begins from there.

What is forked is the standard library's fork server, a process that imports and does nothing else: it has no thread, no
connection to the database and no socket that people are answered on.
"""

import multiprocessing
import os
import sys
from multiprocessing import forkserver

from uvicorn import _subprocess

from readtrack.infra.config import Settings

PRELOADED = "readtrack.cli.server_process"
FACTORY = f"{PRELOADED}:app_of_process"


def prepare(ready: Settings) -> None:
    """Begins to import, beside what else is done at start. Elsewhere than on Linux, each process imports by itself.

    The processes have their settings from the environment.
    """
    os.environ |= {"READTRACK_DATA": str(ready.data), "READTRACK_BASE_URL": ready.base_url}
    if sys.platform != "linux":  # what a system's own libraries have begun on macOS does not survive a fork
        return
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    forkserver.ensure_running()
    _subprocess.spawn = context  # type: ignore[assignment] # uvicorn has no setting for it; both make the same processes
