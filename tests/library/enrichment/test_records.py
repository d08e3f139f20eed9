"""What sources said: kept as records, shown when it fits, and never over what a person typed."""

from datetime import UTC, date, datetime

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import DuplicatePair, Event, Identifier, Link, MetadataRecord, Paper, Version
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers.commands import add_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.metadata.types import DatedVersion, Metadata, Ref, WebLink
from tests import make

REF = Ref("arxiv", "2401.00001")
SAID = Metadata(
    ref=REF,
    title="On Saving the State of Large Models",
    authors=("Ada Example", "山田 花子"),
    year=2024,
    published_on=date(2024, 1, 2),
    venue="Somewhere 7",
    abstract="About saving.",
    remark="12 pages",
    raw="<entry/>",
    links=(WebLink("https://arxiv.org/abs/2401.00001", "landing"),),
    versions=(DatedVersion("v1", datetime(2024, 1, 2, tzinfo=UTC)),),
)


@pytest.fixture
def database(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, role="editor")


def add(database, me, title="", **fields):
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, REF, title=title, **fields)
    return paper_id


def hear(database, paper_id, **differently):
    said = Metadata(**{**vars(SAID), **differently})
    with database.write() as tx:
        store_record(tx, paper_id, said)


def shown(database, paper_id):
    with database.read() as tx:
        paper = tx.get_one(Paper, paper_id)
        tx.expunge(paper)
        return paper


def records(database):
    with database.read() as tx:
        found = tx.scalars(sa.select(MetadataRecord).order_by(col(MetadataRecord.id))).all()
        tx.expunge_all()
        return found


def listed(database, column):
    with database.read() as tx:
        return list(tx.scalars(sa.select(column).order_by(column)))


def test_a_sources_record_is_shown_and_stored_as_received(database, me):
    paper_id = add(database, me)
    before = shown(database, paper_id).version
    hear(database, paper_id)
    paper, (record,) = shown(database, paper_id), records(database)
    for kept in (paper, record):
        assert (kept.title, kept.authors, kept.venue) == (SAID.title, list(SAID.authors), SAID.venue)
        assert (kept.year, kept.published_on, kept.abstract) == (2024, date(2024, 1, 2), SAID.abstract)
    assert (record.state, record.raw, record.remark) == ("agrees", "<entry/>", "12 pages")
    assert (paper.record_id, paper.version) == (record.id, before + 1)
    assert "paper.fetched" in listed(database, col(Event.verb))
    with database.read() as tx:
        found = sa.select(col(Paper.id)).where(search.paper_filter(tx, search.parse("saving state"), me))
        assert list(tx.scalars(found)) == [paper_id]


@pytest.mark.parametrize("noted", ["on saving  the state of large models", "On Saving the State of Large Models!"])
def test_a_title_spelled_differently_in_notes_matches(database, me, noted):
    paper_id = add(database, me, noted)
    hear(database, paper_id)
    assert shown(database, paper_id).title == SAID.title


def test_a_record_with_a_conflicting_title_is_flagged_and_not_shown(database, me):
    paper_id = add(database, me, "Elastic Training in Clusters", venue="OSDI", year=2023)
    before = shown(database, paper_id)
    hear(database, paper_id, identifiers=(Ref("doi", "10.1145/1"),))
    paper, (record,) = shown(database, paper_id), records(database)
    assert paper == before
    assert (record.state, record.title) == ("disagrees", SAID.title)
    assert "paper.disagreement" in listed(database, col(Event.verb))
    assert listed(database, col(Identifier.value)) == [REF.key]
    assert listed(database, col(Version.label)) == []


def test_a_later_matching_record_is_shown(database, me):
    paper_id = add(database, me, SAID.title)
    hear(database, paper_id, title="Something Else Entirely")
    hear(database, paper_id)
    assert [record.state for record in records(database)] == ["superseded", "agrees"]
    assert shown(database, paper_id).authors == list(SAID.authors)


def test_a_record_without_a_title_keeps_the_existing_title(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    hear(database, paper_id, title="", authors=())
    paper = shown(database, paper_id)
    assert (paper.title, paper.authors) == (SAID.title, list(SAID.authors))
    assert [record.state for record in records(database)] == ["agrees", "disagrees"]
    assert paper.record_id == records(database)[0].id


def test_a_source_may_rename_its_work_and_the_former_record_stays(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    hear(database, paper_id, title="Saving State", venue="")
    paper = shown(database, paper_id)
    assert (paper.title, paper.venue) == ("Saving State", "")
    assert [(record.state, record.title) for record in records(database)] == [
        ("superseded", SAID.title),
        ("agrees", "Saving State"),
    ]


def test_user_supplied_fields_are_never_overwritten(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    typed = {"title": "My Title", "authors": ["Me"], "year": 1999, "venue": "Mine", "abstract": "Short."}
    with database.write() as tx:
        edit_paper(tx, me, paper_id, PaperUpdate.model_validate(typed), version=shown(database, paper_id).version)
    hear(database, paper_id, published_on=date(2024, 5, 5), language="ja")
    paper = shown(database, paper_id)
    assert {name: getattr(paper, name) for name in typed} == typed
    assert (paper.published_on, paper.language) == (date(2024, 5, 5), "ja")
    assert records(database)[-1].title == SAID.title


def test_fields_cleared_by_a_person_stay_empty(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    cleared = PaperUpdate.model_validate({"venue": "", "year": None, "authors": []})
    with database.write() as tx:
        edit_paper(tx, me, paper_id, cleared, version=shown(database, paper_id).version)
    hear(database, paper_id)
    paper = shown(database, paper_id)
    assert (paper.venue, paper.year, paper.authors) == ("", None, [])


def test_fields_missing_from_the_source_stay_blank(database, me):
    paper_id = add(database, me)
    with database.write() as tx:
        store_record(tx, paper_id, Metadata(ref=REF, title=SAID.title))
    paper = shown(database, paper_id)
    assert (paper.authors, paper.year, paper.published_on, paper.venue) == ([], None, None, "")
    assert (paper.abstract, paper.language) == ("", "")


def test_title_authors_venue_and_date_change_together_and_an_abstract_may_stay(database, me):
    """A venue of the notes beside the date of the source would be a paper that nobody published."""
    paper_id = add(database, me, venue="OSDI", year=2023)
    hear(database, paper_id, venue="", year=None, published_on=None)
    hear(database, paper_id, abstract="")
    paper = shown(database, paper_id)
    assert (paper.venue, paper.year, paper.abstract) == (SAID.venue, 2024, SAID.abstract)
    hear(database, paper_id, venue="", year=None, published_on=None)
    paper = shown(database, paper_id)
    assert (paper.venue, paper.year, paper.published_on) == ("", None, None)


def test_a_further_identifier_is_a_claim_until_a_record_about_it_matches(database, me):
    paper_id, published = add(database, me), Ref("doi", "10.1145/1")
    hear(database, paper_id, identifiers=(published,))
    assert listed(database, col(Identifier.value)) == [REF.key]
    for _ in range(2):
        hear(database, paper_id, ref=published, service="crossref", stage="published", year=2025)
    with database.read() as tx:
        rows = tx.execute(sa.select(col(Identifier.scheme), col(Identifier.asserted_by)).order_by(col(Identifier.id)))
        assert [tuple(row) for row in rows] == [("arxiv", ""), ("doi", "crossref")]
    assert shown(database, paper_id).year == 2025


def test_a_record_of_another_work_under_a_claimed_identifier_merges_nothing(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    hear(database, paper_id, ref=Ref("doi", "10.1145/1"), service="crossref", title="Something Else Entirely")
    hear(database, paper_id, ref=Ref("doi", "10.1145/2"), service="crossref", authors=("Zed Other", "Una Nother"))
    assert listed(database, col(Identifier.value)) == [REF.key]
    assert [record.problem for record in records(database)] == ["", "different title", "different authors"]
    assert shown(database, paper_id).authors == list(SAID.authors)


def test_an_identifier_of_another_paper_stays_there_and_the_pair_needs_review(database, me):
    paper_id = add(database, me)
    with database.write() as tx:
        other = make.paper(tx, identifier="doi:10.1145/1").id
    for _ in range(2):
        hear(database, paper_id, identifiers=(Ref("doi", "10.1145/1"), Ref("doi", "10.1145/2")))
    with database.read() as tx:
        rows = tx.execute(sa.select(col(Identifier.value), col(Identifier.paper_id)))
        assert dict(tuple(row) for row in rows) == {REF.key: paper_id, "10.1145/1": other}
        (pair,) = tx.scalars(sa.select(DuplicatePair))
        assert (pair.first_id, pair.second_id, pair.state) == (*sorted((paper_id, other)), "open")
        assert pair.evidence == "arXiv lists doi 10.1145/1 for both papers."
    assert shown(database, paper_id).title == SAID.title


def test_the_published_version_is_shown_over_the_preprint_whichever_arrives_first(database, me):
    paper_id, published = add(database, me), Ref("doi", "10.1145/1")
    hear(database, paper_id, ref=published, service="crossref", stage="published", venue="OSDI 2025", abstract="")
    hear(database, paper_id, stage="preprint")
    paper, (one, other) = shown(database, paper_id), records(database)
    assert (paper.venue, paper.record_id, paper.abstract) == ("OSDI 2025", one.id, SAID.abstract)
    assert paper.field_sources["venue"] == one.id
    assert paper.field_sources["abstract"] == other.id


def test_a_conflicting_record_matches_after_a_person_corrects_the_title(database, me):
    paper_id = add(database, me, "Elastic Training in Clusters")
    hear(database, paper_id)
    with database.write() as tx:
        edit_paper(tx, me, paper_id, PaperUpdate(title="Saving the state of large models"), version=1)
    assert [record.state for record in records(database)] == ["agrees"]
    paper = shown(database, paper_id)
    assert (paper.title, paper.authors) == ("Saving the state of large models", list(SAID.authors))


def test_versions_and_links_accumulate(database, me):
    paper_id = add(database, me)
    hear(database, paper_id)
    hear(database, paper_id, versions=(DatedVersion("v1", None), DatedVersion("v3", None)), links=())
    hear(database, paper_id, versions=(), links=(WebLink("https://example.org/talk", "video"),))
    assert listed(database, col(Version.label)) == ["v1", "v3"]
    assert listed(database, col(Link.url)) == [
        "https://arxiv.org/abs/2401.00001",
        "https://arxiv.org/pdf/2401.00001",
        "https://example.org/talk",
    ]
    with database.read() as tx:
        dated = tx.scalar(sa.select(col(Version.dated)).where(col(Version.label) == "v1"))
    assert dated == datetime(2024, 1, 2, tzinfo=UTC)


def test_an_unsafe_link_from_a_source_is_never_stored(database, me):
    paper_id = add(database, me)
    hear(database, paper_id, links=(WebLink("javascript:alert(1)", "pdf"), WebLink("file:///etc/passwd", "pdf")))
    assert all(url.startswith("https://arxiv.org/") for url in listed(database, col(Link.url)))


def test_unstorable_characters_are_replaced(database, me):
    paper_id = add(database, me)
    odd = "A\0B\ud800C"
    hear(database, paper_id, title=odd, authors=(odd,), venue=odd, abstract=odd, remark=odd, raw=odd, language=odd)
    paper, (record,) = shown(database, paper_id), records(database)
    assert paper.title == paper.venue == paper.abstract == paper.authors[0] == record.raw == "A\ufffdB\ufffdC"


def test_a_record_for_a_deleted_paper_is_ignored(database):
    hear(database, 999)
    assert records(database) == []
