"""Papers that are likely there twice are found, shown side by side, and decided once and for all."""

from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound
from readtrack.infra.jobs import queue
from readtrack.infra.models import DuplicatePair, Job, Paper
from readtrack.infra.pagination import PageRequest
from readtrack.library.duplicates import jobs as duplicates_jobs
from readtrack.library.duplicates import review
from readtrack.library.duplicates.blocking import DuplicateCandidate
from readtrack.library.duplicates.jobs import JOB, enqueue_duplicate_search
from readtrack.library.duplicates.merge import unmerge
from readtrack.library.duplicates.review import (
    count_open_duplicates,
    dismiss_duplicate,
    get_duplicate,
    list_duplicates,
    merge_duplicate,
    reopen,
)
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.papers.commands import delete_paper
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick

NOBODY: Any = None  # whom this job asks

TITLE = "Keeping Large Models Alive through Failures of Their Machines"


@pytest.fixture
def editor(database):
    with database.write() as tx:
        return make.visitor(tx, "Edith", role="editor")


@pytest.fixture
def pair(database):
    """A paper that is there twice, and one that is not: ids."""
    with database.write() as tx:
        authors = ["Ada Example", "Bo Muster"]
        one = make.paper(tx, TITLE, authors=authors, year=2023)
        other = make.paper(tx, TITLE, authors=authors, year=2024, identifier="doi:10.1145/1")
        make.paper(tx, "Something Else Entirely about Graphs", authors=["Cy Third"])
        return one.id, other.id


@pytest.fixture
def run(database):
    """Runs the job at once."""

    def run():
        with database.write() as tx:
            enqueue_duplicate_search(tx)
            tx.execute(sa.update(Job).where(col(Job.state) == "queued").values(run_at=now()))
        assert queue.run_due_job(database, NOBODY, kinds=(JOB,))

    return run


def do(database, verb, *given, **named):
    with database.write() as tx:
        return verb(tx, *given, **named)


def listed(database, me, state="open", cut=None):
    with database.read() as tx:
        return list_duplicates(tx, me, state, cut or PageRequest())


def pairs(database, me, state="open"):
    return [(row.one.id, row.other.id) for row in listed(database, me, state).items]


def test_duplicates_are_found_and_shown_with_their_team_data(database, editor, pair, run):
    one, other = pair
    with database.write() as tx:
        bo = make.person(tx, "Bo")
        make.reading(tx, bo.id, one, "read")
        make.reading(tx, make.person(tx).id, one, "read", private=True)
        make.summary(tx, bo.id, other)
        make.summary(tx, make.person(tx).id, other, private=True)
        make.entry(tx, paper_id=other, kind="paper")
        make.filed(tx, tx.get_one(Paper, one), make.topic(tx, "Storage"))
    run()
    (row,) = listed(database, editor).items
    assert (row.one.id, row.other.id, row.state) == (one, other, "open")
    assert row.likeness > 90
    assert row.evidence.startswith("The same title")
    assert (row.one.readers, row.one.topics, row.one.summaries) == (["Bo"], [("storage", "Storage")], 0)
    assert (row.other.summaries, row.other.entries, row.other.identifiers) == (1, 1, ["doi:10.1145/1"])
    assert (row.other.title, row.other.year) == (TITLE, 2024)


def test_a_pair_marked_as_not_duplicates_is_never_suggested_again(database, editor, pair, run):
    run()
    (row,) = listed(database, editor).items
    for _ in range(2):
        do(database, dismiss_duplicate, editor, row.id)
    run()
    assert pairs(database, editor) == []
    (decided,) = listed(database, editor, "distinct").items
    assert (decided.decided_by, decided.one.id, decided.other.id) == ("Edith", *pair)
    for _ in range(2):
        do(database, reopen, editor, row.id)
    assert pairs(database, editor) == [pair]
    with database.read() as tx:
        assert get_duplicate(tx, editor, row.id).decided_by == ""
        assert count_open_duplicates(tx) == 1


def test_a_pair_is_merged_into_the_chosen_paper_and_unmerged(database, editor, pair, run):
    one, other = pair
    run()
    (row,) = listed(database, editor).items
    assert do(database, merge_duplicate, editor, row.id, into_id=one).id == one
    run()
    assert pairs(database, editor) == []
    (merged,) = listed(database, editor, "merged").items
    assert (merged.id, merged.decided_by) == (row.id, "Edith")
    for verb in (dismiss_duplicate, reopen):
        with pytest.raises(Conflict):
            do(database, verb, editor, row.id)
    with pytest.raises(Conflict):
        do(database, merge_duplicate, editor, row.id, into_id=one)
    assert do(database, unmerge, editor, merged.merge_id).id == other
    assert pairs(database, editor) == [pair]


def test_an_invalid_decision_is_refused(database, editor, pair, run):
    run()
    (row,) = listed(database, editor).items
    with database.write() as tx:
        viewer, member = make.visitor(tx, role="viewer"), make.visitor(tx)
    for verb in (dismiss_duplicate, reopen):
        with pytest.raises(NotAllowed):
            do(database, verb, viewer, row.id)
        with pytest.raises(NotFound):
            do(database, verb, editor, 999)
    with pytest.raises(NotAllowed):
        do(database, merge_duplicate, member, row.id, into_id=pair[0])
    with pytest.raises(Invalid):
        do(database, merge_duplicate, editor, row.id, into_id=999)
    do(database, dismiss_duplicate, editor, row.id)
    with pytest.raises(Conflict, match="marked these papers as not duplicates"):
        do(database, merge_duplicate, editor, row.id, into_id=pair[0])
    with database.read() as tx, pytest.raises(NotFound):
        get_duplicate(tx, editor, 999)


def test_pairs_with_a_deleted_paper_are_not_shown(database, editor, pair, run):
    run()
    (row,) = listed(database, editor).items
    do(database, delete_paper, editor, pair[1])
    assert pairs(database, editor) == []
    with database.read() as tx:
        assert count_open_duplicates(tx) == 0
        with pytest.raises(NotFound):
            get_duplicate(tx, editor, row.id)


def test_the_likeliest_pairs_come_first(database, editor, pair, run):
    with database.write() as tx:
        for number in range(3):
            for _ in range(2):
                make.paper(tx, f"{TITLE} and How They {['Recover', 'Wait', 'Stop'][number]}")
    run()
    rows = listed(database, editor).items
    assert len(rows) > 2
    assert (rows[0].one.id, rows[0].other.id) == pair


def test_a_paper_deleted_during_the_comparison_is_omitted(database, editor, pair):
    do(database, delete_paper, editor, pair[0])
    do(database, duplicates_jobs._store_candidates, [DuplicateCandidate(pair[0], pair[1], 100, "The same title.")])  # noqa: SLF001 - as after the comparing
    with database.read() as tx:
        assert tx.scalars(sa.select(DuplicatePair)).all() == []


def test_the_job_waits_for_changes_to_settle(database, pair):
    with database.write() as tx:
        assert enqueue_duplicate_search(tx) == enqueue_duplicate_search(tx)
    assert not queue.run_due_job(database, NOBODY, kinds=(JOB,))


def test_pairs_are_paged_with_a_fixed_number_of_statements(database, editor, statements):
    with database.write() as tx:
        ids = [make.paper(tx).id for _ in range(12)]
        for place, (one, other) in enumerate(pairwise(ids)):
            add_candidate(tx, one, other, likeness=60 + place % 3, evidence="Alike.")
    with statements() as few:
        first = listed(database, editor, cut=PageRequest(limit=2))
    with statements() as many:
        everything = listed(database, editor)
    assert len(few) == len(many)
    assert everything.next is None
    seen, page = list(first.items), first
    while page.next:
        page = listed(database, editor, cut=PageRequest(limit=2, after=page.next))
        seen += page.items
    assert seen == list(everything.items)
    assert [row.likeness for row in seen] == sorted((row.likeness for row in seen), reverse=True)
    for row in everything.items:
        do(database, dismiss_duplicate, editor, row.id)
    page = listed(database, editor, "distinct", PageRequest(limit=4))
    assert page.next is not None
    value, last = page.next
    rest = listed(database, editor, "distinct", PageRequest(limit=20, after=(value.isoformat(), last)))
    assert len(page.items) + len(rest.items) == len(everything.items)
    assert review.cursor_context("open") != review.cursor_context("distinct")
