"""What papers cite: kept from answers and asked for, shown on both papers, counted for what is not here."""

import json
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.errors import Conflict
from readtrack.infra.jobs import queue
from readtrack.infra.models import Citation, CitedWork, Identifier, Job, MetadataRecord
from readtrack.library.citations import citation_lists, commands
from readtrack.library.citations.citation_lists import store_citation_list
from readtrack.library.citations.frequently_cited import list_missing_works
from readtrack.library.citations.queries import list_citations
from readtrack.library.duplicates.merge import merge_papers, unmerge_paper
from readtrack.library.enrichment import field_choices
from readtrack.library.enrichment.records import store_record
from readtrack.library.enrichment.source_commands import pause_source, resume_source
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.metadata import sources
from readtrack.metadata.services import crossref
from readtrack.metadata.types import BibliographyItem, Metadata, Ref
from readtrack.workspace.trash.purge import erase_papers
from tests import make
from tests.metadata.answering import Answering
from tests.metadata.recorded import own

CUPS, STEAM, LEAF = (Ref("doi", "10.1000/cups.7"), Ref("arxiv", "2301.00009"), Ref("doi", "10.1145/9800000.9800001"))
MESSAGE = json.loads(own("crossref/conference.json"))["message"]


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def paper(tx, title, identifier, **said):
    return make.paper(tx, title, identifier=identifier, **said).id


def cites(tx, paper_id, *works, service="semanticscholar", key="k"):
    store_citation_list(
        tx,
        paper_id,
        [BibliographyItem(tuple(names), f"Work {names[0].key}", 2020) for names in works],
        service=service,
        key=key,
    )


def ends(tx, me, paper_id):
    found = list_citations(tx, me, paper_id)
    return [one.title for one in found.cites], [one.title for one in found.cited_by]


def missing(tx, me, **asked):
    return [(work.identifier, work.papers) for work in list_missing_works(tx, me, **asked)]


def test_both_papers_show_a_citation_whichever_identifier_the_library_has(database, me):
    with database.write() as tx:
        one, cups = paper(tx, "Kettle", "arxiv:2404.00001"), paper(tx, "Cups", "arxiv:1901.00007")
        paper(tx, "Elsewhere", "arxiv:1901.00008")
        cites(tx, one, (CUPS, Ref("arxiv", "1901.00007")), (LEAF,), (Ref("arxiv", "2404.00001"),))
        assert ends(tx, me, one) == (["Cups"], [])
        assert ends(tx, me, cups) == ([], ["Kettle"])
        assert list_citations(tx, me, one).works == 3
        assert list_citations(tx, me, one).services == ["Semantic Scholar"]


def answer(key=MESSAGE["DOI"], **changes):
    said = {"message": {**MESSAGE, **changes}}
    return crossref.fetch(Answering({key: said}), [key]).records[key]


def test_a_matching_record_stores_its_references_and_a_rejected_one_does_not(database, me):
    with database.write() as tx:
        one = paper(tx, "Kettle: Warm Caches for $O(n)$ Tea & Coffee", f"doi:{MESSAGE['DOI']}")
        cups = paper(tx, "Cups", str(CUPS))
        record = store_record(tx, one, answer())
        assert record is not None
        assert ends(tx, me, one) == (["Cups"], [])
        store_record(tx, one, answer(reference=[]))
        assert ends(tx, me, one) == ([], [])
        store_record(tx, one, answer())
        assert ends(tx, me, cups) == ([], [tx.get_one(MetadataRecord, record.id).title])
        field_choices.refuse_record(
            tx,
            me,
            one,
            tx.scalars(sa.select(col(MetadataRecord.id)).where(col(MetadataRecord.state) == "agrees")).one(),
        )
        assert ends(tx, me, one) == ([], [])
        assert tx.scalars(sa.select(CitedWork)).all() == []


def test_a_record_about_another_work_adds_no_references_until_a_person_accepts_it(database, me):
    with database.write() as tx:
        one = paper(tx, "Something quite different", "arxiv:2404.00001")
        paper(tx, "Cups", str(CUPS))
        record = store_record(tx, one, answer())
        assert record is not None
        assert record.state == "disagrees"
        assert ends(tx, me, one) == ([], [])
        field_choices.accept_record(tx, me, one, record.id or 0)
        assert ends(tx, me, one) == (["Cups"], [])


def test_references_follow_their_record_to_a_separate_paper(database, me):
    title = "Kettle: Warm Caches for $O(n)$ Tea & Coffee"
    with database.write() as tx:
        one, cups = paper(tx, title, "arxiv:2404.00001"), paper(tx, "Cups", str(CUPS))
        make.added(tx, Identifier(paper_id=one, scheme="doi", value=MESSAGE["DOI"]))
        record = store_record(tx, one, answer())
        assert record is not None
        other = field_choices.split_off(tx, me, one, record.id or 0)
        assert ends(tx, me, one) == ([], [])
        assert list_citations(tx, me, cups).cited_by[0].id == other


def test_works_missing_from_the_library_are_listed_by_their_number_of_citations(database, me):
    with database.write() as tx:
        one, two, three = (paper(tx, f"Paper {n}", f"arxiv:2404.0000{n}") for n in (1, 2, 3))
        paper(tx, "Steam", str(STEAM))
        cites(tx, one, (CUPS,), (LEAF,), (STEAM,))
        cites(tx, two, (CUPS, Ref("arxiv", "1901.00007")), (LEAF,), (STEAM,))
        cites(tx, three, (Ref("arxiv", "1901.00007"),), (Ref("doi", "10.1/alone"),))
        assert missing(tx, me) == [("arxiv:1901.00007", 3), (str(LEAF), 2)]
        assert [by.title for by in list_missing_works(tx, me)[0].citing_papers] == ["Paper 3", "Paper 2", "Paper 1"]


@pytest.mark.deep
def test_a_work_cited_very_often_uses_its_stored_count(database, me):
    with database.write() as tx:
        for n in range(25):
            cites(tx, paper(tx, f"Paper {n}", f"arxiv:2404.000{n:02}"), (CUPS,))
        [work] = list_missing_works(tx, me)
        assert (work.papers, [by.title for by in work.citing_papers]) == (25, ["Paper 24", "Paper 23", "Paper 22"])


def test_a_work_in_the_library_under_another_identifier_is_not_missing(database, me):
    with database.write() as tx:
        one, two = (paper(tx, f"Paper {n}", f"arxiv:2404.0000{n}") for n in (1, 2))
        paper(tx, "Cups", "arxiv:1901.00007")
        for each in (one, two):
            cites(tx, each, (CUPS, Ref("arxiv", "1901.00007")))
        assert missing(tx, me) == []


def test_missing_works_are_filtered_by_a_topic_and_its_subtopics(database, me):
    with database.write() as tx:
        above = make.topic(tx, "Tea")
        below = make.topic(tx, "Green tea", parent_id=above.id)
        papers = [make.paper(tx, f"Paper {n}", identifier=f"arxiv:2404.0000{n}") for n in range(4)]
        for each, topic in zip(papers[:3], (above, below, below), strict=True):
            make.filed(tx, each, topic)
        for each in papers:
            cites(tx, each.id, (CUPS,))
        cites(tx, papers[3].id, (CUPS,), (LEAF,))
        cites(tx, papers[0].id, (CUPS,), (LEAF,))
        assert missing(tx, me) == [(str(CUPS), 4), (str(LEAF), 2)]
        assert missing(tx, me, topic="tea") == [(str(CUPS), 3)]
        assert missing(tx, me, topic="green-tea") == [(str(CUPS), 2)]
        assert missing(tx, me, topic='no "such" topic') == []


def test_papers_in_the_trash_have_no_citations_in_either_direction(database, me):
    with database.write() as tx:
        one, two, cups = (paper(tx, f"Paper {n}", f"arxiv:2404.0000{n}") for n in (1, 2, 3))
        for each in (one, two):
            cites(tx, each, (Ref("arxiv", "2404.00003"),), (LEAF,))
        delete_paper(tx, me, two)
        tx.flush()
        assert (missing(tx, me), ends(tx, me, cups)) == ([], ([], ["Paper 1"]))
        restore_paper(tx, me, two)
        tx.flush()
        assert missing(tx, me) == [(str(LEAF), 2)]
        delete_paper(tx, me, two)
        tx.flush()
        erase_papers(tx, [two])
        assert tx.scalars(sa.select(col(Citation.paper_id)).distinct()).all() == [one]
        assert {work.papers for work in tx.scalars(sa.select(CitedWork))} == {1}


def test_a_merge_moves_references_and_unmerging_moves_them_back(database, me):
    with database.write() as tx:
        one, two, cups = (paper(tx, f"Paper {n}", f"arxiv:2404.0000{n}") for n in (1, 2, 3))
        cites(tx, one, (Ref("arxiv", "2404.00003"),), key="a")
        cites(tx, two, (LEAF,), key="b")
        merge_papers(tx, me, one, into_id=two)
        tx.flush()
        assert ends(tx, me, two) == (["Paper 3"], [])
        assert ends(tx, me, cups) == ([], ["Paper 2"])
        unmerge_paper(tx, me, one)
        tx.flush()
        assert ends(tx, me, cups) == ([], ["Paper 1"])
        assert ends(tx, me, two) == ([], [])


def test_a_missing_work_is_added_by_its_identifier_or_dismissed(database, me):
    with database.write() as tx:
        for n in (1, 2):
            cites(tx, paper(tx, f"Paper {n}", f"arxiv:2404.0000{n}"), (CUPS,), (LEAF,))
        works = {work.identifier: work.id for work in list_missing_works(tx, me)}
        commands.dismiss_work(tx, me, works[str(LEAF)])
        assert missing(tx, me) == [(str(CUPS), 2)]
        assert missing(tx, me, dismissed=True) == [(str(LEAF), 2)]
        paper_id, made = commands.add_work(tx, me, works[str(CUPS)])
        assert made
        assert commands.add_work(tx, me, works[str(CUPS)]) == (paper_id, False)
        assert missing(tx, me) == []
        assert ends(tx, me, paper_id)[1] == ["Paper 2", "Paper 1"]
        commands.reopen_work(tx, me, works[str(LEAF)])
        assert missing(tx, me) == [(str(LEAF), 2)]


def test_a_job_makes_one_request_per_paper_and_resumes_where_it_stopped(database, me):
    references = own("semanticscholar/references.json")
    with database.write() as tx:
        topic = make.topic(tx, "Tea")
        one, two = (make.paper(tx, f"Paper {n}", identifier=f"arxiv:2404.0000{n}") for n in (1, 2))
        unnamed = make.paper(tx, "No name that helps", identifier="url:example.org/x")
        cups = paper(tx, "Cups", str(CUPS))
        for each in (one, two, unnamed):
            make.filed(tx, each, topic)
        with pytest.raises(Conflict):
            commands.request_citations(tx, me, unnamed.id)
        search.update_papers(tx, [one.id, two.id, unnamed.id])
        assert commands.request_topic_citations(tx, me, "tea") == 3
    only_two = Answering({"ARXIV:2404.00002/references": references, "ARXIV:2404.00001/references": (500, "later")})
    assert queue.run_due_job(database, only_two, kinds=("citations.ask",))
    with database.write() as tx:
        job = tx.scalars(sa.select(Job).where(col(Job.kind) == "citations.ask")).one()
        assert (job.state, job.progress_done, job.total) == ("queued", 2, 3)
        assert ends(tx, me, cups) == ([], ["Paper 2"])
        queue.retry_job(tx, job.id or 0)
    both = Answering({"ARXIV:2404.00001/references": references})
    assert queue.run_due_job(database, both, kinds=("citations.ask",))
    assert [url.partition("?")[0].rpartition("/paper/")[2] for url in both.asked] == ["ARXIV:2404.00001/references"]
    with database.write() as tx:
        assert ends(tx, me, cups) == ([], ["Paper 2", "Paper 1"])
        assert tx.scalars(sa.select(col(Job.state)).where(col(Job.kind) == "citations.ask")).all() == ["done"]
        assert commands.request_topic_citations(tx, me, "tea") == 1


def test_papers_of_a_paused_or_silent_service_keep_no_others_of_the_job_waiting(database, me, monkeypatch):
    def fetch_nothing(http, key):
        http.get(f"https://crossref.test/{key}")
        return []

    own_service = sources.service("semanticscholar")
    other = replace(
        own_service,
        name="crossref",
        select_keys=lambda paper: paper.keys("doi"),
        fetch_cited=fetch_nothing,
    )
    arxiv_only = replace(own_service, select_keys=lambda paper: tuple(f"ARXIV:{key}" for key in paper.keys("arxiv")))
    monkeypatch.setattr(citation_lists, "citation_services", lambda: [arxiv_only, other])
    with database.write() as tx:
        ids = [paper(tx, f"Paper {n}", f"arxiv:2404.0000{n}") for n in range(3)]
        ids += [paper(tx, f"Paper of a registry {n}", f"doi:10.1145/{n}") for n in range(3)]
        citation_lists.enqueue_citation_job(tx, ids, dedup_key="citations", created_by=me.id)
        admin = make.visitor(tx, "Grace", role="admin")
        pause_source(tx, admin, "semanticscholar")
    http = Answering({f"10.1145/{n}": {} for n in range(3)})
    assert queue.run_due_job(database, http, kinds=("citations.ask",))
    assert http.asked == [f"https://crossref.test/10.1145/{n}" for n in range(3)]
    with database.write() as tx:
        job = queue.find_by_dedup_key(tx, "citations")
        assert job
        assert (job.state, job.error, job.progress_done, job.total) == ("queued", "Paused by an admin.", 3, 6)
        resume_source(tx, admin, "semanticscholar")
    silent = Answering({f"ARXIV:2404.0000{n}/references": (503, "later") for n in range(3)})
    assert queue.run_due_job(database, silent, kinds=("citations.ask",))
    assert len(silent.asked) == 1
    with database.write() as tx:
        queue.retry_job(tx, job.id or 0)
    answers = Answering({f"ARXIV:2404.0000{n}/references": own("semanticscholar/references.json") for n in range(3)})
    assert queue.run_due_job(database, answers, kinds=("citations.ask",))
    assert len(answers.asked) == 3
    with database.read() as tx:
        assert queue.get_job(tx, job.id or 0).state == "done"


def test_an_unreadable_stored_record_has_no_references(database, me):
    with database.write() as tx:
        one = paper(tx, "Kettle", "doi:10.1145/1")
        store_record(tx, one, Metadata(Ref("doi", "10.1145/1"), "crossref", title="Kettle", raw="<entry/>"))
        assert ends(tx, me, one) == ([], [])
