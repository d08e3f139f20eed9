"""How many papers cite a work is right after whatever happens to them, in any order."""

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlmodel import col

from readtrack import search
from readtrack.infra.errors import ReadtrackError
from readtrack.infra.models import Citation, CitedWork, Paper
from readtrack.library.citations.citation_lists import store_citation_list
from readtrack.library.duplicates.merge import merge_papers, unmerge_paper
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.metadata.types import BibliographyItem, Ref
from readtrack.workspace.trash.purge import erase_papers
from tests import make
from tests.depth import examples
from tests.library.citations.test_citations import MESSAGE, answer

PAPERS = st.integers(0, 2)
CARRIED = [("keep", 0, [1], "a"), ("keep", 1, [1], "b"), ("merge", 0, 1), ("keep", 1, [], "b"), ("apart", 0)]
STEPS = st.one_of(
    st.tuples(st.just("keep"), PAPERS, st.lists(st.integers(0, 1), max_size=2), st.sampled_from("ab")),
    st.tuples(st.just("merge"), PAPERS, PAPERS),
    st.tuples(st.sampled_from(["apart", "delete", "restore", "empty"]), PAPERS),
)


def step(tx, me, ids, what):
    verb, paper_id, rest = what[0], ids[what[1]], what[2:]
    if verb == "keep":
        if tx.get_one(Paper, paper_id).merged_into is None:
            works = [BibliographyItem((Ref("doi", f"10.1000/{number}"),)) for number in rest[0]]
            store_citation_list(tx, paper_id, works, service=rest[1], key="k")
    elif verb == "merge":
        merge_papers(tx, me, paper_id, into_id=ids[rest[0]])
    elif verb == "apart":
        unmerge_paper(tx, me, paper_id)
    elif verb == "delete":
        delete_paper(tx, me, paper_id)
    elif verb == "restore":
        restore_paper(tx, me, paper_id)
    elif tx.get_one(Paper, paper_id).deleted_at is not None:
        erase_papers(tx, [paper_id])


@pytest.mark.deep
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, max_size=14))
@example(CARRIED)
def test_the_stored_count_equals_the_number_of_citing_papers(database, steps):
    with database.write() as tx:
        me = make.visitor(tx, role="admin")
        ids = [make.paper(tx, f"Paper {number}").id for number in range(3)]
    for what in steps:
        try:
            with database.write() as tx:
                step(tx, me, ids, what)
        except ReadtrackError:  # what cannot be done changes nothing
            pass
        with database.read() as tx:
            counted = sa.select(col(Citation.work_id), sa.func.count(sa.distinct(col(Citation.paper_id))))
            real = dict(map(tuple, tx.execute(counted.group_by(col(Citation.work_id)))))
            assert dict(map(tuple, tx.execute(sa.select(col(CitedWork.id), col(CitedWork.papers))))) == real


def test_references_fetched_while_merged_go_back_with_their_record(database):
    doi, title = MESSAGE["DOI"], MESSAGE["title"][0]
    with database.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, role="admin")
        one, two = (make.paper(tx, title, identifier=name).id for name in (f"doi:{doi}", "arxiv:2404.00002"))
        merge_papers(tx, me, one, into_id=two)
    with database.write() as tx:
        store_record(tx, two, answer())
    with database.write() as tx:
        assert set(tx.scalars(sa.select(col(Citation.paper_id)))) == {two}
        unmerge_paper(tx, me, one)
    with database.read() as tx:
        assert set(tx.scalars(sa.select(col(Citation.paper_id)))) == {one}
