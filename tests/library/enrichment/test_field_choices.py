"""What a person decides about answers stays, whatever comes later."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound
from readtrack.infra.models import Event, Identifier, MetadataRecord, Paper
from readtrack.library.enrichment.field_choices import (
    accept_record,
    choose_field,
    refuse_record,
    release_field,
    split_off,
)
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers.commands import add_paper
from readtrack.metadata.types import Metadata, Ref
from tests import make

ARXIV, DOI = Ref("arxiv", "2401.00001"), Ref("doi", "10.1145/1")
TITLE, PEOPLE = "On Saving the State of Large Models", ("Ada Example", "Bo Muster")


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, role="editor")


def add(database, me, title=""):
    with database.write() as tx:
        return add_paper(tx, me, ARXIV, title=title)[0]


def hear(database, paper_id, ref=ARXIV, title=TITLE, **said):
    with database.write() as tx:
        record = store_record(tx, paper_id, Metadata(ref, title=title, **{"authors": PEOPLE, **said}))
        assert record is not None
        return record.id


def hear_both(database, paper_id):
    one = hear(database, paper_id, stage="preprint", venue="", year=2023, abstract="A.")
    other = hear(database, paper_id, DOI, service="crossref", stage="published", venue="OSDI 2024", year=2024)
    return one, other


def shown(database, paper_id):
    with database.read() as tx:
        paper = tx.get_one(Paper, paper_id)
        tx.expunge(paper)
        return paper


def decide(database, verb, *given, **named):
    with database.write() as tx:
        return verb(tx, *given, **named)


def test_a_field_chosen_from_another_record_stays_until_it_is_reset(database, me):
    paper_id = add(database, me)
    preprint, _ = hear_both(database, paper_id)
    decide(database, choose_field, me, paper_id, "year", record_id=preprint)
    hear(database, paper_id, DOI, service="crossref", stage="published", venue="OSDI 2024", year=2025)
    paper = shown(database, paper_id)
    assert (paper.year, paper.venue, paper.field_locks["year"]["record"]) == (2023, "OSDI 2024", preprint)
    decide(database, release_field, me, paper_id, "year")
    assert (shown(database, paper_id).year, shown(database, paper_id).field_locks) == (2025, {})


def test_a_rejected_record_is_hidden_and_not_trusted_again(database, me):
    paper_id = add(database, me)
    _, published = hear_both(database, paper_id)
    decide(database, refuse_record, me, paper_id, published)
    hear(database, paper_id, DOI, service="crossref", stage="published", venue="OSDI 2024", year=2024)
    paper = shown(database, paper_id)
    assert (paper.year, paper.venue) == (2023, "")
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Identifier.value))).all() == [ARXIV.key]
        states = tx.scalars(sa.select(col(MetadataRecord.state)).order_by(col(MetadataRecord.id))).all()
    assert states == ["agrees", "refused"]


def test_without_any_record_left_the_details_from_notes_are_shown_again(database, me):
    paper_id = add(database, me, "Saving state of large models")
    record = hear(database, paper_id, year=2024)
    decide(database, accept_record, me, paper_id, record)
    decide(database, refuse_record, me, paper_id, record)
    assert (shown(database, paper_id).year, shown(database, paper_id).authors) == (None, [])


def test_a_conflicting_record_is_used_when_a_person_accepts_it(database, me):
    paper_id = add(database, me, "Elastic Training in Clusters")
    record = hear(database, paper_id)
    assert shown(database, paper_id).title == "Elastic Training in Clusters"
    decide(database, accept_record, me, paper_id, record)
    paper = shown(database, paper_id)
    assert (paper.title, paper.authors, paper.record_id) == (TITLE, list(PEOPLE), record)
    hear(database, paper_id, venue="OSDI 2024")
    assert shown(database, paper_id).venue == "OSDI 2024"


def test_an_identifier_of_another_work_becomes_a_separate_paper(database, me):
    paper_id = add(database, me, "Elastic Training in Clusters")
    record = hear(database, paper_id)
    other_id = decide(database, split_off, me, paper_id, record)
    assert (shown(database, paper_id).title, shown(database, other_id).title) == ("Elastic Training in Clusters", TITLE)
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Identifier.paper_id))).all() == [other_id]
        verbs = set(tx.scalars(sa.select(col(Event.verb)).where(col(Event.person_id) == me.id)))
    assert verbs >= {"paper.split", "paper.added"}


def test_a_paper_keeps_its_only_identifier(database, me):
    paper_id = add(database, me)
    record = hear(database, paper_id)
    with pytest.raises(Conflict, match="can't be split off"):
        decide(database, split_off, me, paper_id, record)


def test_decisions_about_missing_items_are_refused(database, me):
    paper_id = add(database, me)
    record = hear(database, paper_id)
    with database.write() as tx:
        elsewhere = make.paper(tx).id
    for verb in (accept_record, refuse_record, split_off):
        with pytest.raises(NotFound):
            decide(database, verb, me, elsewhere, record)
    with pytest.raises(Invalid, match="Unknown field “record_id”"):
        decide(database, choose_field, me, paper_id, "record_id", record_id=record)


def test_a_viewer_cannot_decide(database, me):
    paper_id = add(database, me)
    record = hear(database, paper_id)
    with database.write() as tx:
        viewer = make.visitor(tx, role="viewer")
    for verb, *rest in ((accept_record, record), (refuse_record, record), (split_off, record), (release_field, "year")):
        with pytest.raises(NotAllowed):
            decide(database, verb, viewer, paper_id, *rest)
