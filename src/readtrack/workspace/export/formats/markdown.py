"""Markdown export: a reading list with the team's summaries."""

import re
from collections.abc import Iterable, Iterator

from readtrack.workspace.export.formats import Export, ExportPaper, one_line

MARK = "<!-- exported by readtrack, for reading -->"  # by which an import recognizes that the list is not for it
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&@-])")
_MAX_AUTHORS = 20


def render(papers: Iterable[ExportPaper]) -> Iterator[str]:
    """Yield one section per paper, in the given order."""
    yield f"{MARK}\n"
    for paper in papers:
        yield "\n".join(["", *_section(paper), ""])


def _section(paper: ExportPaper) -> Iterator[str]:
    title = _escape_text(paper.title) or f"Paper {paper.id}"
    yield f"## [{title}](<{_address(paper.address)}>)" if paper.address else f"## {title}"
    facts = [_authors(paper), _escape_text(paper.venue), str(paper.year or "")]
    names = [f"`{scheme}:{one_line(key).replace('`', '')}`" for scheme, key in paper.identifiers if scheme != "url"]
    fact_line = " · ".join(fact for fact in [*facts, *names] if fact)
    topics = " · ".join(map(_escape_text, paper.topics))
    yield from (
        f"\n{line}" for line in (fact_line, f"Topics: {topics}" if topics else "", _escape_text(paper.abstract)) if line
    )
    for person, tldr, text in paper.summaries:
        yield f"\n### {_escape_text(person)}" + (f": {_escape_text(tldr)}" if tldr else "")
        yield f"\n{text.strip()}"


def _authors(paper: ExportPaper) -> str:
    remainder = [f"and {len(paper.authors) - _MAX_AUTHORS:,} more"] if len(paper.authors) > _MAX_AUTHORS else []
    return ", ".join([*map(_escape_text, paper.authors[:_MAX_AUTHORS]), *remainder])


def _escape_text(text: str) -> str:
    """Return the text on one line with Markdown characters escaped."""
    return _SPECIAL.sub(r"\\\1", one_line(text))


def _address(url: str) -> str:
    return one_line(url).replace("\\", "%5C").replace("<", "%3C").replace(">", "%3E").replace(" ", "%20")


EXPORT = Export("text/markdown; charset=utf-8", ".md", render)
