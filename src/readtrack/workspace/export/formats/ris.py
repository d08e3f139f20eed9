"""RIS export for reference managers. Values are cleaned so that they cannot end a record."""

from collections.abc import Iterable, Iterator

from readtrack.workspace.export.formats import Export, ExportPaper, one_line

PROVIDER = "readtrack"
_KINDS = {"article": "BLOG", "video": "VIDEO", "slides": "SLIDE", "code": "COMP"}


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield one record per paper, in the given order."""
    for paper in papers:
        lines = [f"{tag}  - {value}" for tag, text in _fields(paper) if (value := one_line(text))]
        yield "".join(f"{line}\r\n" for line in [*lines, "ER  - ", ""])


def _kind(paper: ExportPaper) -> str:
    if paper.kind != "paper":
        return _KINDS.get(paper.kind, "ELEC")
    if not paper.venue.strip():
        return "UNPB"
    return "JOUR" if paper.in_journal else "CONF"


def _fields(paper: ExportPaper) -> Iterator[tuple[str, str]]:
    arxiv = paper.key("arxiv")
    yield "TY", _kind(paper)
    yield "ID", str(paper.id)
    yield "TI", paper.title
    yield from (("AU", name) for name in paper.authors)
    yield "PY", str(paper.year or (paper.published_on.year if paper.published_on else ""))
    yield "DA", f"{paper.published_on:%Y/%m/%d}/" if paper.published_on else ""
    yield "T2", paper.venue
    yield "DO", paper.key("doi")
    yield "AN", f"arXiv:{arxiv}" if arxiv else ""
    yield "UR", paper.address
    yield from (("L1", url) for url, role in paper.links if role == "pdf")
    yield "DP", PROVIDER  # identifies records whose topics are one per line, commas included
    yield from (("KW", topic) for topic in paper.topics)
    yield "LA", paper.language
    yield "AB", paper.abstract


EXPORT = Export("application/x-research-info-systems; charset=utf-8", ".ris", render)
