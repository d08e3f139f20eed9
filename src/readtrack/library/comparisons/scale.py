"""The signs that cells begin with, ◎ ○ △ ✕ and their like: which they are, in what order, what a legend says of them.

Pure. A scale is a list of (sign, meaning), the best first.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from readtrack.infra.i18n import N_

Scale = Sequence[tuple[str, str]]
MOST_SIGNS = 20
LONGEST_SIGN = 12  # characters
LONGEST_MEANING = 100

# The best first, each with what it means where no legend says so.
KNOWN: Mapping[str, str] = {
    "◎": N_("very good"),
    "++": N_("very good"),
    "○": N_("good"),
    "✓": N_("yes"),
    "+": N_("good"),
    "yes": N_("yes"),
    "はい": N_("yes"),
    "是": N_("yes"),
    "△": N_("limited"),
    "±": N_("limited"),
    "partly": N_("partly"),
    "✕": N_("no"),
    "no": N_("no"),
    "いいえ": N_("no"),
    "否": N_("no"),
    "-": N_("nothing said"),
    "--": N_("very bad"),
}
_SAME = {
    "✓": "✔✅☑",
    "○": "◯〇⭕",
    "△": "▲",
    "✕": "×✗✘❌✖☓",
    "-": "－−–—",
    "+": "＋",
    "★": "⭐",
}
_ONE: Mapping[str, str] = {other: sign for sign, others in _SAME.items() for other in others}
_STARS = re.compile("[★⭐]{1,10}☆{0,10}|☆{1,10}")
_VARIANT = "\ufe0f"  # says that a sign is to be drawn as a picture
_ALONE = frozenset({"+", "-", "++", "--", "±"})  # signs only where nothing follows: "-5 %" is a number
_WORD = re.compile(r"\w")
_SEPARATES = " \t>:：=＝は、,，;；/／.。・|()（）*_"
_LEGEND = re.compile(
    r"^[*_>\s]*(?:凡例|图例|圖例|図例|注|备注|備考|※|legend|key|note)[*_]*\s*[:：]?[*_]*", re.IGNORECASE
)


def normalize_sign(sign: str) -> str:
    """The one spelling of a sign: ◯ is ○, × is ✕, Yes is yes; stars are counted: ★★☆ is ★★."""
    plain = sign.strip().replace(_VARIANT, "")
    if _STARS.fullmatch(plain):
        return "★" * sum(letter != "☆" for letter in plain) or "☆"
    return "".join(_ONE.get(letter, letter) for letter in plain).casefold()


def find_leading_sign(cell: str, scale: Scale = ()) -> str:
    """The sign that a cell begins with, as it is typed there; blank for none. Words and dashes count alone only.

    `scale`: further signs besides those that everybody knows.
    """
    text = cell.strip()
    if stars := _STARS.match(text):
        return stars[0]
    if normalize_sign(text) in KNOWN or any(normalize_sign(text) == normalize_sign(sign) for sign, _ in scale):
        return text
    own = sorted((sign for sign, _ in scale), key=len, reverse=True)
    return next((text[: len(sign)] for sign in (*own, *_MARKS) if _starts_with_sign(text, sign)), "")


def _starts_with_sign(text: str, sign: str) -> bool:
    """With that sign and then something else: "no" is not how "nothing" begins."""
    if normalize_sign(sign) in _ALONE or _WORD.match(sign) or not text.startswith(sign):
        return False
    return len(text) > len(sign)


_MARKS = tuple(sign for sign in (*KNOWN, *_ONE) if len(sign) == 1 and not _WORD.match(sign))


def find_scale_position(scale: Scale, sign: str) -> int | None:
    """How far down the scale a sign stands, from 0; None when it is none of it."""
    wanted = normalize_sign(sign)
    return (
        next((place for place, (each, _) in enumerate(scale) if normalize_sign(each) == wanted), None) if sign else None
    )


def build_scale(cells: Iterable[str], legend: Mapping[str, str]) -> list[tuple[str, str]]:
    """The signs of these cells and of the legend, the best first, with the words of the legend.

    In the order of the legend where it has them all. Nothing where only dashes stand, which are no scale.
    """
    found: dict[str, str] = {normalize_sign(sign): sign for sign in legend}
    told = list(found)
    for cell in cells:
        sign = find_leading_sign(cell, list(legend.items()))
        if sign:
            found.setdefault(normalize_sign(sign), sign if not _STARS.fullmatch(sign) else normalize_sign(sign))
    if not {*found} - {"-"}:
        return []
    order = told if len(told) == len(found) else sorted(found, key=_rank)
    meanings = {normalize_sign(sign): meaning for sign, meaning in legend.items()}
    return [(found[sign], meanings.get(sign, "")) for sign in order][:MOST_SIGNS]


def _rank(sign: str) -> tuple[int, int]:
    if set(sign) <= {"★", "☆"}:
        return 0, -sign.count("★")
    known = list(KNOWN)
    return 1, known.index(sign) if sign in known else len(known)


def default_meaning(sign: str) -> str:
    """What everybody takes it to mean, to be translated; blank for what only a legend can tell."""
    return KNOWN.get(normalize_sign(sign), "")


def parse_legend(line: str) -> dict[str, str]:
    """What a line says that signs mean, "◎ 優秀、△ 限定的"; nothing when it is no legend."""
    text = _LEGEND.sub("", line.strip(), count=1)
    places = [at for at in range(len(text)) if _is_sign(text, at)]
    if not places or text[: places[0]].strip(_SEPARATES):
        return {}
    found: dict[str, str] = {}
    for start, end in pairwise([*places, len(text)]):
        sign = text[start]
        if meaning := text[start + 1 : end].replace(_VARIANT, "").strip(_SEPARATES)[:LONGEST_MEANING]:
            found.setdefault(sign, meaning)
    return found if len(found) > 1 else {}


def _is_sign(text: str, at: int) -> bool:
    """Whether a sign stands there, and not in the middle of a word."""
    if text[at] not in _MARKS or normalize_sign(text[at]) == "★":
        return False
    dashed = normalize_sign(text[at]) in _ALONE
    before, after = text[at - 1 : at] or " ", text[at + 1 : at + 2]
    return not dashed or (before in _SEPARATES and after in ":：= ")
