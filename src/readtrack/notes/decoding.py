"""Bytes of a note become text. Never raises: what no encoding explains is shown with replacement characters."""

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 65_536
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_HALF_KANA = re.compile("[\uff61-\uff9f]")
_WIDE = re.compile("[^\x00-\x7f]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_ENOUGH_KANA = 0.1  # Japanese prose has about half; Chinese in the same bytes has next to none
_TOO_MUCH_HALF_KANA = 0.2  # what Chinese text looks like when read as Shift_JIS
_LONE_BYTES = 0.8


def decode(data: bytes) -> str:
    """UTF-8 with or without mark, UTF-16 and UTF-32 by their mark, then Shift_JIS, EUC-JP, GB18030 and Windows-1252."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            body = data[len(mark) :] if encoding == "utf-8" else data
            return body.decode(encoding, errors="replace")
    for guess in (_unmarked_utf16(data), "utf-8", *_legacy(data)):
        text = _strict(data, guess)
        if text is not None:
            return text
    return data.decode("utf-8", errors="replace")


def _unmarked_utf16(data: bytes) -> str:
    """Latin text in UTF-16 has a NUL in every other byte."""
    sample = data[:_SAMPLE]
    if len(data) % 2 or not sample:
        return ""
    half = len(sample) / 2
    if sample[1::2].count(0) > half * 0.6:
        return "utf-16-le"
    return "utf-16-be" if sample[::2].count(0) > half * 0.6 else ""


def _legacy(data: bytes) -> list[str]:
    """The likely encodings, best first. EUC-JP and GB share their kana rows: only Japanese makes much use of them."""
    sample = data[:_SAMPLE]
    runs = _HIGH_RUN.findall(sample)
    if runs and sum(len(run) == 1 for run in runs) / len(runs) >= _LONE_BYTES and not _looks_japanese(data, "cp932"):
        return ["cp1252", "gb18030"]
    japanese = [name for name in ("cp932", "euc_jp") if _looks_japanese(data, name)]
    return [*japanese, "gb18030", "cp932", "euc_jp"]


def _looks_japanese(data: bytes, encoding: str) -> bool:
    text = _strict(data, encoding)
    wide = len(_WIDE.findall(text)) if text else 0
    if not text or not wide:
        return False
    return (
        len(_KANA.findall(text)) / wide >= _ENOUGH_KANA and len(_HALF_KANA.findall(text)) / wide < _TOO_MUCH_HALF_KANA
    )


def _strict(data: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
