"""Parsing of author lists whose role is known, such as "Yao Lu" or "陆游".

Detection of names is in person_names.py.
"""

import re
from collections.abc import Iterable

from readtrack.infra.text.printable import clean
from readtrack.infra.text.titles.cjk import CJK

_AND = re.compile(r"\s(?:and|und|et|&)\s|\s?&\s?", re.IGNORECASE)
_APA = re.compile(r"(?P<family>[^,&;]{1,60}), (?P<given>(?:[^\W\d_]\.[ -]?){1,4})")
_OTHERS = re.compile(r"(?:others|et al\.?|\.{2,3}|…|等)", re.IGNORECASE)
_ET_AL = re.compile(r",?\s(?:et al\.?|等)$", re.IGNORECASE)
_AFFILIATION = re.compile(r"\s?\([^()]{1,200}\)")
_LATIN = re.compile("[A-Za-z]")
_COMMAS = re.compile(r"[,，、]")
_BETWEEN = re.compile(r"(?<!\s)\s+and\s+", re.IGNORECASE)
_MAX_CHARS = 1000


def parse_author_list(text: str) -> tuple[str, ...]:
    """Parse authors in running text.

    Examples: "A. Vaswani, N. Shazeer and N. Parmar", "Fang, Y., & Ji, W.", "Li et al.".
    """
    cleaned = _AFFILIATION.sub("", _ET_AL.sub("", text.strip()))
    matches = list(_APA.finditer(cleaned))
    if matches and len(matches) >= cleaned.count(",") // 2:
        return tuple(f"{match['given'].strip()} {match['family'].strip(' .')}" for match in matches)
    if ";" in cleaned or (" and " in cleaned and all("," in name for name in cleaned.split(" and "))):
        return clean_names(to_given_first(name) for name in re.split(r";|\sand\s", cleaned))
    return clean_names(name for part in _AND.split(cleaned) for name in _COMMAS.split(part))


def parse_bibtex_authors(text: str) -> tuple[str, ...]:
    """Parse BibTeX authors: names joined by "and", each "First Last" or "Last, Jr, First"."""
    return clean_names(to_given_first(name) for name in _BETWEEN.split(" ".join(text.split()), maxsplit=_MAX_CHARS))


def to_given_first(name: str) -> str:
    """Return "Lu, Yao" as "Yao Lu".

    CJK names keep their order, without a space if they have no Latin letters.
    """
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if len(parts) < 2:
        return " ".join(parts)
    if CJK.search(name):
        return (" " if _LATIN.search(name) else "").join(parts)
    family, given = parts[0], parts[-1]
    return " ".join([given, family, *parts[1:-1]])


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without "others" and empty ones."""
    cleaned = (clean(name).strip(" ,;") for name in names)
    return tuple(name for name in cleaned if name and not _OTHERS.fullmatch(name))[:_MAX_CHARS]
