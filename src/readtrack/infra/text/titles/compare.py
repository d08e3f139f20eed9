"""Comparison of titles and author lists, to decide whether two records describe the same work."""

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_TITLE_LETTERS = 500  # Maximum letters compared; no title is longer.
_MAX_TITLE_CHARS = 4 * MAX_TITLE_LETTERS  # Maximum characters read, as markup takes up some of them.
_MIN_PREFIX_LETTERS = 12  # Minimum letters of a distinctive prefix; a CJK letter counts twice.
_BY_CHANCE = 0.3  # Share of letter pairs that two unrelated words have in common.
_MAX_UNEQUAL_SCORE = 0.99  # Maximum similarity of titles with different letters.

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
_ASCII_WORD = re.compile(r"[a-z0-9]+")  # The words of _RUN in folded ASCII text, found four times as fast.
_IS_CJK = re.compile(f"[{_CJK}]")

_MAX_AUTHORS = 200  # Maximum authors compared per list.
_MAX_NAME_CHARS = 200  # Maximum characters compared per name.
_PARTS = re.compile(r"[^\W\d_]+")
_JOINTS = re.compile(r"(?<=\w)[-‐‑'’](?=\w)")
_INITIALS = re.compile(r"\b(?!I+\b)[A-Z]{2,3}\b")  # "Smith JA".
_NO_NAMES = frozenset(("jr", "sr", "ii", "iii", "iv", "et", "al", "others"))


def title_letters(title: str) -> str:
    """Return letters and digits only, without case, width, accents, markup and LaTeX commands."""
    return _letters(fold_title(title))


def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a title in order; runs of CJK text as overlapping character pairs."""
    text = fold_title(title)[:MAX_TITLE_LETTERS]
    if text.isascii():
        return tuple(_ASCII_WORD.findall(text))
    return tuple(word for run in _RUN.finditer(text) for word in _run_words(run))


def is_same_title(first: str, second: str) -> bool:
    """Return True if two titles name the same work.

    They have equal letters, or one is a distinctive main title of the other.
    """
    first_letters, second_letters = title_letters(first), title_letters(second)
    return bool(first_letters and second_letters) and (
        first_letters == second_letters or first_letters in _beginnings(second) or second_letters in _beginnings(first)
    )


def is_title_head(short_title: str, full_title: str) -> bool:
    """Return True if the short title equals the main title before the subtitle of the whole one."""
    head, rest = split_subtitle(full_title)
    return bool(rest) and title_letters(short_title) == head


def split_subtitle(title: str) -> tuple[str, str]:
    """Return the letters before and after the first colon or dash.

    The second is "" without a subtitle.
    """
    text = fold_title(title)
    for separator in _SUBTITLE.finditer(text):
        head, rest = _letters(text[: separator.start()]), _letters(text[separator.end() :])
        if head and rest:
            return head, rest
    return _letters(text), ""


def is_distinctive(letters: str) -> bool:
    """Return True if the letters (from `title_letters`) are enough to identify one work."""
    return len(letters) >= _MIN_PREFIX_LETTERS or len(letters) + len(_IS_CJK.findall(letters)) >= _MIN_PREFIX_LETTERS


def title_similarity(first: str, second: str) -> float:
    """Return the similarity of two titles, from 0 to 1.

    Common words count by their length in any order; of the other words, common letter pairs count.
    """
    (first_letters, first_words), (second_letters, second_words) = _digest(first), _digest(second)
    if not first_letters or not second_letters or first_letters == second_letters:
        return float(bool(first_letters) and first_letters == second_letters)
    first_only, second_only = _weight(first_words - second_words), _weight(second_words - first_words)
    common_weight = 2 * _weight(first_words & second_words)
    similar_weight = (
        _spelt_alike(first_words - second_words, second_words - first_words) * (first_only + second_only)
        if first_only and second_only
        else 0.0
    )
    return min(_MAX_UNEQUAL_SCORE, (common_weight + similar_weight) / (common_weight + first_only + second_only))


def are_same_authors(first_names: Sequence[str], second_names: Sequence[str]) -> bool | None:
    """Return True if two author lists may belong to one work.

    Return None if one is empty or their scripts differ. Names match by a full part plus compatible others: "Dean, J."
    matches "Jeffrey Dean". At least half of the shorter list must match, with more than one name unless it is the first
    author of both or the list has only one.
    """
    first, second = _author_list(tuple(first_names[:_MAX_AUTHORS])), _author_list(tuple(second_names[:_MAX_AUTHORS]))
    if not first.all or not second.all or first.all[0].cjk != second.all[0].cjk:
        return None
    match_count = min(first.count_matches(second), second.count_matches(first))
    smaller_count = min(len(first.all), len(second.all))
    return (
        bool(match_count)
        and 2 * match_count >= smaller_count
        and (match_count > 1 or smaller_count == 1 or first.all[0].is_compatible_with(second.all[0]))
    )


class AuthorName(NamedTuple):
    """The normalized parts of a name: `full_parts` has those of more than one letter, `short` the initials."""

    full_parts: frozenset[str]
    short: frozenset[str]
    cjk: bool

    def is_compatible_with(self, other: "AuthorName") -> bool:
        """Return True if both share a full part and the remaining parts, if both have any, start alike."""
        if not self.full_parts & other.full_parts:
            return False
        own_parts = (self.full_parts - other.full_parts) | self.short
        other_parts = (other.full_parts - self.full_parts) | other.short
        return (
            not own_parts
            or not other_parts
            or any(
                own_part.startswith(other_part) or other_part.startswith(own_part)
                for own_part in own_parts
                for other_part in other_parts
            )
        )


@lru_cache(maxsize=8192)
def parse_author_name(name: str) -> AuthorName:
    """Parse a name in any order, with or without initials, also "Family, Given".

    CJK names: sorted characters.
    """
    text = unicodedata.normalize("NFKC", name[:_MAX_NAME_CHARS])
    if cjk := _IS_CJK.findall(text):
        return AuthorName(frozenset(("".join(sorted(cjk)),)), frozenset(), cjk=True)
    text = _JOINTS.sub("", text)
    if not text.isupper():
        text = _INITIALS.sub(lambda found: " ".join(found[0]), text)
    parts = frozenset(_PARTS.findall(fold_title(text))) - _NO_NAMES
    single_letters = frozenset(part for part in parts if len(part) == 1)
    return AuthorName(parts - single_letters, single_letters, cjk=False)


class _AuthorList(NamedTuple):
    """An author list, indexed by name part."""

    all: tuple[AuthorName, ...]
    by_part: Mapping[str, Sequence[AuthorName]]

    def count_matches(self, others: "_AuthorList") -> int:
        """Return how many authors may be one of the others."""
        common_parts = self.by_part.keys() & others.by_part.keys()
        return len(
            {
                author
                for part in common_parts
                for author in self.by_part[part]
                if any(map(author.is_compatible_with, others.by_part[part]))
            }
        )


@lru_cache(maxsize=4096)
def _author_list(names: tuple[str, ...]) -> _AuthorList:
    people = tuple(dict.fromkeys(author_name for name in names if (author_name := parse_author_name(name)).full_parts))
    by_part = defaultdict(list)
    for author in people:
        for part in author.full_parts:
            by_part[part].append(author)
    return _AuthorList(people, by_part)


def fold_title(text: str) -> str:
    """Fold case, width and accents and remove markup and LaTeX; keep punctuation."""
    text = text[:_MAX_TITLE_CHARS]
    if "&" in text or "<" in text:
        text = _TAG.sub("", html.unescape(html.unescape(text))).replace("&", " and ")
    if "\\" in text or "$" in text or "{" in text:
        text = _without_latex(text)
    if text.isascii():
        return text.casefold().translate(_BLANKS)
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text.replace("～", "〜")).casefold())
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", decomposed)).translate(_PLAIN)


def _without_latex(text: str) -> str:
    """Remove LaTeX from a title.

    Accents and commands are dropped, letter commands and Greek converted to characters, and braced text kept.
    """
    return _COMMAND.sub(_command_text, _ACCENT.sub("", text)).translate(_LATEX_MARKS)


def _command_text(match: re.Match[str]) -> str:
    name = match[1]
    if name in _LETTER_COMMANDS:
        return _LETTER_COMMANDS[name]
    if name in _SPOKEN_COMMANDS:
        return f"{name} "
    return _GREEK.get(name.lower().removeprefix("var"), "")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))[:MAX_TITLE_LETTERS]


def _run_words(run: re.Match[str]) -> Iterable[str]:
    text = run[0]
    return (text[index : index + 2] for index in range(max(1, len(text) - 1))) if run[1] else (text,)


def _beginnings(title: str) -> Iterator[str]:
    """Yield the letters before each colon or dash, if distinctive."""
    text = fold_title(title)
    for separator in _SUBTITLE.finditer(text):
        letters = _letters(text[: separator.start()])
        if is_distinctive(letters):
            yield letters


@lru_cache(maxsize=8192)
def _digest(title: str) -> tuple[str, frozenset[str]]:
    return title_letters(title), frozenset(title_words(title))


def _weight(words: Iterable[str]) -> int:
    return sum(map(len, words))


def _spelt_alike(first_words: Iterable[str], second_words: Iterable[str]) -> float:
    """Return the spelling similarity of two sets of words beyond chance.

    It is high for typos, compounds, other endings and variant characters.
    """
    first_pairs, second_pairs = (
        set[str]().union(*map(_pieces, first_words)),
        set[str]().union(*map(_pieces, second_words)),
    )
    similarity = 2 * len(first_pairs & second_pairs) / (len(first_pairs) + len(second_pairs))
    return max(0.0, (similarity - _BY_CHANCE) / (1 - _BY_CHANCE))


def _pieces(word: str) -> Iterable[str]:
    if len(word) < 2 or _IS_CJK.match(word):
        return word
    return (word[index : index + 2] for index in range(len(word) - 1))
