"""Hash index of works by identifiers and titles.

Matches are only hints and are verified afterwards.
"""

from collections.abc import Iterator
from itertools import combinations
from zlib import crc32

from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata, Ref

_EDGE_LETTERS = 20  # Letters at the start and end of a title that spellings have in common; a CJK letter counts as 3.
_WIDE = "\u2e80"  # From this code point on, most letters are syllables or words.
_MIN_WORD_LETTERS = 5  # Minimum letters of a significant word.


def index_numbers(work: Metadata) -> set[int]:
    """Return all numbers under which the work is indexed."""
    numbers = {ref_number(ref) for ref in (work.ref, *work.identifiers)}
    return numbers | similar_title_numbers(work.title)


def ref_number(ref: Ref) -> int:
    return crc32(f"name {ref}".encode(errors="replace"))


def title_number(title: str) -> int:
    """Return the hash of a title; equal for titles with the same letters."""
    return crc32(f"title {compare.title_letters(title)}".encode(errors="replace"))


def similar_title_numbers(title: str) -> set[int]:
    """Return the hashes that most variants of a title share: truncated, with a wrong word, in another order."""
    letters = compare.title_letters(title)
    if not letters:
        return set()
    hints = {f"from {_beginning(letters)}", f"to {_beginning(letters[::-1])}", *_telling_words(title)}
    hints |= {f"title {part}" for part in (letters, compare.split_subtitle(title)[0]) if compare.is_distinctive(part)}
    return {crc32(hint.encode(errors="replace")) for hint in hints | {f"title {letters}"}}


def _beginning(letters: str) -> str:
    room = _EDGE_LETTERS
    for index, letter in enumerate(letters):
        room -= 3 if letter >= _WIDE else 1
        if room < 0:
            return letters[:index]
    return letters


def _telling_words(title: str) -> Iterator[str]:
    """Yield pairs of the three longest words, which are rarely common ones.

    One of them may be wrong.
    """
    long = sorted(
        {word for word in compare.title_words(title) if len(word) >= _MIN_WORD_LETTERS},
        key=lambda word: (-len(word), word),
    )
    yield from (f"words {' '.join(sorted(pair))}" for pair in combinations(long[:3], 2))
