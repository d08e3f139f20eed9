"""Two wordings of one thing: which words of the one are not in the other. Pure."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_WORDS = 1_500  # comparing more takes longer than a person waits
ALIKE = 0.4  # beneath that, marking single words tells nothing
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# A formula is one word, so that it can be shown as one.
_WORD = re.compile(rf"\$[^\s$][^$]*\$|\s+|[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")


class DiffFragment(NamedTuple):
    """Some words, and whether the other wording has not got them."""

    text: str
    differs: bool


def diff_fragments(one: str, other: str) -> list[DiffFragment]:
    """The other text, cut where it differs from the one; capitals are none. One piece when it is quite another."""
    words, known = _WORD.findall(other), _WORD.findall(one)
    if not words:
        return []
    if not known or max(len(words), len(known)) > MOST_WORDS:
        return [DiffFragment(other, differs=bool(known) and one.casefold() != other.casefold())]
    match = SequenceMatcher(None, _fold_case(known), _fold_case(words), autojunk=False)
    if match.ratio() < ALIKE:
        return [DiffFragment(other, differs=True)]
    steps = match.get_opcodes()
    return [DiffFragment("".join(words[c:d]), _tells(tag, words[c:d])) for tag, _, _, c, d in steps if c < d]


def _fold_case(words: list[str]) -> list[str]:
    return [" " if word.isspace() else word.casefold() for word in words]


def _tells(tag: str, words: list[str]) -> bool:
    return tag != "equal" and not "".join(words).isspace()
