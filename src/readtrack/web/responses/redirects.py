"""Validation of redirect targets."""

import re

_OURS = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")


def safe_next(wanted: str, otherwise: str) -> str:
    """Return the target if it is a path of this site (no `//` or backslash), else the default.

    This prevents open redirects.
    """
    return wanted if _OURS.fullmatch(wanted) else otherwise
