"""Files that are replaced in one step, so that neither a reader nor a crash ever meets half of one."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from readtrack.infra.errors import Conflict

PARTIAL = ".partial"
BUSY = "Another process is writing {path}."


def partial_path(path: Path) -> Path:
    """Return where a file is while it is being written."""
    return path.with_name(f"{path.name}{PARTIAL}")


@contextmanager
def write_beside(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` when the block succeeds: complete, on disk, and in one step.

    Raise Conflict if another process is writing it.
    """
    partial = partial_path(path)
    with lock_file(partial) as file, ExitStack() as cleanup:
        cleanup.callback(partial.unlink, missing_ok=True)
        file.truncate()
        yield file
        file.flush()
        os.fsync(file.fileno())
        partial.replace(path)
        cleanup.pop_all()
    sync_path(path.parent)


def sync_path(path: Path) -> None:
    """Have a file, or the names of a folder, on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def lock_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that no other process has locked. What a killed process has left is taken over."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_current = path.exists() and os.path.samestat(path.stat(), os.fstat(descriptor))
        except OSError:
            is_current = False
        if not is_current:
            raise Conflict(BUSY.format(path=path.name.removesuffix(PARTIAL)))
        yield file
