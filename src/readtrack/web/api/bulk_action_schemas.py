"""What was done to many papers, as JSON."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.workspace.bulk_actions import queries
from readtrack.workspace.bulk_actions.batch_jobs import outcome_out
from readtrack.workspace.bulk_actions.commands import Done
from readtrack.workspace.bulk_actions.queries import Progress
from readtrack.workspace.bulk_actions.undo import TakenBack


class OutcomeOut(BaseModel):
    """What became of one paper: `status` as its own request would have been answered, and why it stays as it was."""

    paper: int
    status: int
    changed: bool
    problem: dict[str, Any] | None


class BulkOut(BaseModel):
    """Each paper's outcome in the order asked; `deed` undoes all of it, null when there is nothing to undo."""

    act: str
    items: list[OutcomeOut]
    changed: int
    deed: int | None


class LeftOut(BaseModel):
    """A paper that stays as it is, and why."""

    paper: int
    detail: str


class UndoneOut(BaseModel):
    """The papers that are as they were, and those that stay: somebody changed them since."""

    papers: list[int]
    left: list[LeftOut]


class DeedOut(BaseModel):
    """What I did to many papers. `papers`: how many are others now; `refused`: why others stayed as they were, of the
    first 100. `state`, `done`, `total`: how far it is; `problem`: why it stands still or ended early.
    """

    id: int
    act: str
    at: datetime
    papers: int
    undone_at: datetime | None
    refused: list[LeftOut]
    state: Literal["running", "undoing", "failed", "done", "undone"]
    done: int
    total: int
    problem: str


class WholeDeedOut(DeedOut):
    """The same, with each paper's outcome if they are more than one request does, and those that undoing left."""

    items: list[OutcomeOut]
    left: list[LeftOut]


class DeedList(BaseModel):
    """A page of them, the latest first; `next` is the cursor to the rest."""

    items: list[DeedOut]
    next: str | None


def done_out(done: Done) -> dict[str, Any]:
    """Each paper's outcome."""
    items = [outcome_out(outcome) for outcome in done.outcomes]
    return {"act": done.act, "items": items, "changed": done.changed, "deed": done.deed}


def undone_out(back: TakenBack) -> dict[str, Any]:
    """What is as it was, and what stays."""
    left = [{"paper": paper_id, "detail": why} for paper_id, why in back.left.items()]
    return {"papers": back.papers, "left": left}


def deed_out(deed: Any, progress: Progress) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    """One deed."""
    refused = [{"paper": paper_id, "detail": why} for paper_id, why in deed.refused]
    plain = {"id": deed.id, "act": deed.verb.removeprefix("bulk."), "at": deed.at, "undone_at": deed.undone_at}
    return {**plain, "papers": deed.papers, "refused": refused, **progress._asdict()}


def whole_out(tx: Read, me: Visitor, deed_id: int) -> dict[str, Any]:
    """One deed with the outcome of each of its papers. Raises NotFound."""
    deed = queries.get_deed(tx, me, deed_id)
    items, stays = queries.items_of(tx, me, deed_id)
    left = [{"paper": paper_id, "detail": why} for paper_id, why in stays]
    return {**deed_out(deed, queries.progress_of(tx, [deed])[deed_id]), "items": items, "left": left}
