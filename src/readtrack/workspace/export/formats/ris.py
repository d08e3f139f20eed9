"""RIS export for reference managers. Values are cleaned so that they cannot end a record."""

from collections.abc import Iterable, Iterator

from readtrack.infra.text.person_names import write_inverted
from readtrack.workspace.export.formats import MASTERS_THESIS, PROVIDER, PUBLISHED_ALONE, Export, ExportPaper, one_line

_KINDS = {"article": "BLOG", "video": "VIDEO", "slides": "SLIDE", "code": "COMP"}
_TYPES = {
    "journal_article": "JOUR",
    "conference_paper": "CONF",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "masters_thesis": "THES",
    "report": "RPRT",
}


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield one record per paper, in the given order."""
    for paper in papers:
        lines = [f"{tag}  - {value}" for tag, text in _fields(paper) if (value := one_line(text))]
        yield "".join(f"{line}\r\n" for line in [*lines, "ER  - ", ""])


def _type(paper: ExportPaper) -> str:
    if paper.kind != "paper":
        return _KINDS.get(paper.kind, "ELEC")
    return _TYPES.get(paper.cited_as, "UNPB")


def _fields(paper: ExportPaper) -> Iterator[tuple[str, str]]:
    arxiv = paper.key("arxiv")
    yield "TY", _type(paper)
    yield "ID", paper.citation_key
    yield "TI", paper.title
    yield from (("AU", write_inverted(name)) for name in paper.authors)
    yield "PY", str(paper.issued[0]) if paper.issued else ""
    yield "DA", "{:04}/{:02}/{:02}/".format(*paper.issued) if len(paper.issued) > 1 else ""
    yield "PB" if paper.cited_as in PUBLISHED_ALONE else "T2", paper.venue
    yield "M3", MASTERS_THESIS if paper.cited_as == "masters_thesis" else ""
    yield "DO", paper.key("doi")
    yield "AN", f"arXiv:{arxiv}" if arxiv else ""
    yield "UR", paper.address
    yield from (("L1", url) for url, role in paper.links if role == "pdf")
    yield "DP", PROVIDER  # identifies records whose topics are one per line, commas included
    yield from (("KW", topic) for topic in paper.topics)
    yield "LA", paper.language
    yield "AB", paper.abstract


EXPORT = Export("application/x-research-info-systems; charset=utf-8", ".ris", render)
