"""Suggestions from identifiers and URLs in a paper's links, abstract or note entries."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Entry, Link, Paper
from readtrack.library.papers import lookup
from readtrack.library.relations.suggestions.by_title import DOES
from readtrack.library.relations.suggestions.candidates import RelatedPair, RelationCandidate, find_listed_papers
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

_MAX_ADDRESSES = 60  # addresses per paper that are checked
_MAX_NOTE_LINES = 20  # entries of notes
_ADDRESS = re.compile(
    r"https?://[^\s<>\"'()\[\]（）「」【】]+|arxiv:\s?\d{4}\.\d{4,5}|\b10\.\d{4,9}/[^\s<>\"]+", re.IGNORECASE
)
BY_LINK = N_("One of its links leads to {label}.")
BY_TEXT = N_("Its abstract or description names {label}.")
BY_LINE = N_("The same line of notes names {label}.")


class _SourceText(NamedTuple):
    text: str
    reason: str


def find_identifier_mentions(tx: Read, paper: RelationCandidate) -> list[RelatedPair]:
    """Return the pairs of a paper and a talk, article or page that mention each other."""
    refs: dict[Ref, str] = {}
    for passage in _texts(tx, paper.id):
        for address in _ADDRESS.findall(passage.text):
            ref = sources.recognize(address.rstrip(".,;:、。，"))
            if ref is not None and len(refs) < _MAX_ADDRESSES:
                refs.setdefault(ref, passage.reason)
    owners = lookup.find_by_refs(tx, list(refs))
    mentioned_papers = find_listed_papers(tx, sorted({owner for owner in owners.values() if owner != paper.id}))
    mentions = ((mentioned_papers[owner], ref) for ref, owner in owners.items() if owner in mentioned_papers)
    return [
        pair for mentioned, ref in mentions if (pair := _pair(paper, mentioned, _(refs[ref]).format(label=_label(ref))))
    ]


def _texts(tx: Read, paper_id: int) -> Iterator[_SourceText]:
    links = sa.select(col(Link.url)).where(col(Link.paper_id) == paper_id).order_by(col(Link.id)).limit(_MAX_ADDRESSES)
    yield from (_SourceText(url, BY_LINK) for url in tx.scalars(links))
    abstract = tx.scalar(sa.select(col(Paper.abstract)).where(col(Paper.id) == paper_id))
    yield _SourceText(abstract or "", BY_TEXT)
    lines = (
        sa.select(col(Entry.raw)).where(col(Entry.paper_id) == paper_id).order_by(col(Entry.id)).limit(_MAX_NOTE_LINES)
    )
    yield from (_SourceText(raw, BY_LINE) for raw in tx.scalars(lines))


def _pair(paper: RelationCandidate, mentioned: RelationCandidate, reason: str) -> RelatedPair | None:
    if mentioned.kind == "paper" and paper.kind in DOES:
        return RelatedPair(paper.id, mentioned.id, DOES[paper.kind], reason)
    if paper.kind == "paper" and mentioned.kind in DOES:
        return RelatedPair(mentioned.id, paper.id, DOES[mentioned.kind], reason)
    return None


def _label(ref: Ref) -> str:
    return sources.by_name(ref.scheme).label(ref.key)
