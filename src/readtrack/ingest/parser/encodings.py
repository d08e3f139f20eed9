"""Decoding of notes. Never raises: undecodable bytes become replacement characters."""

import codecs
import re

from readtrack.ingest.parser.letter_frequencies import FREQUENT

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 65_536
_ESCAPES = (b"\x1b$@", b"\x1b$B", b"\x1b(J", b"\x1b$(D")  # shift sequences of ISO-2022-JP
# Most common first: it wins if two encodings fit equally well.
_CANDIDATES = ("gb18030", "cp932", "euc_jp", "big5", "cp949")
_WITHOUT_MARK = ("utf-16-le", "utf-16-be")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LONE_BYTES = 0.8
_RARE = re.compile("[\u0080-\u009f\ue000-\uf8ff\uff61-\uff9f\u0400-\u04ff\u2500-\u257f\U00010000-\U0010ffff]")
_WIDE = re.compile("[^\x00-\x7f]")
_MARKS = frozenset("、。，！？：；（）「」『』【】《》“”・ー〜～…　—％／＋＝＆｜←→①②③④⑤")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HAN = re.compile("[\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_WITHOUT_KANA = frozenset({"gb18030", "big5", "cp949"})  # encodings that include kana but are not used for Japanese
_COMMON, _KNOWN_LETTER, _RARE_LETTER = 1.0, 0.25, -1.0
_GOOD_ENOUGH = 0.5


def decode(data: bytes) -> str:
    """Decode UTF-8, UTF-16 or UTF-32, else the most likely East Asian encoding."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            body = data[len(mark) :] if encoding == "utf-8" else data
            return body.decode(encoding, errors="replace")
    for guess in (_unmarked_utf16(data), _escaped(data), "utf-8", *_legacy(data)):
        text = _strict(data, guess)
        if text is not None:
            return text
    return data.decode("utf-8", errors="replace")


def _unmarked_utf16(data: bytes) -> str:
    """Return the UTF-16 variant of data without a byte order mark, or "".

    Latin text has a NUL in every other byte, CJK text one in each line end and space.
    """
    sample = data[:_SAMPLE_BYTES]
    if len(data) % 2 or not sample:
        return ""
    half, even, odd = len(sample) / 2, sample[::2].count(0), sample[1::2].count(0)
    guess = "utf-16-le" if odd > even else "utf-16-be"
    if max(even, odd) > half * 0.6:
        return guess
    return guess if even + odd and _makes_sense(sample, guess) else ""


def _makes_sense(sample: bytes, encoding: str) -> bool:
    return (_score(sample, encoding) or 0.0) > _GOOD_ENOUGH


def _escaped(data: bytes) -> str:
    return "iso2022_jp_ext" if any(escape in data[:_SAMPLE_BYTES] for escape in _ESCAPES) else ""


def _legacy(data: bytes) -> list[str]:
    high_lines = b"\n".join(line for line in data[: 8 * _SAMPLE_BYTES].splitlines() if not line.isascii())[
        :_SAMPLE_BYTES
    ]
    scores = [(score, name) for name in _CANDIDATES if (score := _score(high_lines, name)) is not None]
    scores += [(score, name) for name in _WITHOUT_MARK if (score := _wide_score(data, name)) > _GOOD_ENOUGH]
    ranking = [name for _, name in sorted(scores, key=lambda pair: -pair[0])]
    runs = _HIGH_RUN.findall(high_lines)
    has_lone_bytes = bool(runs) and sum(len(run) == 1 for run in runs) / len(runs) >= _LONE_BYTES
    if has_lone_bytes and max((score for score, _ in scores), default=0.0) < _COMMON / 2:
        return ["cp1252", *ranking]
    return [*ranking, *_CANDIDATES]


def _score(sample: bytes, encoding: str) -> float | None:
    """Return a plausibility score.

    Up to three bytes are dropped, as the last character of the sample may be cut.
    """
    for cut in range(4):
        text = _strict(sample[: len(sample) - cut], encoding)
        if text is not None:
            return _sense(text, encoding)
    return None


def _wide_score(data: bytes, encoding: str) -> float:
    """Return the score for UTF-16 without a byte order mark, which needs an even number of bytes."""
    return (_score(data[:_SAMPLE_BYTES], encoding) or 0.0) if len(data) % 2 == 0 else 0.0


def _sense(text: str, encoding: str) -> float:
    """Return the share of wide characters that are frequent in the language, minus rare ones."""
    wide = _WIDE.findall(text)
    if not wide:
        return 0.0
    frequent = FREQUENT.get(encoding, FREQUENT[""])
    kana = len(_KANA.findall(text)) if encoding not in _WITHOUT_KANA else 0
    hangul = len(_HANGUL.findall(text)) * _KNOWN_LETTER
    common = sum(letter in frequent or letter in _MARKS for letter in wide)
    han = len(_HAN.findall(text)) * _KNOWN_LETTER
    return (common * _COMMON + kana + hangul + han + len(_RARE.findall(text)) * _RARE_LETTER) / len(wide)


def _strict(data: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
