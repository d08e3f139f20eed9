"""What was done to many papers, as JSON."""

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
    """What became of one paper: `status` as its own request would have been answered, and why it stays as it was."""

    paper: int
    status: int
    changed: bool
    problem: dict[str, Any] | None


class BulkResultRead(BaseModel):
    """Each paper's outcome in the order asked; `deed` undoes all of it, null when there is nothing to undo."""

    act: str
    items: list[BulkOutcome]
    changed: int
    deed: int | None


class SkippedPaper(BaseModel):
    """A paper that stays as it is, and why."""

    paper: int
    detail: str


class BulkUndoResult(BaseModel):
    """The papers that are as they were, and those that stay: somebody changed them since."""

    papers: list[int]
    left: list[SkippedPaper]


class UndoEntryRead(BaseModel):
    """What I did to many papers. `papers`: how many are others now; `refused`: why others stayed as they were, of the
    first 100. `state`, `done`, `total`: how far it is; `problem`: why it stands still or ended early.
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
    """The same, with each paper's outcome if they are more than one request does, and those that undoing left."""

    items: list[BulkOutcome]
    left: list[SkippedPaper]


class UndoEntryList(BaseModel):
    """A page of them, the latest first; `next` is the cursor to the rest."""

    items: list[UndoEntryRead]
    next: str | None


def bulk_outcome_json(done: BulkResult) -> dict[str, Any]:
    """Each paper's outcome."""
    items = [outcome_to_json(outcome) for outcome in done.outcomes]
    return {"act": done.act, "items": items, "changed": done.changed_count, "deed": done.deed}


def bulk_undo_json(back: UndoResult) -> dict[str, Any]:
    """What is as it was, and what stays."""
    left = [{"paper": paper_id, "detail": why} for paper_id, why in back.left.items()]
    return {"papers": back.papers, "left": left}


def undo_entry_json(deed: Any, progress: BulkProgress) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    """One deed."""
    refused = [{"paper": paper_id, "detail": why} for paper_id, why in deed.refused]
    plain = {"id": deed.id, "act": deed.verb.removeprefix("bulk."), "at": deed.created_at, "undone_at": deed.undone_at}
    return {**plain, "papers": deed.papers, "refused": refused, **progress._asdict()}


def get_undo_entry_json(tx: Read, me: CurrentUser, deed_id: int) -> dict[str, Any]:
    """One deed with the outcome of each of its papers. Raises NotFound."""
    deed = queries.get_undo_entry(tx, me, deed_id)
    items, stays = queries.get_outcomes(tx, me, deed_id)
    left = [{"paper": paper_id, "detail": why} for paper_id, why in stays]
    return {**undo_entry_json(deed, queries.find_progress(tx, [deed])[deed_id]), "items": items, "left": left}
