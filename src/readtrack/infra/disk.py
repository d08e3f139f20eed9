"""Space left on the disk."""

import errno
import shutil
import tempfile
from pathlib import Path

from readtrack.infra.config import Settings
from readtrack.infra.errors import DiskFull
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

FULL = N_("Not enough disk space for this. Ask an admin to free some, then try again.")
FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT})
COPIES = 3  # What is uploaded is in the temporary folder, the database and its write-ahead log at once.


def free_bytes(folder: Path) -> int:
    """Return the space that is left to this process where the folder is. Raise OSError if it is missing."""
    return shutil.disk_usage(folder).free


def require_space(settings: Settings, size: int) -> None:
    """Raise DiskFull if an upload of `size` bytes would take what is to be left free.

    Without this check, it would fail only after the whole file was sent, and other writes with it.
    """
    for folder in (settings.data, Path(tempfile.gettempdir())):
        if free_bytes(folder) < settings.min_free_bytes + COPIES * size:
            raise DiskFull(_(FULL))
