"""What OpenAlex says of a DOI: read as it is, and nothing else taken for an answer."""

import json
from datetime import date

import pytest
from hypothesis import given

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.parsing import answers
from readtrack.metadata.services import openalex
from readtrack.metadata.types import PaperDescription, Ref
from tests.metadata.answering import Answering, changed, is_sound
from tests.metadata.recorded import own, recorded
from tests.tables import cases

KEY = "10.1145/9900000.9900001"
PAPER = json.loads(own("openalex/paper.json"))
FLASK = "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>"
NGINX = (
    "<html>\n<head><title>404 Not Found</title></head>\n<body>\n<center><h1>404 Not Found</h1></center></body></html>"
)


def fetched(key, answer):
    return openalex.fetch(Answering({key: answer}), [key])


def work(**said):
    return openalex.read(KEY, json.dumps(said))


def test_every_field_of_an_openalex_work_is_read():
    paper = fetched(KEY, PAPER).records[KEY]
    assert (paper.ref, paper.service) == (Ref("doi", KEY), "openalex")
    assert (paper.stage, paper.kind, paper.venue) == ("published", "paper", "EuroSys 2024")
    assert (paper.title, paper.authors) == ("Kettle: Warm Caches for Tea", ("Ada Teapot", "Juan de la Taza"))
    assert (paper.year, paper.published_on) == (2024, date(2024, 4, 22))
    assert paper.abstract == "Water is hot, tea is too."
    assert paper.identifiers == (Ref("arxiv", "2404.00001"),)
    assert [(link.role, link.url) for link in paper.links] == [
        ("landing", f"https://doi.org/{KEY}"),
        ("pdf", "https://arxiv.org/pdf/2404.00001"),
    ]


@cases(
    ("kind", "source", "publication_type"),
    [
        ("article", "journal", "journal_article"),
        ("article", "conference", "conference_paper"),
        ("article", "repository", ""),
        ("article", "other", ""),
        ("book", "ebook platform", "book"),
        ("book-chapter", "ebook platform", "chapter"),
        ("book-chapter", "book series", ""),
        ("dissertation", "", "thesis"),
    ],
)
def test_the_publication_type_follows_from_the_kind_of_work_and_source(kind, source, publication_type):
    read = work(type=kind, title="Tea", primary_location={"source": {"type": source}})
    assert read.publication_type == publication_type


def test_a_stored_work_is_reparsed_and_contains_no_mail_addresses():
    paper = fetched(KEY, PAPER).records[KEY]
    assert openalex.read(KEY, paper.raw) == paper
    assert "@" not in paper.raw


def test_a_doi_is_requested_with_only_the_needed_fields():
    http = Answering({KEY: PAPER})
    openalex.fetch(http, [KEY])
    assert http.asked[0].startswith(f"https://openalex.example.org/works/https://doi.org/{KEY}?select=id,doi,title,")
    assert openalex.SERVICE.select_keys(PaperDescription((Ref("arxiv", "2404.00001"), Ref("doi", KEY)))) == (KEY,)


@pytest.mark.parametrize("body", [FLASK, {"error": "Not Found", "message": "no such work"}])
def test_its_own_404_means_that_a_doi_is_unknown(body):
    assert fetched(KEY, (404, body)).missing == {KEY}


@cases(
    "answer",
    [
        (404, NGINX),
        (404, ""),
        (403, {"error": "Forbidden"}),
        (200, "<html>Sign in</html>"),
        (200, {"error": "Rate limit", "message": "used up"}),
        (200, []),
        (200, {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.1145/1111111.1111111"}),
    ],
)
def test_any_other_response_is_retried_later(answer):
    with pytest.raises(SourceUnavailable):
        fetched(KEY, answer)


@cases(
    ("said", "day"),
    [
        ("2007-01-01", None),
        ("2007-05-01", None),
        ("2007-05-02", date(2007, 5, 2)),
        ("2008-05-02", None),
        (20070502, None),
    ],
)
def test_the_first_of_a_month_is_not_an_exact_date(said, day):
    assert work(publication_year=2007, publication_date=said).published_on == day


@cases(
    ("index", "text"),
    [
        ({"a": [1], "b": [0]}, "b a"),
        ({"a": [10**9, -1, True, "0", None, 0.5, 3]}, "a"),
        ({"a": 0, "b": [[1]]}, "a"),
        (["a"], ""),
        (None, ""),
    ],
)
def test_an_abstract_is_rebuilt_from_the_inverted_index(index, text):
    assert work(abstract_inverted_index=index).abstract == text


def test_a_work_on_a_preprint_server_has_no_venue():
    where = {"source": {"display_name": "arXiv (Cornell University)", "type": "repository"}}
    said = work(type="article", primary_location=where)
    assert (said.stage, said.venue) == ("preprint", "")


def test_a_retracted_paper_is_marked():
    assert work(is_retracted=True).remark == "retracted"


@pytest.mark.deep
@given(said=changed(PAPER))
def test_a_malformed_response_leaves_fields_blank(said):
    try:
        found = openalex.fetch(Answering({"": said}), [KEY]).records
    except SourceUnavailable:
        return
    assert is_sound(found[KEY])
    assert openalex.read(KEY, found[KEY].raw) == found[KEY]


@pytest.mark.parametrize(
    ("file", "title", "first", "year", "day", "venue", "stage"),
    [
        ("work_10.1145_3448016.3452841", "Vector Quotient Filters", "Prashant Pandey", 2021, date(2021, 6, 9), "SIGMOD 2021", "published"),  # noqa: E501
        ("work_10.1101_097196", "A Data Citation Roadmap for Scholarly Data Repositories", "Martin Fenner", 2016, date(2016, 12, 28), "", "preprint"),  # noqa: E501
        ("work_journal_original_language", "", "宮地 元彦", 2007, None, "Japanese Journal of Physical Fitness and Sports Medicine", "published"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_recorded_work_is_read(file, title, first, year, day, venue, stage):
    answer = json.loads(recorded(f"openalex/{file}.json"))
    key = answer["doi"].removeprefix("https://doi.org/").lower()
    said = fetched(key, answer).records[key]
    assert (said.title, said.authors[0]) == (title, first)
    assert (said.year, said.published_on, said.venue, said.stage) == (year, day, venue, stage)
    assert len(said.raw) < 20_000


def test_recorded_works_of_lists_are_read():
    found = json.loads(recorded("openalex/works_search_attention_mechanism.json"))["results"]
    found += json.loads(recorded("openalex/works_sample1.json"))["results"]
    said = [openalex.read(one["doi"][16:].lower(), answers.serialize_answer(one)) for one in found]
    assert [one.stage for one in said] == ["published", "published", "published", "page"]
    assert said[1].identifiers == (Ref("arxiv", "2111.07624"),)
    assert said[1].abstract.startswith("Humans can naturally and effectively find salient regions")
    assert all(is_sound(one) for one in said)
