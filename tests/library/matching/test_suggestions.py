"""What people say of what was found: accepted, rejected, opened again; never twice, and never a name taken away."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, NotAllowed, NotFound
from readtrack.infra.models import (
    DuplicatePair,
    Entry,
    Event,
    Identifier,
    Lead,
    MatchSuggestion,
    MetadataRequest,
    Paper,
    PaperTopic,
    Relation,
)
from readtrack.infra.pagination import PageRequest
from readtrack.library.matching.leads import drop_lead, reopen_lead, resolve_lead
from readtrack.library.matching.suggestions import (
    ProposalFilter,
    accept_proposal,
    get_proposal,
    list_proposals,
    reject_proposal,
    reopen_proposal,
)
from readtrack.library.papers.commands import add_unnamed
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick

TITLE = "Parcae: Proactive, Liveput-Optimized DNN Training on Preemptible Instances"
NAME = "arxiv:2403.14097"


def proposed(tx, *, identifier=NAME, **fields):
    said = {"kind": "is", "service": "dblp", "title": TITLE, "likeness": 100, "evidence": "DBLP knows it."}
    return make.added(tx, MatchSuggestion(**{**said, "identifier": identifier, **fields}))


def only_named(tx, me, title=TITLE):
    return add_unnamed(tx, me, title=title)


def a_lead(tx, **fields):
    lead = make.added(tx, Lead(text=TITLE))
    entry = make.entry(tx, raw=TITLE, kind="lead", lead_id=lead.id, **fields)
    return lead, entry


def verbs(tx):
    return list(tx.scalars(sa.select(col(Event.verb)).order_by(col(Event.id))))


def names_of(tx, paper_id):
    found = tx.execute(sa.select(col(Identifier.scheme), col(Identifier.value)).where(Identifier.paper_id == paper_id))
    return [f"{row.scheme}:{row.value}" for row in found]


def test_an_accepted_identifier_is_added_to_the_paper_and_its_source_queried(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper_id = only_named(tx, me)
        proposal = proposed(tx, paper_id=paper_id)
        accepted = accept_proposal(tx, me, proposal.id)
        assert (accepted.paper_id, accepted.is_new_paper, accepted.twin_id) == (paper_id, False, None)
        assert accepted.sentence == "Identified as arXiv 2403.14097"
        assert names_of(tx, paper_id) == [NAME]
        assert tx.scalars(sa.select(col(MetadataRequest.service))).all() == ["arxiv"]
        assert (proposal.state, proposal.decided_by) == ("accepted", me.id)
        assert verbs(tx)[-1] == "proposal.accepted"


def test_accepting_twice_has_one_effect(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper_id = only_named(tx, me)
        proposal = proposed(tx, paper_id=paper_id)
        first = accept_proposal(tx, me, proposal.id)
        before = verbs(tx)
        assert accept_proposal(tx, me, proposal.id) == first
        assert (verbs(tx), names_of(tx, paper_id)) == (before, [NAME])


def test_an_identifier_of_another_paper_stays_there_and_the_pair_may_be_duplicates(database):
    with database.write() as tx:
        me = make.visitor(tx)
        other = make.paper(tx, identifier=NAME)
        paper_id = only_named(tx, me)
        accepted = accept_proposal(tx, me, proposed(tx, paper_id=paper_id).id)
        assert (accepted.paper_id, accepted.twin_id) == (paper_id, other.id)
        assert "Merge the two if they are the same" in accepted.sentence
        assert (names_of(tx, paper_id), names_of(tx, other.id)) == ([], [NAME])
        pair = tx.scalars(sa.select(DuplicatePair)).one()
        assert (pair.first_id, pair.second_id, pair.state) == (other.id, paper_id, "open")


def test_a_deleted_paper_with_that_identifier_is_restored_for_review(database):
    with database.write() as tx:
        me, editor = make.visitor(tx), make.visitor(tx, role="editor")
        other = make.paper(tx, identifier=NAME, deleted_at=now())
        paper_id = only_named(tx, me)
        proposal = proposed(tx, paper_id=paper_id)
        with pytest.raises(Conflict, match="was deleted by an editor"):
            accept_proposal(tx, me, proposal.id)
        assert (proposal.state, other.deleted_at is None) == ("open", False)
        assert accept_proposal(tx, editor, proposal.id).twin_id == other.id
        assert other.deleted_at is None


@pytest.mark.parametrize("here", [True, False], ids=["here already", "new"])
def test_a_resolved_reference_shows_its_paper_in_the_note_under_the_notes_topics(database, here):
    with database.write() as tx:
        me = make.visitor(tx)
        paper = make.paper(tx, TITLE, identifier=NAME) if here else None
        topic = make.topic(tx, "Preemption")
        lead, entry = a_lead(tx, topics=["Preemption", "A heading that is no topic"])
        accepted = accept_proposal(tx, me, proposed(tx, lead_id=lead.id).id)
        assert accepted.is_new_paper is not here
        assert paper is None or accepted.paper_id == paper.id
        assert (lead.state, lead.paper_id, entry.paper_id) == ("found", accepted.paper_id, accepted.paper_id)
        assert tx.get_one(Paper, accepted.paper_id).title == TITLE
        assert tx.execute(sa.select(col(PaperTopic.paper_id), col(PaperTopic.topic_id))).all() == [
            (accepted.paper_id, topic.id)
        ]
        again = accept_proposal(tx, me, tx.scalars(sa.select(MatchSuggestion)).one().id)
        assert (again.paper_id, again.is_new_paper) == (accepted.paper_id, False)
        assert verbs(tx).count("lead.found") == 1


def test_accepting_that_an_article_discusses_a_paper_adds_the_paper(database):
    with database.write() as tx:
        me = make.visitor(tx)
        article = make.paper(tx, "NSDI24 Parcae：…", identifier="url:blog.example/1", kind="article")
        proposal = proposed(tx, kind="discusses", paper_id=article.id)
        accepted = accept_proposal(tx, me, proposal.id)
        assert accepted.is_new_paper
        assert accept_proposal(tx, me, proposal.id).is_new_paper is False
        relation = tx.scalars(sa.select(Relation)).one()
        assert (relation.from_id, relation.to_id, relation.kind, relation.added_by) == (
            article.id,
            accepted.paper_id,
            "discusses",
            me.id,
        )


def test_an_article_cannot_discuss_itself(database):
    with database.write() as tx:
        me = make.visitor(tx)
        article = make.paper(tx, identifier=NAME, kind="article")
        with pytest.raises(Conflict, match="can't be linked to itself"):
            accept_proposal(tx, me, proposed(tx, kind="discusses", paper_id=article.id).id)


def test_accepting_one_match_suggestion_rejects_the_others(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper_id = only_named(tx, me)
        right, wrong = proposed(tx, paper_id=paper_id), proposed(tx, paper_id=paper_id, identifier="arxiv:2401.00001")
        elsewhere = proposed(tx, paper_id=only_named(tx, me, "Another"), identifier="arxiv:2401.00001")
        accept_proposal(tx, me, right.id)
        assert [row.state for row in (right, wrong, elsewhere)] == ["accepted", "rejected", "open"]


def test_rejecting_a_match_suggestion_changes_nothing_and_can_be_reopened(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper_id = only_named(tx, me)
        proposal = proposed(tx, paper_id=paper_id)
        reject_proposal(tx, me, proposal.id)
        reject_proposal(tx, me, proposal.id)
        assert (proposal.state, names_of(tx, paper_id)) == ("rejected", [])
        with pytest.raises(Conflict, match="Reopen it first"):
            accept_proposal(tx, me, proposal.id)
        reopen_proposal(tx, me, proposal.id)
        reopen_proposal(tx, me, proposal.id)
        assert (proposal.state, proposal.decided_by, proposal.decided_at) == ("open", None, None)
        assert verbs(tx)[-2:] == ["proposal.rejected", "proposal.reopened"]


def test_an_accepted_match_is_corrected_on_the_paper(database):
    with database.write() as tx:
        me = make.visitor(tx)
        proposal = proposed(tx, paper_id=only_named(tx, me))
        accept_proposal(tx, me, proposal.id)
        for command in (reject_proposal, reopen_proposal):
            with pytest.raises(Conflict, match="Edit the paper instead"):
                command(tx, me, proposal.id)


@pytest.mark.parametrize("command", [accept_proposal, reject_proposal, reopen_proposal])
def test_a_viewer_cannot_decide_and_a_missing_suggestion_is_not_found(database, command):
    with database.write() as tx:
        with pytest.raises(NotAllowed):
            command(tx, make.visitor(tx, role="viewer"), 1)
        with pytest.raises(NotFound, match="Suggestion 7 not found"):
            command(tx, make.visitor(tx), 7)


def test_a_match_suggestion_for_a_deleted_paper_is_hidden_and_cannot_be_accepted(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper_id = only_named(tx, me)
        proposal = proposed(tx, paper_id=paper_id)
        tx.get_one(Paper, paper_id).deleted_at = now()
        tx.flush()
        assert list_proposals(tx, me, ProposalFilter(), PageRequest()).items == []
        with pytest.raises(NotFound):
            accept_proposal(tx, me, proposal.id)


def test_a_match_found_in_another_way_is_no_longer_suggested(database):
    with database.write() as tx:
        me = make.visitor(tx)
        proposed(tx, paper_id=make.paper(tx, identifier=NAME).id)
        lead, _ = a_lead(tx)
        proposed(tx, lead_id=lead.id)
        assert len(list_proposals(tx, me, ProposalFilter(), PageRequest()).items) == 1
        drop_lead(tx, me, lead.id)
        assert list_proposals(tx, me, ProposalFilter(), PageRequest()).items == []


def test_the_list_contains_everything_and_continues_from_its_cursor(database, statements):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        other = make.paper(tx, identifier=NAME)
        ids = [proposed(tx, paper_id=only_named(tx, me, f"{TITLE} {n}"), identifier=NAME).id for n in range(5)]
        lead_id = proposed(tx, lead_id=a_lead(tx)[0].id, identifier="doi:10.1145/1").id
        reject_proposal(tx, me, ids[0])
    with database.read() as tx:
        with statements() as seen:
            first = list_proposals(tx, me, ProposalFilter(), PageRequest(2))
        assert len(seen) == 2
        rest = list_proposals(tx, me, ProposalFilter(), PageRequest(9, first.next))
        assert [row.id for row in (*first.items, *rest.items)] == [lead_id, *ids[:0:-1]]
        assert rest.next is None
        row = first.items[1]
        assert (row.subject, row.label, row.service) == (f"{TITLE} 4", "arXiv 2403.14097", "DBLP")
        assert (row.url, row.present_id) == ("https://arxiv.org/abs/2403.14097", other.id)
        assert (first.items[0].subject, first.items[0].present_id) == (TITLE, None)
        (rejected,) = list_proposals(tx, me, ProposalFilter(state="rejected"), PageRequest()).items
        assert (rejected.decided_by, get_proposal(tx, me, ids[0])) == ("Ada", rejected)
        (of_lead,) = list_proposals(tx, me, ProposalFilter(lead_id=first.items[0].lead_id), PageRequest()).items
        assert of_lead.id == lead_id


def test_an_unresolved_reference_is_dismissed_and_reopened_until_it_is_resolved(database):
    with database.write() as tx:
        me = make.visitor(tx)
        lead, entry = a_lead(tx)
        drop_lead(tx, me, lead.id)
        drop_lead(tx, me, lead.id)
        assert lead.state == "dropped"
        reopen_lead(tx, me, lead.id)
        paper, other = make.paper(tx), make.paper(tx)
        resolve_lead(tx, me, lead.id, paper.id)
        resolve_lead(tx, me, lead.id, paper.id)
        assert (lead.state, tx.get_one(Entry, entry.id).paper_id) == ("found", paper.id)
        for command, what in ((drop_lead, ()), (resolve_lead, (other.id,))):
            with pytest.raises(Conflict):
                command(tx, me, lead.id, *what)
        assert [verb for verb in verbs(tx) if verb.startswith("lead.")] == [
            "lead.dropped",
            "lead.reopened",
            "lead.found",
        ]


def test_resolving_references_requires_a_member_and_an_existing_reference(database):
    with database.write() as tx:
        with pytest.raises(NotAllowed):
            drop_lead(tx, make.visitor(tx, role="viewer"), 1)
        with pytest.raises(NotFound):
            drop_lead(tx, make.visitor(tx), 99)
