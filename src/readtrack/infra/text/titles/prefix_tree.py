"""Patterns for one of many words: the words share their beginnings, so that most places fail at the first letter.

Python tries each word of `(?i:one|two|…)` at each place, which takes ten times as long with two hundred venues.
"""

import re
from collections.abc import Sequence


def prefix_tree(words: str, *, any_case: bool) -> str:
    """Return a pattern of the words in `one|two|…`. The longest that matches is preferred."""
    return _branches([(word.casefold() if any_case else word, word) for word in words.split("|")], 0, any_case=any_case)


def _branches(words: Sequence[tuple[str, str]], depth: int, *, any_case: bool) -> str:
    """Return the pattern for the rests of words, as compared and as written, that begin with the same letters."""
    if len(words) == 1:
        rest = re.escape(words[0][1][depth:])
        return f"(?i:{rest})" if any_case and rest else rest
    by_letter: dict[str, list[tuple[str, str]]] = {}
    for word in words:
        by_letter.setdefault(word[0][depth : depth + 1], []).append(word)
    ends_here = by_letter.pop("", None) is not None
    branches = [
        _one_letter(letter, any_case=any_case) + _branches(rest, depth + 1, any_case=any_case)
        for letter, rest in by_letter.items()
    ]
    return f"(?:{'|'.join([*branches, ''] if ends_here else branches)})"


def _one_letter(letter: str, *, any_case: bool) -> str:
    return f"(?-i:[{letter}{letter.upper()}])" if any_case and letter.isalpha() else re.escape(letter)
