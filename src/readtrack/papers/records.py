"""What sources said, kept as records; the one that fits becomes what is shown. A wrong record is worse than none."""

from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events, names, search
from readtrack.clock import now
from readtrack.db import Write
from readtrack.models import Identifier, Paper, Record, Version
from readtrack.papers import queries
from readtrack.papers.commands import add_links
from readtrack.sources import Metadata

TOGETHER = ("title", "authors", "year", "published_on", "venue")  # come from one record, blank or not
APART = ("abstract", "language")  # may come from another


def apply_metadata(tx: Write, paper_id: int, said: Metadata) -> None:
    """Keeps an answer as a record and shows it, unless its title disagrees with the one the notes or a person gave."""
    paper = tx.get(Paper, paper_id, with_for_update=True)
    if paper is None:
        return
    agrees = not paper.title or _fits(paper, said)
    record = _kept(tx, paper_id, said, state="applied" if agrees else "disagrees")
    if agrees:
        _show(tx, paper, record, said)
        search.update_papers(tx, [paper_id])
    events.record(
        tx,
        None,
        "paper.fetched" if agrees else "paper.disagreement",
        paper_id=paper_id,
        data={"source": said.ref.scheme},
    )


def _fits(paper: Paper, said: Metadata) -> bool:
    """Sources rename what they named before; what people named they must name alike, and nobody may unname it."""
    return bool(said.title) and (paper.record_id is not None or names.same_title(paper.title, said.title))


def note_unknown(tx: Write, identifier_ids: list[int], state: str, problem: str) -> None:
    """The source does not know these identifiers, or refused them; the papers stay, with the sentence."""
    if identifier_ids:
        these = sa.update(Identifier).where(col(Identifier.id).in_(identifier_ids))
        tx.execute(these.values(fetch_state=state, problem=problem, asked_at=now()))


def _kept(tx: Write, paper_id: int, said: Metadata, *, state: str) -> Record:
    """A new record; the former one of the same identifier stays, as superseded."""
    former = sa.update(Record).where(
        col(Record.paper_id) == paper_id, col(Record.scheme) == said.ref.scheme, col(Record.value) == said.ref.key
    )
    if state != "applied":
        former = former.where(col(Record.state) != "applied")  # that one is still shown
    tx.execute(former.values(state="superseded"))
    fields: dict[str, Any] = {name: getattr(said, name) for name in (*TOGETHER, *APART, "remark", "raw")}
    fields["authors"] = [names.clean(author) for author in said.authors]
    plain: dict[str, Any] = {
        name: names.clean(value) if isinstance(value, str) else value for name, value in fields.items()
    }
    record = Record(paper_id=paper_id, scheme=said.ref.scheme, value=said.ref.key, state=state, **plain)
    tx.add(record)
    tx.flush()
    return record


def _show(tx: Write, paper: Paper, record: Record, said: Metadata) -> None:
    for name in TOGETHER:
        if name not in paper.locked:
            setattr(paper, name, getattr(record, name))
    for name in APART:
        if name not in paper.locked and getattr(record, name):
            setattr(paper, name, getattr(record, name))
    paper.title_key, paper.record_id = names.key(paper.title), record.id
    paper.version, paper.updated_at = paper.version + 1, now()
    tx.flush()
    add_links(tx, paper.id or 0, said.links)
    _add_versions(tx, paper.id or 0, said)
    _add_identifiers(tx, paper.id or 0, said)


def _add_versions(tx: Write, paper_id: int, said: Metadata) -> None:
    known = set(tx.scalars(sa.select(col(Version.label)).where(col(Version.paper_id) == paper_id)))
    for version in said.versions:
        if version.label not in known:
            known.add(version.label)
            tx.add(Version(paper_id=paper_id, label=version.label, dated=version.dated))


def _add_identifiers(tx: Write, paper_id: int, said: Metadata) -> None:
    """Further names that the source knows; one that another paper has stays there."""
    known = queries.find_by_refs(tx, said.identifiers)
    for ref in said.identifiers:
        if ref not in known:
            tx.add(Identifier(paper_id=paper_id, scheme=ref.scheme, value=ref.key))
    tx.flush()
