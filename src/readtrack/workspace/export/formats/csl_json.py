"""CSL-JSON export for citation processors and reference managers."""

import json
from collections.abc import Iterable, Iterator
from datetime import date

from readtrack.workspace.export.formats import Export, ExportPaper, one_line, remove_separators

_KINDS = {"article": "post-weblog", "video": "motion_picture", "slides": "speech", "code": "software"}


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield one item per paper, in the given order."""
    yield "["
    for number, paper in enumerate(papers):
        yield (",\n" if number else "\n") + json.dumps(_item(paper), ensure_ascii=False)
    yield "\n]\n"


def _item(paper: ExportPaper) -> dict[str, object]:
    arxiv = paper.key("arxiv")
    fields: dict[str, object] = {
        "id": str(paper.id),
        "type": _kind(paper),
        "title": one_line(paper.title),
        "author": [_name(one_line(name)) for name in paper.authors if one_line(name)],
        "issued": _issued(paper.year, paper.published_on),
        "container-title": one_line(paper.venue),
        "DOI": paper.key("doi"),
        "number": f"arXiv:{arxiv}" if arxiv else "",
        "URL": paper.address,
        "keyword": ", ".join(remove_separators(topic) for topic in paper.topics),
        "language": paper.language,
        "abstract": one_line(paper.abstract),
    }
    return {name: value for name, value in fields.items() if value}


def _kind(paper: ExportPaper) -> str:
    if paper.kind != "paper":
        return _KINDS.get(paper.kind, "webpage")
    if not paper.venue.strip():
        return "article"
    return "article-journal" if paper.in_journal else "paper-conference"


def _issued(year: int | None, on: date | None) -> dict[str, object]:
    if on is not None:
        return {"date-parts": [[on.year, on.month, on.day]]}
    return {"date-parts": [[year]]} if year else {}


def _name(name: str) -> dict[str, str]:
    """Split a name by BibTeX's rules: before a comma, else the last word with its particles.

    Names in other scripts and single words are kept whole.
    """
    before, comma, after = name.partition(",")
    if comma:
        return {"family": before.strip(), "given": after.strip()}
    words = name.split()
    if len(words) == 1 or not all(letter < "\u0250" or not letter.isalpha() for letter in name):
        return {"literal": name}
    start = next((at for at, word in enumerate(words[1:-1], 1) if word[0].islower()), len(words) - 1)
    return {"family": " ".join(words[start:]), "given": " ".join(words[:start])}


EXPORT = Export("application/vnd.citationstyles.csl+json; charset=utf-8", ".json", render)
