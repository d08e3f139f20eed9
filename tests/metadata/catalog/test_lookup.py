"""What is found in a catalogue, by name and by title; a catalogue that is not there is empty."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
import sqlalchemy as sa

from readtrack.infra.errors import Conflict, StorageUnavailable
from readtrack.metadata.catalog import Catalog, store
from readtrack.metadata.types import Ref
from tests.metadata.catalog.samples import PAPER, RECORD, dblp, lines, paper, papers, record, work

pytestmark = pytest.mark.slow  # `make check` is to be quick

ARXIV, DOI, USENIX = Ref("arxiv", "2301.00017"), Ref("doi", "10.1234/heron.17"), Ref("usenix", "osdi23/muller")
TITLE = "Herons at Rest: Checkpoints of $O(n)$ Size for Training"


def titles(library, title, **more):
    return [said.title for said in library.known.find_title(title, **more)]


def test_a_missing_catalog_is_empty_and_not_created(library):
    assert library.known.look_up([ARXIV]) == {}
    assert library.known.find_title(TITLE) == []
    assert (library.known.files(), library.known.counts()) == ([], (0, True))
    assert not library.path.exists()


def test_a_catalog_created_later_is_found(library):
    assert library.known.look_up([ARXIV]) == {}
    library.load("x.json", lines([PAPER]))
    assert ARXIV in library.known.look_up([ARXIV])


def test_a_work_is_found_by_its_identifier_with_all_its_metadata(library):
    library.load("arxiv.json", lines([PAPER]))
    said = library.known.look_up([ARXIV])[ARXIV]
    assert (said.service, said.stage, said.title) == ("catalogue", "preprint", TITLE)
    assert said.authors == ("Hanna Müller", "José Pérez Jr.", "Heron Collaboration")
    assert (said.year, said.published_on) == (2023, date(2023, 1, 2))
    assert [version.label for version in said.versions] == ["v1", "v2"]
    assert said.identifiers == (DOI,)
    assert [link.role for link in said.links] == ["landing", "pdf"]
    assert said.remark.startswith("12 pages, 4 figures; in arxiv.json, loaded on 20")


def test_a_result_can_be_reparsed_from_its_raw_form(library):
    library.load("arxiv.json", lines([PAPER]))
    said = library.known.look_up([ARXIV])[ARXIV]
    again = store.read_stored_work(str(ARXIV), said.raw)
    assert again == type(said)(**{**vars(said), "raw": ""})


def test_a_claimed_identifier_finds_its_work_until_the_identified_work_exists(library):
    library.load("arxiv.json", lines([PAPER]))
    assert library.known.look_up([DOI])[DOI].ref == ARXIV
    library.load("crossref.jsonl", lines([work()]))
    assert library.known.look_up([DOI])[DOI].ref == DOI


def test_a_published_work_is_preferred_to_a_preprint_with_the_same_identifier(library):
    corr = "<journal>CoRR</journal><volume>abs/2301.00017</volume><ee>https://doi.org/10.1234/heron.17</ee>"
    real = "<journal>Waders</journal><year>2024</year><ee>https://doi.org/10.1234/heron.17</ee>"
    told = dblp(record("journals/corr/1", "Herons.", more=corr), record("journals/w/1", "Herons.", more=real))
    library.load("dblp.xml", told)
    assert library.known.look_up([DOI])[DOI].stage == "published"


def test_a_dblp_work_is_found_by_the_url_of_its_edition(library):
    library.load("dblp.xml.gz", dblp(RECORD))
    assert library.known.look_up([USENIX, ARXIV]).keys() == {USENIX}


@pytest.mark.deep
def test_many_identifiers_are_looked_up_in_few_statements(library, statements):
    library.load("x.json", lines(papers(600)))
    asked = [Ref("arxiv", f"2302.{n:05}") for n in range(1, 601)]
    library.known.look_up(asked[:1])
    with statements() as seen:
        assert len(library.known.look_up([*asked, *asked])) == 600
    assert len(seen) == 2


@pytest.mark.deep
@pytest.mark.parametrize(
    "asked",
    [
        TITLE,
        "herons at rest - checkpoints of O(n) size for training",
        "Herons at Rest: Checkpoints of $O(n)$ Size for Trainings",
        "Heron at Rest: Checkpoints of $O(n)$ Size for Training",
        "Checkpoints of $O(n)$ Size for Training: Herons at Rest",
        "Herons at Rest: Checkpoints of O(n) Sizes Training",
        "Herons at Rest",
    ],
)
def test_a_title_is_found_in_different_spellings(library, asked):
    library.load("x.json", lines([PAPER, *papers(50)]))
    assert titles(library, asked) == [TITLE]


@pytest.mark.deep
@pytest.mark.parametrize("asked", ["", "—", "Herons", "Of cranes and other large birds in the north", TITLE[:20]])
def test_a_different_title_finds_nothing(library, asked):
    library.load("x.json", lines([PAPER, *papers(50)]))
    assert titles(library, asked) == []


@pytest.mark.deep
@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("面向大规模分布式训练的检查点系统", "面向大规模分布式训练的检查点系统"),
        ("面向大规模分布式训练的检查点系统", "面向大规模分布式训练的检查点系统设计"),
        ("鷺の休息:分散学習の高速な障害復旧について", "鷺の休息 分散学習の高速な障害復旧について"),
        ("大規模モデルの学習を速くする手法", "大規模モデルの学習を早くする手法"),
    ],
)
def test_chinese_and_japanese_titles_are_found(library, kept, asked):
    library.load("x.json", lines([paper(title=kept), *papers(20)]))
    assert titles(library, asked) == [kept]


def test_an_exact_title_comes_before_a_similar_one_and_the_published_before_the_preprint(library):
    library.load("arxiv.json", lines([paper(title="Waders of the great northern lake, observed"), *papers(3)]))
    library.load("crossref.json", lines([work(title=["Waders of the Great Northern Lake, Observed"])]))
    found = library.known.find_title("Waders of the great northern lake, observed")
    assert [said.stage for said in found] == ["published", "preprint"]


def test_no_more_titles_are_returned_than_requested(library):
    library.load(
        "x.json", lines([paper(id=f"2302.{n:05}", title="The very same title of waders") for n in range(1, 9)])
    )
    assert len(titles(library, "The very same title of waders")) == 5
    assert len(titles(library, "The very same title of waders", limit=2)) == 2


def test_threads_can_look_up_concurrently(library):
    library.load("x.json", lines(papers(200)))
    asked = [Ref("arxiv", f"2302.{n:05}") for n in range(1, 201)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda ref: library.known.look_up([ref])[ref].ref, asked))
    assert found == asked


def test_lookups_continue_while_a_file_is_loaded(library):
    library.load("x.json", lines(papers(5)))
    database = store.open_database(library.path)
    with database.write() as tx:
        tx.execute(sa.delete(store.WORKS))
        assert library.known.look_up([Ref("arxiv", "2302.00001")])
        tx.rollback()
    database.dispose()


def test_a_catalog_of_another_schema_version_is_reported_and_left_unchanged(library):
    library.load("x.json", lines([PAPER]))
    database = store.open_database(library.path)
    with database.write() as tx:
        tx.execute(sa.update(store.EDITIONS).values(number=store.SCHEMA_VERSION + 1))
    database.dispose()
    known = Catalog.open(library.path)
    assert known.look_up([ARXIV]) == {}
    assert "another version" in known.problem()
    with pytest.raises(Conflict, match="another version"):
        library.load("y.json", lines([PAPER]))


def test_damaged_metadata_is_reported_as_such(library):
    library.load("x.json", lines([PAPER]))
    database = store.open_database(library.path)
    with database.write() as tx:
        tx.execute(sa.update(store.WORKS).values(facts=b"\xff damaged"))
    database.dispose()
    with pytest.raises(StorageUnavailable, match="catalog is damaged"):
        library.known.look_up([ARXIV])


def test_loaded_files_are_listed_with_what_they_added(library):
    library.load("one.json", lines([PAPER]) + b"cut\n")
    library.load("two.json", lines([PAPER, *papers(2)]))
    assert [(row.name, row.new, row.again, row.bad) for row in library.known.files()] == [
        ("one.json", 1, 0, 1),
        ("two.json", 2, 1, 0),
    ]
