"""Detection of a page's character encoding.

In this order: byte order mark, HTTP header, meta tag, language defaults.
"""

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_DECLARED = re.compile(rb"charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w.:-]{1,40})", re.IGNORECASE)
_LANGUAGE = re.compile(rb"<html[^>]{0,500}?\blang=[\"']?(ja|zh|ko)\b", re.IGNORECASE)
_PROLOGUE_BYTES = 4096  # Bytes searched for an encoding declaration.
# Labels whose encoding is a subset of another one: browsers use the superset, and so does readtrack.
_LARGER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "big5": "big5hkscs",
}  # fmt: skip
_KNOWN = frozenset(
    "utf-8 utf-16 utf-16-le utf-16-be gb18030 cp932 euc_jp iso2022_jp cp949 big5hkscs koi8-r koi8-u".split()  # noqa: SIM905 - a list of words
) | {f"cp125{page}" for page in range(9)} | {f"iso8859-{part}" for part in range(2, 17)}  # fmt: skip
_CARELESS = "cp1252"  # Often announced by servers regardless of the content.
_USUAL = {b"ja": ("euc_jp", "cp932"), b"zh": ("gb18030",), b"ko": ("cp949",)}


def text_of(body: bytes, content_type: str = "") -> str:
    """Decode a page. Invalid bytes become the replacement character; never raises."""
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body.decode(charset, errors="replace")
    candidates = _candidates(body, content_type)
    for charset in candidates:
        try:
            return body.decode(charset)
        except UnicodeDecodeError:
            continue
    return body.decode(candidates[0], errors="replace")


def _candidates(body: bytes, content_type: str) -> list[str]:
    """Return the possible encodings, most likely first."""
    charsets = [_charset(match[1]) for match in _declarations(body, content_type)]
    declared = [charset for charset in charsets if charset and charset != _CARELESS]
    language = _LANGUAGE.search(body[:_PROLOGUE_BYTES])
    usual = _USUAL[language[1].lower()] if language else ()
    return [*declared, "utf-8", *usual, _CARELESS] if _CARELESS not in charsets else [*declared, "utf-8", _CARELESS]


def _declarations(body: bytes, content_type: str) -> list[re.Match[bytes]]:
    sources = (content_type.encode(errors="replace")[:1000], body[:_PROLOGUE_BYTES])
    return [match for source in sources if (match := _DECLARED.search(source))]


def _charset(label: bytes) -> str:
    """Return Python's name of a text encoding; "" for others ("hex", "idna" and similar codecs)."""
    try:
        name = codecs.lookup(label.decode(errors="replace").lower().removeprefix("x-")).name
    except LookupError:
        return ""
    name = _LARGER.get(name, name)
    return name if name in _KNOWN else ""
