"""Removal of mail addresses, which are never stored."""

import re

_MAIL = r"[\w.+-]++[@＠](?:[\w-]{1,63}\.){1,6}[^\W\d_]{2,24}"
# A JSON escape ("\n", "\u00e9") before an address is not part of it and stays, so that the JSON remains valid.
_MAILS = re.compile(rf"(?P<escape>\\u[0-9a-fA-F]{{4}}|\\.)(?:{_MAIL})?|(?<![\w.+-]){_MAIL}", re.DOTALL)


def without_mail(text: str) -> str:
    """Remove all mail addresses from a text."""
    return _MAILS.sub(lambda found: found["escape"] or "", text) if "@" in text or "＠" in text else text
