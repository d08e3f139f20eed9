"""CSL-JSON export for citation processors and reference managers."""

import json
from collections.abc import Iterable, Iterator

from readtrack.infra.text.person_names import is_spaced, name_parts
from readtrack.infra.text.topic_lists import join_topic_names
from readtrack.workspace.export.formats import (
    MASTERS_THESIS,
    PROVIDER,
    PUBLISHED_ALONE,
    Export,
    ExportPaper,
    one_line,
    split_paragraphs,
)

_KINDS = {"article": "post-weblog", "video": "motion_picture", "slides": "speech", "code": "software"}
_TYPES = {
    "journal_article": "article-journal",
    "conference_paper": "paper-conference",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "masters_thesis": "thesis",
    "report": "report",
}


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield one item per paper, in the given order."""
    yield "["
    for number, paper in enumerate(papers):
        yield (",\n" if number else "\n") + json.dumps(to_item(paper), ensure_ascii=False)
    yield "\n]\n"


def to_item(paper: ExportPaper) -> dict[str, object]:
    """Return a paper as a CSL item."""
    arxiv, is_alone = paper.key("arxiv"), paper.cited_as in PUBLISHED_ALONE
    venue = paper.published_in if paper.kind == "paper" else one_line(paper.venue)
    fields: dict[str, object] = {
        "id": paper.citation_key,
        "type": _type(paper),
        "genre": MASTERS_THESIS if paper.cited_as == "masters_thesis" else "",
        "title": one_line(paper.title),
        "author": [_name(name) for name in paper.authors if one_line(name)],
        "issued": {"date-parts": [list(paper.issued)]} if paper.issued else {},
        "container-title": "" if is_alone else venue,
        "publisher": venue if is_alone and venue else "arXiv" if arxiv and not paper.published_in else "",
        "number": f"arXiv:{arxiv}" if arxiv and not paper.published_in else "",
        "archive": "arXiv" if arxiv and paper.published_in else "",
        "archive_location": f"arXiv:{arxiv}" if arxiv and paper.published_in else "",
        "DOI": paper.key("doi"),
        "URL": paper.address,
        "keyword": join_topic_names(map(one_line, paper.topics)),
        "custom": _custom(paper),
        "language": paper.language,
        "abstract": "\n\n".join(split_paragraphs(paper.abstract)),
    }
    return {name: value for name, value in fields.items() if value}


def _custom(paper: ExportPaper) -> dict[str, object]:
    """Return what only readtrack reads: that every keyword is a topic, and the names that are shown with a space."""
    spaced = [one_line(name) for name in paper.authors if is_spaced(name)]
    fields: dict[str, object] = {"spaced": spaced} if spaced else {}
    return {"source": PROVIDER, **fields} if fields or paper.topics else {}


def _type(paper: ExportPaper) -> str:
    if paper.kind != "paper":
        return _KINDS.get(paper.kind, "webpage")
    return _TYPES.get(paper.cited_as, "article")


def _name(name: str) -> dict[str, str]:
    parts = name_parts(name)
    if not one_line(parts.given):
        return {"literal": one_line(name)}
    fields = {
        "family": parts.family,
        "given": parts.given,
        "non-dropping-particle": parts.particle,
        "suffix": parts.suffix,
    }
    return {field: text for field, part in fields.items() if (text := one_line(part))}


EXPORT = Export("application/vnd.citationstyles.csl+json; charset=utf-8", ".json", render)
