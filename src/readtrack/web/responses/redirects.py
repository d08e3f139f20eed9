"""Where to go after a form: only to a place of our own."""

import re

_OURS = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")


def safe_next(wanted: str, otherwise: str) -> str:
    """The address when it is a plain path of ours, else the other one: no second slash, no backslash."""
    return wanted if _OURS.fullmatch(wanted) else otherwise
