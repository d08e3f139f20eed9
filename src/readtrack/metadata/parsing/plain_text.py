"""Cleaning of untrusted text for storage and display."""

import re
import unicodedata

from readtrack.metadata.parsing.email_addresses import without_mail

# Bidi controls and invisible characters.
_UNSEEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def tidy(text: str, max_length: int) -> str:
    """Return the text in one line and NFC form.

    Control characters, bidi controls and mail addresses are removed.
    """
    cleaned = _CONTROL.sub(" ", _UNSEEN.sub("", text[: 2 * max_length]))
    return without_mail(" ".join(unicodedata.normalize("NFC", cleaned).split()))[:max_length].strip()
