"""Conversion of LaTeX formulas to MathML with the team's macros.

Invalid ones are shown as source with an error.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape

from math_core import LatexError, LatexToMathML

from readtrack.infra.i18n import gettext as _

MAX_FORMULA = 2_000  # Characters of source.
MAX_MATHML = 100_000  # Characters of output, as macros may multiply it.
MAX_MATHML_DEPTH = 100  # Browsers limit nesting to about 500 elements.
MAX_EXPANSIONS = 100  # Macro expansions per formula.
Macros = tuple[tuple[str, str], ...]  # Name without backslash, and its definition.
_TAG = re.compile(r"<(/?)m[a-z]+(?![a-z])[^<>]*?(/?)>")
_CELL_STYLE = re.compile(r'<mtd style="([^"]*)"')
_LINE = "0.05em solid currentcolor"
CELLS = {  # Allowed cell styles -> CSS classes, because the CSP forbids inline styles.
    "text-align:left": "align-left",
    "text-align:right": "align-right",
    "text-align:center": "align-center",
    "padding-left:0": "near-left",
    "padding-right:0": "near-right",
    "padding-left:1em": "apart",
    f"border-left:{_LINE}": "line-left",
    f"border-right:{_LINE}": "line-right",
    f"border-top:{_LINE}": "line-above",
    f"border-bottom:{_LINE}": "line-below",
}
_ERROR_AT = re.compile(r"^(?:macro\d+:)?(\d+): ")
_OF_MACRO = re.compile(r"macro(\d+):")


def render_formula(source: str, *, display: bool, macros: Macros = ()) -> str:
    """Return the MathML of a formula, or its source marked as an error with the reason as title."""
    if len(source) > MAX_FORMULA:
        return _math_error(source, _("This formula is too long or too complex. Split it."))
    try:
        mathml = _converter(macros).convert_with_local_state(source, displaystyle=display)
    except LatexError as error:
        return _math_error(source, _error_message(error))
    if len(mathml) > MAX_MATHML or _depth(mathml) > MAX_MATHML_DEPTH:
        return _math_error(source, _("This formula is too long or too complex. Split it."))
    # Focusable, so that a wide formula can be scrolled with the keyboard.
    focusable = mathml.replace('<math display="block"', '<math display="block" tabindex="0"', 1)
    return _CELL_STYLE.sub(_cell, focusable)


def _cell(match: re.Match[str]) -> str:
    styles = (part.replace(": ", ":").strip() for part in match[1].split(";"))
    return f'<mtd class="{" ".join(CELLS[part] for part in styles if part in CELLS)}"'


def find_formula_problem(source: str, macros: Mapping[str, str]) -> str:
    """Return the error message for a formula, or "" if it is valid."""
    try:
        mathml = _create_converter(tuple(macros.items())).convert_with_local_state(source, displaystyle=True)
    except LatexError as error:
        return _error_message(error)
    if len(mathml) > MAX_MATHML or _depth(mathml) > MAX_MATHML_DEPTH:
        return _("This formula is too long or too complex. Split it.")
    return ""


def is_known(name: str) -> bool:
    """Return True if the converter has a built-in command of that name."""
    try:
        _converter(()).convert_with_local_state(f"\\{name}", displaystyle=False)
    except LatexError as error:
        return "Unknown command" not in str(error)
    return True


@lru_cache(maxsize=16)
def _converter(macros: Macros) -> LatexToMathML:
    """Return a converter with these macros, without invalid ones, which then fail only where they are used."""
    valid_macros = list(macros)
    while True:
        try:
            return _create_converter(valid_macros)
        except LatexError as error:
            match = _OF_MACRO.match(str(error))
            if match is None:  # The error is not about a particular macro.
                return _create_converter(())
            del valid_macros[int(match[1])]


def _create_converter(macros: Sequence[tuple[str, str]]) -> LatexToMathML:
    return LatexToMathML(fancy_error=False, max_expansions=MAX_EXPANSIONS, macros=dict(macros))


def _error_message(error: LatexError) -> str:
    return _ERROR_AT.sub(_position, str(error))


def _position(match: re.Match[str]) -> str:
    return f"At character {int(match[1]) + 1}: "


def _math_error(source: str, reason: str) -> str:
    return f'<code class="math-error" title="{escape(reason)}">{escape(source)}</code>'


def _depth(mathml: str) -> int:
    depth = deepest = 0
    for is_closing, is_empty in _TAG.findall(mathml):
        depth += -1 if is_closing else 0 if is_empty else 1
        deepest = max(deepest, depth)
    return deepest
