"""The same at the same moment, many times: one effect, whoever is first; nobody's answer is lost or doubled (A54)."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.action_quotas import QUOTAS, Quota
from readtrack.infra.errors import TooManyRequests
from readtrack.infra.models import Assignment, Candidate, Comment, Event, Identifier, Paper, Reading, Series, Vote
from readtrack.team.questions.commands import QuestionCreate, ask_question
from tests import make
from tests.sample_library import noted

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]  # many requests at once to a whole application
AT_ONCE = 50


@pytest.fixture
def at_once(library, sign_in) -> Callable[..., list[Any]]:
    """Sends one request from fifty threads, as the member; the answers."""
    browser = sign_in(library.member)

    def send(method: str, address: str, json: object = None, **headers: str) -> list[Any]:
        with browser, ThreadPoolExecutor(AT_ONCE) as threads:
            asked = [
                threads.submit(browser.request, method, address, json=json, headers=headers) for _ in range(AT_ONCE)
            ]
            return [one.result() for one in asked]

    return send


def statuses(answers) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def count(database, table, **of) -> int:
    with database.read() as tx:
        query = sa.select(sa.func.count()).select_from(table)
        return tx.scalar(query.where(*(col(getattr(table, name)) == value for name, value in of.items())))


@pytest.mark.deep
def test_a54_requests_with_one_idempotency_key_run_once_and_get_the_same_response(library, database, at_once):
    address = f"/api/v1/papers/{library.of['paper_id']}/comments"

    answers = at_once("POST", address, {"markdown": "Only once."}, **{"Idempotency-Key": "one"})

    assert statuses(answers) == {201: AT_ONCE}
    assert len({answer.text for answer in answers}) == 1
    assert count(database, Comment, markdown="Only once.") == 1
    assert count(database, Event, verb="comment.added", person_id=library.member.id) == 1


@pytest.mark.deep
def test_a54_a_paper_added_concurrently_without_a_key_exists_once(library, database, at_once):
    answers = at_once("POST", "/api/v1/papers", {"identifier": "2409.00001"})

    assert statuses(answers) == {201: 1, 200: AT_ONCE - 1}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert count(database, Identifier, value="2409.00001") == 1


@pytest.mark.deep
def test_a54_concurrent_identical_reading_updates_create_one_reading(library, database, at_once):
    with database.write() as tx:
        paper_id = make.paper(tx).id

    answers = at_once("PUT", f"/api/v1/papers/{paper_id}/reading", {"status": "read"})

    assert statuses(answers) == {201: 1, 200: AT_ONCE - 1}
    assert count(database, Reading, paper_id=paper_id) == 1
    assert count(database, Event, verb="reading.set", paper_id=paper_id) <= 1


@pytest.mark.deep
def test_a54_concurrent_identical_assignments_create_one_assignment(library, database, at_once):
    with database.write() as tx:
        paper_id = make.paper(tx).id

    answers = at_once("POST", "/api/v1/assignments", {"paper": paper_id, "person": library.editor.id})

    assert set(statuses(answers)) <= {200, 201, 409}
    assert statuses(answers)[201] == 1
    assert count(database, Assignment, paper_id=paper_id) == 1


def test_a66_a_quota_holds_across_several_processes(library, database, monkeypatch):
    monkeypatch.setitem(QUOTAS, "question.asked", Quota(1, timedelta(hours=1)))

    def ask(text: str) -> None:
        with database.write() as tx:
            ask_question(tx, library.editor, QuestionCreate(text=text))

    with ThreadPoolExecutor(1) as elsewhere:
        with database.write() as tx:
            ask_question(tx, library.editor, QuestionCreate(text="Why?"))
            tx.flush()
            other = elsewhere.submit(ask, "Why not?")
            with pytest.raises(TimeoutError):
                other.result(timeout=0.3)
        with pytest.raises(TooManyRequests):
            other.result()


def test_a54_two_concurrent_merges_of_the_same_papers_create_no_cycle(library, database, sign_in):
    editor = sign_in(library.editor)
    with database.write() as tx:
        one, other = make.paper(tx).id, make.paper(tx).id
    pairs = [(one, other), (other, one)] * 10
    with editor, ThreadPoolExecutor(len(pairs)) as threads:
        asked = [threads.submit(editor.post, f"/api/v1/papers/{a}/merge", json={"into": b}) for a, b in pairs]
        answers = [each.result() for each in asked]

    assert statuses(answers)[200] == 1
    assert set(statuses(answers)) <= {200, 404, 409}
    with database.read() as tx:
        merged = {paper_id: tx.get_one(Paper, paper_id).merged_into for paper_id in (one, other)}
    assert merged in ({one: other, other: None}, {one: None, other: one})


@pytest.mark.deep
def test_a54_an_import_committed_concurrently_runs_once(library, database, at_once):
    import_id = noted(database, library.member, "- https://arxiv.org/abs/2409.00002 Only once\n", "races")

    answers = at_once("POST", f"/api/v1/imports/{import_id}/commit", {})

    assert set(statuses(answers)) <= {200, 202, 409}
    assert count(database, Event, verb="import.committed") - 1 == 1  # one was carried out before


@pytest.mark.deep
def test_a54_concurrent_votes_count_once(library, database, at_once):
    with database.write() as tx:
        series = make.added(tx, Series(name="Weekly"))
        candidate = make.added(tx, Candidate(series_id=series.id, paper_id=make.paper(tx).id))

    answers = at_once("PUT", f"/api/v1/candidates/{candidate.id}/vote", {"value": 1})

    assert set(statuses(answers)) <= {200, 409}
    assert count(database, Vote, candidate_id=candidate.id) == 1
