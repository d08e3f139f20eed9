"""The rating signs that cells begin with (◎ ○ △ ✕ …): recognition, order, and meaning by legend.

A scale is a list of (sign, meaning), the best first.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from readtrack.infra.i18n import N_

Scale = Sequence[tuple[str, str]]
MAX_SIGNS = 20
MAX_SIGN_CHARS = 12  # characters
MAX_MEANING_CHARS = 100

# Best first, each with its default meaning.
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
    "-": N_("not stated"),
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
_VARIANT = "\ufe0f"  # variation selector: show the sign as an emoji
_ALONE = frozenset({"+", "-", "++", "--", "±"})  # signs only if nothing follows: "-5 %" is a number
_WORD = re.compile(r"\w")
_SEPARATES = " \t>:：=＝は、,，;；/／.。・|()（）*_"
_LEGEND = re.compile(
    r"^[*_>\s]*(?:凡例|图例|圖例|図例|注|备注|備考|※|legend|key|note)[*_]*\s*[:：]?[*_]*", re.IGNORECASE
)


def normalize_sign(sign: str) -> str:
    """Return the canonical spelling of a sign: ◯ is ○, × is ✕, Yes is yes, ★★☆ is ★★."""
    text = sign.strip().replace(_VARIANT, "")
    if _STARS.fullmatch(text):
        return "★" * sum(letter != "☆" for letter in text) or "☆"
    return "".join(_ONE.get(letter, letter) for letter in text).casefold()


def find_leading_sign(cell: str, scale: Scale = ()) -> str:
    """Return the sign that a cell begins with, as typed, or "".

    Words, dashes and plus signs count only if the cell has nothing else. `scale`: signs in addition to the known ones.
    """
    text = cell.strip()
    if stars := _STARS.match(text):
        return stars[0]
    if normalize_sign(text) in KNOWN or any(normalize_sign(text) == normalize_sign(sign) for sign, _ in scale):
        return text
    scale_signs = sorted((sign for sign, _ in scale), key=len, reverse=True)
    return next((text[: len(sign)] for sign in (*scale_signs, *_MARKS) if _starts_with_sign(text, sign)), "")


def _starts_with_sign(text: str, sign: str) -> bool:
    """Return True if the text begins with the sign and continues; words and dashes never do."""
    if normalize_sign(sign) in _ALONE or _WORD.match(sign) or not text.startswith(sign):
        return False
    return len(text) > len(sign)


_MARKS = tuple(sign for sign in (*KNOWN, *_ONE) if len(sign) == 1 and not _WORD.match(sign))


def find_scale_position(scale: Scale, sign: str) -> int | None:
    """Return the position of a sign on the scale, from 0; None if it is not on it."""
    normalized = normalize_sign(sign)
    return (
        next(
            (position for position, (level_sign, _) in enumerate(scale) if normalize_sign(level_sign) == normalized),
            None,
        )
        if sign
        else None
    )


def build_scale(cells: Iterable[str], legend: Mapping[str, str]) -> list[tuple[str, str]]:
    """Build the scale from the signs of the cells and of the legend, with the legend's meanings.

    The order is the legend's if that contains all signs, else the usual one, best first. Return an empty scale if the
    only sign is a dash.
    """
    signs: dict[str, str] = {normalize_sign(sign): sign for sign in legend}
    legend_signs = list(signs)
    for cell in cells:
        sign = find_leading_sign(cell, list(legend.items()))
        if sign:
            signs.setdefault(normalize_sign(sign), sign if not _STARS.fullmatch(sign) else normalize_sign(sign))
    if not {*signs} - {"-"}:
        return []
    order = legend_signs if len(legend_signs) == len(signs) else sorted(signs, key=_rank)
    meanings = {normalize_sign(sign): meaning for sign, meaning in legend.items()}
    return [(signs[sign], meanings.get(sign, "")) for sign in order][:MAX_SIGNS]


def _rank(sign: str) -> tuple[int, int]:
    if set(sign) <= {"★", "☆"}:
        return 0, -sign.count("★")
    order = list(KNOWN)
    return 1, order.index(sign) if sign in order else len(order)


def default_meaning(sign: str) -> str:
    """Return the usual meaning of a sign as a message id; "" if only a legend can define it."""
    return KNOWN.get(normalize_sign(sign), "")


def parse_legend(line: str) -> dict[str, str]:
    """Parse the meanings of signs from a legend such as "◎ 優秀、△ 限定的"; {} if the line is not one."""
    text = _LEGEND.sub("", line.strip(), count=1)
    positions = [position for position in range(len(text)) if _is_sign(text, position)]
    if not positions or text[: positions[0]].strip(_SEPARATES):
        return {}
    meanings: dict[str, str] = {}
    for start, end in pairwise([*positions, len(text)]):
        sign = text[start]
        if meaning := text[start + 1 : end].replace(_VARIANT, "").strip(_SEPARATES)[:MAX_MEANING_CHARS]:
            meanings.setdefault(sign, meaning)
    return meanings if len(meanings) > 1 else {}


def _is_sign(text: str, position: int) -> bool:
    """Return True if there is a sign at this position, outside of a word."""
    if text[position] not in _MARKS or normalize_sign(text[position]) == "★":
        return False
    is_dash = normalize_sign(text[position]) in _ALONE
    before, after = text[position - 1 : position] or " ", text[position + 1 : position + 2]
    return not is_dash or (before in _SEPARATES and after in ":：= ")
