"""Response schemas of bulk actions."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.bulk_actions import queries
from readtrack.workspace.bulk_actions.batch_jobs import outcome_to_json
from readtrack.workspace.bulk_actions.commands import BulkResult
from readtrack.workspace.bulk_actions.queries import BulkProgress
from readtrack.workspace.bulk_actions.undo import UndoResult


class BulkOutcome(BaseModel):
    """The outcome for a paper.

    `status`: HTTP status that a request for this paper alone would return; `problem`: why it was not changed.
    """

    paper: int
    status: int
    changed: bool
    problem: dict[str, Any] | None


class BulkResultRead(BaseModel):
    """The outcome of each paper in the requested order.

    `deed`: id to undo the action, null if there is nothing to undo.
    """

    act: str
    items: list[BulkOutcome]
    changed: int
    deed: int | None


class SkippedPaper(BaseModel):
    """A paper that was not changed, with the reason."""

    paper: int
    detail: str


class BulkUndoResult(BaseModel):
    """The restored papers, and those left unchanged because someone has changed them since."""

    papers: list[int]
    left: list[SkippedPaper]


class UndoEntryRead(BaseModel):
    """A bulk action of mine.

    `papers`: number of changed papers; `refused`: up to 100 papers not changed, with the reasons; `state`, `done`,
    `total`: progress; `problem`: why it failed or ended early.
    """

    id: int
    act: str
    at: datetime
    papers: int
    undone_at: datetime | None
    refused: list[SkippedPaper]
    state: Literal["running", "undoing", "failed", "done", "undone"]
    done: int
    total: int
    problem: str


class UndoEntryDetailRead(UndoEntryRead):
    """A bulk action with its outcomes and the papers that its undo left unchanged.

    `items`: the outcome of each paper, only for actions run by a job.
    """

    items: list[BulkOutcome]
    left: list[SkippedPaper]


class UndoEntryList(BaseModel):
    """A page of bulk actions, latest first; `next` is the cursor of the next page."""

    items: list[UndoEntryRead]
    next: str | None


def bulk_outcome_json(result: BulkResult) -> dict[str, Any]:
    """Return the result of a bulk action as JSON."""
    items = [outcome_to_json(outcome) for outcome in result.outcomes]
    return {"act": result.action, "items": items, "changed": result.changed_count, "deed": result.undo_id}


def bulk_undo_json(result: UndoResult) -> dict[str, Any]:
    """Return the result of an undo as JSON."""
    remaining = [{"paper": paper_id, "detail": reason} for paper_id, reason in result.unchanged.items()]
    return {"papers": result.papers, "left": remaining}


def undo_entry_json(undo_entry: Any, progress: BulkProgress) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    """Return a bulk action as JSON."""
    refusals = [{"paper": paper_id, "detail": reason} for paper_id, reason in undo_entry.refused]
    data = {
        "id": undo_entry.id,
        "act": undo_entry.verb.removeprefix("bulk."),
        "at": undo_entry.created_at,
        "undone_at": undo_entry.undone_at,
    }
    return {**data, "papers": undo_entry.papers, "refused": refusals, **progress._asdict()}


def get_undo_entry_json(tx: Read, me: CurrentUser, undo_id: int) -> dict[str, Any]:
    """Return a bulk action with the outcome of each paper. Raise NotFound."""
    undo_entry = queries.get_undo_entry(tx, me, undo_id)
    items, refusals = queries.get_outcomes(tx, me, undo_id)
    remaining = [{"paper": paper_id, "detail": reason} for paper_id, reason in refusals]
    return {
        **undo_entry_json(undo_entry, queries.find_progress(tx, [undo_entry])[undo_id]),
        "items": items,
        "left": remaining,
    }
