"""BibTeX: entries for LaTeX. Unicode stays; what people or sources typed cannot break out of its field."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import quote

from readtrack.exports import Export, ExportPaper

_JOURNAL = re.compile(
    r"\b(?:journal|transactions|trans|letters|magazine|review|communications|vldb|pvldb|cacm|jmlr|tmlr|tpds|tocs|tods)\b",
    re.IGNORECASE,
)
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",  # not \{ : BibTeX counts braces without looking at the backslash
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "@": "{@}",  # some readers take "@word {" for a new entry wherever it stands
    **{character: "\\" + character for character in "&%$#_"},
}
_ESCAPES = str.maketrans(_SPECIAL)
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]|[A-Z]\d")
_FIELD_END = re.compile(r"[{}\\\s]")
_SMALL_WORDS = {"a", "an", "the", "on", "of", "for", "in", "to", "and", "with", "is", "are", "at", "by", "from"}


def render(papers: Sequence[ExportPaper]) -> str:
    """One entry per paper, in the given order."""
    keys = entry_keys(papers)
    return "\n".join(_entry(paper, keys[paper.id]) for paper in papers)


def entry_keys(papers: Sequence[ExportPaper]) -> dict[int, str]:
    """`he2024unicron` by paper id. Of papers that would share a key the oldest keeps it and the others add their id,
    so that a key never changes because a paper was added later.
    """
    claims: dict[str, list[int]] = defaultdict(list)
    for paper in sorted(papers, key=lambda paper: paper.id):
        claims[_plain_key(paper)].append(paper.id)
    return {
        number: key if number == numbers[0] else f"{key}-{number}"
        for key, numbers in claims.items()
        for number in numbers
    }


def _plain_key(paper: ExportPaper) -> str:
    family = _ascii_words(_family(paper.authors[0]))[-1:] if paper.authors else []
    words = [word for word in _ascii_words(paper.title) if word not in _SMALL_WORDS]
    return "".join([*(family or ["anon"]), str(_year(paper) or ""), *(words[:1] or [f"paper{paper.id}"])])


def _family(name: str) -> str:
    """The part before a comma, else the last word."""
    before, comma, _ = name.partition(",")
    words = (before if comma else name).split()
    return before if comma else "".join(words[-1:])


def _ascii_words(text: str) -> list[str]:
    letters = unicodedata.normalize("NFKD", text).replace("'", "").replace("’", "")
    joined = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.findall(r"[a-z0-9]+", joined.lower())


def _year(paper: ExportPaper) -> int | None:
    return paper.year or (paper.published_on.year if paper.published_on else None)


def _entry(paper: ExportPaper, key: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in _fields(paper).items() if value]
    return "\n".join([f"@{_kind(paper)}{{{key},", *lines, "}", ""])


def _kind(paper: ExportPaper) -> str:
    if paper.kind != "paper" or not paper.venue.strip():
        return "misc"
    return "article" if _JOURNAL.search(paper.venue) else "inproceedings"


def _fields(paper: ExportPaper) -> dict[str, str]:
    venue = {"inproceedings": "booktitle", "article": "journal", "misc": "howpublished"}[_kind(paper)]
    arxiv = paper.key("arxiv")
    return {
        "title": " ".join(_title_word(word) for word in _clean(paper.title).split()),
        "author": " and ".join(_author(name) for name in paper.authors if _clean(name)),
        "year": str(_year(paper) or ""),
        venue: _escaped(paper.venue),
        "doi": _address(paper.key("doi")),
        "eprint": _address(arxiv),
        "archiveprefix": "arXiv" if arxiv else "",
        "url": _address(_url(paper)),
        "language": _escaped(paper.language),
        "keywords": ", ".join(_escaped(topic).replace(",", " ") for topic in paper.topics),
        "abstract": _escaped(paper.abstract),
    }


def _title_word(word: str) -> str:
    """Braces keep the capitals of GPipe and LLM where a style would write the title small."""
    escaped = _escaped(word)
    return f"{{{escaped}}}" if _INNER_CAPITAL.search(word) else escaped


def _author(name: str) -> str:
    escaped = _escaped(name)
    splits = re.search(r"\band\b|\bothers\b", escaped, re.IGNORECASE) or escaped.count(",") > 1
    return f"{{{escaped}}}" if splits else escaped


def _escaped(text: str) -> str:
    return _clean(text).translate(_ESCAPES)


def _clean(text: str) -> str:
    """One line without control characters."""
    visible = "".join(" " if unicodedata.category(letter) in {"Cc", "Cs"} else letter for letter in text)
    return " ".join(visible.split())


def _url(paper: ExportPaper) -> str:
    landing = [url for url, role in paper.links if role == "landing"]
    return next(iter([*landing, *(url for url, _ in paper.links)]), "")


def _address(text: str) -> str:
    """As it is, for links; only what would end the field is encoded."""
    return _FIELD_END.sub(lambda found: quote(found[0]), _clean(text))


EXPORT = Export("application/x-bibtex; charset=utf-8", ".bib", render)
