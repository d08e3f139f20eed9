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
from readtrack.workspace.bulk_actions.actions import ACTS
from readtrack.workspace.bulk_actions.commands import (
    MOST_TOLD,
    BulkResult,
    PaperOutcome,
    apply_to_papers,
    choose_papers,
    list_refusals,
    run_on_papers,
)
from readtrack.workspace.bulk_actions.schemas import BulkRequest
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


def act_or_enqueue(tx: Write, me: CurrentUser, wanted: BulkRequest) -> BulkResult | int:
    """Run the action now if there are few papers; else enqueue a job and return the undo entry's id.

    Raise the errors of choose_papers.
    """
    asked = choose_papers(tx, me, wanted)
    if len(asked) <= BATCH_SIZE:
        return run_on_papers(tx, me, wanted, asked)
    run = {
        "state": "running",
        "wanted": wanted.model_dump(mode="json", exclude={"papers", "q", "count", "seen"}, exclude_unset=True),
        "token": me.token_id,
        "scopes": None if me.scopes is None else sorted(me.scopes),
        "address": me.address,
        "language": i18n.current_language(),
        "waiting": asked,
        "items": [],
        "done": 0,
        "total": len(asked),
        "problem": "",
    }
    deed_id = undo_log.record_undo_entry(
        tx, me, f"bulk.{wanted.act}", {"count": 0, "refused": [], "slices": [], "run": run}
    )
    _enqueue_job(tx, me, tx.get_one(UndoEntry, deed_id), "bulk.act", total=len(asked))
    return deed_id


def undo_or_enqueue(tx: Write, me: CurrentUser, deed_id: int) -> UndoResult | None:
    """Undo the action now if it was small; else enqueue a job and return None.

    An action still running is stopped, and what was done is undone. Raise the errors of undo_bulk_action.
    """
    deed = lock_undo_entry(tx, me, deed_id)
    run = deed.undo.get("run")
    if run is None:
        return undo_bulk_action(tx, me, deed_id)
    if run["state"] == "undoing":
        _enqueue_retry(tx, run)
        return None
    if run["state"] == "done" and not deed.undo["slices"]:
        raise nothing_to_undo_error()
    _update_run(deed, run={"state": "undoing", "waiting": [], "undone": 0, "back": [], "stays": [], "problem": ""})
    if len(deed.undo["slices"]) <= 1:
        return _undo_at_once(tx, me, deed)
    _enqueue_job(tx, me, deed, "bulk.undo", total=len(deed.undo["slices"]))
    return None


def retry_bulk_action(tx: Write, me: CurrentUser, deed_id: int) -> None:
    """Restart the failed job of one of my actions. Raise NotFound, or Conflict if it has not failed."""
    run = lock_undo_entry(tx, me, deed_id).undo.get("run")
    if run is None or run["state"] == "done":
        raise Conflict(_("This is done. There is nothing to try again."))
    queue.retry_job(tx, run["job"])


@queue.handler("bulk.act")
def act_in_slices(database: Database, _http: Http, claimed: LeasedJob) -> None:
    """Apply the action to the remaining papers, one slice per transaction."""
    while _run_slice(database, claimed, state="running"):
        database.pause()


@queue.handler("bulk.undo")
def undo_in_slices(database: Database, _http: Http, claimed: LeasedJob) -> None:
    """Undo the action, one of its slices per transaction."""
    while _run_slice(database, claimed, state="undoing"):
        database.pause()


def _run_slice(database: Database, claimed: LeasedJob, *, state: str) -> bool:
    """Process one slice and return True if more are left.

    Finish the job if the undo entry is gone or in another state.
    """
    with database.write() as tx:
        queue.extend_lease(tx, claimed)
        deed = tx.get(UndoEntry, claimed.payload["deed"], with_for_update=True, populate_existing=True)
        if deed is None or deed.undone_at is not None or deed.undo["run"]["state"] != state:
            queue.finish_job(tx, claimed)
            return False
        with i18n.use_language(deed.undo["run"]["language"]):
            left = _apply_slice(tx, deed) if state == "running" else _undo_next_slice(tx, deed)
        run = deed.undo["run"]
        queue.extend_lease(tx, claimed, done=run["done"] if state == "running" else run["undone"])
        if not left:
            queue.finish_job(tx, claimed)
        return left


def _apply_slice(tx: Write, deed: UndoEntry) -> bool:
    """Apply the action to the next papers and return True if more are left."""
    run = deed.undo["run"]
    me = _find_visitor(tx, deed)
    if me is None:
        _update_run(deed, run={"state": "done", "waiting": [], "problem": _("You may not do this any more.")})
        return False
    asked, waiting = run["waiting"][:BATCH_SIZE], run["waiting"][BATCH_SIZE:]
    done, undo = apply_to_papers(tx, me, BulkRequest.model_validate({**run["wanted"], "papers": asked}), asked)
    _update_run(
        deed,
        count=deed.undo["count"] + sum(outcome.changed for outcome in done),
        refused=[*deed.undo["refused"], *list_refusals(done)][:MOST_TOLD],
        slices=[*deed.undo["slices"], *([undo] if undo else [])],
        run={
            "state": "running" if waiting else "done",
            "waiting": waiting,
            "items": [*run["items"], *map(outcome_to_json, done)],
            "done": run["done"] + len(asked),
        },
    )
    return bool(waiting)


def _undo_next_slice(tx: Write, deed: UndoEntry) -> bool:
    """Undo the next slice and return True if more are left."""
    run, slices, me = deed.undo["run"], list_slices(deed), _find_visitor(tx, deed)
    if me is None:
        _update_run(deed, run={"state": "done", "problem": _("You may not do this any more.")})
        return False
    back = combine_outcomes(undo_slice(tx, me, deed, slices[run["undone"]]))
    undone = run["undone"] + 1
    stays = [*run["stays"], *([paper_id, why] for paper_id, why in back.left.items())]
    _update_run(deed, run={"undone": undone, "back": [*run["back"], *back.papers], "stays": stays})
    if undone == len(slices):
        _finish_undo(deed)
    return bool(undone < len(slices))


def _finish_undo(deed: UndoEntry) -> None:
    run = deed.undo["run"]
    if run["back"]:
        deed.undone_at = now()
        _update_run(deed, run={"state": "done"})
    else:
        _update_run(deed, run={"state": "done", "problem": nothing_to_undo_error().message})


def _undo_at_once(tx: Write, me: CurrentUser, deed: UndoEntry) -> UndoResult:
    """Undo an action that was stopped early, even if it had not changed anything yet."""
    back = undo_bulk_action(tx, me, deed.id or 0)
    _update_run(deed, run={"state": "done", "back": back.papers, "stays": [list(left) for left in back.left.items()]})
    return back


def _find_visitor(tx: Write, deed: UndoEntry) -> CurrentUser | None:
    """Return the user with the token they used; None if they may no longer do this."""
    run = deed.undo["run"]
    me = find_visitor(tx, deed.person_id)
    if me is None:
        return None
    scopes = None if run["scopes"] is None else frozenset(run["scopes"])
    me = replace(me, token_id=run["token"], scopes=scopes, address=run["address"])
    return me if permissions.has_permission(me, ACTS[deed.verb.removeprefix("bulk.")].needs) else None


def _update_run(deed: UndoEntry, *, run: Mapping[str, Any], **values: Any) -> None:  # noqa: ANN401 - JSON values
    """Update the undo entry's data by assigning a new dict, as the ORM does not track changes inside JSON."""
    deed.undo = {**deed.undo, **values, "run": {**deed.undo["run"], **run}}


def _enqueue_job(tx: Write, me: CurrentUser, deed: UndoEntry, kind: str, *, total: int) -> None:
    job_id = queue.enqueue(tx, kind, {"deed": deed.id}, priority=10, created_by=me.id)
    queue.set_total(tx, job_id, total)
    _update_run(deed, run={"job": job_id})
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
    said = {"code": problem.code, "detail": problem.message}
    return said | ({"allowed": problem.allowed} if isinstance(problem, Conflict) and problem.allowed else {})
