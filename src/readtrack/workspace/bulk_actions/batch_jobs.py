"""Acts on more papers than one short transaction takes: a job does, and undoes, them slice by slice.

The deed of the act holds how far it is, and changes with each slice in the slice's own transaction. So a job that was
killed goes on after the last slice that was committed, and does nothing twice.
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
from readtrack.infra.jobs.queue import Claimed
from readtrack.infra.models import Deed
from readtrack.infra.permissions import Visitor
from readtrack.team.accounts.queries import find_visitor
from readtrack.workspace.bulk_actions.actions import ACTS
from readtrack.workspace.bulk_actions.commands import (
    MOST_TOLD,
    Done,
    Outcome,
    act_on,
    carry_out,
    choose_papers,
    refused_of,
)
from readtrack.workspace.bulk_actions.schemas import Bulk
from readtrack.workspace.bulk_actions.undo import (
    TakenBack,
    hold_deed,
    nothing_to_undo,
    slices_of,
    sum_up,
    undo_deed,
    undo_slice,
)

AT_ONCE = 50  # papers in one transaction, as many as a page of a list has: 0.05 to 0.15 s, for which other writers wait


def act_or_enqueue(tx: Write, me: Visitor, wanted: Bulk) -> Done | int:
    """Do the act at once if its papers are few; else begin a job for it and return the number of its deed.

    Raises as `choose_papers` does.
    """
    asked = choose_papers(tx, me, wanted)
    if len(asked) <= AT_ONCE:
        return act_on(tx, me, wanted, asked)
    run = {
        "state": "running",
        "wanted": wanted.model_dump(mode="json", exclude={"papers", "q", "count", "seen"}, exclude_unset=True),
        "token": me.token_id,
        "scopes": None if me.scopes is None else sorted(me.scopes),
        "address": me.address,
        "language": i18n.current(),
        "waiting": asked,
        "items": [],
        "done": 0,
        "total": len(asked),
        "problem": "",
    }
    deed_id = undo_log.remember(tx, me, f"bulk.{wanted.act}", {"count": 0, "refused": [], "slices": [], "run": run})
    _enqueue(tx, me, tx.get_one(Deed, deed_id), "bulk.act", total=len(asked))
    return deed_id


def undo_or_enqueue(tx: Write, me: Visitor, deed_id: int) -> TakenBack | None:
    """Undo the act at once if it was small; else begin a job for it and return None.

    An act that still runs ends where it is, and what was done is undone. Raises as `undo_deed` does.
    """
    deed = hold_deed(tx, me, deed_id)
    run = deed.undo.get("run")
    if run is None:
        return undo_deed(tx, me, deed_id)
    if run["state"] == "undoing":
        _enqueue_again(tx, run)
        return None
    if run["state"] == "done" and not deed.undo["slices"]:
        raise nothing_to_undo()
    _keep(deed, run={"state": "undoing", "waiting": [], "undone": 0, "back": [], "stays": [], "problem": ""})
    if len(deed.undo["slices"]) <= 1:
        return _undo_few(tx, me, deed)
    _enqueue(tx, me, deed, "bulk.undo", total=len(deed.undo["slices"]))
    return None


def retry_act(tx: Write, me: Visitor, deed_id: int) -> None:
    """Start the job again that gave up on an act of mine. Raises NotFound, and Conflict if it has not given up."""
    run = hold_deed(tx, me, deed_id).undo.get("run")
    if run is None or run["state"] == "done":
        raise Conflict(_("This is done. There is nothing to try again."))
    queue.retry(tx, run["job"])


@queue.handler("bulk.act")
def act_in_slices(database: Database, _http: Http, claimed: Claimed) -> None:
    """Do the act to the papers that wait for it, some in each transaction."""
    while _step(database, claimed, state="running"):
        database.pause()


@queue.handler("bulk.undo")
def undo_in_slices(database: Database, _http: Http, claimed: Claimed) -> None:
    """Undo the act, one of its transactions in each."""
    while _step(database, claimed, state="undoing"):
        database.pause()


def _step(database: Database, claimed: Claimed, *, state: str) -> bool:
    """Do one slice; return whether more are left. A deed that is gone or in another state needs nothing."""
    with database.write() as tx:
        queue.hold(tx, claimed)
        deed = tx.get(Deed, claimed.payload["deed"], with_for_update=True, populate_existing=True)
        if deed is None or deed.undone_at is not None or deed.undo["run"]["state"] != state:
            queue.finish(tx, claimed)
            return False
        with i18n.speaking(deed.undo["run"]["language"]):
            left = _act(tx, deed) if state == "running" else _undo(tx, deed)
        run = deed.undo["run"]
        queue.hold(tx, claimed, done=run["done"] if state == "running" else run["undone"])
        if not left:
            queue.finish(tx, claimed)
        return left


def _act(tx: Write, deed: Deed) -> bool:
    """Do the act to the next papers; return whether more are left."""
    run = deed.undo["run"]
    me = _visitor(tx, deed)
    if me is None:
        _keep(deed, run={"state": "done", "waiting": [], "problem": _("You may not do this any more.")})
        return False
    asked, waiting = run["waiting"][:AT_ONCE], run["waiting"][AT_ONCE:]
    done, undo = carry_out(tx, me, Bulk.model_validate({**run["wanted"], "papers": asked}), asked)
    _keep(
        deed,
        count=deed.undo["count"] + sum(outcome.changed for outcome in done),
        refused=[*deed.undo["refused"], *refused_of(done)][:MOST_TOLD],
        slices=[*deed.undo["slices"], *([undo] if undo else [])],
        run={
            "state": "running" if waiting else "done",
            "waiting": waiting,
            "items": [*run["items"], *map(outcome_out, done)],
            "done": run["done"] + len(asked),
        },
    )
    return bool(waiting)


def _undo(tx: Write, deed: Deed) -> bool:
    """Undo the next slice; return whether more are left."""
    run, slices, me = deed.undo["run"], slices_of(deed), _visitor(tx, deed)
    if me is None:
        _keep(deed, run={"state": "done", "problem": _("You may not do this any more.")})
        return False
    back = sum_up(undo_slice(tx, me, deed, slices[run["undone"]]))
    undone = run["undone"] + 1
    stays = [*run["stays"], *([paper_id, why] for paper_id, why in back.left.items())]
    _keep(deed, run={"undone": undone, "back": [*run["back"], *back.papers], "stays": stays})
    if undone == len(slices):
        _end_undoing(deed)
    return bool(undone < len(slices))


def _end_undoing(deed: Deed) -> None:
    run = deed.undo["run"]
    if run["back"]:
        deed.undone_at = now()
        _keep(deed, run={"state": "done"})
    else:
        _keep(deed, run={"state": "done", "problem": nothing_to_undo().message})


def _undo_few(tx: Write, me: Visitor, deed: Deed) -> TakenBack:
    """An act that was stopped at its beginning is undone at once, even if nothing of it was done."""
    back = undo_deed(tx, me, deed.id or 0)
    _keep(deed, run={"state": "done", "back": back.papers, "stays": [list(left) for left in back.left.items()]})
    return back


def _visitor(tx: Write, deed: Deed) -> Visitor | None:
    """The person of the deed, by the token that they used, if they may still do it."""
    run = deed.undo["run"]
    me = find_visitor(tx, deed.person_id)
    if me is None:
        return None
    scopes = None if run["scopes"] is None else frozenset(run["scopes"])
    me = replace(me, token_id=run["token"], scopes=scopes, address=run["address"])
    return me if permissions.may(me, ACTS[deed.verb.removeprefix("bulk.")].needs) else None


def _keep(deed: Deed, *, run: Mapping[str, Any], **values: Any) -> None:  # noqa: ANN401 - as JSON has it
    """Change what the deed holds; a new mapping, as the ORM does not look inside."""
    deed.undo = {**deed.undo, **values, "run": {**deed.undo["run"], **run}}


def _enqueue(tx: Write, me: Visitor, deed: Deed, kind: str, *, total: int) -> None:
    job_id = queue.enqueue(tx, kind, {"deed": deed.id}, priority=10, created_by=me.id)
    queue.announce(tx, job_id, total)
    _keep(deed, run={"job": job_id})
    tx.flush()


def _enqueue_again(tx: Write, run: Mapping[str, Any]) -> None:
    """A job that gave up begins again; one that is at it goes on."""
    job = queue.get_job(tx, run["job"])
    if job.state == "failed":
        queue.retry(tx, run["job"])


def outcome_out(outcome: Outcome) -> dict[str, Any]:
    """One paper's outcome as JSON."""
    problem = outcome.problem and _problem_out(outcome.problem)
    return {"paper": outcome.paper_id, "status": outcome.status, "changed": outcome.changed, "problem": problem}


def _problem_out(problem: ReadtrackError) -> dict[str, Any]:
    said = {"code": problem.code, "detail": problem.message}
    return said | ({"allowed": problem.allowed} if isinstance(problem, Conflict) and problem.allowed else {})
