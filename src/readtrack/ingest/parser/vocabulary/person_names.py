"""Detection of author names.

Examples: `A. Author, B. Writer and C. Third`, `Author et al.`, `Author, A.`
"""

import re

from readtrack.infra.text.titles.vocabulary import VENUES

_PARTICLE = r"(?:van|von|de|der|den|del|della|di|da|dos|la|le|el|al|bin|ibn|ter|ten|zu|y)"
_PART = r"(?:Mc|Mac|Fitz|Vander|De|Di|Da|La|Le|Van|O['’]|D['’])?[^\W\d_a-z][^\W\dA-Z_]{0,25}\.?"
_GIVEN = rf"(?:[A-Z]\.(?:-?[A-Z]\.){{0,3}}|{_PART}(?:[-‐'’]{_PART}){{0,2}}|[A-Z]{{1,2}})"
_NAME = re.compile(rf"{_GIVEN}(?:\s(?:{_GIVEN}|{_PARTICLE}|[IVX]{{1,3}}|[Jj]r\.?)){{1,4}}")
_LAST_FIRST = re.compile(rf"{_GIVEN}\s?,\s?(?:[A-Z]\.?[\s-]?){{1,3}}(?![A-Za-z])")
_SURNAME = re.compile(_GIVEN)
_TURNED = re.compile(rf"(?:{_PARTICLE}\s){{0,2}}{_GIVEN}(?:\s{_GIVEN})?, {_GIVEN}(?:\s{_GIVEN}){{0,3}}")
_YEAR_LAST = re.compile(r"[\s,.]{1,3}[(\[]?(?:(?:19|20)\d\d[a-z]?|n\.d|forthcoming)[)\]]?[.,:]?\s*$")
_AND = re.compile(r"(?<!\s)(?:\s*[,，、;；](?:\s*(?:and|&)\s)?|\s+(?:and|&)\s)\s*")
_ET_AL = re.compile(r"(?<![\s,])[\s,]*(?:\bet\.?\s?al\b\.?|\band others\b|等人?$|\bet\s*$|\.\.\.$|…$)", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s?[(（\[][^()（）\[\]]{0,120}[)）\]]")
_INITIAL_LAST = re.compile(r"[\s.-][A-Z]$")
_MARKS = re.compile(r"[*†‡§¶∗⋆#]|\^\d|[¹²³⁴⁵]")
_VENUE = re.compile(rf"(?:{VENUES}|arxiv|preprint|corr)\b.{{0,20}}", re.IGNORECASE)
_CJK_NAME = re.compile("[\u3040-\u30ff\u3400-\u9fff·・]{2,12}")
_NO_NAMES = re.compile(
    r"\b(?:the|of|for|with|using|via|towards?|from|in|on|to|is|are|learning|networks?|models?|systems?|deep|neural|data|"
    r"efficient|fast|survey|language|attention|training|inference|workshop|university|institute|research|labs?|conference|"
    r"proceedings|transactions|journal|science|computing|intelligence|robotics|security|spotlight|oral|award|google|meta|"
    r"theory|practices?|tutorial|guide|explained|kernel|"
    r"methods|policy|problems|directions|challenges|trends|tools|"  # and words with endings that names do not have
    r"[a-z]{3,15}(?:tions?|sions?|ities|[blv]ity|olog(?:y|ies)|[dt]ware|ness|ysis|ithms?|ectures?|ectives?|iques))\b",
    re.IGNORECASE,
)
_INITIALLED = re.compile(
    rf"(?:(?:and|&)\s)?(?P<name>(?:{_PARTICLE}\s){{0,2}}{_GIVEN}(?:\s{_GIVEN})?,\s[A-Z]\.(?:[\s-]?[A-Z]\.){{0,3}})[,;]?\s{{1,2}}"
)
_LONGEST, _MOST = 2000, 100


def names_in(text: str) -> tuple[str, ...]:
    """Return the names if the whole text is a list of them, otherwise ().

    A single name needs an "et al.".
    """
    cleaned = _MARKS.sub("", _IN_BRACKETS.sub("", text[:_LONGEST])).strip(" ,，;；.。:：-–—*_")
    without_et_al = _ET_AL.sub("", cleaned).strip(" ,，;.")
    among_others = without_et_al != cleaned
    without_et_al = f"{without_et_al}." if _INITIAL_LAST.search(without_et_al) else without_et_al
    if not without_et_al or _NO_NAMES.search(without_et_al):
        return ()
    if _LAST_FIRST.match(without_et_al):
        return _last_first(without_et_al, minimum=1 if among_others else 2)
    parts = [part for part in _AND.split(without_et_al) if part]
    if among_others and all(_is_name(part) or _SURNAME.fullmatch(part) for part in parts):
        return tuple(parts)
    return tuple(parts) if len(parts) > 1 and all(map(_is_name, parts)) else ()


def is_name(text: str) -> bool:
    """Return True for one name of at least two words that is no venue."""
    return _is_name(text.strip(" .*_")) and not _NO_NAMES.search(text)


def _is_name(name: str) -> bool:
    return (
        (_NAME.fullmatch(name) is not None or _CJK_NAME.fullmatch(name) is not None)
        and not _VENUE.fullmatch(name)
        and not any(len(word) > 3 and word.isupper() and "." not in word for word in name.split())
    )


def surname_first(text: str) -> tuple[str, ...]:
    """Return a single inverted name such as `Lamport, L.`, otherwise ()."""
    name = text.strip(" ,;*_")
    return (name,) if _LAST_FIRST.fullmatch(name) else ()


def parse_inverted_names(text: str) -> tuple[str, ...]:
    """Parse names of which only the first is inverted.

    Example: `Author, Ann B., Ben Writer, and C. Third. 2019.`
    """
    cleaned = _YEAR_LAST.sub("", text).strip(" ,;:*_")
    cleaned = cleaned if _INITIAL_LAST.search(cleaned.rstrip(".")) else cleaned.rstrip(".")
    surname, _, rest = cleaned.partition(", ")
    given, *others = [part for part in _AND.split(_ET_AL.sub("", rest)) if part] or [""]
    if not _TURNED.fullmatch(f"{surname}, {given}") or _NO_NAMES.search(cleaned) or not all(map(_is_name, others)):
        return ()
    return (f"{given} {surname}", *others)


def are_surnames(text: str) -> tuple[str, ...]:
    """Return surnames such as `Howard and Parr`, for text that can only be names."""
    parts = [part for part in _AND.split(_ET_AL.sub("", text.strip(" ,;*_"))) if part]
    are_names = all(_SURNAME.fullmatch(part) or _is_name(part) for part in parts)
    return tuple(parts) if parts and are_names and not _NO_NAMES.search(text) and not _VENUE.fullmatch(text) else ()


def initialled_first(text: str) -> tuple[tuple[str, ...], str]:
    """Split `Author, A. B., Writer, C., and Third, D. The title` into names and the rest."""
    names: list[str] = []
    position = 0
    while len(names) < _MOST and (match := _INITIALLED.match(text, position)):
        names.append(match["name"])
        position = match.end()
    return tuple(names), text[position:]


def _last_first(text: str, *, minimum: int) -> tuple[str, ...]:
    """Parse `Author, A. B., Writer, C.`, where every second comma separates two people."""
    names = _LAST_FIRST.findall(text)
    rest = _AND.sub("", _LAST_FIRST.sub("", text)).strip(" .,&")
    return tuple(name.strip(" ,") for name in names) if len(names) >= minimum and rest in {"", "and"} else ()
