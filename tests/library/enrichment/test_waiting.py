"""However many metadata requests wait, pages and jobs read those that they need."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.models import MetadataRequest, Paper
from readtrack.library.enrichment import jobs, source_jobs
from readtrack.library.enrichment.pending import find_pending_labels
from readtrack.library.papers.detail import get_paper
from readtrack.library.papers.needs_attention import count_all, find_search_state
from readtrack.metadata import sources
from tests import make
from tests.plans import plans

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

ARXIV = sources.service("arxiv")
PAPERS, POSTPONED = 600, 100


@pytest.fixture
def waiting(database):
    """Many papers whose requests wait, the first of them postponed: some until a minute ago, some for an hour."""
    with database.write() as tx:
        me = make.visitor(tx, "Edith", role="editor")
        papers = range(1, PAPERS + 1)
        tx.execute(sa.insert(Paper), [{"id": paper, "title": f"Paper {paper}", "authors": []} for paper in papers])
        requests = [{"paper_id": paper, "service": "arxiv", "key": f"k{paper}"} for paper in papers]
        tx.execute(sa.insert(MetadataRequest), requests)
        for least, delay in ((POSTPONED, 60), (2 * POSTPONED, -1)):
            late = sa.and_(col(MetadataRequest.paper_id) <= least, col(MetadataRequest.not_before).is_(None))
            tx.execute(sa.update(MetadataRequest).where(late).values(not_before=now() + timedelta(minutes=delay)))
    return me


def batches(size=20):
    return jobs._Batches(size, 1)  # noqa: SLF001


def test_pages_find_the_requests_of_their_papers_by_the_papers(database, waiting):
    with database.read() as tx:
        (labels, *_) = plans(tx, lambda: find_pending_labels(tx, [300, 301]))
        shown = plans(tx, lambda: get_paper(tx, waiting, 300))
    asked = [plan for plan in (labels, *shown) if "metadata_request" in plan]
    assert len(asked) > 1
    for plan in asked:
        if database.dialect == "sqlite":
            assert "USING INDEX sqlite_autoindex_metadata_request_1 (paper_id=?)" in plan
        else:
            assert "Index Cond: (paper_id = " in plan


def test_review_looks_at_waiting_and_unknown_requests_by_their_indexes(database, waiting):
    with database.read() as tx:
        (state,) = plans(tx, lambda: find_search_state(tx, "unknown"))
        *_, count = plans(tx, lambda: count_all(tx))
        assert find_search_state(tx, "unknown") == "pending"
    assert any(f"ix_metadata_request_{name}" in state for name in ("waiting", "due", "host")), state
    assert "ix_metadata_request_unknown" in count, count


def test_the_job_reads_due_requests_by_an_index_postponed_ones_first(database, waiting):
    with database.read() as tx:
        read = plans(tx, lambda: jobs._list_due_requests(tx, ARXIV, batches(POSTPONED + 1)))  # noqa: SLF001
        (earliest,) = plans(tx, lambda: jobs._next_due_at(tx, ARXIV))  # noqa: SLF001
        due = jobs._list_due_requests(tx, ARXIV, batches(POSTPONED + 2))  # noqa: SLF001
        assert len(jobs._list_due_requests(tx, ARXIV, batches())) == 20  # noqa: SLF001
        next_at = jobs._next_due_at(tx, ARXIV)  # noqa: SLF001
    assert list(due) == [f"k{paper}" for paper in range(POSTPONED + 1, 2 * POSTPONED + 3)]
    assert next_at is not None
    assert next_at < now()
    assert len(read) == 2
    for plan in (*read, earliest):
        assert "ix_metadata_request_due" in plan, plan
        assert "Sort" not in plan, plan
        assert "TEMP B-TREE" not in plan, plan


def test_the_papers_that_wait_for_a_service_are_read_in_portions_by_an_index(database, waiting):
    with database.read() as tx:
        conditions = jobs._pending_request_filter(ARXIV)  # noqa: SLF001
        (plan,) = plans(tx, lambda: source_jobs._list_papers(tx, *conditions, after_id=100, limit=50))  # noqa: SLF001
        papers = source_jobs._list_papers(tx, *conditions, after_id=100, limit=50)  # noqa: SLF001
    assert papers == list(range(101, 151))
    assert "ix_metadata_request_waiting" in plan, plan


def test_the_next_hosts_are_found_by_an_index(database, waiting):
    with database.write() as tx:
        hosts = sa.case((col(MetadataRequest.paper_id) < PAPERS, "a.example.org"), else_="z.example.org")
        tx.execute(sa.update(MetadataRequest).values(service="url", host=hosts))
    with database.read() as tx:
        found = jobs._list_other_hosts(tx, sources.service("url"), [], after="")  # noqa: SLF001
        read = plans(tx, lambda: jobs._list_other_hosts(tx, sources.service("url"), [], after=""))  # noqa: SLF001
    assert [host for host, _ in found] == ["a.example.org", "z.example.org"]
    hosts_read = [plan for plan in read if "ix_metadata_request_host" in plan]
    assert len(hosts_read) >= 3
    assert not any("TEMP B-TREE" in plan or "Sort" in plan for plan in hosts_read)
