"""Author names of BibTeX: joined by "and", each "First von Last", "von Last, First" or "von Last, Jr, First".

Braces keep together what they enclose: `{Barnes and Noble}` is one name that is not divided. BibLaTeX also has names in
named parts: `family=Maaten, given=Laurens, prefix=van der`.
"""

import re
from collections.abc import Iterator

from readtrack.infra.text import person_names
from readtrack.infra.text.person_names import NameParts, PersonName, is_east_asian
from readtrack.ingest.parser.vocabulary.author_names import clean_names, join_parts, to_given_first
from readtrack.metadata.parsing.latex import decode_latex

_MAX_NAMES = 1000
_PART = re.compile(r"\s*\"?(?P<part>family|given|prefix|suffix)\s*=\s*(?P<text>.*?)\"?\s*", re.DOTALL)


def parse_bibtex_names(field: str) -> tuple[str, ...]:
    """Return the names of an author field, with the parts that it tells."""
    names: list[list[str]] = [[]]
    for word in _split_outside_braces(field, " "):
        if word.casefold() != "and":
            names[-1].append(word)
        elif len(names) < _MAX_NAMES:
            names.append([])
    return clean_names(_parse_name(words) for words in names if words)


def _parse_name(words: list[str]) -> str:
    if len(words) == 1 and _is_enclosed(words[0]):
        return person_names.undivided(_decode(words[0]))
    if _is_enclosed(words[-1]) and not any("," in word for word in words):
        return person_names.join_parts(NameParts(_decode(words[-1]), _decode(" ".join(words[:-1]))))
    pieces = [*_split_outside_braces(" ".join(words), ",")]
    if named := [match for piece in pieces if (match := _PART.fullmatch(piece))]:
        parts = {match["part"]: _decode(match["text"]) for match in named}
        return join_parts(
            NameParts(parts.get("family", ""), parts.get("given", ""), parts.get("prefix", ""), parts.get("suffix", ""))
        )
    name = to_given_first(",".join(map(_decode, pieces)))
    if isinstance(name, PersonName) and is_east_asian(name.parts.given) and _is_enclosed(pieces[-1].strip()):
        return PersonName(f"{name.parts.family} {name.parts.given}", name.parts)  # as readtrack writes it
    return name


def _split_outside_braces(text: str, separator: str) -> Iterator[str]:
    """Yield the parts between separators outside of braces; for a blank separator, between spaces."""
    depth, start = 0, 0
    text = " ".join(text.split())
    for position, character in enumerate(text):
        if character in "{}" and text[position - 1 : position] != "\\":
            depth = max(0, depth + (1 if character == "{" else -1))
        elif character == separator and depth == 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _is_enclosed(word: str) -> bool:
    """Return True if one pair of braces encloses the word, which is no accent."""
    if not (word.startswith("{") and word.endswith("}")) or word.startswith("{\\"):
        return False
    inner = word[1:-1]
    return "}" not in inner.split("{", 1)[0]


def _decode(text: str) -> str:
    return decode_latex(text, lone_braces=False).strip()
