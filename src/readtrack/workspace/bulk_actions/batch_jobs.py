"""Bulk actions on many papers, executed and undone in slices by a job.

The undo entry stores the progress and is updated in each slice's transaction, so that a killed job resumes after the
last committed slice and repeats nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from readtrack.infra import i18n, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import Conflict, ReadtrackError
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import UndoEntry
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts.queries import find_visitor
from readtrack.workspace.bulk_actions.actions import ACTS, BulkRequest
from readtrack.workspace.bulk_actions.commands import (
    MAX_STORED_REFUSALS,
    BulkResult,
    PaperOutcome,
    apply_to_papers,
    choose_papers,
    list_refusals,
    run_on_papers,
)
from readtrack.workspace.bulk_actions.undo import (
    UndoResult,
    combine_outcomes,
    list_slices,
    lock_undo_entry,
    nothing_to_undo_error,
    undo_bulk_action,
    undo_slice,
)

BATCH_SIZE = 50  # papers per transaction: 0.05 to 0.15 s, for which other writers wait


def act_or_enqueue(tx: Write, me: CurrentUser, request: BulkRequest) -> BulkResult | int:
    """Run the action now if there are few papers; else enqueue a job and return the undo entry's id.

    Raise the errors of choose_papers.
    """
    paper_ids = choose_papers(tx, me, request)
    if len(paper_ids) <= BATCH_SIZE:
        return run_on_papers(tx, me, request, paper_ids)
    run = {
        "state": "running",
        "wanted": request.model_dump(mode="json", exclude={"papers", "q", "count", "seen"}, exclude_unset=True),
        "token": me.token_id,
        "scopes": None if me.scopes is None else sorted(me.scopes),
        "address": me.address,
        "language": i18n.current_language(),
        "waiting": paper_ids,
        "items": [],
        "done": 0,
        "total": len(paper_ids),
        "problem": "",
    }
    undo_id = undo_log.record_undo_entry(
        tx, me, f"bulk.{request.act}", {"count": 0, "refused": [], "slices": [], "run": run}
    )
    _enqueue_job(tx, me, tx.get_one(UndoEntry, undo_id), "bulk.act", total=len(paper_ids))
    return undo_id


def undo_or_enqueue(tx: Write, me: CurrentUser, undo_id: int) -> UndoResult | None:
    """Undo the action now if it was small; else enqueue a job and return None.

    An action still running is stopped, and what was done is undone. Raise the errors of undo_bulk_action.
    """
    undo_entry = lock_undo_entry(tx, me, undo_id)
    run = undo_entry.undo.get("run")
    if run is None:
        return undo_bulk_action(tx, me, undo_id)
    if run["state"] == "undoing":
        _enqueue_retry(tx, run)
        return None
    if run["state"] == "done" and not undo_entry.undo["slices"]:
        raise nothing_to_undo_error(())
    _update_run(
        undo_entry, changes={"state": "undoing", "waiting": [], "undone": 0, "back": [], "stays": [], "problem": ""}
    )
    if len(undo_entry.undo["slices"]) <= 1:
        return _undo_at_once(tx, me, undo_entry)
    _enqueue_job(tx, me, undo_entry, "bulk.undo", total=len(undo_entry.undo["slices"]))
    return None


def retry_bulk_action(tx: Write, me: CurrentUser, undo_id: int) -> None:
    """Restart the failed job of one of my actions. Raise NotFound, or Conflict if it has not failed."""
    run = lock_undo_entry(tx, me, undo_id).undo.get("run")
    if run is None or run["state"] == "done":
        raise Conflict(_("Nothing to retry."))
    queue.retry_job(tx, run["job"])


@queue.handler("bulk.act")
def act_in_slices(database: Database, _http: Http, job: LeasedJob) -> None:
    """Apply the action to the remaining papers, one slice per transaction."""
    while _run_slice(database, job, state="running"):
        pass


@queue.handler("bulk.undo")
def undo_in_slices(database: Database, _http: Http, job: LeasedJob) -> None:
    """Undo the action, one of its slices per transaction."""
    while _run_slice(database, job, state="undoing"):
        pass


def _run_slice(database: Database, job: LeasedJob, *, state: str) -> bool:
    """Process one slice and return True if more are left.

    Finish the job if the undo entry is gone or in another state.
    """
    with database.write() as tx:
        queue.extend_lease(tx, job)
        undo_entry = tx.get(UndoEntry, job.payload["deed"], with_for_update=True, populate_existing=True)
        if undo_entry is None or undo_entry.undone_at is not None or undo_entry.undo["run"]["state"] != state:
            queue.finish_job(tx, job)
            return False
        with i18n.use_language(undo_entry.undo["run"]["language"]):
            has_more = _apply_slice(tx, undo_entry) if state == "running" else _undo_next_slice(tx, undo_entry)
        run = undo_entry.undo["run"]
        queue.extend_lease(tx, job, done=run["done"] if state == "running" else run["undone"])
        if not has_more:
            queue.finish_job(tx, job)
        return has_more


def _apply_slice(tx: Write, undo_entry: UndoEntry) -> bool:
    """Apply the action to the next papers and return True if more are left."""
    run = undo_entry.undo["run"]
    me = _find_visitor(tx, undo_entry)
    if me is None:
        _update_run(
            undo_entry,
            changes={"state": "done", "waiting": [], "problem": _("You no longer have permission to do this.")},
        )
        return False
    paper_ids, remaining_ids = run["waiting"][:BATCH_SIZE], run["waiting"][BATCH_SIZE:]
    outcomes, undo = apply_to_papers(
        tx, me, BulkRequest.model_validate({**run["wanted"], "papers": paper_ids}), paper_ids
    )
    _update_run(
        undo_entry,
        count=undo_entry.undo["count"] + sum(outcome.changed for outcome in outcomes),
        refused=[*undo_entry.undo["refused"], *list_refusals(outcomes)][:MAX_STORED_REFUSALS],
        slices=[*undo_entry.undo["slices"], *([undo] if undo else [])],
        changes={
            "state": "running" if remaining_ids else "done",
            "waiting": remaining_ids,
            "items": [*run["items"], *map(outcome_to_json, outcomes)],
            "done": run["done"] + len(paper_ids),
        },
    )
    return bool(remaining_ids)


def _undo_next_slice(tx: Write, undo_entry: UndoEntry) -> bool:
    """Undo the next slice and return True if more are left."""
    run, slices, me = undo_entry.undo["run"], list_slices(undo_entry), _find_visitor(tx, undo_entry)
    if me is None:
        _update_run(undo_entry, changes={"state": "done", "problem": _("You no longer have permission to do this.")})
        return False
    result = combine_outcomes(undo_slice(tx, me, undo_entry, slices[run["undone"]]))
    undone_count = run["undone"] + 1
    remaining = [*run["stays"], *([paper_id, reason] for paper_id, reason in result.unchanged.items())]
    _update_run(
        undo_entry, changes={"undone": undone_count, "back": [*run["back"], *result.papers], "stays": remaining}
    )
    if undone_count == len(slices):
        _finish_undo(undo_entry)
    return bool(undone_count < len(slices))


def _finish_undo(undo_entry: UndoEntry) -> None:
    run = undo_entry.undo["run"]
    if run["back"]:
        undo_entry.undone_at = now()
        _update_run(undo_entry, changes={"state": "done"})
    else:
        error = nothing_to_undo_error(reason for _paper_id, reason in run["stays"])
        _update_run(undo_entry, changes={"state": "done", "problem": error.message})


def _undo_at_once(tx: Write, me: CurrentUser, undo_entry: UndoEntry) -> UndoResult:
    """Undo an action that was stopped early, even if it had not changed anything yet."""
    result = undo_bulk_action(tx, me, undo_entry.id or 0)
    _update_run(
        undo_entry,
        changes={
            "state": "done",
            "back": result.papers,
            "stays": [list(remaining) for remaining in result.unchanged.items()],
        },
    )
    return result


def _find_visitor(tx: Write, undo_entry: UndoEntry) -> CurrentUser | None:
    """Return the user with the token they used; None if they may no longer do this."""
    run = undo_entry.undo["run"]
    user = find_visitor(tx, undo_entry.person_id)
    if user is None:
        return None
    scopes = None if run["scopes"] is None else frozenset(run["scopes"])
    user = replace(user, token_id=run["token"], scopes=scopes, address=run["address"])
    return (
        user
        if permissions.has_permission(user, ACTS[undo_entry.verb.removeprefix("bulk.")].required_permission)
        else None
    )


def _update_run(undo_entry: UndoEntry, *, changes: Mapping[str, Any], **values: Any) -> None:  # noqa: ANN401 - JSON values
    """Update the undo entry's data by assigning a new dict, as the ORM does not track changes inside JSON."""
    undo_entry.undo = {**undo_entry.undo, **values, "run": {**undo_entry.undo["run"], **changes}}


def _enqueue_job(tx: Write, me: CurrentUser, undo_entry: UndoEntry, kind: str, *, total: int) -> None:
    job_id = queue.enqueue(tx, kind, {"deed": undo_entry.id}, priority=10, created_by=me.id)
    queue.set_total(tx, job_id, total)
    _update_run(undo_entry, changes={"job": job_id})
    tx.flush()


def _enqueue_retry(tx: Write, run: Mapping[str, Any]) -> None:
    """Restart the job if it has failed; leave it alone if it is running."""
    job = queue.get_job(tx, run["job"])
    if job.state == "failed":
        queue.retry_job(tx, run["job"])


def outcome_to_json(outcome: PaperOutcome) -> dict[str, Any]:
    """Return a paper's outcome as JSON."""
    problem = outcome.problem and _problem_to_json(outcome.problem)
    return {"paper": outcome.paper_id, "status": outcome.status, "changed": outcome.changed, "problem": problem}


def _problem_to_json(problem: ReadtrackError) -> dict[str, Any]:
    data = {"code": problem.code, "detail": problem.message}
    return data | ({"allowed": problem.allowed} if isinstance(problem, Conflict) and problem.allowed else {})
