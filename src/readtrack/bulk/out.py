"""What was done to many papers, as JSON."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from readtrack.bulk.commands import Done, Outcome
from readtrack.bulk.undoing import TakenBack
from readtrack.errors import Conflict, ReadtrackError


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
    """What I did to many papers. `refused`: why others stayed as they were."""

    id: int
    act: str
    at: datetime
    papers: int
    undone_at: datetime | None
    refused: list[LeftOut]


class DeedList(BaseModel):
    """A page of them, the latest first; `next` is the cursor to the rest."""

    items: list[DeedOut]
    next: str | None


def done_out(done: Done) -> dict[str, Any]:
    """Each paper's outcome."""
    items = [_outcome_out(outcome) for outcome in done.outcomes]
    return {"act": done.act, "items": items, "changed": done.changed, "deed": done.deed}


def undone_out(back: TakenBack) -> dict[str, Any]:
    """What is as it was, and what stays."""
    left = [{"paper": paper_id, "detail": why} for paper_id, why in back.left.items()]
    return {"papers": back.papers, "left": left}


def deed_out(deed: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    """One deed."""
    refused = [{"paper": paper_id, "detail": why} for paper_id, why in deed.refused]
    plain = {"id": deed.id, "act": deed.verb.removeprefix("bulk."), "at": deed.at, "undone_at": deed.undone_at}
    return {**plain, "papers": deed.papers, "refused": refused}


def _outcome_out(outcome: Outcome) -> dict[str, Any]:
    problem = outcome.problem and _problem_out(outcome.problem)
    return {"paper": outcome.paper_id, "status": outcome.status, "changed": outcome.changed, "problem": problem}


def _problem_out(problem: ReadtrackError) -> dict[str, Any]:
    said = {"code": problem.code, "detail": problem.message}
    return said | ({"allowed": problem.allowed} if isinstance(problem, Conflict) and problem.allowed else {})
