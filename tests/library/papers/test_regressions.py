"""What reviewers found in papers: titles that only begin alike, what was deleted, and corrections of nothing."""

import json
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, NotAllowed, StaleVersion
from readtrack.infra.http.types import OFFLINE
from readtrack.infra.models import Event, Job, Paper
from readtrack.infra.pagination import PageRequest
from readtrack.library.enrichment.pending import PendingReason, describe_pending, get_pending_reason
from readtrack.library.papers import commands, lists
from readtrack.library.papers.commands import PaperCreate
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.papers.lists import PaperFilter
from readtrack.workspace.export import stream
from tests import make
from tests.sample_library import content


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def editor(database):
    with database.write() as tx:
        return make.visitor(tx, "Eve", role="editor")


def test_a_member_cannot_restore_a_paper_an_editor_deleted_by_adding_it(database, ada, editor):
    with database.write() as tx:
        paper_id, _ = commands.add_by_text(tx, ada, PaperCreate(identifier="2305.15778", title="Attention"))
        commands.delete_paper(tx, editor, paper_id)
    before = content(database)
    with pytest.raises(Conflict, match="“Attention” was deleted by an editor") as refused, database.write() as tx:
        commands.add_by_text(tx, ada, PaperCreate(identifier="2305.15778"))
    assert refused.value.code == "deleted"
    assert content(database) == before


def test_an_editor_adding_a_deleted_paper_restores_it_as_its_next_version(database, editor):
    with database.write() as tx:
        paper_id, _ = commands.add_by_text(tx, editor, PaperCreate(identifier="2305.15778"))
        commands.delete_paper(tx, editor, paper_id)
        assert commands.add_by_text(tx, editor, PaperCreate(identifier="2305.15778")) == (paper_id, False)
        paper = tx.get_one(Paper, paper_id)
        assert (paper.deleted_at, paper.version) == (None, 3)


@pytest.mark.parametrize("said", [{}, {"title": "Attention"}, {"venue": None}, {"abstract": "One.\r\nTwo."}])
def test_an_empty_correction_creates_no_event_and_no_version(database, ada, said):
    with database.write() as tx:
        paper_id = make.paper(tx, "Attention", abstract="One.\nTwo.").id
        paper = edit_paper(tx, ada, paper_id, PaperUpdate.model_validate(said), version=1)
        assert (paper.version, paper.field_locks) == (1, {})
        assert tx.scalar(sa.select(sa.func.count()).where(col(Event.verb) == "paper.edited")) == 0


def test_an_empty_correction_based_on_a_stale_version_is_still_refused(database, ada):
    with database.write() as tx:
        paper_id = make.paper(tx).id
    with pytest.raises(StaleVersion), database.write() as tx:
        edit_paper(tx, ada, paper_id, PaperUpdate(), version=7)


def test_rejecting_and_undoing_it_require_an_editor(database, ada, editor):
    with database.write() as tx:
        paper_id = make.paper(tx, triage="inbox").id
        rejected = make.paper(tx, triage="rejected").id
    for paper, triage in ((paper_id, "rejected"), (rejected, "library")):
        with pytest.raises(NotAllowed), database.write() as tx:
            edit_paper(tx, ada, paper, PaperUpdate(triage=triage), version=1)
    with database.write() as tx:
        edit_paper(tx, ada, paper_id, PaperUpdate(triage="library"), version=1)
        edit_paper(tx, editor, paper_id, PaperUpdate(triage="rejected"), version=2)


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("", {"kept"}),
        ("checkpointing", {"kept"}),
        ("is:rejected", {"rejected"}),
        ("-is:library", {"rejected"}),
        ("checkpointing (is:rejected OR is:library)", {"kept", "rejected"}),
    ],
)
def test_rejected_papers_are_listed_only_on_request(database, ada, q, found):
    with database.write() as tx:
        ids = {name: make.paper(tx, f"Checkpointing {name}").id for name in ("kept", "rejected")}
        tx.get_one(Paper, ids["rejected"]).triage = "rejected"
        tx.flush()
        search.update_papers(tx, ids.values())
    with database.read() as tx:
        wanted = PaperFilter(q)
        rows = lists.list_papers(tx, ada, wanted, PageRequest()).items
        assert {row.id for row in rows} == {ids[name] for name in found}
        assert lists.count_papers(tx, ada, wanted) == len(found)


@pytest.mark.parametrize("state", ["failed", "queued", "running"])
def test_a_source_that_cannot_be_queried_is_reported_alike_before_and_after_each_attempt(database, ada, state):
    with database.write() as tx:
        commands.add_by_text(tx, ada, PaperCreate(identifier="2305.15778"))
        tx.execute(sa.update(Job).values(state=state, error="Nobody may be asked.", run_at=now()))
    with database.read() as tx:
        waiting = get_pending_reason(tx, "arxiv")
    assert waiting.describe_briefly() == "metadata not fetched"
    assert describe_pending([waiting]) == ["Waiting for arXiv, retrying later. Nobody may be asked."]


def test_an_unresponsive_source_is_shown_as_waiting_until_the_next_attempt(database, ada):
    with database.write() as tx:
        commands.add_by_text(tx, ada, PaperCreate(identifier="2305.15778"))
        tx.execute(sa.update(Job).values(error="It is busy.", run_at=now() + timedelta(minutes=5)))
    with database.read() as tx:
        waiting = get_pending_reason(tx, "arxiv")
    assert waiting.describe_briefly().startswith("retrying arXiv at ")
    [sentence] = describe_pending([waiting])
    assert sentence.startswith("Waiting for arXiv, next try ")
    assert sentence.endswith(" UTC. It is busy.")


def test_services_that_wait_for_the_same_reason_share_one_sentence():
    soon = now() + timedelta(minutes=5)
    offline = [PendingReason(service, OFFLINE) for service in ("arxiv", "crossref", "dblp")]
    assert describe_pending(offline) == [OFFLINE]
    running = [PendingReason(service, is_running=True) for service in ("arxiv", "crossref", "arxiv")]
    assert describe_pending(running) == ["Fetching metadata from arXiv, Crossref."]
    busy = [PendingReason("arxiv", "It is busy.", soon), PendingReason("dblp", "It is away.", soon)]
    assert describe_pending(busy) == [
        f"Waiting for arXiv, next try {soon:%H:%M} UTC. It is busy.",
        f"Waiting for DBLP, next try {soon:%H:%M} UTC. It is away.",
    ]
    [sentence] = describe_pending([*busy, PendingReason("crossref", "It is lost.", soon + timedelta(minutes=9))])
    assert sentence == f"Waiting for arXiv, DBLP, Crossref, next try {soon:%H:%M} UTC."


def test_any_number_of_papers_is_exported_as_a_file(database, ada, monkeypatch):
    with database.write() as tx:
        topic = make.topic(tx, "Training")
        for _ in range(5):
            make.filed(tx, make.paper(tx), topic)
    monkeypatch.setattr(stream, "BATCH_SIZE", 2)
    with database.read() as tx:
        ids = stream.find_ids(tx, ada, "")
    papers = json.loads("".join(stream.stream_export(database, ada, "json", ids)))["papers"]
    assert [paper["topics"] for paper in papers] == [["Training"]] * 5
