"""The job that searches for titles: ask one service after the other until a match is sure.

Matches become suggestions that a person confirms. Requests are made outside of transactions.
"""

import re
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from readtrack.infra import permissions
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import Conflict, Invalid, NotFound, SourceRefused, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import CatalogHttp, Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Lead
from readtrack.infra.permissions import CurrentUser
from readtrack.library.enrichment.pending import build_paused_error, find_paused_services
from readtrack.library.matching import lookups
from readtrack.library.matching.lookups import TitleSearchTask
from readtrack.library.matching.propose import save_proposals
from readtrack.library.matching.scoring import LikelyMatch, WantedWork, is_sure, rank_matches
from readtrack.metadata import sources
from readtrack.metadata.types import Metadata, Service

JOB = "papers.resolve"
TURN_SECONDS = 10.0  # seconds that title searches may occupy a worker
FIRST = ("crossref", "dblp")  # services that know venues and welcome title searches are asked first
BUSY = (StorageUnavailable, Conflict)  # these errors say nothing about a title, unless they recur
_GLUED = re.compile(r"(?<=[A-Za-z]{2})(?=\d)")  # GPT4 is spelled GPT-4 elsewhere
FindTitle = Callable[[str], Sequence[Metadata]]


def enqueue_title_search(tx: Write) -> int:
    """Enqueue the job for all titles not searched yet, at lower priority than requests by identifier."""
    return queue.enqueue(tx, JOB, dedup_key=JOB, priority=-1)


def enqueue_remaining_searches(tx: Write) -> None:
    """Enqueue the job if there is any title to search for."""
    if lookups.has_pending_searches(tx):
        enqueue_title_search(tx)


def restart_title_search(tx: Write, me: CurrentUser, *, paper_id: int | None = None, lead_id: int | None = None) -> int:
    """Search again for the title of a paper or lead with every service; return the job's id.

    Raise NotFound, or Invalid for a lead without a title.
    """
    permissions.require(me, "edit")
    if paper_id is not None:
        permissions.require_present(tx, paper_id)
    elif lead_id is None or tx.get(Lead, lead_id) is None:
        message = _("Reference {lead_id} not found.").format(lead_id=lead_id)
        raise NotFound(message)
    elif not lookups.find_searchable_leads(tx, [lead_id]):
        raise Invalid(_("This reference has no title to search for. Choose the paper instead."))
    lookups.restart_search(tx, paper_id=paper_id, lead_id=lead_id)
    return enqueue_title_search(tx)


@queue.handler(JOB)
def run_title_search(database: Database, http: Http, job: LeasedJob) -> None:
    """Run the search, with the local catalogue first if there is one."""
    search_titles(database, http, job, find_title=http.known.find_title if isinstance(http, CatalogHttp) else None)


def search_titles(database: Database, http: Http, job: LeasedJob, *, find_title: FindTitle | None = None) -> None:
    """Search for titles one by one until none is left or the time slice is over.

    Each result is committed before the next search. `find_title`: returns the works with a title from a local
    catalogue.
    """
    with database.read() as tx:
        search, last_id = TitleSearcher(http, find_title, paused=find_paused_services(tx)), 0
    done, deadline = job.progress_done, time.monotonic() + TURN_SECONDS
    while tasks := _list_next_tasks(database, job, last_id):
        for task in tasks:
            is_done = _process_task(database, job, search, task, done=done)
            done, last_id = done + is_done, task.id
            if done > job.progress_done and time.monotonic() > deadline:
                _yield_to_jobs(database, job)
                return
    if search.is_incomplete:
        # Retry later the titles left for unavailable services. Errors of services that were asked come last.
        raise next(reversed(search.errors_by_service.values()))
    _finish_job(database, job)


def _list_next_tasks(database: Database, job: LeasedJob, after_id: int) -> list[TitleSearchTask]:
    with database.write() as tx:
        queue.extend_lease(tx, job)
        return lookups.list_due_searches(tx, after_id=after_id)


def _process_task(
    database: Database, job: LeasedJob, search: "TitleSearcher", task: TitleSearchTask, *, done: int
) -> bool:
    """Process a title and return True if it is done.

    After an unexpected error, the title is postponed and counts as done.
    """
    outcome = TitleSearchOutcome()
    passed_errors = BUSY if job.attempts == 1 else ()
    with queue.isolate_errors("failed to search title", *passed_errors, lookup=task.id) as attempt:
        if not task.broken:
            outcome = search.look_for(task)
            _save_outcome(database, job, task, outcome, done=done + outcome.is_complete)
    if task.broken or attempt.problem is not None:
        with database.write() as tx:
            queue.extend_lease(tx, job, done=done + 1)
            lookups.postpone_search(tx, task.id)
        return True
    return outcome.is_complete


def _save_outcome(
    database: Database, job: LeasedJob, task: TitleSearchTask, outcome: "TitleSearchOutcome", *, done: int
) -> None:
    with database.write() as tx:
        queue.extend_lease(tx, job, done=done if outcome.is_complete else None)
        save_proposals(tx, task, outcome.works, services=outcome.services, done=outcome.is_complete)


def _yield_to_jobs(database: Database, job: LeasedJob) -> None:
    with database.write() as tx:
        queue.requeue_job(tx, job)


def _finish_job(database: Database, job: LeasedJob) -> None:
    """Finish the job, or requeue it if titles were added or changed in the meantime."""
    with database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        if lookups.has_pending_searches(tx):
            queue.requeue_job(tx, job)
        else:
            queue.finish_job(tx, job)


@dataclass
class TitleSearchOutcome:
    """The result of a title search. `is_complete`: no service is left to ask."""

    works: Sequence[LikelyMatch] = ()
    services: list[str] = field(default_factory=list)
    is_complete: bool = True


class TitleSearcher:
    """Search with all services that can.

    `errors_by_service`: services that are unavailable and skipped, such as those that are `paused`; `is_incomplete`:
    True if one of them might still find something.
    """

    def __init__(self, http: Http, find_title: FindTitle | None, *, paused: Collection[str] = ()) -> None:
        self._http, self._find_title = http, find_title
        self.errors_by_service: dict[str, SourceUnavailable | SourceRefused] = {
            service: build_paused_error() for service in sorted(paused)
        }
        self.is_incomplete = False

    def look_for(self, task: TitleSearchTask) -> TitleSearchOutcome:
        """Search the library first, then the local catalogue, then the services in order."""
        outcome = TitleSearchOutcome()
        if task.work is None:
            return outcome
        works = [*task.library_papers]
        if self._find_title and not task.only_here:
            works += self._find_title(task.work.title)
        outcome.works = rank_matches(task.work, works)
        for service in _remaining_services(task):
            if _has_certain_match(outcome.works):
                break
            answered_works = self._ask(service, task.work)
            if answered_works is None:
                outcome.is_complete = False
                continue
            outcome.services.append(service.name)
            works += answered_works
            outcome.works = rank_matches(task.work, works)
        outcome.is_complete = outcome.is_complete or _has_certain_match(outcome.works)
        self.is_incomplete = self.is_incomplete or not outcome.is_complete
        return outcome

    def _ask(self, service: Service, wanted_work: WantedWork) -> Sequence[Metadata] | None:
        """Ask a service; None if it is unavailable or nothing may be sent. A refusal counts as no result."""
        if service.name in self.errors_by_service or service.search is None:
            return None
        try:
            text = _search_text(wanted_work)
            works = service.search(self._http, text)
            if not works and _GLUED.search(text):
                works = service.search(self._http, _GLUED.sub("-", text))
        except SourceUnavailable as problem:
            self.errors_by_service[service.name] = problem
        except SourceRefused as problem:
            if problem.code != "offline":
                return ()
            self.errors_by_service[service.name] = problem
        else:
            return works
        return None


def _remaining_services(task: TitleSearchTask) -> Iterable[Service]:
    """Return the services left to ask. A system's name is only searched where venues are known too."""
    if task.only_here or task.work is None:
        return []
    by_name = task.work.by_name
    services = [
        service for service in sources.all_services() if service.search and service.name not in task.answered_at
    ]
    suitable = [service for service in services if not by_name or "venue" in service.adds]
    return sorted(suitable, key=lambda service: (service.name not in FIRST, service.order))


def _search_text(wanted_work: WantedWork) -> str:
    if not wanted_work.by_name:
        return wanted_work.title
    return " ".join(filter(None, (wanted_work.title, wanted_work.venue, str(wanted_work.year or ""))))


def _has_certain_match(works: Sequence[LikelyMatch]) -> bool:
    return len(works) == 1 and is_sure(works[0])
