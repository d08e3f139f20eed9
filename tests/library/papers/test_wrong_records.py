"""A wrong record is worse than none: what is another work's is not shown, whoever says it and however often."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.models import DuplicatePair, Event, Identifier, MetadataRecord, Paper
from readtrack.library.enrichment.field_choices import accept_record, refuse_record, reopen_record, split_off
from readtrack.library.enrichment.records import store_record
from readtrack.library.enrichment.scheduler import enqueue_requests
from readtrack.library.papers.commands import add_paper
from readtrack.metadata import sources
from readtrack.metadata.types import Metadata, Ref
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick

ARXIV, DOI = Ref("arxiv", "2401.00001"), Ref("doi", "10.1145/1")
TITLE, PEOPLE = "On Saving the State of Large Models", ("Ada Example", "Bo Muster")
OTHERS = ("Zed Other", "Una Nother")
PRINTED = {"stage": "published", "venue": "OSDI 2024"}


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, role="editor")


def add(database, me, title="", **said):
    with database.write() as tx:
        return add_paper(tx, me, ARXIV, title=title, **said)[0]


def hear(database, paper_id, ref=ARXIV, title=TITLE, **said):
    with database.write() as tx:
        record = store_record(tx, paper_id, Metadata(ref, title=title, **{"authors": PEOPLE, **said}))
        assert record is not None
        return record.id


def hear_of_doi(database, paper_id, service="crossref", **said):
    return hear(database, paper_id, DOI, service=service, **{**PRINTED, **said})


def decide(database, verb, *given):
    with database.write() as tx:
        return verb(tx, *given)


def shown(database, paper_id):
    with database.read() as tx:
        paper = tx.get_one(Paper, paper_id)
        tx.expunge(paper)
        return paper


def names_of(database, paper_id):
    mine = sa.select(col(Identifier.scheme)).where(col(Identifier.paper_id) == paper_id)
    with database.read() as tx:
        return set(tx.scalars(mine))


def states(database):
    with database.read() as tx:
        return list(tx.scalars(sa.select(col(MetadataRecord.state)).order_by(col(MetadataRecord.id))))


def test_earlier_data_of_a_rejected_record_is_hidden_too(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    hear_of_doi(database, paper_id, abstract="About something else.")
    latest = hear_of_doi(database, paper_id)
    decide(database, refuse_record, me, paper_id, latest)
    assert shown(database, paper_id).abstract == ""
    decide(database, reopen_record, me, paper_id, latest)
    assert shown(database, paper_id).abstract == "About something else."
    assert names_of(database, paper_id) == {"arxiv", "doi"}


def test_an_identifier_rejected_by_a_person_is_not_accepted_from_any_other_source(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    decide(database, refuse_record, me, paper_id, hear_of_doi(database, paper_id))
    hear_of_doi(database, paper_id, "openalex", title=f"{TITLE} and More")
    assert states(database) == ["agrees", "refused", "refused"]
    assert names_of(database, paper_id) == {"arxiv"}
    assert shown(database, paper_id).venue == ""


def test_one_service_may_be_wrong_about_a_papers_identifier_and_another_right(database, me):
    paper_id = add(database, me)
    decide(database, refuse_record, me, paper_id, hear(database, paper_id, service="openalex"))
    hear(database, paper_id)
    assert states(database) == ["refused", "agrees"]


def test_accepting_a_record_adds_its_identifier(database, me):
    paper_id = add(database, me, "Quite Another Title of It All")
    record_id = hear_of_doi(database, paper_id, "dblp")
    assert names_of(database, paper_id) == {"arxiv"}
    decide(database, accept_record, me, paper_id, record_id)
    assert names_of(database, paper_id) == {"arxiv", "doi"}
    assert shown(database, paper_id).venue == "OSDI 2024"


def test_a_record_that_matches_later_adds_its_identifier(database, me):
    paper_id = add(database, me)
    hear_of_doi(database, paper_id)
    assert states(database) == ["disagrees"]
    hear(database, paper_id)
    assert states(database) == ["agrees", "agrees"]
    assert names_of(database, paper_id) == {"arxiv", "doi"}


def test_the_same_title_by_other_authors_than_in_the_notes_is_another_work(database, me):
    paper_id = add(database, me, TITLE, authors=OTHERS)
    hear_of_doi(database, paper_id, "dblp")
    assert states(database) == ["disagrees"]
    assert shown(database, paper_id).authors == list(OTHERS)


def test_the_name_of_a_system_alone_merges_no_two_works(database, me):
    paper_id = add(database, me, "Pegasus")
    hear(database, paper_id, title="Pegasus: Tolerating Skew in Stores", authors=())
    hear_of_doi(database, paper_id, "dblp", title="Pegasus: Planning Workflows on Grids", authors=OTHERS)
    hear(database, paper_id, Ref("doi", "10.1145/2"), "Pegasus", service="dblp", authors=OTHERS)
    assert states(database) == ["agrees", "disagrees", "disagrees"]
    assert names_of(database, paper_id) == {"arxiv"}


def test_two_papers_a_person_split_stay_two(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    other = decide(database, split_off, me, paper_id, hear_of_doi(database, paper_id))
    hear_of_doi(database, paper_id, "openalex")
    assert (shown(database, paper_id).venue, shown(database, other).venue) == ("", "OSDI 2024")
    with database.read() as tx:
        assert tx.scalars(sa.select(col(DuplicatePair.state))).all() == ["distinct"]


def test_an_identical_record_creates_no_new_record_and_no_event(database, me):
    paper_id = add(database, me)
    hear(database, paper_id, raw="once")
    before = shown(database, paper_id)
    hear(database, paper_id, raw="again")
    assert shown(database, paper_id) == before
    with database.read() as tx:
        (record,) = tx.scalars(sa.select(MetadataRecord)).all()
        assert record.raw == "again"
        assert record.checked_at > record.fetched_at
        verbs = tx.scalars(sa.select(col(Event.verb)).where(col(Event.paper_id) == paper_id)).all()
    assert verbs == ["paper.added", "paper.fetched"]


@pytest.mark.parametrize("key", ["10.1/" + "long" * 600, "10.1/a\0b", "10.1/a\nb"])
def test_a_claim_that_is_not_a_valid_identifier_breaks_nothing(database, me, key):
    paper_id = add(database, me)
    assert not sources.is_lasting(Ref("doi", key))
    hear(database, paper_id, identifiers=(Ref("doi", key), Ref("nowhere", "1"), DOI))
    with database.write() as tx:
        enqueue_requests(tx, [paper_id])
    with database.read() as tx:
        assert tx.scalars(sa.select(col(MetadataRecord.identifiers))).all() == [[str(DOI)]]
