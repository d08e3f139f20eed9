"""Where templates, migrations and catalogues are: in the package when installed, else at the top of the checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def find(name: str) -> Path:
    """The folder of that name; raises FileNotFoundError when the installation lacks it."""
    for folder in (_PACKAGE / name, _PACKAGE.parents[1] / name):
        if folder.is_dir():
            return folder
    message = f"readtrack's folder {name!r} is missing: the installation is incomplete, install it again."
    raise FileNotFoundError(message)
