"""The job that carries an import out: steps of entries, each step one transaction together with its progress."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, search, sources
from readtrack.clock import now
from readtrack.db import Database, Write, savepoint
from readtrack.errors import Invalid, ReadtrackError, StorageUnavailable
from readtrack.imports import queries
from readtrack.imports.commands import STEP, may_decide
from readtrack.jobs import Claimed
from readtrack.models import Entry, Identifier, Lead, NoteRevision, Question
from readtrack.papers.commands import add_links, add_paper, add_title, ask_later
from readtrack.people.queries import find_visitor
from readtrack.policy import Visitor
from readtrack.readings.commands import ReadingSet, set_reading
from readtrack.readings.queries import find_my_reading
from readtrack.sources import Http, Ref, WebLink
from readtrack.topics.commands import find_or_add_topic, link_topic

TODAY_UNKNOWN = date.min  # the day of an import is never a reading date


@jobs.handler("imports.commit")
def carry_out(database: Database, _http: Http, claimed: Claimed) -> None:
    """Step after step until no entry is left; a step that was not committed is done again as if it had never begun."""
    import_id = claimed.payload["import"]
    while True:
        with database.write() as tx:
            jobs.hold(tx, claimed)
            revision = tx.get_one(NoteRevision, import_id)
            me = find_visitor(tx, revision.committed_by or 0)
            if me is None or not may_decide(me, revision.created_by):
                _hand_back(tx, claimed, revision)
                return
            if not _step(tx, me, revision):
                revision.state = "committed"
                jobs.finish(tx, claimed)
                return
            jobs.hold(tx, claimed, done=_done(tx, import_id))


def _hand_back(tx: Write, claimed: Claimed, revision: NoteRevision) -> None:
    """Who committed it was shut out since, or may not import any more: somebody else decides on what is left.

    The page tells so: an import in its preview that has had a job was handed back.
    """
    revision.state, revision.committed_by, revision.committed_at = "preview", None, None
    jobs.finish(tx, claimed)


def _step(tx: Write, me: Visitor, revision: NoteRevision) -> bool:
    """The next entries; False when there are none."""
    left = sa.select(Entry).where(col(Entry.revision_id) == revision.id, col(Entry.done_at).is_(None))
    entries: Sequence[Entry] = tx.scalars(left.order_by(col(Entry.position)).limit(STEP)).all()
    for entry in entries:
        _carry_out_entry(tx, me, entry, revision.defaults)
        entry.done_at = now()
    tx.flush()
    search.update_papers(tx, [entry.paper_id for entry in entries if entry.paper_id])
    return bool(entries)


def _carry_out_entry(tx: Write, me: Visitor, entry: Entry, defaults: dict[str, Any]) -> None:
    """One entry, whole or not at all; what cannot be done is told on the entry and stops nothing else."""
    if entry.decision == "skip":
        return
    try:
        with savepoint(tx):
            _become(tx, me, entry, defaults)
    except StorageUnavailable:
        raise  # it is no fault of this entry: the whole step is done again later
    except ReadtrackError as problem:
        entry.decision, entry.reason = "review", problem.message


def _become(tx: Write, me: Visitor, entry: Entry, defaults: dict[str, Any]) -> None:
    if entry.decision == "known":
        entry.paper_id = _present(tx, entry)
        topics = (*_new_headings(tx, entry), *defaults.get("topics", ()))
        _file(tx, me, entry.paper_id, topics=topics, status=defaults.get("status"))
    elif entry.kind in queries.KEPT:
        entry.paper_id = _paper(tx, me, entry)
        topics = (*entry.topics, *defaults.get("topics", ()))
        _file(tx, me, entry.paper_id, topics=topics, status=entry.status or defaults.get("status"))
    elif entry.kind == "topic":
        entry.topic_id = find_or_add_topic(tx, me, entry.title or entry.text)
    elif entry.kind == "question":
        entry.question_id = _added(tx, Question(text=entry.title or entry.text, created_by=me.id))
    elif entry.kind == "lead":
        entry.lead_id = _added(tx, Lead(text=entry.title or entry.text, created_by=me.id))


def _present(tx: Write, entry: Entry) -> int | None:
    """The paper of an entry that brings nothing new. What people left out, deleted or unfiled since stays so."""
    known = queries.papers_of(tx, entry.identifiers)
    paper_id = next((known[name].id for name in entry.identifiers if name in known and known[name].present), None)
    if paper_id is not None:
        _add_names(tx, paper_id, [name for name in entry.identifiers if name not in known])
    return paper_id


def _new_headings(tx: Write, entry: Entry) -> list[str]:
    """The topics under which these words were in no note before: a known paper in new company is filed there too."""
    same = sa.select(col(Entry.topics)).where(
        col(Entry.fingerprint) == entry.fingerprint, col(Entry.done_at).is_not(None)
    )
    had = {name for topics in tx.scalars(same) for name in topics}
    return [name for name in entry.topics if name not in had]


def _file(tx: Write, me: Visitor, paper_id: int | None, *, topics: Sequence[str], status: str | None) -> None:
    if paper_id is None:
        return
    for name in topics:
        link_topic(tx, me, paper_id, find_or_add_topic(tx, me, name))
    _apply_status(tx, me, paper_id, status)


def _paper(tx: Write, me: Visitor, entry: Entry) -> int:
    if not entry.identifiers:
        return _titled(tx, me, entry)
    known = queries.papers_of(tx, entry.identifiers)
    named = next((identifier for identifier in entry.identifiers if identifier in known), entry.identifiers[0])
    links = tuple(WebLink(link["url"], link["role"]) for link in entry.links)
    said: dict[str, Any] = {"title": entry.title, "kind": entry.paper_kind, "venue": entry.venue, "year": entry.year}
    paper_id, _ = add_paper(tx, me, Ref.parse(named), links=links, **said)
    _add_names(tx, paper_id, [name for name in entry.identifiers if name != named and name not in known])
    return paper_id


def _titled(tx: Write, me: Visitor, entry: Entry) -> int:
    if not entry.title.strip():
        message = "This entry has neither an identifier nor a title, so no paper was made of it. Add it by hand."
        raise Invalid(message)
    kind = entry.paper_kind or "paper"
    paper_id, _ = add_title(tx, me, entry.title, kind=kind, venue=entry.venue, year=entry.year)
    return paper_id


def _add_names(tx: Write, paper_id: int, identifiers: Sequence[str]) -> None:
    """Further identifiers of a paper, which no paper has yet; their sources are asked too."""
    for ref in map(Ref.parse, identifiers):
        source = sources.by_name(ref.scheme)
        asked = "waiting" if source.fetch else "none"
        tx.add(Identifier(paper_id=paper_id, scheme=ref.scheme, value=ref.key, fetch_state=asked))
        tx.flush()
        add_links(tx, paper_id, source.links(ref.key))
        if source.fetch:
            ask_later(tx, ref.scheme)


def _apply_status(tx: Write, me: Visitor, paper_id: int, status: str | None) -> None:
    """The status that the notes or the person state, for the importing person and only where there is none yet."""
    if status and find_my_reading(tx, me, paper_id) is None:
        set_reading(tx, me, paper_id, ReadingSet.model_validate({"status": status}), on=TODAY_UNKNOWN)


def _added(tx: Write, row: Lead | Question) -> int:
    tx.add(row)
    tx.flush()
    return row.id or 0


def _done(tx: Write, import_id: int) -> int:
    done = sa.select(sa.func.count()).select_from(Entry)
    return tx.scalar(done.where(col(Entry.revision_id) == import_id, col(Entry.done_at).is_not(None))) or 0
