"""Laws of all formats: what an export holds comes back equal, and changes nothing in its own library."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readtrack.infra.errors import Invalid
from readtrack.infra.models import PUBLICATION_TYPES
from readtrack.infra.text.csv import MARK
from readtrack.infra.text.person_names import NameParts, PersonName, undivided
from readtrack.ingest.markdown_folder.commands import import_folder
from tests.depth import examples
from tests.ingest.round_trips.libraries import write_library

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

WORDS = st.text(st.sampled_from("abcdefgh éß訓練日本 :-'()&%$_"), min_size=1, max_size=12)
LINES = WORDS.map(lambda text: " ".join(text.split())).filter(lambda text: text.strip(" :-'()&%$_"))
NAMES = st.sampled_from(
    [
        *("Tao He", "Ludwig van Beethoven", "李明", "Mike Del Balso", "Zoë Ångström", "山本 五十六"),
        *(undivided("World Health Organization"), undivided("The Kubernetes Authors"), undivided("Acme & Sons, Inc.")),
        *(PersonName("Bo Del Balso", NameParts("Del Balso", "Bo")), PersonName("王丽", NameParts("王", "丽"))),
    ]
)
TOPICS = st.sampled_from(
    [
        *("Fault tolerance", "訓練", "LLM serving", "Caches & queues", "C++ templates", "数据/模型", "Scaling, up"),
        # What only a list that was written with care tells from several topics, from marks and from noise:
        *("Storage, caching", 'O\'Reilly "Quoted"', "C/C++, Rust; and so on", "a, b / c", "x | y", "(a", "b)", "'q'"),
        *("C++", "C#", "C", "3D", "k8s", "R&D", "x86-64", "a_b", "$O(n)$", "100%", "misc", "NeurIPS", "2023", "read"),
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=3).map("\n\n".join)
READINGS: st.SearchStrategy[list[dict[str, Any]]] = st.sampled_from(
    [
        [],
        [{"status": "to_read", "priority": 1}],
        [{"status": "reading", "started_on": "2025-01-02", "progress": {"unit": "page", "at": 3, "of": 12}}],
        [{"status": "reading", "started_on": "2025-01-02"}, {"status": "paused"}],
        [{"status": "dropped", "reason": "Too long; didn't read."}],
        [
            {"status": "read", "started_on": "2025-01-02", "finished_on": "2025-02-03", "depth": "skimmed"},
            {"recommendation": "optional", "private": True},
        ],
    ]
)
TITLES = LINES | st.sampled_from([r"the $O(n \log n)$ Bound for BERT: 50% of C++", "$5, R&D and $6 in {C#}"])
PAPERS = st.fixed_dictionaries(
    {
        "fields": st.fixed_dictionaries(
            {
                "title": TITLES,
                "authors": st.lists(NAMES, max_size=3, unique=True),
                "year": st.none() | st.integers(1950, 2025),
                "venue": st.sampled_from(["", "SOSP", "Nature Communications", "NeurIPS", "arXiv", "ETH Zurich"]),
                "publication_type": st.sampled_from(PUBLICATION_TYPES),
                "abstract": st.just("") | TEXTS,
                "language": st.sampled_from(["", "en", "ja"]),
            }
        ),
        "has_own_key": st.booleans(),
        "scheme": st.sampled_from(["", "arxiv", "doi", "url", "both"]),
        "topics": st.lists(TOPICS, max_size=3, unique_by=str.casefold),
        "titles": st.lists(st.tuples(st.sampled_from(["ja", "zh-Hans"]), LINES, st.booleans()), max_size=1),
        "reading": READINGS,
        "summary": st.none() | st.fixed_dictionaries({"tldr": LINES, "markdown": st.just("") | TEXTS}),
        "comments": st.lists(st.tuples(TEXTS, st.lists(LINES, max_size=2), st.booleans()), max_size=2),
        "questions": st.lists(
            st.tuples(LINES, st.sampled_from(["open", "answered", "dropped"]), st.just("") | LINES), max_size=1
        ),
        "relations": st.lists(
            st.tuples(st.sampled_from(["cites", "extends"]), st.integers(0, 3), st.just("") | LINES), max_size=1
        ),
    }
)


def with_own_names(papers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give each paper a title and identifiers of its own."""
    for number, paper in enumerate(papers):
        arxiv, doi, url = f"arxiv:2401.{number:05}", f"doi:10.1145/36{number}", f"url:blog.acolyer.org/{number}"
        names = {"": [], "arxiv": [arxiv], "doi": [doi], "url": [url], "both": [arxiv, doi]}
        paper["identifiers"] = names[paper["scheme"]]
        paper["citation_key"] = f"Own:{number}" if paper["has_own_key"] else ""
        paper["fields"]["title"] = f"Notes on {paper['fields']['title']} for training of the kind {'abcd'[number]}"
        paper["fields"]["year"] = paper["fields"]["year"] or (2020 if paper["fields"]["venue"] else None)
    return papers


LIBRARIES = st.lists(PAPERS, min_size=1, max_size=3).map(with_own_names)


def json_facts(text: str, *, has_told_parts: bool = True) -> Any:
    papers = json.loads(text)["papers"]
    titles = {paper["id"]: paper["title"] for paper in papers}
    for paper in papers:
        del paper["id"], paper["added_on"]
        if not has_told_parts:
            del paper["author_parts"]
        for relation in paper["relations"]:
            relation["paper"] = titles[relation["paper"]]
    return papers


def csv_facts(text: str) -> Any:
    """The rows without numbers and days of adding."""
    rows = list(csv.DictReader(io.StringIO(text.removeprefix(MARK), newline="")))
    return [{name: value for name, value in row.items() if name not in {"id", "added"}} for row in rows]


def csl_facts(text: str) -> Any:
    return [{name: value for name, value in item.items() if name != "id"} for item in json.loads(text)]


def ris_facts(text: str) -> Any:
    return re.sub(r"^ID  - .*$", "", text, flags=re.MULTILINE)


def bibtex_facts(text: str) -> Any:
    """The entries without `howpublished`, which says for most files how a web page was found."""
    return re.sub(r"^  howpublished = .*\n", "", text, flags=re.MULTILINE)


FACTS: dict[str, Callable[[str], Any]] = {
    "json": json_facts,
    "csv": csv_facts,
    "ris": ris_facts,
    "csl-json": csl_facts,
    "bibtex": bibtex_facts,
}


@settings(max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(papers=LIBRARIES)
def test_an_export_comes_back_equal_and_changes_nothing_where_it_came_from(shelves, papers):
    shelf = shelves()
    write_library(shelf.database, shelf.ada, papers)
    documents = {name: shelf.export(name) for name in FACTS}
    for name, document in documents.items():
        other = shelves()
        other.bring_in(document)
        assert FACTS[name](other.export(name)) == FACTS[name](document), name
        shelf.bring_in(document, title=name)
        assert shelf.export("json") == documents["json"], name


@pytest.mark.parametrize("is_own", [True, False])
@settings(max_examples=examples(4), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(papers=LIBRARIES)
def test_a_markdown_folder_comes_back_equal(shelves, is_own, papers):
    shelf = shelves()
    for paper in papers:  # private readings and citation keys are not passed on
        paper["citation_key"] = ""
        paper["reading"] = [{**change, "private": False} for change in paper["reading"]]
    write_library(shelf.database, shelf.ada, papers)
    folder, everything = shelf.export_folder(), shelf.export("json")
    other = shelf if is_own else shelves()
    result = import_folder(other.database, other.ada, folder)
    assert result.left_out == []
    assert other.export_folder() == folder
    if is_own:
        assert (shelf.export("json"), result.new) == (everything, {})
    else:
        assert other.export("bibtex") == shelf.export("bibtex")  # names are in the same parts, told or guessed
        assert json_facts(other.export("json"), has_told_parts=False) == json_facts(everything, has_told_parts=False)


@pytest.mark.parametrize("titles", [("", ""), ("", "", "A title")])
@pytest.mark.parametrize("name", FACTS)
def test_papers_without_a_title_come_back_with_their_identifier_or_address(shelves, name, titles):
    shelf = shelves()
    known = ["arxiv:2403.02310", "url:example.org/unfetched", "doi:10.1145/1"]
    papers = [{"identifiers": [ref], "fields": {"title": title}} for ref, title in zip(known, titles, strict=False)]
    write_library(shelf.database, shelf.ada, papers)
    document = shelf.export(name)
    other = shelves()
    other.bring_in(document)
    assert FACTS[name](other.export(name)) == FACTS[name](document)
    brought = [paper["identifiers"][:1] for paper in json.loads(other.export("json"))["papers"]]
    assert brought == [paper["identifiers"] for paper in papers]


INVERTED = [
    "[3] van Renesse, R., & Silva Pérez, M. A. (2015). Paxos Made Moderately Complex. ACM Computing Surveys",
    "- [van Renesse, R., & Silva Pérez, M. A. (2015). Paxos Made Moderately Complex](https://doi.org/10.1145/2673577)",
    "Title: Paxos Made Moderately Complex\nAuthors: van Renesse, R., Silva Pérez, M. A.\nhttps://doi.org/10.1145/2673577",
    "| Title | Authors |\n|---|---|\n| Paxos Made Moderately Complex | van Renesse, R.; Silva Pérez, M. A. |",
]


@pytest.mark.parametrize("note", INVERTED)
def test_inverted_names_in_notes_keep_their_parts_in_every_export(shelves, note):
    shelf = shelves()
    shelf.bring_in(note)
    (paper,) = json.loads(shelf.export("json"))["papers"]
    assert paper["authors"] == ["R. van Renesse", "M. A. Silva Pérez"]
    document = shelf.export("bibtex")
    assert "author = {van Renesse, R. and Silva Pérez, M. A.}" in document
    spreadsheet, folder = shelves(), shelves()
    spreadsheet.bring_in(shelf.export("csv"))
    import_folder(folder.database, folder.ada, shelf.export_folder())
    assert [other.export("bibtex") for other in (spreadsheet, folder)] == [document, document]


def test_inverted_names_that_a_library_has_from_before_are_exported_in_their_parts(shelves):
    shelf = shelves()
    fields = {"title": "Paxos Made Moderately Complex", "authors": ["van Renesse, R.", "Altinbuken, D."]}
    write_library(shelf.database, shelf.ada, [{"fields": fields}])
    spreadsheet, folder = shelves(), shelves()
    spreadsheet.bring_in(shelf.export("csv"))
    import_folder(folder.database, folder.ada, shelf.export_folder())
    assert [other.export("bibtex") for other in (spreadsheet, folder)] == [shelf.export("bibtex")] * 2


@pytest.mark.parametrize("name", sorted(FACTS.keys() - {"ris"}))
def test_the_paragraphs_of_an_abstract_come_back(shelves, name):
    shelf, other = shelves(), shelves()
    abstract = "It is {fast} & small,\n@home{1, 50% of \\it.\n\n% Second: }\n\n}"
    write_library(shelf.database, shelf.ada, [{"fields": {"title": "On Tea and Caches", "abstract": abstract}}])
    other.bring_in(shelf.export(name))
    (paper,) = json.loads(other.export("json"))["papers"]
    expected = abstract if name in {"csv", "json"} else abstract.replace(",\n", ", ")
    assert paper["abstract"] == expected


@pytest.mark.parametrize("titles", [[], ["On Tea and Caches"]])
def test_a_markdown_list_is_refused_with_what_to_export_instead(shelves, titles):
    shelf = shelves()
    papers = [{"fields": {"title": title}, "topics": ["Checkpoints, recovery, and backoff"]} for title in titles]
    write_library(shelf.database, shelf.ada, papers)
    with pytest.raises(Invalid, match="Export a Markdown folder"):
        shelf.bring_in(shelf.export("markdown"))
