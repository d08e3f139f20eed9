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


def _issued(year: int | None, published_on: date | None) -> dict[str, object]:
    if published_on is not None:
        return {"date-parts": [[published_on.year, published_on.month, published_on.day]]}
    return {"date-parts": [[year]]} if year else {}


def _name(name: str) -> dict[str, str]:
    """Split a name by BibTeX's rules: before a comma, else the last word with its particles.

    Names in other scripts and single words are kept whole.
    """
    family, comma, given = name.partition(",")
    if comma:
        return {"family": family.strip(), "given": given.strip()}
    words = name.split()
    if len(words) == 1 or not all(character < "\u0250" or not character.isalpha() for character in name):
        return {"literal": name}
    start = next((index for index, word in enumerate(words[1:-1], 1) if word[0].islower()), len(words) - 1)
    return {"family": " ".join(words[start:]), "given": " ".join(words[:start])}


EXPORT = Export("application/vnd.citationstyles.csl+json; charset=utf-8", ".json", render)
