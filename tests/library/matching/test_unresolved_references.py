"""The inbox of leads: where each stands, what was found for it, how it is found and taken back; second-hand notes."""

import threading

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.models import Entry, Identifier, Lead, MatchSuggestion, PaperTopic, Relation, TitleSearch
from readtrack.infra.pagination import PageRequest
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry
from readtrack.library.matching import inbox
from readtrack.library.matching.inbox import LeadFilter
from readtrack.library.matching.leads import drop_lead, reopen_lead, resolve_lead, resolve_lead_by_text
from readtrack.library.matching.suggestions import accept_proposal
from readtrack.library.topics.commands import link_topic
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.workspace.trash.restore import restore_item
from tests import make
from tests.sample_library import carry_out, entries_of, noted

NAME = "doi:10.1145/3492321.3519584"


@pytest.fixture
def ada(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada", role="editor")


def a_lead(tx, text="the pipeline paper of last year", topic=None, **fields):
    lead = make.added(tx, Lead(text=text, topic_id=topic and topic.id, **fields))
    entry = make.entry(tx, text, kind="lead", lead_id=lead.id, topics=[topic.name] if topic else [])
    return lead, entry


def proposed(tx, lead_id, identifier=NAME, likeness=80, **fields):
    said = {
        "service": "crossref",
        "title": "Pipelines for All",
        "evidence": "The title is alike.",
        "likeness": likeness,
    }
    return make.added(
        tx, MatchSuggestion(**{"kind": "is", "lead_id": lead_id, "identifier": identifier, **said, **fields})
    )


def test_unresolved_references_of_notes_are_filed_under_the_innermost_heading(database, ada):
    text = "# Training\n\n## Pipelines\n\n- a paper on bubbles\n"
    import_id = noted(database, ada, text, "Papers")
    [entry] = [entry for entry in entries_of(database, import_id) if entry.first_line == 5]
    with database.write() as tx:
        correct_entry(tx, ada, import_id, entry.position, edit=EntryUpdate(kind="lead", title="a paper on bubbles"))
    carry_out(database, ada, import_id)
    with database.read() as tx:
        [lead] = inbox.list_leads(tx, ada, PageRequest(), LeadFilter()).items
    assert (lead.text, lead.topic_name, lead.note) == ("a paper on bubbles", "Pipelines", "Papers")


def test_unresolved_references_are_listed_with_their_context_and_matches(database, ada):
    with database.write() as tx:
        topic = make.topic(tx, "Pipelines")
        first, entry = a_lead(tx, topic=topic)
        second, _ = a_lead(tx)
        unlikely, likely = proposed(tx, first.id, likeness=70), proposed(tx, first.id, "arxiv:2305.15778", likeness=90)
        proposed(tx, first.id, "arxiv:2305.15779", state="rejected")
        make.added(tx, TitleSearch(lead_id=second.id, title="x", state="done", asked_at=now()))
    with database.read() as tx:
        page = inbox.list_leads(tx, ada, PageRequest(1), LeadFilter())
        assert ([row.id for row in page.items], page.next) == ([second.id], (second.id, second.id))
        assert page.items[0].searched_at is not None
        assert not page.items[0].searching
        (row,) = inbox.list_leads(tx, ada, PageRequest(5, page.next), LeadFilter()).items
        assert (row.id, row.topic, row.proposals, row.import_id, row.first_line) == (
            first.id,
            "pipelines",
            2,
            entry.revision_id,
            1,
        )
        assert row.searching
        found = inbox.find_lead_proposals(tx, ada, [row, *page.items])
        assert {lead: [one.id for one in ones] for lead, ones in found.items()} == {first.id: [likely.id, unlikely.id]}
        assert [one.id for one in inbox.list_leads(tx, ada, PageRequest(), LeadFilter(topic="pipelines")).items] == [
            first.id
        ]
        assert inbox.count_leads(tx, ada) == {"open": 2}
        assert inbox.count_leads(tx, ada, "pipelines") == {"open": 1}
        with pytest.raises(NotFound):
            inbox.get_lead(tx, ada, 99)


def test_a_list_of_unresolved_references_takes_the_same_statements_for_one_and_many(database, ada, statements):
    def cost():
        with statements() as seen, database.read() as tx:
            rows = inbox.list_leads(tx, ada, PageRequest(), LeadFilter()).items
            inbox.find_lead_proposals(tx, ada, rows)
        return len(seen)

    with database.write() as tx:
        proposed(tx, a_lead(tx)[0].id)
    one = cost()
    with database.write() as tx:
        for _ in range(9):
            proposed(tx, a_lead(tx)[0].id)
    assert cost() == one


def test_confirming_a_reference_is_undone_with_its_topics_and_match_suggestions(database, ada):
    with database.write() as tx:
        topic, other = make.topic(tx, "Pipelines"), make.topic(tx, "Others")
        lead, entry = a_lead(tx, topic=topic)
        right, wrong = proposed(tx, lead.id), proposed(tx, lead.id, "arxiv:2305.15778")
        before = proposed(tx, lead.id, "arxiv:2305.15779", state="rejected", decided_at=now(), decided_by=ada.id)
    with database.write() as tx:
        accepted = accept_proposal(tx, ada, right.id)
        link_topic(tx, ada, accepted.paper_id, other.id)
        assert accepted.lead_id == lead.id
        assert tx.get_one(Entry, entry.id).paper_id == accepted.paper_id
        assert tx.get(PaperTopic, (accepted.paper_id, topic.id)) is not None
    with database.write() as tx:
        reopen_lead(tx, ada, lead.id)
    with database.read() as tx:
        again = tx.get_one(Lead, lead.id)
        assert (again.state, again.paper_id, tx.get_one(Entry, entry.id).paper_id) == ("open", None, None)
        assert tx.get(PaperTopic, (accepted.paper_id, topic.id)) is None
        assert tx.get(PaperTopic, (accepted.paper_id, other.id)) is not None
        states = [tx.get_one(MatchSuggestion, one.id).state for one in (right, wrong, before)]
        assert states == ["open", "open", "rejected"]
    with database.write() as tx:
        assert accept_proposal(tx, ada, right.id).paper_id == accepted.paper_id


def test_a_paper_stays_where_it_was_filed_before(database, ada):
    with database.write() as tx:
        topic, paper = make.topic(tx, "Pipelines"), make.paper(tx)
        make.filed(tx, paper, topic)
        lead, _ = a_lead(tx, topic=topic)
        resolve_lead(tx, ada, lead.id, paper.id)
        reopen_lead(tx, ada, lead.id)
        assert tx.get(PaperTopic, (paper.id, topic.id)) is not None
        drop_lead(tx, ada, lead.id)
        reopen_lead(tx, ada, lead.id)
        assert lead.state == "open"


def test_a_reference_resolves_to_a_library_paper_or_one_added_by_its_identifier(database, ada):
    with database.write() as tx:
        paper = make.paper(tx, identifier=NAME)
        leads = [a_lead(tx)[0] for _ in range(3)]
        assert resolve_lead_by_text(tx, ada, leads[0].id, f"/papers/{paper.id}") == paper.id
        added = resolve_lead_by_text(tx, ada, leads[1].id, "https://arxiv.org/abs/2305.15778")
        assert tx.scalar(sa.select(col(Identifier.value)).where(col(Identifier.paper_id) == added)) == "2305.15778"
        with pytest.raises(Invalid, match="No paper matches “"):
            resolve_lead_by_text(tx, ada, leads[2].id, "no such thing")
        assert leads[2].state == "open"


def test_unresolved_references_are_deleted_and_restored_with_their_topic(database, ada):
    with database.write() as tx:
        topic = make.topic(tx, "Pipelines")
        make.topic(tx, "Parallelism")
        lead, _ = a_lead(tx, topic=topic)
    with database.write() as tx:
        _, deed = merge_topics(tx, ada, "pipelines", "parallelism")
    with database.read() as tx:
        assert inbox.get_lead(tx, ada, lead.id).topic == "parallelism"
    with database.write() as tx:
        restore_item(tx, ada, "others", deed)
    with database.read() as tx:
        assert inbox.get_lead(tx, ada, lead.id).topic == "pipelines"


def test_a_topic_used_only_by_unresolved_references_is_deleted_and_restored_with_them(database, ada):
    with database.write() as tx:
        lead, _ = a_lead(tx, topic=make.topic(tx, "Pipelines"))
        deed = delete_topic(tx, ada, "pipelines")
    with database.read() as tx:
        assert inbox.get_lead(tx, ada, lead.id).topic is None
    with database.write() as tx:
        restore_item(tx, ada, "others", deed)
    with database.read() as tx:
        assert inbox.get_lead(tx, ada, lead.id).topic == "pipelines"


def test_a_paper_only_discussed_here_counts_as_second_hand_notes(database, ada):
    title = "论文阅读: ZeRO-Offload: Democratizing Billion-Scale Model Training"
    with database.write() as tx:
        article, told, silent = (make.paper(tx, title, kind="article") for _ in range(3))
        for paper in (article, told):
            make.added(tx, TitleSearch(paper_id=paper.id, title=title, state="done", asked_at=now()))
        make.added(tx, TitleSearch(paper_id=silent.id, title=title))
        make.added(tx, Relation(from_id=told.id, to_id=make.paper(tx).id, kind="discusses"))
        found = proposed(tx, None, kind="discusses", paper_id=article.id)
    with database.read() as tx:
        (row,) = inbox.list_second_hand(tx, ada, PageRequest()).items
        assert (row.id, row.discussed_title) == (article.id, "ZeRO-Offload: Democratizing Billion-Scale Model Training")
        assert inbox.count_second_hand(tx, ada) == 1
        assert [one.id for one in inbox.find_discussed_proposals(tx, ada, [row])[article.id]] == [found.id]


def test_a_title_matching_no_paper_is_reported_at_its_field(database, ada, sign_in):
    with database.write() as tx:
        lead, _ = a_lead(tx)
    answer = sign_in(ada).post(
        f"/unresolved/{lead.id}", data={"decision": "found", "paper": "no <b>such", "next": "/unresolved"}
    )
    document = html.fromstring(answer.text)
    [form] = document.xpath("//details[@open]//form")
    assert (answer.status_code, form.fields["paper"], form.fields["next"]) == (422, "no <b>such", "/unresolved")
    assert "No paper matches “" in form.text_content()


def test_of_two_people_resolving_to_different_papers_one_gets_a_conflict(database, ada):
    with database.write() as tx:
        lead, entry = a_lead(tx)
        papers = [make.paper(tx).id for _ in range(2)]
    start, ends = threading.Barrier(2), list[str]()

    def find(paper_id: int) -> None:
        start.wait()
        try:
            with database.write() as tx:
                resolve_lead(tx, ada, lead.id, paper_id)
            ends.append(str(paper_id))
        except Conflict:
            ends.append("told")

    threads = [threading.Thread(target=find, args=(paper_id,)) for paper_id in papers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as tx:
        found = tx.get_one(Lead, lead.id).paper_id
        assert tx.get_one(Entry, entry.id).paper_id == found
    assert sorted(ends) == [str(found), "told"]
