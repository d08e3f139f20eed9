"""Text in every theme is dark or light enough on what lies behind it (WCAG 2.2, contrast 4.5 : 1), by the colours of
the style sheet; that pages use them so is seen in a browser.
"""

import re
from functools import cache
from pathlib import Path

import pytest

import readtrack

SHEET = Path(readtrack.__file__).parent / "web/static/readtrack.css"
TEXT = {"ink", "ink-2", "ink-3", "accent", "to-read", "reading", "paused", "read", "dropped", "lead", "bad"}
BEHIND_ALL = {"paper", "sheet"}
PAIRS = {
    *((text, behind) for text in TEXT for behind in BEHIND_ALL),
    *((text, behind) for text in ("ink", "ink-2", "ink-3") for behind in ("sunk", "soft")),
    *(("ink", behind) for behind in ("mark", "bad-soft", "warn-soft", "good-soft")),
    ("bad", "bad-soft"),
    ("on-accent", "accent"),
    ("accent", "soft"),
}


def colours_of(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (light-dark\([^;]*\)|var\([^;]*\)|#\w+);", block))


@cache
def themes() -> dict[str, dict[str, str]]:
    """The colours of each theme by their names; `contrast` is what is laid over the others."""
    text = SHEET.read_text(encoding="utf-8")
    root = colours_of(text[: text.index(":lang(ja)")])
    over = re.search(r'\[data-theme="contrast"\] \{([^}]*)\}', text)
    asked = re.search(r"@media \(prefers-contrast: more\) \{ :root \{([^}]*)\}", text)
    assert over
    assert asked
    return {"plain": root, "contrast": root | colours_of(over[1]), "preferred": root | colours_of(asked[1])}


def colour(theme: str, name: str, *, dark: bool) -> tuple[int, ...]:
    value = themes()[theme][name]
    if found := re.fullmatch(r"var\(--([\w-]+)\)", value):
        return colour(theme, found[1], dark=dark)
    if found := re.fullmatch(r"light-dark\((#\w+), (#\w+)\)", value):
        value = found[2 if dark else 1]
    digits = value.removeprefix("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    return tuple(int(digits[place : place + 2], 16) for place in (0, 2, 4))


def luminance(rgb: tuple[int, ...]) -> float:
    shares = [part / 255 for part in rgb]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("theme", ["plain", "contrast", "preferred"])
def test_text_has_sufficient_contrast(theme, dark):
    weak = {}
    for text, behind in PAIRS:
        light, deep = sorted((luminance(colour(theme, name, dark=dark)) for name in (text, behind)), reverse=True)
        if (ratio := (light + 0.05) / (deep + 0.05)) < 4.5:
            weak[text, behind] = round(ratio, 2)
    assert weak == {}
