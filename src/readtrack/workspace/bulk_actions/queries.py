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
from readtrack.workspace.bulk_actions.actions import MAX_PAPERS

QUESTION = "deeds"


class BulkProgress(NamedTuple):
    """The progress of a bulk action.

    `state`: running, undoing, failed, done or undone; `problem`: why it failed or ended early.
    """

    state: str
    done: int
    total: int
    problem: str


def list_matching_papers(tx: Read, me: CurrentUser, query: str) -> list[int]:
    """Return the papers that match a query.

    Raise search.QueryError, or Invalid if there are too many.
    """
    permissions.require(me, "see")
    paper_query = (
        sa.select(col(Paper.id))
        .where(visible_papers_filter(tx, me, search.parse(query)))
        .order_by(col(Paper.id).desc())
    )
    paper_ids: list[Any] = list(tx.scalars(paper_query.limit(MAX_PAPERS + 1)))
    if len(paper_ids) > MAX_PAPERS:
        message = _("More than {most} papers match. Narrow your search.").format(most=f"{MAX_PAPERS:,}")
        raise Invalid(message, [FieldError("/q", "too-many", message)])
    return paper_ids


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


def list_undo_entries(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[sa.Row[Any]]:
    """Return a page of my bulk actions that can be undone, latest first."""
    permissions.require(me, "see")
    query = _undo_entries_query(me).where(col(UndoEntry.created_at) >= now() - UNDO_PERIOD)
    if page_request.after is not None:
        last_created, last_id = page_request.after
        last_key = sa.tuple_(sa.literal(datetime.fromisoformat(last_created), Moment()), sa.literal(last_id))
        query = query.where(sa.tuple_(col(UndoEntry.created_at), col(UndoEntry.id)) < last_key)
    ordered_query = query.order_by(col(UndoEntry.created_at).desc(), col(UndoEntry.id).desc())
    rows, has_more = split_page(tx.execute(ordered_query.limit(page_request.limit + 1)).all(), page_request.limit)
    return Page(rows, (rows[-1].created_at.isoformat(), rows[-1].id) if has_more else None)


def is_over(verb: str, created_at: datetime) -> bool:
    """Return True if undo has expired although the entry still exists: reading changes expire after a day."""
    return verb in {"bulk.reading", "bulk.off"} and created_at < now() - UNDO_WITHIN


def get_undo_entry(tx: Read, me: CurrentUser, undo_id: int) -> sa.Row[Any]:
    """Return one of my undo entries. Raise NotFound, also for other people's."""
    permissions.require(me, "see")
    undo_entry = tx.execute(_undo_entries_query(me).where(col(UndoEntry.id) == undo_id)).one_or_none()
    if undo_entry is None:
        message = _("Bulk edit {number} not found.").format(number=undo_id)
        raise NotFound(message)
    return undo_entry


def get_outcomes(tx: Read, me: CurrentUser, undo_id: int) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """Return the outcomes of a large action of mine, and the papers that its undo left unchanged."""
    query = sa.select(col(UndoEntry.undo)[("run", "items")].as_json(), col(UndoEntry.undo)[("run", "stays")].as_json())
    row = tx.execute(query.where(col(UndoEntry.id) == undo_id, col(UndoEntry.person_id) == me.id)).one()
    return row[0] or [], row[1] or []


def find_progress(tx: Read, undo_entries: Iterable[Any]) -> dict[int, BulkProgress]:
    """Return the progress of each entry by id."""
    rows = list(undo_entries)
    job_ids = [row.job for row in rows if row.state in {"running", "undoing"}]
    query = sa.select(col(Job.id), col(Job.state), col(Job.error)).where(col(Job.id).in_(job_ids))
    jobs_by_id = {row.id: row for row in tx.execute(query)} if job_ids else {}
    return {row.id: _build_progress(row, jobs_by_id.get(row.job)) for row in rows}


def _build_progress(undo_entry: Any, job: Any) -> BulkProgress:  # noqa: ANN401 - rows of the tables
    done_count, total = undo_entry.done or undo_entry.papers, undo_entry.total or undo_entry.papers
    if undo_entry.state not in {"running", "undoing"}:
        return BulkProgress("undone" if undo_entry.undone_at else "done", done_count, total, undo_entry.problem or "")
    is_failed = job is None or job.state == "failed"
    return BulkProgress(
        "failed" if is_failed else undo_entry.state, undo_entry.done, undo_entry.total, job.error if job else ""
    )


def _undo_entries_query(me: CurrentUser) -> sa.Select[*tuple[Any, ...]]:
    """Return the query for undo entries without their undo data, which may be large."""
    undo = col(UndoEntry.undo)
    details = (
        undo["count"].as_integer().label("papers"),
        undo["refused"].as_json().label("refused"),
        *(undo[("run", name)].as_integer().label(name) for name in ("job", "done", "total")),
        *(undo[("run", name)].as_string().label(name) for name in ("state", "problem")),
    )
    columns: Sequence[Any] = (
        col(UndoEntry.id),
        col(UndoEntry.verb),
        col(UndoEntry.created_at),
        col(UndoEntry.undone_at),
        *details,
    )
    return sa.select(*columns).where(col(UndoEntry.person_id) == me.id, col(UndoEntry.verb).startswith("bulk."))
