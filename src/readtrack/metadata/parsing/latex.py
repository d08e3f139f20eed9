"""Conversion of LaTeX in titles, names and abstracts to Unicode.

Formulas between dollars are kept.
"""

import re
import unicodedata
from collections.abc import Callable

_MAX_CHARS = 50_000
_MAYBE = re.compile(r"[\\${}~\ufb00-\ufb06]|--|``|''|`[^`']{1,200}'")
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]+)\*?|\\(?P<sign>.)|(?P<brace>[{}])|\$\$(?P<display>[^$]{1,1000})\$\$|"
    r"\$(?P<maths>(?:\\.|[^$\\]){1,1000})\$(?!\d)|(?P<plain>[^\\{}$~`'-]+)|(?P<char>.)",
    re.DOTALL,
)
_PLAINLY_MATHS = re.compile(r"\\[A-Za-z]|[\^_=<>]")
_MARKS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip
_LETTERS = {
    "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ",
    "ng": "ŋ", "NG": "Ŋ",
}  # fmt: skip
_SYMBOLS = {
    "S": "§", "P": "¶", "dag": "†", "ddag": "‡", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€",
    "textregistered": "®", "texttrademark": "™", "textdegree": "°", "degree": "°", "dots": "…", "ldots": "…",
    "textellipsis": "…", "textendash": "–", "textemdash": "—", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textunderscore": "_", "textbar": "|", "textless": "<", "textgreater": ">",
    "textbullet": "•", "textperiodcentered": "·", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textquotesingle": "'", "textdollar": "$", "textmu": "µ",
    "guillemotleft": "«", "guillemotright": "»", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "slash": "/",
    "times": "×", "pm": "±", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "approx": "≈",
    "sim": "∼", "infty": "∞", "to": "→", "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔",
    "Rightarrow": "⇒", "langle": "⟨", "rangle": "⟩", "ell": "ℓ", "sqrt": "√", "checkmark": "✓", "star": "⋆",
    "textbraceleft": "{", "textbraceright": "}", "item": "•", "and": "and", "backslash": "\\",
    "textonesuperior": "¹", "texttwosuperior": "²", "textthreesuperior": "³",
    "par": " ", "newline": " ", "linebreak": " ", "quad": " ", "qquad": " ",
}  # fmt: skip
_SIGNS = {" ": " ", ",": " ", ";": " ", ":": " ", "\\": " ", "\n": " ", "!": "", "/": "", "-": "", "@": ""}
_GONE = frozenset(
    "it em bf sc rm sf tt sl itshape bfseries scshape rmfamily sffamily ttfamily upshape mdseries normalfont tiny "  # noqa: SIM905 - a list of words
    "scriptsize footnotesize small normalsize large Large LARGE huge Huge protect relax noindent xspace centering "
    "boldmath unboldmath break hfill null left right".split()
)
_GONE_WITH_ARGUMENT = frozenset(
    "footnote thanks cite citep citet label ref vspace hspace noopsort begin end href textcolor color fontsize".split()  # noqa: SIM905 - a list of words
)
_RAISED = str.maketrans("0123456789+-=()niTM", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀᴹ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_GREEK_FORMS = {"varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ", "varsigma": "ς", "varrho": "ϱ", "lambda": "λ"}
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})

Change = Callable[[str], str]


def decode_latex(text: str, *, lone_braces: bool = True) -> str:
    """LaTeX outside $…$ as Unicode, white space single. Commands nobody knows stay, when they have no argument.

    `lone_braces`: whether a brace without its fellow is a character that somebody typed.
    """
    if len(text) <= _MAX_CHARS and _MAYBE.search(text):
        text = _LatexReader(text.translate(_LIGATURES), "{" if lone_braces else "").read()
    return " ".join(text.split())


class _LatexReader:
    """A single-pass reader.

    The effect of a command on its argument is applied when the argument is complete.
    """

    def __init__(self, text: str, open_brace: str) -> None:
        self._text, self._at = text, 0
        self._open_brace = open_brace
        self._quotes_from = text.find("``") if "``" in text else len(text)
        self._out: list[str] = []
        self._waiting: list[Change] = []  # Functions to apply to the next letter or group, innermost last.
        self._groups: list[tuple[list[str], list[Change]]] = []

    def read(self) -> str:
        while self._at < len(self._text):
            match = _TOKEN.match(self._text, self._at)
            if match is None:  # A backslash at the end.
                self._append_atom(self._text[self._at])
                break
            self._at = match.end()
            self._take(match)
        unclosed = ["".join(out) for out, _ in self._groups]  # Unclosed braces are literal characters.
        return self._open_brace.join([*unclosed, "".join(self._out)])

    def _take(self, match: re.Match[str]) -> None:
        kind = match.lastgroup
        if kind == "word":
            self._command(match)
        elif kind == "sign":
            self._sign(match["sign"])
        elif kind == "brace":
            self._brace(match["brace"])
        elif kind in {"maths", "display"}:
            self._maths(match)
        elif kind == "plain":
            self._append_atom(match["plain"][0])
            self._out.append(match["plain"][1:])
        else:
            self._char(match["char"])

    def _append_atom(self, atom: str) -> None:
        while self._waiting:
            atom = self._waiting.pop()(atom)
        self._out.append(atom)

    def _brace(self, brace: str) -> None:
        if brace == "{":
            self._groups.append((self._out, self._waiting))
            self._out, self._waiting = [], []
        elif self._groups:
            inner = "".join(self._out)
            self._out, self._waiting = self._groups.pop()
            self._append_atom(inner)
        elif self._open_brace:
            self._append_atom(brace)

    def _command(self, match: re.Match[str]) -> None:
        word = match["word"]
        has_argument = self._text.startswith("{", self._at)
        if word in _LETTERS:
            self._skip_space()
            self._append_atom(_LETTERS[word])
        elif symbol := _SYMBOLS.get(word) or _greek(word):
            self._append_atom(symbol)
        elif word in _MARKS and (has_argument or self._text.startswith((" ", "\\"), self._at)):
            self._wait_for(_accent(_MARKS[word]))
        elif word in _GONE:
            self._skip_space()
        elif has_argument or word in _ARGUMENTS:
            self._wait_for(_ARGUMENTS.get(word, str))
        else:
            self._append_atom(match[0])

    def _wait_for(self, change: Change) -> None:
        self._skip_space()
        self._waiting.append(change)

    def _skip_space(self) -> None:
        while self._text.startswith(" ", self._at):
            self._at += 1

    def _sign(self, sign: str) -> None:
        if sign in _MARKS:
            self._wait_for(_accent(_MARKS[sign]))
        elif sign in _FORMULAS and (end := self._text.find(_FORMULAS[sign], self._at, self._at + 1000)) > 0:
            self._append_atom(f"${self._text[self._at : end].strip()}$")
            self._at = end + 2
        else:
            self._append_atom(_SIGNS.get(sign, sign))

    def _maths(self, match: re.Match[str]) -> None:
        formula = match["maths"] or match["display"] or ""
        is_tight = formula[0] not in " \n" and formula[-1] not in " \n"
        if is_tight or _PLAINLY_MATHS.search(formula):
            self._append_atom(f"${' '.join(formula.split())}$")
        else:  # A price, or a single dollar sign.
            self._append_atom("$")
            self._at = match.start() + 1

    def _char(self, char: str) -> None:
        before = self._text[self._at - 2] if self._at > 1 else " "
        if char in "-`'":
            self._run(char, before)
        else:
            self._append_atom(" " if char == "~" and self._is_tie(before) else char)

    def _is_tie(self, before: str) -> bool:
        """Return True if a tilde is LaTeX's space.

        Not in "~10x", "3~5", "/~knuth", 約3～5倍 and similar.
        """
        after = self._text[self._at : self._at + 1] or " "
        pair = before + after
        return pair.isascii() and before not in " \t\n/" and not after.isspace() and not pair.isdigit()

    def _run(self, char: str, before: str) -> None:
        """Convert runs of hyphens to dashes and ticks to quotes.

        Hyphens that start a word like `--flag` stay.
        """
        start = self._at - 1
        while self._at - start < 3 and self._text.startswith(char, self._at):
            self._at += 1
        run = self._text[start : self._at]
        if char == "-" and before.isspace() and self._text[self._at : self._at + 1].isalnum():
            self._append_atom(run)
        elif run == "`" and (end := self._text.find("'", self._at, self._at + 200)) > 0 and before in " ([{":
            self._read_quotation(end)
        else:
            self._append_atom(_RUNS.get(run, run) if run != "''" or self._quotes_from < start else '"')

    def _read_quotation(self, end: int) -> None:
        """Convert `so' to quotes, unless the tick is an apostrophe inside a word."""
        after = self._text[end + 1 : end + 2]
        content = self._text[self._at : end]
        if after.isalnum() or after == "'" or re.search(r"[\\{}$`]", content):
            self._append_atom("`")
        else:
            self._append_atom(f"‘{content}’")
            self._at = end + 1


_FORMULAS = {"(": "\\)", "[": "\\]"}
_RUNS = {"--": "–", "---": "—", "``": "“", "''": "”"}


_QUOTES = {"\u0300": "`", "\u0301": "'", "\u0308": '"'}


def _accent(mark: str) -> Change:
    def accented(atom: str) -> str:
        atom = atom.strip()
        if not atom:
            return {"\u0303": "~", "\u0302": "^"}.get(mark, "")
        letter = unicodedata.normalize("NFC", {"ı": "i", "ȷ": "j"}.get(atom[0], atom[0]) + mark)
        if len(letter) > 1 and mark in _QUOTES:  # No such letter exists: `don\\'t` contains an escaped quote.
            return _QUOTES[mark] + atom
        return letter + atom[1:]

    return accented


def _greek(word: str) -> str:
    r"""Return the Greek letter for a command: `\mu` is μ, `\Omega` is Ω."""
    if word in _GREEK_FORMS:
        return _GREEK_FORMS[word]
    size = "CAPITAL" if word[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {word.upper()}") if word.isalpha() and len(word) > 1 else ""
    except KeyError:
        return ""


def _script(alphabet: dict[int, int]) -> Change:
    def set_in(atom: str) -> str:
        return atom.translate(alphabet) if all(ord(char) in alphabet for char in atom) else atom

    return set_in


_ARGUMENTS: dict[str, Change] = {
    **dict.fromkeys(_GONE_WITH_ARGUMENT, lambda _argument: ""),
    "textsuperscript": _script(_RAISED),
    "textsubscript": _script(_LOWERED),
    "ensuremath": lambda argument: f"${argument}$",
}
