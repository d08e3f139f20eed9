"""Stored answers are read again without the network: what an older version misread is put right."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import NotAllowed
from readtrack.infra.models import MetadataRecord, Paper
from readtrack.library.enrichment import refresh_many
from readtrack.library.enrichment.records import reverify_records, store_record
from readtrack.library.enrichment.refresh_many import reparse_records
from readtrack.library.papers.commands import add_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.metadata.sources import service
from readtrack.metadata.types import Metadata, Ref
from tests import make
from tests.standin import Paper as Said
from tests.standin import entry

KEY = "2401.00001"
RAW = entry(KEY, Said(title="On the State of Models", authors=("Ada Örn",), journal_ref="OSDI 2024"))


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, role="editor")


@pytest.fixture
def paper_id(database, me):
    """A paper whose answer was misread once."""
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, Ref("arxiv", KEY))
        raw = service("arxiv").read(KEY, RAW_OF_ONE).raw
        store_record(tx, paper_id, Metadata(Ref("arxiv", KEY), title="On the State of Models v1", raw=raw))
    return paper_id


RAW_OF_ONE = RAW.replace(
    "<entry>", '<entry xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">'
)


def again(database, me, q=""):
    with database.write() as tx:
        return reparse_records(tx, me, q)


def test_reparsing_corrects_misread_records_and_is_idempotent(database, me, paper_id):
    assert again(database, me) == (paper_id, 1)
    with database.read() as tx:
        paper = tx.get_one(Paper, paper_id)
        assert (paper.title, paper.authors) == ("On the State of Models", ["Ada Örn"])
    assert again(database, me) == (paper_id, 0)


def test_user_supplied_fields_stay(database, me, paper_id):
    with database.write() as tx:
        edit_paper(tx, me, paper_id, PaperUpdate(authors=["Me"]), version=tx.get_one(Paper, paper_id).version)
    again(database, me)
    with database.read() as tx:
        assert tx.get_one(Paper, paper_id).authors == ["Me"]


def test_a_record_that_can_no_longer_be_parsed_stays_unchanged(database, me, paper_id):
    with database.write() as tx:
        tx.execute(sa.update(MetadataRecord).values(raw="no such thing"))
    assert again(database, me) == (paper_id, 0)
    with database.read() as tx:
        assert tx.get_one(Paper, paper_id).title == "On the State of Models v1"


@pytest.mark.parametrize("problem", [RecursionError(), SystemExit(3)], ids=ascii)
def test_a_record_that_crashes_the_parser_stops_no_other(database, me, paper_id, monkeypatch, problem):
    with database.write() as tx:
        other, _ = add_paper(tx, me, Ref("arxiv", "2401.00002"))
        raw = service("arxiv").read("2401.00002", RAW_OF_ONE.replace(KEY, "2401.00002")).raw
        store_record(tx, other, Metadata(Ref("arxiv", "2401.00002"), title="On the State of Models v1", raw=raw))

    def judge(tx, paper):
        reverify_records(tx, paper)
        if paper.id == paper_id:
            raise problem

    monkeypatch.setattr(refresh_many, "reverify_records", judge)
    assert again(database, me) == (other, 1)
    with database.read() as tx:
        titles = [tx.get_one(Paper, number).title for number in (paper_id, other)]
        said = list(tx.scalars(sa.select(col(MetadataRecord.title)).order_by(col(MetadataRecord.id))))
    assert titles == said == ["On the State of Models v1", "On the State of Models"]


def test_only_papers_of_the_query_are_reparsed(database, me, paper_id):
    assert again(database, me, "year:1999") == (0, 0)


def test_a_viewer_cannot_reparse(database, paper_id):
    with database.write() as tx, pytest.raises(NotAllowed):
        reparse_records(tx, make.visitor(tx, role="viewer"), "")
