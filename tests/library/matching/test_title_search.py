"""Looking for what is only named: who is asked, in which order, what is kept when one is away, and what is proposed."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import NotAllowed, NotFound
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, HostRateLimit, Identifier, Job, Lead, MatchSuggestion, Paper, TitleSearch
from readtrack.library.enrichment.records import store_record
from readtrack.library.matching import lookups, title_search
from readtrack.library.matching.title_search import enqueue_title_search, restart_title_search, search_titles
from readtrack.library.papers.commands import add_paper, add_title, add_unnamed
from readtrack.metadata.types import Metadata, Ref
from tests import make
from tests.outside.world import World, egress_for

pytestmark = pytest.mark.slow  # `make check` is to be quick

PARCAE = "Parcae: Proactive, Liveput-Optimized DNN Training on Preemptible Instances"
OPT = "OPT: Open Pre-trained Transformer Language Models"
SEARCHED = ("crossref", "dblp", "arxiv", "semanticscholar")


@pytest.fixture
def world():
    with World() as world:
        yield world


@pytest.fixture
def resolve(database, world):
    """Runs the job until it is done or put back."""
    http = egress_for(world, database, connect=5, total=20)

    def run():
        with database.write() as tx:
            enqueue_title_search(tx)
            tx.execute(sa.update(Job).values(run_at=now() - timedelta(seconds=1)))
            tx.execute(sa.delete(HostRateLimit))
        while queue.run_due_job(database, http, kinds=("papers.resolve",)):
            pass
        with database.read() as tx:
            job = tx.scalars(
                sa.select(Job).where(col(Job.kind) == "papers.resolve").order_by(col(Job.id).desc())
            ).first()
            return job.state, job.error

    return run


def named(database, title, **said):
    with database.write() as tx:
        return add_unnamed(tx, make.visitor(tx, role="editor"), title=title, **said)


def lead(database, text, **fields):
    with database.write() as tx:
        row = Lead(text=text)
        tx.add(row)
        tx.flush()
        make.entry(tx, kind="lead", lead_id=row.id, **fields)
        return row.id


def commentary(database, title, kind="article"):
    with database.write() as tx:
        return make.paper(tx, title, identifier=f"url:blog.example/{title[:5]}", kind=kind).id


def proposals(database):
    with database.read() as tx:
        found = tx.scalars(sa.select(MatchSuggestion).order_by(col(MatchSuggestion.id))).all()
        tx.expunge_all()
    return found


def asked(world):
    return [name for name in SEARCHED for _ in world.asked(name)]


def test_a_paper_known_only_by_title_gets_a_match_suggestion_and_is_otherwise_unchanged(database, world, resolve):
    paper_id = named(database, PARCAE, authors=["Jiangfei Duan"], year=2024)
    assert resolve() == ("done", "")
    (found,) = proposals(database)
    assert (found.kind, found.paper_id, found.identifier) == ("is", paper_id, "usenix:nsdi24/duan")
    assert (found.likeness, found.venue, found.state) == (100, "NSDI 2024", "open")
    assert found.evidence == ("DBLP has a paper with this exact title, with authors from the notes (NSDI 2024).")
    with database.read() as tx:
        assert lookups.has_pending_searches(tx) is False


def test_a_certain_match_ends_the_search_and_no_service_is_queried_twice(database, world, resolve):
    named(database, "Automatic Root Cause Analysis via Large Language Models for Cloud Incidents")
    resolve()
    first = asked(world)
    assert first == ["crossref"]
    resolve()
    assert asked(world) == first


def test_an_unknown_title_is_searched_once_everywhere_and_again_after_a_month(database, world, resolve):
    named(database, "A Title That No Service of This World Has Ever Heard")
    resolve()
    first = asked(world)
    assert (set(first), proposals(database)) == (set(SEARCHED), [])
    resolve()
    assert asked(world) == first
    with database.write() as tx:
        tx.execute(sa.update(TitleSearch).values(asked_at=now() - timedelta(days=31)))
    resolve()
    assert sorted(asked(world)) == sorted(2 * first)


def test_while_one_service_is_down_the_others_are_queried_and_it_is_queried_later(database, world, resolve):
    paper_id = named(database, "A Title That No Service of This World Has Ever Heard")
    world.faults["dblp"] = "503"
    state, problem = resolve()
    assert (state, bool(problem)) == ("queued", True)
    assert {"crossref", "arxiv"} <= set(asked(world))
    with database.read() as tx:
        lookup = tx.scalars(sa.select(TitleSearch)).one()
        assert (lookup.paper_id, lookup.state, "dblp" in lookup.answered_at) == (paper_id, "waiting", False)
    world.faults.clear()
    before = len(world.asked("crossref"))
    assert resolve() == ("done", "")
    assert len(world.asked("crossref")) == before


def test_offline_a_title_counts_as_not_searched(database, world, resolve):
    named(database, PARCAE)
    offline = egress_for(world, database, offline=True)
    with database.write() as tx:
        enqueue_title_search(tx)
    while queue.run_due_job(database, offline, kinds=("papers.resolve",)):
        pass
    with database.read() as tx:
        search = tx.scalars(sa.select(TitleSearch)).one()
        assert (search.state, search.asked_at, search.answered_at) == ("waiting", None, {})
        assert lookups.has_pending_searches(tx)
    assert resolve() == ("done", "")
    assert len(proposals(database)) == 1


def test_a_match_from_another_service_is_suggested_while_one_is_down(database, world, resolve):
    named(database, OPT)
    world.faults["crossref"] = world.faults["dblp"] = "503"
    assert resolve() == ("done", "")
    assert [found.identifier for found in proposals(database)] == ["arxiv:2205.01068"]


def test_a_work_by_other_authors_is_not_suggested(database, resolve):
    named(database, PARCAE, authors=["Ada Example", "Bo Muster"])
    resolve()
    assert proposals(database) == []


@pytest.mark.deep
def test_a_title_of_several_works_is_left_to_a_person(database, resolve):
    named(database, "FlexPipe")
    resolve()
    found = proposals(database)
    assert len(found) == 2
    assert {proposal.likeness for proposal in found} == {80}


@pytest.mark.deep
def test_a_reference_with_a_title_is_searched_and_a_mere_description_is_not(database, world, resolve):
    lead_id = lead(database, PARCAE, title=PARCAE)
    lead(database, "Introduces the Zero Redundancy Optimizer for training large models.")
    resolve()
    (found,) = proposals(database)
    assert (found.lead_id, found.paper_id, found.identifier) == (lead_id, None, "usenix:nsdi24/duan")
    assert all("Redundancy" not in request.path for request in world.requests)


def test_a_reference_to_a_library_paper_is_recognised_without_any_request(database, world, resolve):
    with database.write() as tx:
        make.paper(tx, PARCAE, identifier="arxiv:2403.14097")
    lead(database, PARCAE, title=PARCAE)
    resolve()
    (found,) = proposals(database)
    assert (found.identifier, found.evidence) == (
        "arxiv:2403.14097",
        "This library has a paper with this exact title.",
    )
    assert world.requests == []


@pytest.mark.parametrize(
    ("title", "identifier"),
    [
        ("OSDI 24 DistServe论文", "usenix:osdi24/zhong-yinmin"),
        ("NSDI24 Parcae：命运女神的智驭，驯服抢占实例", "usenix:nsdi24/duan"),
        ("论文阅读: ZeRO-Offload: Democratizing Billion-Scale Model Training", "usenix:atc21/ren-jie"),
        ("精读《GPT4 Technical Report》", "arxiv:2303.08774"),
    ],
)
def test_an_article_whose_title_names_a_paper_is_suggested_as_discussing_it(database, resolve, title, identifier):
    article = commentary(database, title)
    resolve()
    (found,) = proposals(database)
    assert (found.kind, found.paper_id, found.identifier) == ("discusses", article, identifier)


def test_the_message_says_what_the_title_names_and_which_service_knows_it(database, resolve):
    commentary(database, "OSDI 24 DistServe论文")
    resolve()
    assert [found.evidence for found in proposals(database)] == [
        "The title names “DistServe” (OSDI 2024). DBLP has a paper whose title starts like this (OSDI 2024)."
    ]


def test_a_library_paper_comes_first(database, world, resolve):
    with database.write() as tx:
        make.paper(tx, "DistServe: Disaggregating Prefill and Decoding", venue="OSDI 2024", year=2024)
    commentary(database, "OSDI 24 DistServe论文")
    resolve()
    (found,) = proposals(database)
    assert (found.service, found.identifier.partition(":")[0], world.requests) == ("library", "arxiv", [])


@pytest.mark.deep
def test_a_library_paper_with_another_identifier_is_suggested_with_that_one(database, resolve):
    with database.write() as tx:
        make.paper(tx, "not fetched yet", identifier="arxiv:2101.06840")
    commentary(database, "论文阅读: ZeRO-Offload: Democratizing Billion-Scale Model Training")
    resolve()
    assert [found.identifier for found in proposals(database)] == ["arxiv:2101.06840"]


@pytest.mark.parametrize(
    "title", ["万卡 GPU 集群互联：硬件配置和网络设计", "PyTorch 分散学習入門", "NSDI 2024 参会评述随笔"]
)
def test_an_article_that_names_no_paper_is_not_searched(database, world, resolve, title):
    commentary(database, title)
    assert resolve() == ("done", "")
    assert (proposals(database), world.requests) == ([], [])


def test_an_article_whose_title_changes_is_examined_again(database, resolve):
    article = commentary(database, "文章")
    resolve()
    with database.write() as tx:
        tx.get_one(Paper, article).title = "OSDI 24 DistServe论文"
    resolve()
    assert len(proposals(database)) == 1


def test_a_rejected_match_is_not_suggested_again(database, resolve):
    paper_id = named(database, PARCAE)
    resolve()
    with database.write() as tx:
        tx.execute(sa.update(MatchSuggestion).values(state="rejected"))
        restart_title_search(tx, make.visitor(tx), paper_id=paper_id)
    resolve()
    assert [found.state for found in proposals(database)] == ["rejected"]


def test_the_local_catalog_is_queried_before_any_service(database, world):
    paper_id = named(database, PARCAE)
    known = Metadata(Ref("usenix", "nsdi24/duan"), "dblp", "published", title=PARCAE)
    with database.write() as tx:
        enqueue_title_search(tx)
    claimed = queue.lease_due_job(database, ("papers.resolve",))
    assert claimed is not None
    search_titles(database, egress_for(world, database), claimed, find_title=lambda title: [known] * (title == PARCAE))
    assert [(found.paper_id, found.identifier) for found in proposals(database)] == [(paper_id, str(known.ref))]
    assert world.requests == []


def test_adding_a_title_by_hand_starts_a_title_search(database):
    with database.write() as tx:
        add_title(tx, make.visitor(tx), PARCAE)
        assert queue.find_by_dedup_key(tx, "papers.resolve") is not None


def test_searching_again_requires_a_member_and_something_to_search_for(database):
    with database.write() as tx:
        with pytest.raises(NotAllowed):
            restart_title_search(tx, make.visitor(tx, role="viewer"), paper_id=1)
        for what in ({"paper_id": 99}, {"lead_id": 99}, {}):
            with pytest.raises(NotFound):
                restart_title_search(tx, make.visitor(tx), **what)


def test_a_paper_that_got_an_identifier_meanwhile_is_not_searched(database, world, resolve):
    paper_id = named(database, PARCAE)
    with database.write() as tx:
        lookups.list_due_searches(tx, after_id=0)
        make.added(tx, Identifier(paper_id=paper_id, scheme="arxiv", value="2403.14097"))
    resolve()
    assert (proposals(database), world.requests) == ([], [])
    with database.read() as tx:
        assert tx.scalars(sa.select(col(TitleSearch.state))).all() == ["done"]


def test_the_details_in_the_notes_count_for_an_unresolved_reference(database, resolve):
    lead(database, PARCAE, title=PARCAE, authors=["Ada Example", "Bo Muster"])
    resolve()
    assert proposals(database) == []
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Entry)) == 1


def test_a_search_for_many_titles_yields_to_other_jobs(database, resolve, monkeypatch):
    for title in (PARCAE, OPT, "A Title That No Service of This World Has Ever Heard"):
        named(database, title)
    monkeypatch.setattr(title_search, "TURN_SECONDS", 0.0)
    assert resolve() == ("done", "")
    assert len(proposals(database)) == 2
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Job.progress_done)).where(col(Job.kind) == "papers.resolve")).all() == [3]


def test_an_article_that_gets_its_title_from_its_site_is_examined_then(database):
    with database.write() as tx:
        article = Ref("zenn", "ada/articles/abc")
        paper_id, _ = add_paper(tx, make.visitor(tx), article)
        assert queue.find_by_dedup_key(tx, "papers.resolve") is None
        store_record(tx, paper_id, Metadata(article, title="ZeRO-Offload論文解説"))
        assert queue.find_by_dedup_key(tx, "papers.resolve") is not None
