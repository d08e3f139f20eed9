"""Location of templates, migrations and translations.

They are in the installed package or at the root of the checkout.
"""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def find(name: str) -> Path:
    """Return the folder of that name. Raise FileNotFoundError if the installation lacks it."""
    for folder in (_PACKAGE / name, _PACKAGE.parents[1] / name):
        if folder.is_dir():
            return folder
    message = f"readtrack's folder {name!r} is missing: the installation is incomplete, install it again."
    raise FileNotFoundError(message)
