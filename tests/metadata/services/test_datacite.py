"""What DataCite says of a DOI: read as it is, and nothing else taken for an answer."""

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata import sources
from readtrack.metadata.parsing import answers
from readtrack.metadata.services import datacite
from readtrack.metadata.types import DatedVersion, PaperDescription, Ref
from tests.metadata.answering import Answering, changed, is_sound
from tests.metadata.recorded import own, recorded
from tests.tables import cases

KEY = "10.4230/lipics.tea.2031.7"
PAPER = json.loads(own("datacite/paper.json"))
ATTRIBUTES = PAPER["data"]["attributes"]
NOT_FOUND = (404, {"errors": [{"status": "404", "title": "The resource you are looking for doesn't exist."}]})


def fetched(key, answer):
    return datacite.fetch(Answering({f"/dois/{key}": answer}), [key])


def work(**attributes):
    return datacite.read(KEY, json.dumps(attributes))


def test_every_field_of_a_datacite_work_is_read():
    paper = fetched(KEY, PAPER).records[KEY]
    assert (paper.ref, paper.service) == (Ref("doi", KEY), "datacite")
    assert (paper.stage, paper.kind, paper.language) == ("published", "paper", "en")
    assert paper.title == "A Kettle: Its $O(n)$ Whistle"
    assert paper.authors == ("Ada Teapot", "Juan Taza", "Leaf Institute, Department of Cups")
    assert (paper.year, paper.published_on) == (2031, date(2031, 5, 6))
    assert paper.abstract == "Steam & whistle. Mail ."
    assert paper.identifiers == (Ref("arxiv", "3001.00001"), Ref("arxiv", "2901.00001"))
    assert [link.url for link in paper.links] == [f"https://doi.org/{KEY}", "https://leaf.example.org/tea/7"]


def test_a_stored_work_is_reparsed_and_contains_no_mail_addresses_and_no_bulk():
    paper = fetched(KEY, PAPER).records[KEY]
    assert datacite.read(KEY, paper.raw) == paper
    assert "@" not in paper.raw
    assert "PD94bWw" not in paper.raw


def test_every_doi_is_requested_after_crossref():
    keys = (KEY, "10.1145/1", "10.5555/3571885.3571946")
    assert datacite.SERVICE.select_keys(PaperDescription(tuple(Ref("doi", key) for key in keys))) == (KEY, "10.1145/1")
    assert datacite.SERVICE.order > sources.service("crossref").order


def test_only_a_list_of_errors_means_that_a_doi_is_unknown():
    assert fetched(KEY, NOT_FOUND).missing == {KEY}
    assert "is not a valid DOI" in datacite.fetch(Answering({}), ["10.1/x y"]).errors["10.1/x y"]


@cases(
    "answer",
    [
        (404, "<html>404</html>"),
        (404, {"message": "no route"}),
        (403, {"errors": [{"status": "403"}]}),
        (200, "<html>Sign in</html>"),
        (200, ""),
        (200, {"errors": [{"title": "out of order"}]}),
        (200, {"data": None}),
        (200, {"data": {"attributes": {"something": "else"}}}),
        (200, {"data": {"attributes": {"doi": "10.4230/another", "titles": []}}}),
    ],
)
def test_any_other_response_is_retried_later(answer):
    with pytest.raises(SourceUnavailable):
        fetched(KEY, answer)


@cases(
    ("types", "stage", "kind"),
    [
        ({"resourceTypeGeneral": "Preprint"}, "preprint", "paper"),
        ({"resourceTypeGeneral": "JournalArticle"}, "published", "paper"),
        ({"resourceTypeGeneral": "Text", "ris": "JOUR"}, "published", "paper"),
        ({"resourceTypeGeneral": "Text", "ris": "RPRT"}, "page", "paper"),
        ({"resourceTypeGeneral": "Software"}, "page", "code"),
        ({"resourceTypeGeneral": "Dataset"}, "page", "page"),
        ({"resourceTypeGeneral": "Audiovisual"}, "page", "video"),
        ({}, "page", ""),
        (["Text"], "page", ""),
    ],
)
def test_the_stage_and_kind_follow_from_the_type(types, stage, kind):
    said = work(types=types)
    assert (said.stage, said.kind) == (stage, kind)


def test_the_date_is_in_the_year_of_publication():
    dates = [{"date": "2030-01-02", "dateType": "Created"}, {"date": "2031-03", "dateType": "Issued"}]
    assert work(publicationYear=2031, dates=dates).published_on is None
    assert work(publicationYear="2030", dates=dates).published_on == date(2030, 1, 2)
    assert work(dates=dates).year == 2030


def test_a_software_version_is_kept_as_written():
    assert work(version="v2.10").versions == (DatedVersion("v2.10"),)


def test_the_publisher_is_not_a_venue():
    assert work(publisher="Zenodo", container={}).venue == ""


@pytest.mark.deep
@given(attributes=changed(ATTRIBUTES))
def test_a_malformed_response_leaves_fields_blank(attributes):
    try:
        found = datacite.fetch(Answering({"": {"data": {"attributes": attributes}}}), [KEY]).records
    except SourceUnavailable:
        return
    assert is_sound(found[KEY])
    assert datacite.read(KEY, found[KEY].raw) == found[KEY]


@cases(
    ("file", "ref", "title", "authors", "day", "stage"),
    [
        ("10.4230_lipics.tqc.2013.93", "doi:10.4230/lipics.tqc.2013.93", "The Minimum Size of Qubit Unextendible Product Bases", ("Nathaniel Johnston",), date(2013, 11, 13), "published"),  # noqa: E501
        ("10.48550_arxiv.1902.02534", "arxiv:1902.02534", "Crowdsourcing open citations with CROCI", ("Ivan Heibi", "Silvio Peroni", "David Shotton"), date(2019, 2, 7), "preprint"),  # noqa: E501
        ("10.48550_arxiv.2311.16162", "arxiv:2311.16162", "Leveraging Artificial Intelligence Technology for Mapping Research", ("Hui Yin", "Amir Aryani", "Gavin Lambert"), date(2023, 11, 9), "preprint"),  # noqa: E501
        ("10.5281_zenodo.1196821", "doi:10.5281/zenodo.1196821", "Pspm-Sc4B: Scr, Ecg, Emg, Psr And Respiration", ("Matthias Staib",), date(2018, 3, 14), "page"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_recorded_work_is_read(file, ref, title, authors, day, stage):
    answer = json.loads(recorded(f"datacite/{file}.json"))
    key = answer["data"]["attributes"]["doi"].lower()
    said = datacite.read(key, answers.serialize_answer(answer["data"]["attributes"]))
    assert str(said.ref) == ref
    assert said.title.startswith(title)
    assert said.authors[: len(authors)] == authors
    assert (said.published_on, said.year, said.stage) == (day, day.year, stage)
    assert len(said.raw) < 20_000


def test_recorded_versions_of_a_preprint_are_dated():
    answer = json.loads(recorded("datacite/10.48550_arxiv.1902.02534.json"))
    said = datacite.read("10.48550/arxiv.1902.02534", json.dumps(answer["data"]["attributes"]))
    assert said.versions == (
        DatedVersion("v1", datetime(2019, 2, 7, 9, 22, 51, tzinfo=UTC)),
        DatedVersion("v2", datetime(2019, 6, 21, 6, 21, 52, tzinfo=UTC)),
    )


def test_a_recorded_dataset_names_the_work_it_is_a_version_of():
    key = "10.5281/zenodo.1196821"
    said = fetched(key, recorded("datacite/10.5281_zenodo.1196821.json")).records[key]
    assert (said.kind, said.identifiers) == ("page", (Ref("doi", "10.5281/zenodo.1039580"),))
