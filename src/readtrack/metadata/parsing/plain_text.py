"""Cleaning of untrusted text for storage and display, without mail addresses, which are never stored."""

import re
import unicodedata

_MAIL = r"[\w.+-]++[@＠](?:[\w-]{1,63}\.){1,6}[^\W\d_]{2,24}"
# A JSON escape ("\n", "\u00e9") before an address is not part of it and stays, so that the JSON remains valid.
_MAILS = re.compile(rf"(?P<escape>\\u[0-9a-fA-F]{{4}}|\\.)(?:{_MAIL})?|(?<![\w.+-]){_MAIL}", re.DOTALL)
# Bidi controls and invisible characters.
_UNSEEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def without_mail(text: str) -> str:
    """Remove all mail addresses from a text."""
    return _MAILS.sub(lambda found: found["escape"] or "", text) if "@" in text or "＠" in text else text


def tidy(text: str, max_length: int) -> str:
    """Return the text in one line and NFC form.

    Control characters, bidi controls and mail addresses are removed.
    """
    cleaned = _CONTROL.sub(" ", _UNSEEN.sub("", text[: 2 * max_length]))
    return without_mail(" ".join(unicodedata.normalize("NFC", cleaned).split()))[:max_length].strip()
