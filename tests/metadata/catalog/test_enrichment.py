"""A library with a catalogue: what stands there is not asked of the network, unless a person wants it anew."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

import readtrack.cli.worker  # noqa: F401 - registers what jobs run
from readtrack import search
from readtrack.infra.jobs import queue
from readtrack.infra.models import MatchSuggestion, MetadataRecord, Paper
from readtrack.library.enrichment.records import store_record
from readtrack.library.enrichment.refresh_many import reparse_records
from readtrack.library.enrichment.scheduler import refresh_metadata
from readtrack.library.matching.title_search import enqueue_title_search
from readtrack.library.papers.commands import PaperCreate, add_by_text, add_paper
from readtrack.metadata.catalog import CatalogClient
from readtrack.metadata.catalog.store import read_stored_work, serialize_facts
from readtrack.metadata.types import Metadata, Ref
from tests import make
from tests.metadata.catalog.samples import PAPER, WORK, lines, paper
from tests.outside.facts import Fact, Facts
from tests.outside.world import World, egress_for

pytestmark = pytest.mark.slow  # `make check` is to be quick

TITLE = "Herons at Rest: Checkpoints of Small Size for Training"


@pytest.fixture
def world():
    fact = Fact(title="Herons as the Network Has Them", authors=("Hanna Müller",), year=2023, arxiv="2301.00017")
    with World(Facts([fact])) as world:
        yield world


@pytest.fixture
def me(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, role="editor")


@pytest.fixture
def loaded(library):
    library.load("arxiv.json", lines([PAPER]))
    library.load("crossref.json", lines([WORK]))
    return library


def work_off(database, world, library):
    http = egress_for(world, database, known=CatalogClient(library.known))
    while queue.run_due_job(database, http):
        pass


def shown(database, paper_id):
    with database.read() as tx:
        return tx.get_one(Paper, paper_id).title


@pytest.mark.deep
def test_a_paper_in_the_catalog_gets_its_metadata_without_a_request(database, me, world, loaded):
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, Ref("arxiv", "2301.00017"))
    work_off(database, world, loaded)
    assert world.requests == []
    assert shown(database, paper_id) == TITLE  # as it was published
    with database.read() as tx:
        said = tx.execute(
            sa.select(col(MetadataRecord.service), col(MetadataRecord.stage)).order_by(col(MetadataRecord.stage))
        ).all()
    assert [tuple(row) for row in said] == [("catalogue", "preprint"), ("catalogue", "published")]


def test_refreshing_queries_the_network(database, me, world, library):
    library.load("arxiv.json", lines([paper(doi="", **{"journal-ref": ""})]))
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, Ref("arxiv", "2301.00017"))
    work_off(database, world, library)
    assert world.asked("arxiv") == []
    with database.write() as tx:
        refresh_metadata(tx, [paper_id])
    work_off(database, world, library)
    assert [asked.ids for asked in world.asked("arxiv")] == [("2301.00017",)]


def test_a_work_that_merely_claims_an_identifier_is_not_used_for_it(database, me, world, library):
    library.load("arxiv.json", lines([PAPER]))
    with database.write() as tx:
        add_paper(tx, me, Ref("doi", "10.1234/heron.17"))
    work_off(database, world, library)
    assert world.asked("crossref")


def test_a_paper_known_by_title_gets_a_match_suggestion_from_the_catalog(database, me, world, loaded):
    with database.write() as tx:
        add_by_text(tx, me, PaperCreate(title=TITLE))
        enqueue_title_search(tx)
    work_off(database, world, loaded)
    with database.read() as tx:
        assert tx.scalars(sa.select(col(MatchSuggestion.identifier))).all() == ["doi:10.1234/heron.17"]
    assert world.requests == []


def test_records_from_the_catalog_are_reparsed_too(database, me):
    said = Metadata(Ref("arxiv", "2301.00017"), "catalogue", "preprint", title="Herons", authors=("Ada Örn",))
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, said.ref)
        store_record(tx, paper_id, read_stored_work("", serialize_facts(said)))
        tx.execute(sa.update(MetadataRecord).values(authors=["Örn Ada"], raw=serialize_facts(said)))
        assert reparse_records(tx, me, "") == (paper_id, 1)
        assert tx.scalars(sa.select(col(MetadataRecord.authors))).all() == [["Ada Örn"]]
        tx.execute(sa.update(MetadataRecord).values(raw='["of another edition"]'))
        assert reparse_records(tx, me, "") == (paper_id, 0)


@pytest.mark.deep
@pytest.mark.parametrize("content", [b"no database at all" * 500, bytes(8192)])
def test_an_unreadable_catalog_blocks_nothing(database, me, world, library, content):
    library.path.write_bytes(content)
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, Ref("arxiv", "2301.00017"))
        add_by_text(tx, me, PaperCreate(title=TITLE))
        enqueue_title_search(tx)
    work_off(database, world, library)
    assert shown(database, paper_id) == "Herons as the Network Has Them"
    assert world.asked("dblp")
