"""Where to go after a form: only to a place of our own."""

import re

_OURS = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")


def safe_next(wanted: str, otherwise: str) -> str:
    """The address when it is a path of ours in plain ASCII, else the other one. "/\\evil", "//evil" and control characters are not."""
    return wanted if _OURS.fullmatch(wanted) else otherwise
