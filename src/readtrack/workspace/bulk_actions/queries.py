"""Queries for bulk actions: the matching papers, and the actions that can be undone."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.errors import FieldError, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Job, Paper, UndoEntry
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.library.papers.lists import visible_papers_filter
from readtrack.reading.readings.commands.undo import UNDO_WITHIN
from readtrack.workspace.bulk_actions.schemas import MAX_PAPERS

QUESTION = "deeds"


class BulkProgress(NamedTuple):
    """The progress of a bulk action.

    `state`: running, undoing, failed, done or undone; `problem`: why it failed or ended early.
    """

    state: str
    done: int
    total: int
    problem: str


def list_matching_papers(tx: Read, me: CurrentUser, q: str) -> list[int]:
    """Return the papers that match a query.

    Raise search.QueryError, or Invalid if there are too many.
    """
    permissions.require(me, "see")
    these = (
        sa.select(col(Paper.id)).where(visible_papers_filter(tx, me, search.parse(q))).order_by(col(Paper.id).desc())
    )
    found: list[Any] = list(tx.scalars(these.limit(MAX_PAPERS + 1)))
    if len(found) > MAX_PAPERS:
        detail = _("More than {most} papers match, and that is the most at once.").format(most=f"{MAX_PAPERS:,}")
        message = _("{detail} Nothing was changed; narrow the search down first.").format(detail=detail)
        raise Invalid(message, [FieldError("/q", "too-many", detail)])
    return found


def selection_fingerprint(papers: Sequence[int]) -> str:
    """Return a hash of the papers, by which a later request can tell whether they are still the same."""
    return sha256(" ".join(map(str, papers)).encode()).hexdigest()[:32]


def list_titles(tx: Read, paper_ids: Sequence[int]) -> list[tuple[int, str]]:
    """Return (id, title) of the present papers, in the given order."""
    rows = tx.execute(
        sa.select(col(Paper.id), col(Paper.title)).where(col(Paper.id).in_(paper_ids), permissions.is_present(Paper))
    )
    titles = {row.id: row.title for row in rows}
    return [(paper_id, titles[paper_id]) for paper_id in paper_ids if paper_id in titles]


def list_undo_entries(tx: Read, me: CurrentUser, cut: PageRequest) -> Page[sa.Row[Any]]:
    """Return a page of my bulk actions that can be undone, latest first."""
    permissions.require(me, "see")
    query = _undo_entries_query(me).where(col(UndoEntry.created_at) >= now() - UNDO_PERIOD)
    if cut.after is not None:
        at, last_id = cut.after
        last = sa.tuple_(sa.literal(datetime.fromisoformat(at), Moment()), sa.literal(last_id))
        query = query.where(sa.tuple_(col(UndoEntry.created_at), col(UndoEntry.id)) < last)
    newest = query.order_by(col(UndoEntry.created_at).desc(), col(UndoEntry.id).desc())
    rows, more = split_page(tx.execute(newest.limit(cut.limit + 1)).all(), cut.limit)
    return Page(rows, (rows[-1].created_at.isoformat(), rows[-1].id) if more else None)


def is_over(verb: str, at: datetime) -> bool:
    """Return True if undo has expired although the entry still exists: reading changes expire after a day."""
    return verb in {"bulk.reading", "bulk.off"} and at < now() - UNDO_WITHIN


def get_undo_entry(tx: Read, me: CurrentUser, deed_id: int) -> sa.Row[Any]:
    """Return one of my undo entries. Raise NotFound, also for other people's."""
    permissions.require(me, "see")
    deed = tx.execute(_undo_entries_query(me).where(col(UndoEntry.id) == deed_id)).one_or_none()
    if deed is None:
        message = _("You did nothing to many papers that has the number {number}.").format(number=deed_id)
        raise NotFound(message)
    return deed


def get_outcomes(tx: Read, me: CurrentUser, deed_id: int) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """Return the outcomes of a large action of mine, and the papers that its undo left unchanged."""
    run = sa.select(col(UndoEntry.undo)[("run", "items")].as_json(), col(UndoEntry.undo)[("run", "stays")].as_json())
    row = tx.execute(run.where(col(UndoEntry.id) == deed_id, col(UndoEntry.person_id) == me.id)).one()
    return row[0] or [], row[1] or []


def find_progress(tx: Read, deeds: Iterable[Any]) -> dict[int, BulkProgress]:
    """Return the progress of each entry by id."""
    rows = list(deeds)
    at_work = [row.job for row in rows if row.state in {"running", "undoing"}]
    query = sa.select(col(Job.id), col(Job.state), col(Job.error)).where(col(Job.id).in_(at_work))
    found = {row.id: row for row in tx.execute(query)} if at_work else {}
    return {row.id: _build_progress(row, found.get(row.job)) for row in rows}


def _build_progress(deed: Any, job: Any) -> BulkProgress:  # noqa: ANN401 - rows of the tables
    done, total = deed.done or deed.papers, deed.total or deed.papers
    if deed.state not in {"running", "undoing"}:
        return BulkProgress("undone" if deed.undone_at else "done", done, total, deed.problem or "")
    failed = job is None or job.state == "failed"
    return BulkProgress("failed" if failed else deed.state, deed.done, deed.total, job.error if job else "")


def _undo_entries_query(me: CurrentUser) -> sa.Select[*tuple[Any, ...]]:
    """Return the query for undo entries without their undo data, which may be large."""
    undo = col(UndoEntry.undo)
    told = (
        undo["count"].as_integer().label("papers"),
        undo["refused"].as_json().label("refused"),
        *(undo[("run", name)].as_integer().label(name) for name in ("job", "done", "total")),
        *(undo[("run", name)].as_string().label(name) for name in ("state", "problem")),
    )
    shown: Sequence[Any] = (
        col(UndoEntry.id),
        col(UndoEntry.verb),
        col(UndoEntry.created_at),
        col(UndoEntry.undone_at),
        *told,
    )
    return sa.select(*shown).where(col(UndoEntry.person_id) == me.id, col(UndoEntry.verb).startswith("bulk."))
