"""The numbers under which a work is found, by its names and its title. They are hints: what is found is verified."""

from collections.abc import Iterator
from itertools import combinations
from zlib import crc32

from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata, Ref

_END = 20  # letters of the beginning and the end of a title that two spellings of it may share; a CJK one counts as 3
_WIDE = "\u2e80"  # from here on a letter is mostly a syllable or a word
_LONG = 5  # letters of a word that tells something


def index_numbers(said: Metadata) -> set[int]:
    """All under which this work should be found."""
    named = {ref_number(ref) for ref in (said.ref, *said.identifiers)}
    return named | similar_title_numbers(said.title)


def ref_number(ref: Ref) -> int:
    return crc32(f"name {ref}".encode(errors="replace"))


def title_number(title: str) -> int:
    """The same for all titles of the same letters."""
    return crc32(f"title {compare.title_letters(title)}".encode(errors="replace"))


def similar_title_numbers(title: str) -> set[int]:
    """Its own, and those that it shares with most of its other spellings: cut off, a word wrong, in another order."""
    letters = compare.title_letters(title)
    if not letters:
        return set()
    hints = {f"from {_beginning(letters)}", f"to {_beginning(letters[::-1])}", *_telling_words(title)}
    hints |= {
        f"title {whole}" for whole in (letters, compare.split_subtitle(title)[0]) if compare.is_distinctive(whole)
    }
    return {crc32(hint.encode(errors="replace")) for hint in hints | {f"title {letters}"}}


def _beginning(letters: str) -> str:
    room = _END
    for place, letter in enumerate(letters):
        room -= 3 if letter >= _WIDE else 1
        if room < 0:
            return letters[:place]
    return letters


def _telling_words(title: str) -> Iterator[str]:
    """The three longest words, which are seldom common ones, in pairs: one of them may be wrong."""
    long = sorted(
        {word for word in compare.title_words(title) if len(word) >= _LONG}, key=lambda word: (-len(word), word)
    )
    yield from (f"words {' '.join(sorted(pair))}" for pair in combinations(long[:3], 2))
