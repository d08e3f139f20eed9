"""Many pairs of words are found by the index of both, in a table of any size."""

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import col

from readtrack.infra.db.conditions import is_one_of_pairs
from readtrack.infra.models import Identifier
from readtrack.library.citations.citation_lists import store_citation_list
from readtrack.library.papers.lookup import find_by_refs
from readtrack.metadata.types import BibliographyItem, Ref
from tests import make

WORDS = st.tuples(st.sampled_from(["a", "b", ""]), st.sampled_from(["a", "b", "c", "'"]))
PAIRS = sa.Table("t", sa.MetaData(), sa.Column("one", sa.String), sa.Column("other", sa.String))
MEMORY = sa.create_engine("sqlite://")


@given(st.lists(WORDS), st.lists(WORDS))
def test_the_condition_matches_exactly_the_given_pairs(there, wanted):
    with MEMORY.connect() as connection:
        PAIRS.create(connection, checkfirst=True)  # its rows go with the transaction
        if there:
            connection.execute(PAIRS.insert(), [{"one": one, "other": other} for one, other in there])
        found = connection.execute(sa.select(PAIRS).where(is_one_of_pairs(PAIRS.c.one, PAIRS.c.other, wanted))).all()
    assert sorted(map(tuple, found)) == sorted(pair for pair in there if pair in wanted)


@pytest.mark.parametrize("table", ["identifier", "cited_work"])
def test_looking_up_identifiers_scans_no_table(database, table):
    refs = [Ref("doi", "10.1000/one"), Ref("doi", "10.1000/two"), Ref("arxiv", "2404.00001")]
    with database.write() as tx:
        paper_id = make.paper(tx, identifier="arxiv:2404.00001").id
        asked: list[tuple[str, object]] = []

        def note(_connection, _cursor, statement, parameters, *_rest):
            asked.append((statement, parameters))

        sa.event.listen(tx.connection(), "before_cursor_execute", note)
        find_by_refs(tx, refs)
        store_citation_list(tx, paper_id, [BibliographyItem(tuple(refs))], service="crossref", key="k")
        sa.event.remove(tx.connection(), "before_cursor_execute", note)
        mine = [(said, given) for said, given in asked if said.startswith("SELECT") and f"FROM {table} " in f"{said} "]
        assert mine
        if tx.get_bind().dialect.name == "sqlite":
            for said, given in mine:
                plan = tx.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {said}", given).all()
                assert not [row for row in plan if row[3] == f"SCAN {table}"], said
        assert tx.scalar(sa.select(col(Identifier.paper_id))) == paper_id
