"""Acts on more papers than one transaction takes: done and undone slice by slice, by a job that may be killed."""

import re
import threading
from collections import Counter
from typing import Any

import lxml.html
import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import Conflict, ReadtrackError, StaleVersion, StorageUnavailable
from readtrack.infra.jobs import queue
from readtrack.infra.models import Assignment, Event, Job, Paper, PaperTopic, Person, Reading, Topic
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.workspace.bulk_actions import batch_jobs
from readtrack.workspace.bulk_actions import undo as bulk_actions_undo
from readtrack.workspace.bulk_actions.actions import ACTS, BulkRequest, DeleteAction
from readtrack.workspace.bulk_actions.batch_jobs import act_or_enqueue, undo_or_enqueue
from readtrack.workspace.bulk_actions.commands import BulkResult, run_bulk_action
from readtrack.workspace.bulk_actions.queries import find_progress, get_outcomes, get_undo_entry
from readtrack.workspace.bulk_actions.undo import undo_bulk_action
from tests import make
from tests.depth import some

pytestmark = pytest.mark.slow

NOBODY: Any = None  # no act asks the network
ACTS_SAID: dict[str, dict[str, Any]] = {
    "reading": {"reading": {"status": "to_read"}},
    "topics": {"topics": {"add": ["MoE"]}},
    "triage": {"triage": "rejected"},
    "delete": {},
}


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Seven papers are very many."""
    monkeypatch.setattr(batch_jobs, "BATCH_SIZE", 2)


@pytest.fixture
def eve(database):
    with database.write() as tx:
        return make.visitor(tx, "Eve", role="editor")


@pytest.fixture
def papers(database):
    with database.write() as tx:
        return [make.paper(tx, f"Paper {number}").id for number in range(7)]


@pytest.fixture
def start(database, eve, papers):
    """Begins an act on all papers, and gives the number of its deed."""

    def start(act, these=None, **said):
        with database.write() as tx:
            return act_or_enqueue(tx, eve, BulkRequest(papers=these or papers, act=act, **said))

    return start


@pytest.fixture
def undo(database, eve):
    def undo(deed):
        with database.write() as tx:
            return undo_or_enqueue(tx, eve, deed)

    return undo


def run(database):
    while queue.run_due_job(database, NOBODY, kinds=("bulk.act", "bulk.undo")):
        pass


def state(database, me, deed_id):
    with database.read() as tx:
        return find_progress(tx, [get_undo_entry(tx, me, deed_id)])[deed_id]


def items(database, me, deed_id):
    with database.read() as tx:
        return get_outcomes(tx, me, deed_id)


def gone(database):
    with database.read() as tx:
        return {*tx.scalars(sa.select(col(Paper.id)).where(col(Paper.deleted_at).is_not(None)))}


def count(database, table):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table))


def kill_at(database, commit):
    """The process ends when it is about to commit for that time; gives what takes this off again."""
    commits: list[sa.Connection] = []

    def end(connection, _cursor, statement, *_rest):
        if statement.startswith("UPDATE undo_entry"):
            commits.append(connection)
            if len(commits) == commit:
                raise KeyboardInterrupt

    sa.event.listen(database.engines[0], "before_cursor_execute", end)
    with pytest.raises(KeyboardInterrupt):
        run(database)
    sa.event.remove(database.engines[0], "before_cursor_execute", end)
    with database.write() as tx:  # its lease is over some seconds later
        tx.execute(sa.update(Job).where(col(Job.state) == "running").values(lease_until=col(Job.run_at)))


def test_few_papers_are_processed_at_once(start, papers):
    done = start("delete", papers[:2])
    assert isinstance(done, BulkResult)
    assert done.changed_count == 2


@pytest.mark.deep
@pytest.mark.parametrize("act", some(ACTS_SAID, 2))
def test_very_many_papers_are_processed_by_a_job_and_one_undo_reverts_them(database, eve, papers, start, undo, act):
    deed = start(act, **ACTS_SAID[act])
    assert state(database, eve, deed)[:3] == ("running", 0, 7)
    run(database)
    assert state(database, eve, deed)[:3] == ("done", 7, 7)
    outcomes, _left = items(database, eve, deed)
    assert [(one["paper"], one["status"], one["changed"]) for one in outcomes] == [(one, 200, True) for one in papers]
    assert undo(deed) is None
    run(database)
    assert state(database, eve, deed).state == "undone"
    assert items(database, eve, deed)[1] == []
    assert gone(database) == set()
    assert [count(database, table) for table in (Reading, PaperTopic, Topic)] == [0, 0, 0]
    with pytest.raises(Conflict, match="Already undone"):
        undo(deed)


@pytest.mark.parametrize("killed_at", [1, 2, 4])
def test_a_killed_job_resumes_and_does_nothing_twice(database, eve, papers, start, killed_at):
    deed = start("delete")
    kill_at(database, killed_at)
    assert len(gone(database)) == 2 * (killed_at - 1)
    run(database)
    assert gone(database) == {*papers}
    assert [one["changed"] for one in items(database, eve, deed)[0]] == [True] * 7
    with database.read() as tx:
        told = tx.scalars(sa.select(col(Event.paper_id)).where(col(Event.verb) == "paper.deleted"))
        assert Counter(told) == Counter(papers)


def test_a_killed_undo_resumes_and_does_nothing_twice(database, eve, papers, start, undo):
    deed = start("delete")
    run(database)
    undo(deed)
    kill_at(database, 3)
    assert len(gone(database)) == 4
    run(database)
    assert (gone(database), state(database, eve, deed).state) == (set(), "undone")
    with database.read() as tx:
        told = tx.scalars(sa.select(col(Event.paper_id)).where(col(Event.verb) == "paper.restored"))
        assert Counter(told) == Counter(papers)


def test_a_killed_action_is_undone_as_far_as_it_got_and_not_continued(database, eve, start, undo):
    deed = start("delete")
    kill_at(database, 3)
    undo(deed)
    run(database)
    assert (gone(database), state(database, eve, deed).state) == (set(), "undone")
    assert {job.state for job in jobs_of(database)} == {"done"}


def test_an_action_that_has_not_started_is_undone_at_once(database, eve, start, undo):
    deed = start("delete")
    assert undo(deed) == ([], {})
    run(database)
    assert (gone(database), state(database, eve, deed).state) == (set(), "undone")


def jobs_of(database):
    with database.read() as tx:
        return [job for job in queue.list_jobs(tx) if job.kind.startswith("bulk.")]


@pytest.mark.deep
def test_other_writers_get_the_lock_between_two_batches(database, start):
    start("delete")
    begun, order = threading.Event(), []

    def write():
        begun.wait()
        with database.write() as tx:
            tx.execute(sa.select(col(Person.id)))
            order.append(len(gone(database)))

    other = threading.Thread(target=write)
    other.start()
    sa.event.listen(database.engines[0], "commit", lambda _connection: begun.set())
    run(database)
    other.join()
    assert order[0] < 7


def test_changes_made_between_two_batches_survive_undoing_the_action(database, eve, papers, start, undo):
    deed = start("delete")
    kill_at(database, 2)
    with database.write() as tx:
        restore_paper(tx, eve, papers[0])
        delete_paper(tx, eve, papers[0])
    run(database)
    undo(deed)
    run(database)
    assert gone(database) == {papers[0]}
    assert [paper_id for paper_id, _why in items(database, eve, deed)[1]] == [papers[0]]


def test_each_refused_paper_has_its_own_outcome(database, eve, papers, start):
    with database.write() as tx:
        delete_paper(tx, eve, papers[3])
    deed = start("topics", [*papers, 4711], topics={"add": ["MoE"]})
    run(database)
    outcomes, _left = items(database, eve, deed)
    assert {one["paper"]: one["status"] for one in outcomes if not one["changed"]} == {papers[3]: 404, 4711: 404}
    with database.read() as tx:
        row = get_undo_entry(tx, eve, deed)
    assert (row.papers, [paper_id for paper_id, _why in row.refused]) == (6, [papers[3], 4711])


def test_an_action_stops_when_its_person_loses_permission_and_says_so(database, eve, start):
    deed = start("delete")
    kill_at(database, 2)
    with database.write() as tx:
        tx.execute(sa.update(Person).where(col(Person.id) == eve.id).values(role="viewer"))
    run(database)
    assert len(gone(database)) == 2
    assert state(database, eve, deed)[::3] == ("done", "You no longer have permission to do this.")


class Breaking(DeleteAction):
    def apply_to_paper(self, paper_id):
        if paper_id == self.papers[-1]:
            raise KeyError(paper_id)
        return super().apply_to_paper(paper_id)


def test_a_paper_on_which_the_action_fails_stops_no_others(database, eve, start, monkeypatch):
    monkeypatch.setitem(ACTS, "delete", Breaking)
    deed = start("delete")
    run(database)
    assert [one["status"] for one in items(database, eve, deed)[0]] == [200, 500, 200, 500, 200, 500, 500]
    assert (len(gone(database)), state(database, eve, deed).state) == (3, "done")


@pytest.mark.deep
@pytest.mark.parametrize(
    "problem",
    [
        sa.exc.ProgrammingError("UPDATE paper", {}, Exception("odd")),
        sa.exc.InvalidRequestError("odd"),
        RecursionError("odd"),
        SystemExit("a native library gave up"),
        ReadtrackError("odd"),
    ],
    ids=lambda problem: type(problem).__name__,
)
def test_any_exception_on_one_paper_stops_no_others(database, eve, start, papers, monkeypatch, problem):
    class Raising(DeleteAction):
        def apply_to_paper(self, paper_id):
            if paper_id == papers[2]:
                raise problem
            return super().apply_to_paper(paper_id)

    monkeypatch.setitem(ACTS, "delete", Raising)
    deed = start("delete")
    run(database)
    assert [one["status"] for one in items(database, eve, deed)[0]] == [200, 200, 500, 200, 200, 200, 200]
    assert (gone(database), state(database, eve, deed).state) == ({*papers} - {papers[2]}, "done")


@pytest.mark.deep
@pytest.mark.parametrize(
    "problem",
    [KeyError("odd"), sa.exc.InvalidRequestError("odd"), SystemExit("odd"), StaleVersion("It was changed.")],
    ids=lambda problem: type(problem).__name__,
)
def test_a_paper_on_which_undo_fails_stops_no_others(database, eve, start, undo, papers, monkeypatch, problem):
    def restore(tx, me, paper_id):
        if paper_id == papers[2]:
            raise problem
        return restore_paper(tx, me, paper_id)

    monkeypatch.setattr(bulk_actions_undo, "restore_paper", restore)
    deed = start("delete")
    run(database)
    undo(deed)
    run(database)
    assert (gone(database), state(database, eve, deed).state) == ({papers[2]}, "undone")
    said = "It was changed." if isinstance(problem, StaleVersion) else "Internal error. See the server log."
    assert items(database, eve, deed)[1] == [[papers[2], said]]


def test_an_action_waits_for_an_unavailable_database_and_blames_no_paper(database, eve, start, papers, monkeypatch):
    class Raising(DeleteAction):
        def apply_to_paper(self, paper_id):
            raise StorageUnavailable("The disk is full.")

    monkeypatch.setitem(ACTS, "delete", Raising)
    deed = start("delete")
    run(database)
    assert items(database, eve, deed)[0] == []
    monkeypatch.undo()
    monkeypatch.setattr(batch_jobs, "BATCH_SIZE", 2)
    with database.write() as tx:
        tx.execute(sa.update(Job).values(run_at=col(Job.created_at)))
    run(database)
    assert gone(database) == {*papers}


def test_an_action_whose_job_was_given_up_says_so_and_continues_when_retried(database, eve, sign_in, papers, start):
    deed = start("delete")
    kill_at(database, 2)
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed", error="The disk is full.", attempts=6))
    browser = sign_in(eve)
    assert "The disk is full." in browser.get(f"/bulk/{deed}").text
    assert browser.post(f"/bulk/{deed}/retry", data={}).headers["location"].startswith(f"/bulk/{deed}?")
    run(database)
    assert gone(database) == {*papers}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("act", "said", "most"),
    some(
        [  # with the two of a savepoint for each
            ("reading", {"reading": {"status": "to_read"}}, 14),
            ("topics", {"topics": {"add": ["MoE"]}}, 9),
            ("delete", {}, 6),
            ("triage", {"triage": "rejected"}, 8),
            ("assign", {"assign": {"person": 1}}, 14),
        ],
        3,
    ),
)
def test_the_statements_per_additional_paper_are_bounded(database, eve, statements, act, said, most):
    with database.write() as tx:
        papers = [make.paper(tx, f"Paper {number}").id for number in range(30)]
    numbers = []
    for these in (papers[:10], papers[10:]):
        with statements() as seen, database.write() as tx:
            run_bulk_action(tx, eve, BulkRequest(papers=these, act=act, **said))
        numbers.append(len(seen))
    assert (numbers[1] - numbers[0]) / 10 <= most


def test_the_api_returns_the_undo_entry_to_which_outcomes_are_added(database, sign_in, eve, papers):
    client = sign_in(eve)
    body = {"papers": papers, "act": "delete"}
    answer = client.post("/api/v1/bulk", json=body, headers={"Idempotency-Key": "a"})
    deed = answer.headers["location"]
    assert (answer.status_code, answer.json()["state"], answer.json()["items"]) == (202, "running", [])
    assert client.post("/api/v1/bulk", json=body, headers={"Idempotency-Key": "a"}).headers["location"] == deed
    run(database)
    told = client.get(deed).json()
    assert (told["state"], told["done"], told["total"], told["papers"]) == ("done", 7, 7, 7)
    assert [one["paper"] for one in told["items"]] == papers
    undoing = client.post(f"{deed}/undo")
    assert (undoing.status_code, undoing.json()["state"]) == (202, "undoing")
    run(database)
    assert (client.get(deed).json()["state"], client.get(deed).json()["left"]) == ("undone", [])
    assert client.post(f"{deed}/retry").status_code == 409


def test_the_page_shows_progress_and_offers_undo(database, sign_in, eve, papers):
    browser = sign_in(eve)
    sent = {"do": "delete", "paper": papers, "next": "/papers?q=Paper"}
    there = browser.post("/bulk", data=sent).headers["location"]
    deed, _, back = there.partition("?")
    assert back == "next=%2Fpapers%3Fq%3DPaper"
    document = lxml.html.fromstring(browser.get(there).text)
    assert document.xpath("//*[@id='progress']/@hx-trigger") == ["every 2s"]
    run(database)
    document = lxml.html.fromstring(browser.get(there).text)
    assert "7 of 7 papers changed" in document.text_content()
    assert document.xpath("//*[@id='progress']/@hx-trigger") == []
    assert document.xpath("//main//a[@href='/papers?q=Paper']")
    [form] = document.xpath(f"//main//form[@action='{deed}/undo']")
    assert browser.post(form.action, data=dict(form.form_values())).headers["location"] == there
    run(database)
    assert "Undone" in browser.get(there).text
    assert gone(database) == set()


def test_htmx_is_redirected_to_the_progress_page(sign_in, eve, papers):
    answer = sign_in(eve).post("/bulk", data={"do": "delete", "paper": papers}, headers={"HX-Request": "true"})
    assert re.fullmatch(r"/bulk/\d+\?next=%2Fpapers", answer.headers["hx-redirect"])


def test_nobody_else_can_see_or_undo_it(database, sign_in, start):
    deed = start("delete")
    with database.write() as tx:
        other = make.visitor(tx, "Edith", role="editor")
    browser = sign_in(other)
    assert browser.get(f"/bulk/{deed}").status_code == 404
    assert browser.get(f"/api/v1/bulk/{deed}").status_code == 404
    assert browser.post(f"/api/v1/bulk/{deed}/undo").status_code == 404
    assert browser.post(f"/api/v1/bulk/{deed}/retry").status_code == 404


def test_an_action_that_cannot_be_undone_says_so(database, start, undo):
    deed = start("refresh")
    run(database)
    with pytest.raises(Conflict, match=r"^This can't be undone\.$"):
        undo(deed)


def test_an_action_fully_changed_since_cannot_be_undone_and_says_so(database, eve, papers, start, undo):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob", role="member")
    deed = start("assign", assign={"person": bob.id})
    run(database)
    with database.write() as tx:
        tx.execute(sa.update(Assignment).values(version=2))
    undo(deed)
    run(database)
    ended = state(database, eve, deed)
    assert (ended.state, ended.problem) == ("done", "Can't undo: these papers were all changed later.")


def test_the_single_transaction_undo_reverts_an_action_of_many_batches(database, eve, start):
    deed = start("delete")
    run(database)
    with database.write() as tx:
        assert len(undo_bulk_action(tx, eve, deed).papers) == 7
    assert gone(database) == set()
