"""Comparison of titles and author lists, to decide whether two records describe the same work."""

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST = 500  # Maximum letters compared; no title is longer.
_RAW = 4 * LONGEST  # Maximum characters read, as markup takes up some of them.
_TELLING = 12  # Minimum letters of a distinctive prefix; a CJK letter counts twice.
_BY_CHANCE = 0.3  # Share of letter pairs that two unrelated words have in common.
_NEARLY = 0.99  # Maximum similarity of titles with different letters.

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_ACCENT = re.compile(r"""\\["'`^~=.]|\\[uvHtcdbrk](?:\s+|(?=[{\\]))""")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?[ \t]?")
_LATEX_MARKS = str.maketrans("", "", "${}^\\")
_ACCENTS = re.compile("[\u0300-\u036f]")  # Not the combining marks of kana, which distinguish syllables.
_UNDIVIDED = str.maketrans({**dict(zip("øłđðħı", "olddhi", strict=True)), "æ": "ae", "œ": "oe", "þ": "th"})
_LETTER_COMMANDS = {"o": "o", "O": "o", "l": "l", "L": "l", "ell": "l", "i": "i", "j": "j", "aa": "a", "AA": "a"} | {
    name: name.lower() for name in ("ae", "AE", "oe", "OE", "ss")
}
_BLANKS = {ord("~"): " ", ord("_"): None}
_PLAIN = _UNDIVIDED | _BLANKS
_SPOKEN_COMMANDS = frozenset(("log", "ln", "exp", "max", "min", "arg", "lim", "sup", "inf", "LaTeX", "TeX"))
_GREEK = {unicodedata.name(letter).split()[-1].lower(): letter for letter in "αβγδεζηθικλμνξοπρστυφχψω"}
_GREEK["lambda"] = "λ"  # Unicode spells this name "LAMDA".
_SUBTITLE = re.compile(r"[:–—―〜]|-{2,}|\s[-‐‑−]+\s")
_CJK = "\u3005-\u3007\u3041-\u30ff\u3100-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U000323af"
_RUN = re.compile(rf"([{_CJK}]+)|[^\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")

_NAMES = 200  # Maximum authors compared per list.
_NAME = 200  # Maximum characters compared per name.
_PARTS = re.compile(r"[^\W\d_]+")
_JOINTS = re.compile(r"(?<=\w)[-‐‑'’](?=\w)")
_INITIALS = re.compile(r"\b(?!I+\b)[A-Z]{2,3}\b")  # "Smith JA".
_NO_NAMES = frozenset(("jr", "sr", "ii", "iii", "iv", "et", "al", "others"))


def title_letters(title: str) -> str:
    """Return letters and digits only, without case, width, accents, markup and LaTeX commands."""
    return _letters(fold_title(title))


def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a title in order; runs of CJK text as overlapping character pairs."""
    return tuple(word for run in _RUN.finditer(fold_title(title)[:LONGEST]) for word in _run_words(run))


def is_same_title(one: str, other: str) -> bool:
    """Return True if two titles name the same work.

    They have equal letters, or one is a distinctive main title of the other.
    """
    a, b = title_letters(one), title_letters(other)
    return bool(a and b) and (a == b or a in _beginnings(other) or b in _beginnings(one))


def is_title_head(short: str, whole: str) -> bool:
    """Return True if the short title equals the main title before the subtitle of the whole one."""
    head, rest = split_subtitle(whole)
    return bool(rest) and title_letters(short) == head


def split_subtitle(title: str) -> tuple[str, str]:
    """Return the letters before and after the first colon or dash.

    The second is "" without a subtitle.
    """
    text = fold_title(title)
    for place in _SUBTITLE.finditer(text):
        head, rest = _letters(text[: place.start()]), _letters(text[place.end() :])
        if head and rest:
            return head, rest
    return _letters(text), ""


def is_distinctive(compared: str) -> bool:
    """Return True if the letters (from `title_letters`) are enough to identify one work."""
    return len(compared) >= _TELLING or len(compared) + len(_IS_CJK.findall(compared)) >= _TELLING


def title_similarity(one: str, other: str) -> float:
    """Return the similarity of two titles, from 0 to 1.

    Common words count by their length in any order; of the other words, common letter pairs count.
    """
    (a, mine), (b, theirs) = _digest(one), _digest(other)
    if not a or not b or a == b:
        return float(bool(a) and a == b)
    left, right = _weight(mine - theirs), _weight(theirs - mine)
    common = 2 * _weight(mine & theirs)
    alike = _spelt_alike(mine - theirs, theirs - mine) * (left + right) if left and right else 0.0
    return min(_NEARLY, (common + alike) / (common + left + right))


def are_same_authors(ones: Sequence[str], others: Sequence[str]) -> bool | None:
    """Return True if two author lists may belong to one work.

    Return None if one is empty or their scripts differ. Names match by a full part plus compatible others: "Dean, J."
    matches "Jeffrey Dean". At least half of the shorter list must match, with more than one name unless it is the first
    author of both or the list has only one.
    """
    mine, theirs = _author_list(tuple(ones[:_NAMES])), _author_list(tuple(others[:_NAMES]))
    if not mine.all or not theirs.all or mine.all[0].cjk != theirs.all[0].cjk:
        return None
    shared = min(mine.count_matches(theirs), theirs.count_matches(mine))
    fewer = min(len(mine.all), len(theirs.all))
    return bool(shared) and 2 * shared >= fewer and (shared > 1 or fewer == 1 or mine.all[0].may_be(theirs.all[0]))


class AuthorName(NamedTuple):
    """The normalized parts of a name: `whole` has those of more than one letter, `short` the initials."""

    whole: frozenset[str]
    short: frozenset[str]
    cjk: bool

    def may_be(self, other: "AuthorName") -> bool:
        """Return True if both share a full part and the remaining parts, if both have any, start alike."""
        if not self.whole & other.whole:
            return False
        mine = (self.whole - other.whole) | self.short
        theirs = (other.whole - self.whole) | other.short
        return not mine or not theirs or any(a.startswith(b) or b.startswith(a) for a in mine for b in theirs)


@lru_cache(maxsize=8192)
def parse_author_name(name: str) -> AuthorName:
    """Parse a name in any order, with or without initials, also "Family, Given".

    CJK names: sorted characters.
    """
    text = unicodedata.normalize("NFKC", name[:_NAME])
    if cjk := _IS_CJK.findall(text):
        return AuthorName(frozenset(("".join(sorted(cjk)),)), frozenset(), cjk=True)
    text = _JOINTS.sub("", text)
    if not text.isupper():
        text = _INITIALS.sub(lambda found: " ".join(found[0]), text)
    parts = frozenset(_PARTS.findall(fold_title(text))) - _NO_NAMES
    short = frozenset(part for part in parts if len(part) == 1)
    return AuthorName(parts - short, short, cjk=False)


class _AuthorList(NamedTuple):
    """An author list, indexed by name part."""

    all: tuple[AuthorName, ...]
    by_part: Mapping[str, Sequence[AuthorName]]

    def count_matches(self, others: "_AuthorList") -> int:
        """Return how many authors may be one of the others."""
        met = self.by_part.keys() & others.by_part.keys()
        return len({one for part in met for one in self.by_part[part] if any(map(one.may_be, others.by_part[part]))})


@lru_cache(maxsize=4096)
def _author_list(names: tuple[str, ...]) -> _AuthorList:
    people = tuple(dict.fromkeys(found for name in names if (found := parse_author_name(name)).whole))
    by_part = defaultdict(list)
    for one in people:
        for part in one.whole:
            by_part[part].append(one)
    return _AuthorList(people, by_part)


def fold_title(text: str) -> str:
    """Fold case, width and accents and remove markup and LaTeX; keep punctuation."""
    text = text[:_RAW]
    if "&" in text or "<" in text:
        text = _TAG.sub("", html.unescape(html.unescape(text))).replace("&", " and ")
    if "\\" in text or "$" in text or "{" in text:
        text = _without_latex(text)
    if text.isascii():
        return text.casefold().translate(_BLANKS)
    wide = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text.replace("～", "〜")).casefold())
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", wide)).translate(_PLAIN)


def _without_latex(text: str) -> str:
    """Remove LaTeX from a title.

    Accents and commands are dropped, letter commands and Greek converted to characters, and braced text kept.
    """
    return _COMMAND.sub(_command_text, _ACCENT.sub("", text)).translate(_LATEX_MARKS)


def _command_text(found: re.Match[str]) -> str:
    name = found[1]
    if name in _LETTER_COMMANDS:
        return _LETTER_COMMANDS[name]
    if name in _SPOKEN_COMMANDS:
        return f"{name} "
    return _GREEK.get(name.lower().removeprefix("var"), "")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))[:LONGEST]


def _run_words(run: re.Match[str]) -> Iterable[str]:
    text = run[0]
    return (text[at : at + 2] for at in range(max(1, len(text) - 1))) if run[1] else (text,)


def _beginnings(title: str) -> Iterator[str]:
    """Yield the letters before each colon or dash, if distinctive."""
    text = fold_title(title)
    for place in _SUBTITLE.finditer(text):
        beginning = _letters(text[: place.start()])
        if is_distinctive(beginning):
            yield beginning


@lru_cache(maxsize=8192)
def _digest(title: str) -> tuple[str, frozenset[str]]:
    return title_letters(title), frozenset(title_words(title))


def _weight(some: Iterable[str]) -> int:
    return sum(map(len, some))


def _spelt_alike(ones: Iterable[str], others: Iterable[str]) -> float:
    """Return the spelling similarity of two sets of words beyond chance.

    It is high for typos, compounds, other endings and variant characters.
    """
    mine, theirs = set[str]().union(*map(_pieces, ones)), set[str]().union(*map(_pieces, others))
    shared = 2 * len(mine & theirs) / (len(mine) + len(theirs))
    return max(0.0, (shared - _BY_CHANCE) / (1 - _BY_CHANCE))


def _pieces(word: str) -> Iterable[str]:
    if len(word) < 2 or _IS_CJK.match(word):
        return word
    return (word[at : at + 2] for at in range(len(word) - 1))
