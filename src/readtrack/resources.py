"""Where templates and migrations are: inside the package when installed, at the top of the tree in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def find(name: str) -> Path:
    """The folder of that name; raises FileNotFoundError when the installation lacks it."""
    for folder in (_PACKAGE / name, _PACKAGE.parents[1] / name):
        if folder.is_dir():
            return folder
    message = f"readtrack's folder {name!r} is missing: the installation is incomplete, install it again."
    raise FileNotFoundError(message)
