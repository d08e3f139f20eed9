"""LaTeX in bibliographies as plain text: accents, quotes, dashes; braces go, mathematics stays as it is written."""

import re
import unicodedata

_MATH = re.compile(r"(?<!\\)\$[^$\n]{1,500}\$")
_MARKS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
    "H": "\u030b", "r": "\u030a", "u": "\u0306", "v": "\u030c", "c": "\u0327", "k": "\u0328", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
_ACCENT = re.compile(
    r"\\(?P<sign>[`'^~\"=.])\s?(?:\{\s?\\?(?P<braced>[A-Za-z])\s?\}|\\?(?P<letter>[A-Za-z]))|"
    r"\\(?P<word>[Hruvckdb])(?:\s?\{\s?\\?(?P<inner>[A-Za-z])\s?\}|\s\\?(?P<next>[A-Za-z]))"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å",
    "i": "i", "j": "j", "dh": "ð", "th": "þ", "S": "§", "P": "¶", "dots": "…", "ldots": "…", "textellipsis": "…",
    "textendash": "–", "textemdash": "—", "textquoteright": "’", "textquoteleft": "‘", "textquotesingle": "'",
    "textquotedblleft": "“", "textquotedblright": "”", "textasciitilde": "\ue000", "textbackslash": "\ue001",
    "textbraceleft": "\ue002", "textbraceright": "\ue003", "textasciicircum": "^", "textunderscore": "_",
    "textperiodcentered": "·",
    "texttrademark": "™", "textregistered": "®", "copyright": "©", "pounds": "£", "euro": "€",
    "textdegree": "°", "textmu": "µ", "times": "×",
    "textonesuperior": "¹", "texttwosuperior": "²", "textthreesuperior": "³", "textless": "<",
    "textgreater": ">", "textbar": "|", "newline": " ", "par": " ", "quad": " ", "qquad": " ",
}  # fmt: skip
_MEANT = str.maketrans("\ue000\ue001\ue002\ue003", "~\\{}")  # held back while these signs still say something
_COMMAND = re.compile(r"\\(?P<name>[A-Za-z]{1,30})\*?\s?")
_FORMATS = frozenset(
    [
        "emph", "textit", "textbf", "texttt", "textsc", "textrm", "textsf", "textmd", "textsl", "text",
        "mathrm", "em", "bf", "it", "sc", "tt", "rm", "sl", "url", "path", "uppercase", "lowercase",
        "MakeUppercase", "bibstring", "textsuperscript", "textsubscript", "href", "nolinkurl", "mbox", "hbox",
        "ensuremath", "noopsort", "relax", "protect", "nocase", "underline", "uline",
    ]
)  # fmt: skip
_HREF = re.compile(r"\\href\s?\{[^{}]{0,2000}\}\s?\{")
_ESCAPED = re.compile(r"\\([&%_#${}~^\\ ,;:!/-])")
_DASHES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))


def decode_latex(text: str) -> str:
    """Plain text on one line."""
    if not any(sign in text for sign in "\\{}$~`'-"):
        return " ".join(text.split())
    pieces: list[str] = []
    position = 0
    for math in _MATH.finditer(text):
        pieces += [_to_plain_text(text[position : math.start()]), math[0]]
        position = math.end()
    pieces.append(_to_plain_text(text[position:]))
    return " ".join("".join(pieces).split())


def decode_address(text: str) -> str:
    r"""An address or identifier: only escapes and \url{} go."""
    plain = _COMMAND.sub(lambda found: "" if found["name"] in _FORMATS else found[0], text)
    return " ".join(_ESCAPED.sub(r"\1", plain).replace("{", " ").replace("}", " ").split())


def _to_plain_text(text: str) -> str:
    if "\\" in text:
        text = _ACCENT.sub(_replace_accent, _HREF.sub("{", text))
        text = _COMMAND.sub(_replace_command, text)
        text = _ESCAPED.sub(r"\1", text.replace("\\&", "&").replace("\\-", ""))
    for written, meant in _DASHES:  # -{}- are two hyphens
        text = text.replace(written, meant)
    return text.replace("{", "").replace("}", "").replace("~", " ").translate(_MEANT)


def _replace_accent(found: re.Match[str]) -> str:
    mark = _MARKS[found["sign"] or found["word"]]
    letter = found["braced"] or found["letter"] or found["inner"] or found["next"]
    return unicodedata.normalize("NFC", letter + mark)


def _replace_command(found: re.Match[str]) -> str:
    """A letter, nothing for what changes the words in braces behind it, and the bare name of any other command."""
    name = found["name"]
    behind = found.string[found.end() : found.end() + 2]
    changes = name in _FORMATS or (behind[:1] == "{" and behind != "{}")
    return _LETTERS.get(name, "" if changes else name + found[0][len(found[0].rstrip()) :])
