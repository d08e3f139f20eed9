"""Patterns for one of many words: the words share their beginnings, so that most places fail at the first letter.

Python tries each word of `(?i:one|two|…)` at each place, which takes ten times as long with two hundred venues.
"""

import re
from collections.abc import Sequence
from os.path import commonprefix


def prefix_tree(words: str, *, any_case: bool) -> str:
    """Return a pattern of the words in `one|two|…`. The longest that matches is preferred."""
    return f"(?:{_branches([word.casefold() if any_case else word for word in words.split('|')], any_case=any_case)})"


def _branches(words: Sequence[str], *, any_case: bool) -> str:
    """Return the alternatives of words, or of what is left of them behind the letters that they share."""
    by_letter: dict[str, list[str]] = {}
    for word in words:
        by_letter.setdefault(word[:1], []).append(word)
    ends_here = by_letter.pop("", None) is not None
    branches = [_branch(letter, rest, any_case=any_case) for letter, rest in by_letter.items()]
    return "|".join([*branches, ""] if ends_here else branches)


def _branch(letter: str, words: Sequence[str], *, any_case: bool) -> str:
    """Return the pattern of words that begin with this letter: it, the others that they share, and what differs."""
    shared = commonprefix(words)  # noqa: RUF071 - letters, not folders
    first = f"[{letter}{letter.upper()}]" if any_case and letter.isalpha() else re.escape(letter)
    others = re.escape(shared[1:])
    if any_case and others:
        others = f"(?i:{others})"
    if len(words) == 1:
        return first + others
    return f"{first}{others}(?:{_branches([word[len(shared) :] for word in words], any_case=any_case)})"
