"""Citation keys: one per paper, the same in every export, kept when metadata changes, and open to be set."""

import pytest
import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack import search
from readtrack.infra.errors import Invalid
from readtrack.infra.models import Paper
from readtrack.infra.text.person_names import NameParts, PersonName, name_parts
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers.citation_keys import adopt_citation_keys, build_key
from readtrack.library.papers.commands import NewPaper, add_paper, add_papers
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.metadata.types import Metadata, Ref
from readtrack.workspace.export.stream import gather_papers
from tests import make
from tests.sample_library import carry_out, noted
from tests.tables import cases

DEL_BALSO = PersonName("Mike Del Balso", NameParts("Del Balso", "Mike"))


@pytest.fixture
def me(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, role="editor")


def key_of(database, me, paper_id):
    with database.read() as tx:
        (paper,) = gather_papers(tx, me, [paper_id])
        return paper.citation_key


def add(database, me, title, authors=("Tao He",), year=2024):
    with database.write() as tx:
        return add_papers(tx, me, [NewPaper((), {"title": title, "authors": authors, "year": year})])[0]


def edit(database, me, paper_id, **values):
    with database.write() as tx:
        version = tx.get_one(Paper, paper_id).version
        edit_paper(tx, me, paper_id, PaperUpdate(**values), version=version)


@cases(
    ("title", "authors", "key"),
    [
        ("The Llama 3 Herd of Models", ("Abhimanyu Dubey",), "dubey2024llama"),
        ("TensorFlow: A System", ("Martín Abadi",), "abadi2024tensorflow"),
        ("ZeRO++: Extremely Efficient", ("Wang, Guanhua",), "wang2024zero"),
        ("Feature Stores", (DEL_BALSO,), "delbalso2024feature"),
        ("Visualizing Data", ("Laurens van der Maaten",), "maaten2024visualizing"),
        ("GPT-4 Technical Report", ("OpenAI",), "openai2024gpt"),
        ("大規模言語モデル", ("山田 太郎",), "anon2024paper1"),
        ("FP8 訓練", ("李 明",), "anon2024fp8"),
        ("A Title", ("O'Neil Ångström",), "angstrom2024title"),
    ],
)
def test_keys_consist_of_family_name_year_and_first_word(title, authors, key):
    assert build_key(1, title, authors, 2024) == key


def test_a_paper_keeps_the_key_that_it_gets_with_its_metadata(database, me):
    ref = Ref("arxiv", "2401.00134")
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, ref)
    assert key_of(database, me, paper_id) == f"paper{paper_id}"
    for year in (2024, 2025):
        said = Metadata(ref, title="Unicron", authors=("Tao He",), year=year)
        with database.write() as tx:
            store_record(tx, paper_id, said)
        assert key_of(database, me, paper_id) == "he2024unicron"


def test_a_paper_gets_its_key_with_the_authors_that_a_person_adds(database, me):
    paper = add(database, me, "Saving the State of Models", authors=())
    edit(database, me, paper, year=2025)
    assert not key_of(database, me, paper).startswith("he2025")
    edit(database, me, paper, authors=["Tao He"])
    assert key_of(database, me, paper) == "he2025saving"


def test_papers_that_would_have_the_same_key_are_told_apart_in_every_export(database, me):
    first, second, third = (add(database, me, f"Unicron {word}") for word in ("One", "Two", "Three"))
    keys = [key_of(database, me, paper_id) for paper_id in (first, second, third)]
    assert keys == ["he2024unicron", f"he2024unicron-{second}", f"he2024unicron-{third}"]
    with database.read() as tx:
        papers = gather_papers(tx, me, [third, second, first])
    assert [paper.citation_key for paper in papers] == keys


def test_a_person_can_set_a_key_that_no_other_paper_has(database, me):
    first, second = add(database, me, "Unicron"), add(database, me, "Oobleck")
    edit(database, me, first, citation_key="Unicron:24")
    assert key_of(database, me, first) == "Unicron:24"
    for taken in ("unicron:24", f"paper{first}"):
        with pytest.raises(Invalid, match="Another paper has this citation key"):
            edit(database, me, second, citation_key=taken)
    edit(database, me, first, citation_key="")
    assert key_of(database, me, first) == "he2024unicron"
    with database.read() as tx:
        assert tx.get_one(Paper, first).field_locks == {}


def test_an_import_brings_keys_for_new_papers_and_changes_no_key_later(database, me):
    unicron, oobleck = "Unicron: Economizing Self-Healing Training", "Oobleck: Resilient Training of Large Models"
    for key, title in (("He:24", unicron), ("he:24", oobleck), ("Other", unicron)):
        bibtex = f"@article{{{key},\n  title = {{{title}}},\n  author = {{Tao He}},\n  year = 2024\n}}\n"
        carry_out(database, me, noted(database, me, bibtex, f"{key}.bib"))
    with database.read() as tx:
        keys = tx.scalars(sa.select(col(Paper.citation_key)).order_by(col(Paper.id))).all()
    assert keys == ["He:24", "he2024oobleck"]


def test_papers_may_exchange_their_keys_and_get_none_that_is_invalid_or_taken(database, me):
    first, second, third = (add(database, me, f"Unicron {word}") for word in ("One", "Two", "Three"))
    with database.write() as tx:
        adopt_citation_keys(tx, {first: f"he2024unicron-{second}", second: "he2024unicron", third: "a b"})
    assert key_of(database, me, first) == f"he2024unicron-{second}"
    assert key_of(database, me, second) == "he2024unicron"
    with database.write() as tx:
        adopt_citation_keys(tx, {third: "HE2024unicron"})
        adopt_citation_keys(tx, {third: "paper7"})
    assert key_of(database, me, third) == f"he2024unicron-{third}"


def test_a_key_that_a_person_gave_to_another_paper_stops_no_new_one(database, me):
    first = add(database, me, "Unicron One")
    edit(database, me, add(database, me, "Oobleck"), citation_key=f"He2024Unicron-{first + 2}")
    second = add(database, me, "Unicron Two")
    assert (second, key_of(database, me, second)) == (first + 2, f"paper{second}")


@cases("key", ["two words", "a,b", "{a}", "a%b", "-a", "ä", "a" * 101])
def test_a_key_has_only_characters_that_every_format_takes(key):
    with pytest.raises(ValidationError):
        PaperUpdate(citation_key=key)


def test_a_source_that_tells_the_parts_of_a_name_is_believed_even_if_the_name_looks_the_same(database, me):
    ref = Ref("doi", "10.1145/3.4")
    with database.write() as tx:
        paper_id, _ = add_paper(tx, me, ref)
    for name, parts in (
        ("Jane Anne Doe", NameParts("Doe", "Jane Anne")),
        (PersonName("Jane Anne Doe", NameParts("Anne Doe", "Jane")), NameParts("Anne Doe", "Jane")),
    ):
        with database.write() as tx:
            store_record(tx, paper_id, Metadata(ref, title="Feature Stores", authors=(name,)))
        with database.read() as tx:
            (shown,) = tx.get_one(Paper, paper_id).authors
        assert (shown, name_parts(shown)) == ("Jane Anne Doe", parts)


def test_names_keep_their_parts_when_others_are_edited(database, me):
    told = PersonName("Jane Anne Doe", NameParts("Anne Doe", "Jane"))
    paper_id = add(database, me, "Feature Stores", authors=(told, "Tao He"))
    edit(database, me, paper_id, authors=["Jane Anne Doe", "Del Balso, Mike"])
    with database.read() as tx:
        authors = tx.get_one(Paper, paper_id).authors
    assert authors == ["Jane Anne Doe", "Mike Del Balso"]
    assert [name_parts(name) for name in authors] == [told.parts, DEL_BALSO.parts]
