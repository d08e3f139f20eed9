"""The job that finds what is only named: asks one service after the other for a title until one is sure.

A person confirms what was found (proposals.py); nothing is applied by itself, and no network in a transaction.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from readtrack.infra import permissions
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import Conflict, NotFound, SourceRefused, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import Http, Prepared
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import Claimed
from readtrack.infra.models import Lead
from readtrack.infra.permissions import Visitor
from readtrack.library.matching import lookups
from readtrack.library.matching.lookups import Task
from readtrack.library.matching.propose import keep
from readtrack.library.matching.scoring import Likely, Wanted, is_sure, weigh
from readtrack.metadata import registry
from readtrack.metadata.types import Metadata, Service

JOB = "papers.resolve"
TURN = 10.0  # seconds that titles have a worker to themselves
FIRST = ("crossref", "dblp")  # who can tell where a work appeared, and is glad to be asked for titles
BUSY = (StorageUnavailable, Conflict)  # these say nothing of one title, unless they come again
_GLUED = re.compile(r"(?<=[A-Za-z]{2})(?=\d)")  # GPT4 is GPT-4 elsewhere
FindTitle = Callable[[str], Sequence[Metadata]]


def resolve_later(tx: Write) -> int:
    """One job looks for all titles that nobody has looked for yet, after what has an identifier was asked about."""
    return queue.enqueue(tx, JOB, dedup=JOB, priority=-1)


def resolve_what_is_left(tx: Write) -> None:
    """The same, when there is any."""
    if lookups.is_left(tx):
        resolve_later(tx)


def look_again(tx: Write, me: Visitor, *, paper_id: int | None = None, lead_id: int | None = None) -> int:
    """Everybody is asked once more for the title of a paper or lead; the job that does. Raises NotFound."""
    permissions.require(me, "edit")
    if paper_id is not None:
        permissions.require_present(tx, paper_id)
    elif lead_id is None or tx.get(Lead, lead_id) is None:
        message = _("There is no lead {lead_id}.").format(lead_id=lead_id)
        raise NotFound(message)
    lookups.look_anew(tx, paper_id=paper_id, lead_id=lead_id)
    return resolve_later(tx)


@queue.handler(JOB)
def resolve(database: Database, http: Http, claimed: Claimed) -> None:
    """With the local catalogue first, where there is one."""
    resolve_titles(database, http, claimed, find_title=http.known.find_title if isinstance(http, Prepared) else None)


def resolve_titles(database: Database, http: Http, claimed: Claimed, *, find_title: FindTitle | None = None) -> None:
    """Title after title, each kept before the next, until none is left or others have waited long enough.

    `find_title`: the works of a title that a local catalogue has.
    """
    search, after = Searching(http, find_title), 0
    done, until = claimed.done, time.monotonic() + TURN
    while tasks := _next(database, claimed, after):
        for task in tasks:
            found = _look_for(database, claimed, search, task, done=done)
            done, after = done + found, task.id
            if done > claimed.done and time.monotonic() > until:
                _give_way(database, claimed)
                return
    if search.left:
        raise next(iter(search.away.values()))  # what is left for those who are away is looked for later
    _end(database, claimed)


def _next(database: Database, claimed: Claimed, after: int) -> list[Task]:
    with database.write() as tx:
        queue.hold(tx, claimed)
        return lookups.due(tx, after=after)


def _look_for(database: Database, claimed: Claimed, search: "Searching", task: Task, *, done: int) -> bool:
    """Whether that title is done with, be it only that it is set aside: it raises something unexpected."""
    outcome = Outcome()
    passing = BUSY if claimed.attempts == 1 else ()
    with queue.isolated("a title cannot be looked for", *passing, lookup=task.id) as tried:
        if not task.broken:
            outcome = search.look_for(task)
            _keep(database, claimed, task, outcome, done=done + outcome.done)
    if task.broken or tried.problem is not None:
        with database.write() as tx:
            queue.hold(tx, claimed, done=done + 1)
            lookups.set_aside(tx, task.id)
        return True
    return outcome.done


def _keep(database: Database, claimed: Claimed, task: Task, outcome: "Outcome", *, done: int) -> None:
    with database.write() as tx:
        queue.hold(tx, claimed, done=done if outcome.done else None)
        keep(tx, task, outcome.works, asked=outcome.asked, done=outcome.done)


def _give_way(database: Database, claimed: Claimed) -> None:
    with database.write() as tx:
        queue.give_way(tx, claimed)


def _end(database: Database, claimed: Claimed) -> None:
    """Unless something was added meanwhile, or is called otherwise by now."""
    with database.write() as tx:
        queue.hold(tx, claimed, ending=True)
        if lookups.is_left(tx):
            queue.give_way(tx, claimed)
        else:
            queue.finish(tx, claimed)


@dataclass
class Outcome:
    """What came of looking for a title. `done`: nobody is left to be asked."""

    works: Sequence[Likely] = ()
    asked: list[str] = field(default_factory=list)
    done: bool = True


class Searching:
    """Asks whoever can search. `away`: services that do not answer at present; nobody waits for them.

    `left`: whether one of them may still have told something.
    """

    def __init__(self, http: Http, find_title: FindTitle | None) -> None:
        self._http, self._find_title = http, find_title
        self.away: dict[str, SourceUnavailable] = {}
        self.left = False

    def look_for(self, task: Task) -> Outcome:
        """What is here comes first, then the local catalogue, then the services in their order."""
        outcome = Outcome()
        if task.wanted is None:
            return outcome
        found = [*task.here]
        if self._find_title and not task.only_here:
            found += self._find_title(task.wanted.title)
        outcome.works = weigh(task.wanted, found)
        for service in _searching(task):
            if _is_found(outcome.works):
                break
            answer = self._ask(service, task.wanted)
            if answer is None:
                outcome.done = False
                continue
            outcome.asked.append(service.name)
            found += answer
            outcome.works = weigh(task.wanted, found)
        outcome.done = outcome.done or _is_found(outcome.works)
        self.left = self.left or not outcome.done
        return outcome

    def _ask(self, service: Service, wanted: Wanted) -> Sequence[Metadata] | None:
        """None when it is away. Who refuses has nothing to say."""
        if service.name in self.away or service.search is None:
            return None
        try:
            words = _words(wanted)
            found = service.search(self._http, words)
            if not found and _GLUED.search(words):
                found = service.search(self._http, _GLUED.sub("-", words))
        except SourceUnavailable as problem:
            self.away[service.name] = problem
        except SourceRefused:
            return ()
        else:
            return found
        return None


def _searching(task: Task) -> Iterable[Service]:
    """Who is still to be asked. What a system is called tells something only to who knows venues as well."""
    if task.only_here or task.wanted is None:
        return []
    by_name = task.wanted.by_name
    services = [service for service in registry.all_services() if service.search and service.name not in task.asked]
    able = [service for service in services if not by_name or "venue" in service.adds]
    return sorted(able, key=lambda service: (service.name not in FIRST, service.order))


def _words(wanted: Wanted) -> str:
    if not wanted.by_name:
        return wanted.title
    return " ".join(filter(None, (wanted.title, wanted.venue, str(wanted.year or ""))))


def _is_found(works: Sequence[Likely]) -> bool:
    return len(works) == 1 and is_sure(works[0])
