"""Text from strangers as plain text that can be stored and shown."""

import re
import unicodedata

from readtrack.metadata.parsing.email_addresses import without_mail

_UNSEEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")  # turns text, or hides
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def tidy(text: str, longest: int) -> str:
    """On one line, spaces single, composed; without control characters, mail addresses and what turns text round."""
    plain = _CONTROL.sub(" ", _UNSEEN.sub("", text[: 2 * longest]))
    return without_mail(" ".join(unicodedata.normalize("NFC", plain).split()))[:longest].strip()
