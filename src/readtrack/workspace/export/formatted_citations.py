"""Formatted citations of a paper, by citeproc-py and the styles in `citation_styles/`.

A citation names the paper's own identifiers and pages, so that it can be passed on.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from readtrack.infra import resources
from readtrack.infra.db import Read
from readtrack.infra.errors import invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.person_names import is_east_asian, name_parts, undivided
from readtrack.library.papers import lists
from readtrack.workspace.export.formats import ExportPaper, all_exports, one_line
from readtrack.workspace.export.formats.csl_json import to_item
from readtrack.workspace.export.stream import gather_papers

STYLES: Mapping[str, str] = {"apa": "APA", "ieee": "IEEE", "acm": "ACM"}  # with their names
BIBTEX = "bibtex"
_KEY = "paper"
_IN_CONTAINERS = frozenset({"paper-conference", "chapter"})
_WEB = frozenset({"webpage", "post-weblog"})
_NUMBER = re.compile(r"\[1\]\s*")
_DOUBLE_STOP = re.compile(r"(?<=\.)(?:\s+\.)+")
_QUOTED_MARK = re.compile("”([,.])")
_EMPTY_DATE = re.compile(r", \.(?=\s|$)")  # of ACM, behind the venue
_EMPTY_NUMBER = re.compile(r" \(Publication\)(?= \[)")  # of APA, for a thesis
_RETRIEVED = re.compile(r"\bRetrieved (?=https?://)")  # of APA, whose date of retrieval is not known
_ASKED_STOP = re.compile(r"(?<=[?!])\.")


@dataclass(frozen=True)
class FormattedCitation:
    """A citation in a style."""

    style: str
    label: str
    text: str


def list_formatted_citations(tx: Read, me: CurrentUser, paper_id: int) -> list[FormattedCitation]:
    """Return the citations of a paper in all styles, and its BibTeX entry. Raise NotFound."""
    paper = _load_paper(tx, me, paper_id)
    citations = [FormattedCitation(style, label, format_citation(paper, style)) for style, label in STYLES.items()]
    return [*citations, FormattedCitation(BIBTEX, "BibTeX", all_exports()[BIBTEX].render_document([paper]))]


def get_formatted_citation(tx: Read, me: CurrentUser, paper_id: int, style: str) -> str:
    """Return the citation of a paper in a style. Raise NotFound, or Invalid for an unknown style."""
    if style not in STYLES:
        message = _("`style` must be one of {known}.").format(known=", ".join(STYLES))
        raise invalid_field("/style", "unknown-style", message)
    return format_citation(_load_paper(tx, me, paper_id), style)


def format_citation(paper: ExportPaper, style: str) -> str:
    """Return the citation of a paper as plain text."""
    # Late, because citeproc-py is slow to import and few processes need it.
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

    # Read each time (20 ms), because lxml's trees must not be shared between threads.
    path = resources.find("citation_styles") / f"{style}.csl"
    rules = CitationStylesStyle(str(path), validate=False)
    bibliography = CitationStylesBibliography(rules, CiteProcJSON([_item(paper, style)]), formatter.plain)
    bibliography.register(Citation([CitationItem(_KEY)]))
    (entry,) = bibliography.bibliography()
    return _tidy(str(entry))


def _load_paper(tx: Read, me: CurrentUser, paper_id: int) -> ExportPaper:
    lists.get_row(tx, me, paper_id)
    (paper,) = gather_papers(tx, me, [paper_id])
    return paper


def _item(paper: ExportPaper, style: str) -> dict[str, object]:
    """Return the CSL item of a paper in a form that citeproc-py formats correctly."""
    authors = [name for name in paper.authors if one_line(name)]
    names = (f"{scheme}:{key}" for scheme, key in paper.identifiers)
    title = one_line(paper.title) or next(names, f"Paper {paper.id}")
    if style == "apa" and not authors:  # the title takes their place; citeproc-py would repeat it
        authors, title = [undivided(title)], ""
    shown = [_as_written(name) for name in authors]
    item = to_item(replace(paper, title=title, authors=tuple(shown), abstract="", topics=(), language=""))
    if item["type"] in _IN_CONTAINERS and "container-title" not in item:  # the styles would write "In" anyway
        item["type"] = "article"
    if style == "ieee" and item["type"] in _WEB:  # of which the style omits the year
        item["container-title"] = ", ".join(filter(None, [one_line(paper.venue), *map(str, paper.issued[:1])]))
    return {name: value for name, value in item.items() if not name.startswith("archive")} | {"id": _KEY}


def _as_written(name: str) -> str:
    """Keep Chinese, Japanese and Korean names whole, of which citeproc-py would make initials."""
    return undivided(name) if is_east_asian(name_parts(name).given) else name


def _tidy(text: str) -> str:
    """Return the text without the number in a list, and with punctuation where American English has it."""
    text = _EMPTY_NUMBER.sub("", _EMPTY_DATE.sub(".", text))
    text = _DOUBLE_STOP.sub("", _NUMBER.sub("", one_line(text), count=1).replace("ArXiv:", "arXiv:"))
    text = _ASKED_STOP.sub("", _RETRIEVED.sub("", text))
    text = _QUOTED_MARK.sub(r"\1”", text).rstrip(" ,")
    return text if text.endswith((".", "?", "!", "”")) or re.search(r"\bhttps?://\S+$", text) else f"{text}."
