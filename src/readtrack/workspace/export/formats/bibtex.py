"""BibTeX export. Unicode is kept, and values are escaped so that they cannot end their field."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from readtrack.workspace.export.formats import Export, ExportPaper, one_line, remove_separators

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",  # not \{ : BibTeX counts braces without regard to the backslash
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "@": "{@}",  # some parsers take "@word {" for a new entry anywhere
    **{character: "\\" + character for character in "&%$#_"},
}
_ESCAPES = str.maketrans(_SPECIAL)
_LIGATURE = re.compile(r"([-'])(?=\1)|`")  # two of these would be set as one sign; a tick may open a quotation
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]|[A-Z]\d")
_FIELD_END = re.compile(r"[{}\\\s]")
_SMALL_WORDS = {"a", "an", "the", "on", "of", "for", "in", "to", "and", "with", "is", "are", "at", "by", "from"}


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield one entry per paper, in the given order."""
    for number, (key, paper) in enumerate(pair_with_keys(papers)):
        yield ("\n" if number else "") + _entry(paper, key)


def pair_with_keys(papers: Iterable[ExportPaper]) -> Iterator[tuple[str, ExportPaper]]:
    """Pair each paper with a key such as `he2024unicron`.

    Of papers with the same key, the oldest keeps it and the others append their id, so that adding papers never changes
    a key.
    """
    used_keys = set[str]()
    for paper in papers:
        key = _plain_key(paper)
        yield (f"{key}-{paper.id}" if key in used_keys else key), paper
        used_keys.add(key)


def _plain_key(paper: ExportPaper) -> str:
    family = _ascii_words(_family(paper.authors[0]))[-1:] if paper.authors else []
    words = [word for word in _ascii_words(paper.title) if word not in _SMALL_WORDS]
    return "".join([*(family or ["anon"]), str(_year(paper) or ""), *(words[:1] or [f"paper{paper.id}"])])


def _family(name: str) -> str:
    """Return the part before a comma, else the last word."""
    family, comma, _ = name.partition(",")
    words = (family if comma else name).split()
    return family if comma else "".join(words[-1:])


def _ascii_words(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", text).replace("'", "").replace("’", "")
    base_text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return re.findall(r"[a-z0-9]+", base_text.lower())


def _year(paper: ExportPaper) -> int | None:
    return paper.year or (paper.published_on.year if paper.published_on else None)


def _entry(paper: ExportPaper, key: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in _fields(paper).items() if value]
    return "\n".join([f"@{_kind(paper)}{{{key},", *lines, "}", ""])


def _kind(paper: ExportPaper) -> str:
    if paper.kind != "paper" or not paper.venue.strip():
        return "misc"
    return "article" if paper.in_journal else "inproceedings"


def _fields(paper: ExportPaper) -> dict[str, str]:
    venue = {"inproceedings": "booktitle", "article": "journal", "misc": "howpublished"}[_kind(paper)]
    arxiv = paper.key("arxiv")
    return {
        "title": " ".join(_title_word(word) for word in one_line(paper.title).split()),
        "author": " and ".join(_author(name) for name in paper.authors if one_line(name)),
        "year": str(_year(paper) or ""),
        venue: _escape_text(paper.venue),
        "doi": _address(paper.key("doi")),
        "eprint": _address(arxiv),
        "archiveprefix": "arXiv" if arxiv else "",
        "url": _address(paper.address),
        "language": _escape_text(paper.language),
        "keywords": ", ".join(_escape_text(remove_separators(topic)) for topic in paper.topics),
        "abstract": _escape_text(paper.abstract),
    }


def _title_word(word: str) -> str:
    """Protect inner capitals (GPipe, LLM) with braces, against styles that lower-case titles."""
    escaped_word = _escape_text(word)
    return f"{{{escaped_word}}}" if _INNER_CAPITAL.search(word) else escaped_word


def _author(name: str) -> str:
    escaped_name = _escape_text(name)
    needs_braces = re.search(r"\band\b|\bothers\b", escaped_name, re.IGNORECASE) or escaped_name.count(",") > 1
    return f"{{{escaped_name}}}" if needs_braces else escaped_name


def _escape_text(text: str) -> str:
    return _LIGATURE.sub(r"\g<0>{}", one_line(text).translate(_ESCAPES))


def _address(text: str) -> str:
    """Return a URL or identifier for a link: only characters that would end the field are encoded."""
    return _FIELD_END.sub(lambda match: quote(match[0]), one_line(text))


EXPORT = Export("application/x-bibtex; charset=utf-8", ".bib", render)
