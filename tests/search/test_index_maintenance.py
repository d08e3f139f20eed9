"""The index is built, kept like the tables, and checked."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from readtrack import search
from readtrack.infra.models import Identifier, Paper, PaperTopic, Summary, SummaryVersion
from readtrack.search import index
from readtrack.search.documents import INDEXES
from readtrack.search.index import backend
from tests import make
from tests.depth import some

pytestmark = pytest.mark.slow  # `make check` is to be quick


def key(row):
    return row.id


@pytest.fixture
def library(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def unindexed(database):
    """As a library is before its first start: the index lies outside migrations."""
    with database.write() as tx:
        for index in INDEXES:
            backend(tx).drop(tx, index)
    return database


def check(database):
    with database.read() as tx:
        return search.check(tx)


def stored(database):
    """The whole index."""
    with database.read() as tx:
        store = backend(tx)
        return {index.table: store.find_documents(tx, index, range(1, 100)) for index in INDEXES}


def test_the_index_is_built_once_from_existing_data(unindexed):
    with unindexed.write() as tx:
        make.paper(tx, "分散学習")
        assert search.ensure(tx)
        assert not search.ensure(tx)
        assert search.check(tx) == []


def test_the_index_is_rebuilt_when_its_rules_change(library, monkeypatch):
    with library.write() as tx:
        make.paper(tx, "Attention")
    monkeypatch.setattr(index, "STAMP", "later")
    assert check(library) == [
        "The search index is missing or was made by another version. Restart readtrack to have it built."
    ]
    with library.write() as tx:
        assert search.ensure(tx)
    assert check(library) == []


def test_the_index_is_rebuilt_when_one_of_its_tables_is_missing(library):
    with library.write() as tx:
        tx.connection().execute(sa.text("DROP TABLE search_paper"))
    assert check(library) != []
    with library.write() as tx:
        assert search.ensure(tx)
    assert check(library) == []


def test_only_one_process_builds_the_index_when_several_start_at_once(unindexed):
    def start(_number):
        with unindexed.write() as tx:
            return search.ensure(tx)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(start, range(4))) == [False, False, False, True]


def test_an_outdated_index_is_reported(library):
    with library.write() as tx:
        paper = make.paper(tx, "Attention")
        search.update_papers(tx, [key(paper)])
        paper.title = "Else"
        tx.add(paper)
        summary = make.summary(tx, key(make.person(tx)), key(paper))
        search.update_summaries(tx, [key(summary)])
        left_over = key(summary)
        tx.connection().execute(sa.delete(SummaryVersion))
        tx.delete(summary)
        wrong = key(paper)
    again = "Building the search index anew puts that right."
    assert check(library) == [
        f"1 paper is not found in search as it stands now (number {wrong}). {again}",
        f"1 summary is still in the search index but no longer there (number {left_over}). {again}",
    ]
    with library.write() as tx:
        search.rebuild(tx)
    assert check(library) == []


def test_many_wrong_papers_are_counted_and_some_are_listed(library):
    with library.write() as tx:
        for _ in range(12):
            make.paper(tx)
    (problem,) = check(library)
    assert problem.startswith(
        "12 papers are not found in search as it stands now (number 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …)."
    )


def test_deleted_papers_are_removed_from_the_index(library):
    with library.write() as tx:
        paper = make.paper(tx)
        search.update_papers(tx, [key(paper)])
        tx.connection().execute(sa.delete(Identifier))
        tx.delete(paper)
        tx.flush()
        search.update_papers(tx, [key(paper), 4711])
        assert search.check(tx) == []


@pytest.mark.deep
def test_updating_many_papers_takes_as_many_statements_as_updating_one(library, statements):
    with library.write() as tx:
        ids = [key(make.paper(tx)) for _ in range(30)]
        with statements() as for_one:
            search.update_papers(tx, ids[:1])
        with statements() as for_all:
            search.update_papers(tx, ids)
        assert len(for_all) == len(for_one) <= 8


@pytest.mark.deep
@pytest.mark.parametrize("seed", some(range(3), 1))
def test_after_any_edits_the_index_equals_a_rebuilt_one(library, seed):
    chance = random.Random(seed)
    with library.write() as tx:
        people = [key(make.person(tx)) for _ in range(3)]
        topics = [make.topic(tx, aliases=(f"别名{number}",)) for number in range(3)]
    for _ in range(8):
        with library.write() as tx:
            for _ in range(5):
                edit(tx, chance, people, topics)
    assert check(library) == []
    kept = stored(library)
    with library.write() as tx:
        search.rebuild(tx)
    assert stored(library) == kept


def edit(tx, chance, people, topics):
    """One change as a command makes it: the tables, and the index told of it."""
    papers = tx.exec(select(Paper)).all()
    text = " ".join(
        chance.choices(["FlashAttention", "分散学習", "并行", "C++", "ZeRO-Offload", ""], k=chance.randint(0, 4))
    )
    if len(papers) < 4 or chance.random() < 0.2:
        paper = make.paper(tx, text)
    else:
        paper = chance.choice(papers)
        paper.abstract, paper.authors = text, text.split()
        tx.add(paper)
        topic = chance.choice(topics)
        if tx.get(PaperTopic, (key(paper), topic.id)) is None:
            make.filed(tx, paper, topic)
    search.update_papers(tx, [key(paper)])
    search.update_summaries(tx, [summarise(tx, chance.choice(people), key(paper), text)])


def summarise(tx, person_id, paper_id, text):
    wanted = select(Summary).where(Summary.person_id == person_id, Summary.paper_id == paper_id)
    summary = tx.exec(wanted).first() or make.summary(tx, person_id, paper_id)
    summary.markdown = text
    tx.add(summary)
    return key(summary)


@pytest.mark.deep
def test_a_word_after_very_much_text_is_found_and_checked(library):
    """PostgreSQL keeps neither 256 places of one word nor 16,383 places in all."""
    abstract = "学" * 700 + " word" * 700 + " ".join(f" w{number}" for number in range(20_000)) + " needle in haystack"
    with library.write() as tx:
        paper = make.paper(tx, abstract=abstract)
        search.update_papers(tx, [key(paper)])
        for text in ('"needle in haystack"', '"word w0 w1"', '"w9999 w10000"', "学学学", '"word word word"'):
            found = sa.select(col(Paper.id)).where(search.paper_filter(tx, search.parse(text), None))
            assert tx.connection().execute(found).scalars().all() == [key(paper)]
        assert search.check(tx) == []
