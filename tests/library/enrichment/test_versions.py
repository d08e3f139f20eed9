"""Which version somebody read, which one came out since, and asking arXiv for more of them politely."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.clock import now, today
from readtrack.infra.jobs import queue
from readtrack.infra.models import Job, MetadataRequest, Reading, Version
from readtrack.library.enrichment.jobs import resume_pending_requests
from readtrack.library.enrichment.versions import (
    NewerVersion,
    enqueue_version_check,
    find_newer_version,
    find_newer_versions,
    parse_version,
)
from readtrack.reading.readings import queries
from readtrack.reading.readings.commands import ReadingUpdate, remove_reading, set_reading, undo_reading
from tests import make
from tests.outside.world import World, egress_for
from tests.sample_library import carry_out, noted

LONG_AGO = datetime(2020, 1, 2, tzinfo=UTC)


def with_versions(tx, *labels, dated=LONG_AGO):
    paper = make.paper(tx)
    for number, label in enumerate(labels):
        make.added(tx, Version(paper_id=paper.id, label=label, dated=dated + timedelta(days=number)))
    return paper


def read(tx, me, paper, status, **said):
    return set_reading(tx, me, paper.id, ReadingUpdate.model_validate({"status": status, **said}))[0].version_label


def test_starting_to_read_records_the_latest_version_and_keeps_it(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper = with_versions(tx, "v2", "v10", "v9")
        assert read(tx, me, paper, "to_read") == ""
        assert read(tx, me, paper, "reading") == "v10"
        make.added(tx, Version(paper_id=paper.id, label="v11"))
        assert read(tx, me, paper, "read") == "v10"
        assert read(tx, me, paper, "reading") == "v11"  # the next pass


def test_the_published_version_is_later_than_any_numbered_one(database):
    with database.write() as tx:
        assert read(tx, make.visitor(tx), with_versions(tx, "published", "v7"), "read") == "published"


def test_a_backdated_reading_gets_the_version_of_that_time(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper = with_versions(tx, "v1", "v2", "v3")
        assert read(tx, me, paper, "read", finished_on=date(2020, 1, 3)) == "v2"
        unknown = set_reading(tx, me, with_versions(tx, "v1").id, ReadingUpdate(status="read"), changed_on=date.min)[0]
        assert unknown.version_label == ""


def test_without_a_known_version_it_stays_blank(database):
    with database.write() as tx:
        assert read(tx, make.visitor(tx), with_versions(tx), "reading") == ""


def test_a_person_may_set_another_version_and_undo_it(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper = with_versions(tx, "v1", "v2")
        assert read(tx, me, paper, "reading", version="v1") == "v1"
        reading, _ = set_reading(tx, me, paper.id, ReadingUpdate(version="v2"))
        assert reading.version_label == "v2"
        restored = undo_reading(tx, me, paper.id)
        assert restored is not None
        assert restored.version_label == "v1"
        assert set_reading(tx, me, paper.id, ReadingUpdate(version=None))[0].version_label == ""


def test_a_state_from_before_versions_existed_can_be_restored(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper = with_versions(tx, "v1")
        read(tx, me, paper, "to_read")
        remove_reading(tx, me, paper.id)
        event = queries.find_last_event(tx, me, paper.id)
        assert event is not None
        event.before = {name: value for name, value in (event.before or {}).items() if name != "version_label"}
        tx.flush()
        restored = undo_reading(tx, me, paper.id)
        assert restored is not None
        assert (restored.status, restored.version_label) == ("to_read", "")


@pytest.mark.parametrize("label", ["2", "v0", "v1234", "newest", "published "])
def test_only_version_labels_are_accepted(label):
    if label.strip() == "published":
        assert ReadingUpdate(version=label).version == "published"
    else:
        with pytest.raises(ValidationError):
            ReadingUpdate(version=label)


def test_a_version_later_than_the_one_read_is_shown_with_its_date(database):
    with database.write() as tx:
        paper, same, published = (with_versions(tx, "v1", *more) for more in (("v3", "v2"), (), ("published",)))
        wanted = {paper.id: "v1", same.id: "v1", published.id: "v1"}
        assert find_newer_version(tx, paper.id, "v1") == NewerVersion("v3", LONG_AGO + timedelta(days=1))
        assert find_newer_version(tx, paper.id, "v3") is None
        assert find_newer_version(tx, paper.id, "") is None
        assert {paper_id: newer.label for paper_id, newer in find_newer_versions(tx, wanted).items()} == {
            paper.id: "v3",
            published.id: "published",
        }


def test_lists_query_versions_once_for_all_papers(database, statements):
    with database.write() as tx:
        wanted = {with_versions(tx, "v1", "v2").id: "v1" for _ in range(5)}
    with database.read() as tx, statements() as seen:
        assert len(find_newer_versions(tx, wanted)) == 5
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("USP again: arXiv:2405.07719v5", "v5"),
        ("https://arxiv.org/pdf/2411.01738v1.pdf", "v1"),
        ("https://arxiv.org/abs/cs.LG/0701001v2", "v2"),
        ("https://arxiv.org/abs/2405.07719", ""),
        ("2405.07719v5 and 2405.07719v6", ""),
        ("10.1145/3689031.3696072v2", ""),
        ("release v2", ""),
    ],
)
def test_a_version_is_recognised_in_a_line(text, version):
    assert parse_version(text) == version


@pytest.mark.parametrize(
    ("status", "days", "state"),
    [("reading", 8, "waiting"), ("to_read", 8, "waiting"), ("paused", 8, "waiting"), ("reading", 6, "answered"),
     ("read", 8, "answered"), ("dropped", 8, "answered"), (None, 8, "answered")],
)  # fmt: skip
def test_arxiv_is_queried_again_after_a_week_about_papers_being_read(database, status, days, state):
    with World() as world, database.write() as tx:
        me = make.visitor(tx)
        paper = make.paper(tx, identifier="arxiv:2305.15778")
        if status:
            make.reading(tx, me.id, paper.id, status)
        asked: dict[str, Any] = {"asked_at": now() - timedelta(days=days), "state": "answered"}
        make.added(tx, MetadataRequest(paper_id=paper.id, service="arxiv", key="2305.15778", **asked))
        make.added(tx, MetadataRequest(paper_id=paper.id, service="dblp", key="A title", **asked))
        enqueue_version_check(tx)
        http = egress_for(world, database)
    queue.run_due_job(database, http, kinds=("papers.versions",))
    with database.read() as tx:
        states = dict(tx.execute(sa.select(col(MetadataRequest.service), col(MetadataRequest.state))).all())
        assert states == {"arxiv": state, "dblp": "answered"}
        waiting = tx.scalars(sa.select(col(Job.kind)).where(col(Job.state) == "queued")).all()
        assert waiting == (["papers.refresh"] if state == "waiting" else [])


def test_a_starting_worker_looks_for_due_titles_and_versions(database):
    with database.write() as tx:
        resume_pending_requests(tx)
        assert tx.scalars(sa.select(Job)).all() == []
        me = make.visitor(tx)
        paper = make.paper(tx, "文章", identifier="url:blog.example/1", kind="article")
        make.reading(tx, me.id, paper.id, "reading", started_on=today())
        asked = now() - timedelta(days=8)
        make.added(
            tx, MetadataRequest(paper_id=paper.id, service="arxiv", key="2305.15778", state="answered", asked_at=asked)
        )
        resume_pending_requests(tx)
        assert set(tx.scalars(sa.select(col(Job.kind)))) == {"papers.resolve", "papers.versions"}


def test_notes_that_state_a_version_set_it_and_others_leave_it_blank(database):
    with database.write() as tx:
        me = make.visitor(tx)
    text = "- [x] https://arxiv.org/abs/2405.07719v5 USP\n- [x] https://arxiv.org/abs/2305.15778 RCACopilot\n"
    carry_out(database, me, noted(database, me, text))
    with database.read() as tx:
        read_so = sa.select(col(Reading.status), col(Reading.version_label)).order_by(col(Reading.paper_id))
        assert [tuple(row) for row in tx.execute(read_so)] == [("read", "v5"), ("read", "")]
