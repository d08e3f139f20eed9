"""What the forms of references share: years, words, initials, and how long a title is."""

import re

from readtrack.infra.text.titles.vocabulary import CJK

ITALIC = re.compile(r"(?<![\w*_])(?P<mark>[*_])(?![\s*_])(?P<title>[^*\n]{2,800}?)(?<!\\)(?P=mark)(?![\w*])")
_LETTER_AND_POINT = r"[^\W\d_a-zа-я]\."
NAME_AND_POINTS = (
    rf"[^\W\d_a-zа-я][\w'’-]{{1,30}}(?: [^\W\d_][\w'’.-]{{1,30}}){{0,2}} "
    rf"{_LETTER_AND_POINT}(?:[ -]?{_LETTER_AND_POINT}){{0,2}}"
)
PARTICLE = r"(?:van|von|der?|den|del|di|da|dos|la|le|el|ter|ten)"
SURNAME = r"[^\W\d_a-z][\w'’-]{1,30}"
VOLUME = re.compile(  # only publications have volumes and pages
    r"(?:[,，]\s?|\s)(?i:vol|no|pp)\b|"
    r"(?:[,，]?\s\((?:19|20)\d\d\)(?=[,，]\s\d))?[,，]?\s\d{1,4}(?:\s?\(|[,:]|\.\d{1,5}\s\()|[,，]\s?第|"
    r"[,，]\s\d{1,4}\.?(?=$|\s(?:19|20)\d\d$)|\.\s\d{1,4}(?:\(\d{1,4}\))?:|\.\s(?:19|20)\d\d[^;]{0,12};\s?\d"
)
YEAR = re.compile(r"(?<![\d.:/-])(?:19|20)\d\d(?![\d/]|[:.]\d)")
YEAR_LAST = re.compile(r"[\s,]{0,3}[(\[]?(?P<year>(?:19|20)\d\d)[a-z]?[)\]]?\s*$")
BEHIND_YEAR = re.compile(r"[\s(](?:19|20)\d\d[a-z]?[).]{1,2}\s*$")  # where the title of a book begins
ENDS_NAMES = re.compile(r"[^\W\d_]{2}\.\s")
INITIAL = re.compile(r"\b[A-Z]\.")
AND = re.compile(r"\s(?:and|&)\s")
COMMA = re.compile(r"[,，]\s")
LISTED = re.compile(r"\s?[,，、]\s?")
WORD = re.compile(r"[^\W\d_][\w'’-]*")
YEAR_IN_BRACKETS = re.compile(r"\s?[(\[](?P<year>(?:19|20)\d\d)[a-z]?[)\]][.,:]?\s*(?=\S|$)")
WITH_INITIALS = re.compile(rf"(?:[A-Z]\.[ -]?){{1,3}}{SURNAME}(?:[ -]{SURNAME})?")
YEAR_FIRST = re.compile(r"(?P<year>(?:19|20)\d\d)[a-z]?[.:,]\s+(?=\S)")
MIN_TITLE_WORDS, MAX_PHRASE_CHARS = 3, 300
LOOKED_AT = 3000


def count_words(text: str) -> int:
    """Count the words, and each letter of a script without spaces as one."""
    return len(WORD.findall(text)) + len(CJK.findall(text))
