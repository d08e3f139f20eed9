"""Validation of redirect targets."""

import re

_OURS = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")


def safe_next(path: str, default: str) -> str:
    """Return the target if it is a path of this site (no `//` or backslash), else the default.

    This prevents open redirects.
    """
    return path if _OURS.fullmatch(path) else default
