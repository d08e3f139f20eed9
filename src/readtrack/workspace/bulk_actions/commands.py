"""Execution of a bulk action in one transaction; a refused paper does not stop the others."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions, undo_log
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import Conflict, ReadtrackError, StorageUnavailable, invalid_field
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.enrichment import scheduler
from readtrack.workspace.bulk_actions.actions import ACTS, MAX_MERGED, BulkRequest
from readtrack.workspace.bulk_actions.queries import list_matching_papers, selection_fingerprint

log = structlog.get_logger()

BROKEN = N_("Internal error. See the server log.")
MAX_STORED_REFUSALS = 100  # refusals stored in an undo entry; the response contains all of them


class PaperOutcome(NamedTuple):
    """The outcome for one paper: whether it changed, or why it was refused."""

    paper_id: int
    changed: bool = False
    problem: ReadtrackError | None = None

    @property
    def status(self) -> int:
        """The HTTP status that the API would return for this paper alone."""
        return self.problem.status if self.problem else 200


class BulkResult(NamedTuple):
    """The outcome of each paper in the requested order. `undo_id`: id of the undo entry, or None."""

    action: str
    outcomes: Sequence[PaperOutcome]
    undo_id: int | None

    @property
    def changed_count(self) -> int:
        """The number of changed papers."""
        return sum(outcome.changed for outcome in self.outcomes)


def run_bulk_action(tx: Write, me: CurrentUser, request: BulkRequest) -> BulkResult:
    """Run a bulk action.

    Raise NotAllowed, or Conflict if the papers that match differ from those shown.
    """
    return run_on_papers(tx, me, request, choose_papers(tx, me, request))


def run_on_papers(tx: Write, me: CurrentUser, request: BulkRequest, paper_ids: Sequence[int]) -> BulkResult:
    """Apply the action to these papers in this transaction."""
    outcomes, undo = apply_to_papers(tx, me, request, paper_ids)
    return BulkResult(request.act, outcomes, _store_undo_entry(tx, me, request.act, outcomes=outcomes, undo=undo))


def choose_papers(tx: Write, me: CurrentUser, request: BulkRequest) -> list[int]:
    """Return the papers to act on, without repetition, in the requested order.

    Raise the errors of run_bulk_action.
    """
    permissions.require(me, ACTS[request.act].required_permission)
    paper_ids = list(dict.fromkeys(request.papers)) if request.papers is not None else _find_selection(tx, me, request)
    _check_paper_limit(request, paper_ids)
    return paper_ids


def apply_to_papers(
    tx: Write, me: CurrentUser, request: BulkRequest, paper_ids: Sequence[int]
) -> tuple[list[PaperOutcome], Mapping[str, Any] | None]:
    """Apply the action to papers; return the outcomes in the requested order, and the undo data or None."""
    kind = ACTS[request.act]
    lock_papers(tx, paper_ids, exclusive=kind.exclusive)
    action = kind(tx, me, request, paper_ids)
    with search.defer_indexing(tx), scheduler.batch_requests(tx):
        outcomes = {
            paper_id: try_on_paper(tx, partial(action.apply_to_paper, paper_id), act=request.act, paper_id=paper_id)
            for paper_id in sorted(paper_ids)
        }
        action.end()
    tx.flush()
    ordered_outcomes = [outcomes[paper_id] for paper_id in paper_ids]
    return ordered_outcomes, action.undo() if any(outcome.changed for outcome in ordered_outcomes) else None


def _find_selection(tx: Write, me: CurrentUser, request: BulkRequest) -> list[int]:
    """Return the papers that match now. Raise Conflict if they differ from those shown to the user."""
    paper_ids = list_matching_papers(tx, me, request.q or "")
    is_count_changed = request.count is not None and request.count != len(paper_ids)
    if is_count_changed or (request.seen is not None and request.seen != selection_fingerprint(paper_ids)):
        message = _("The search results have changed. Check them and try again.")
        raise Conflict(message, code="count-changed")
    return paper_ids


def _check_paper_limit(request: BulkRequest, paper_ids: Sequence[int]) -> None:
    if request.act == "merge" and len(paper_ids) > MAX_MERGED:
        detail = _("You can merge up to {most} papers at once.").format(most=MAX_MERGED)
        raise invalid_field("/papers", "too-many", detail)


def lock_papers(tx: Write, paper_ids: Sequence[int], *, exclusive: bool) -> None:
    """Lock all papers in the order of their ids, so that concurrent actions cannot deadlock.

    No shared locks: PostgreSQL acquires them on a row being updated version by version, which is another order.
    """
    query = sa.select(col(Paper.id)).where(col(Paper.id).in_(paper_ids)).order_by(col(Paper.id))
    tx.execute(query.with_for_update(key_share=not exclusive)).all()


def try_on_paper(tx: Write, apply: Callable[[], object], *, act: str, paper_id: int) -> PaperOutcome:
    """Run a command for one paper in a savepoint and return its outcome, so that an error affects only it.

    A failure of the database itself is raised.
    """
    try:
        with savepoint(tx):
            return PaperOutcome(paper_id, changed=bool(apply()))
    except (StorageUnavailable, KeyboardInterrupt):
        raise
    except ReadtrackError as error:
        return PaperOutcome(paper_id, problem=error)
    except BaseException:  # includes database errors: after a lost connection the commit fails anyway
        log.exception("bulk action failed for a paper", act=act, paper=paper_id)
        return PaperOutcome(paper_id, problem=ReadtrackError(_(BROKEN)))


def list_refusals(outcomes: Sequence[PaperOutcome]) -> list[list[Any]]:
    """Return the refused papers with their reasons, as stored in an undo entry."""
    return [[outcome.paper_id, outcome.problem.message] for outcome in outcomes if outcome.problem]


def _store_undo_entry(
    tx: Write, me: CurrentUser, act: str, *, outcomes: Sequence[PaperOutcome], undo: Mapping[str, Any] | None
) -> int | None:
    """Store the undo entry with the refusals, and return its id."""
    if undo is None:
        return None
    summary = {
        "count": sum(outcome.changed for outcome in outcomes),
        "refused": list_refusals(outcomes)[:MAX_STORED_REFUSALS],
    }
    return undo_log.record_undo_entry(tx, me, f"bulk.{act}", {**undo, **summary})
