"""The job that carries an import out: steps of entries, each step one transaction together with its progress."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, policy, search
from readtrack.clock import now
from readtrack.db import Database, Write
from readtrack.errors import Invalid, ReadtrackError
from readtrack.imports.commands import STEP
from readtrack.jobs import Claimed
from readtrack.models import Entry, Lead, NoteRevision, Question
from readtrack.papers.commands import add_paper, add_title
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
            me = find_visitor(tx, claimed.payload["person"]["id"])
            if me is None or not policy.may(me, "import"):
                _hand_back(tx, claimed, revision)
                return
            if not _step(tx, me, revision):
                revision.state = "committed"
                jobs.finish(tx, claimed)
                return
            jobs.hold(tx, claimed, done=_done(tx, import_id))


def _hand_back(tx: Write, claimed: Claimed, revision: NoteRevision) -> None:
    """Who committed it was shut out since, or may not import any more: somebody else decides on what is left."""
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
        with tx.begin_nested():
            _become(tx, me, entry, defaults)
    except ReadtrackError as problem:
        entry.decision, entry.reason = "review", problem.message


def _become(tx: Write, me: Visitor, entry: Entry, defaults: dict[str, Any]) -> None:
    if entry.kind in {"paper", "mention"}:
        entry.paper_id = _paper(tx, me, entry)
        for name in (*entry.topics, *defaults.get("topics", ())):
            link_topic(tx, me, entry.paper_id, find_or_add_topic(tx, me, name))
        _apply_status(tx, me, entry.paper_id, entry.status or defaults.get("status"))
    elif entry.decision == "known":
        return
    elif entry.kind == "topic":
        entry.topic_id = find_or_add_topic(tx, me, entry.title or entry.text)
    elif entry.kind == "question":
        entry.question_id = _added(tx, Question(text=entry.title or entry.text, created_by=me.id))
    elif entry.kind == "lead":
        entry.lead_id = _added(tx, Lead(text=entry.title or entry.text, created_by=me.id))


def _paper(tx: Write, me: Visitor, entry: Entry) -> int:
    if not entry.identifiers:
        if not entry.title.strip():
            message = "This entry has neither an identifier nor a title, so no paper was made of it. Add it by hand."
            raise Invalid(message)
        paper_id, _ = add_title(
            tx, me, entry.title, kind=entry.paper_kind or "paper", venue=entry.venue, year=entry.year
        )
        return paper_id
    ref = Ref.parse(entry.identifiers[0])
    links = tuple(WebLink(link["url"], link["role"]) for link in entry.links)
    said: dict[str, Any] = {"title": entry.title, "kind": entry.paper_kind, "venue": entry.venue, "year": entry.year}
    paper_id, _ = add_paper(tx, me, ref, links=links, **said)
    return paper_id


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
