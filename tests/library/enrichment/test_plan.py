"""Whom to ask next: the sites of the identifiers, then who adds something, each once."""

import pytest

from readtrack.library.enrichment.scheduler import Situation, missing_fields, next_requests
from readtrack.metadata import sources
from readtrack.metadata.types import PaperDescription, Ref

ARXIV, DOI, USENIX = Ref("arxiv", "2305.15778"), Ref("doi", "10.1145/1"), Ref("usenix", "osdi24/a")
ALL = frozenset({"title", "authors", "year", "venue", "abstract", "published", "preprint"})


def now(*refs, asked=None, claims=(), missing=ALL, agreed=True, resting=(), kind="paper"):
    return Situation(
        PaperDescription(refs, "A Title of Some Length", kind), claims, asked or {}, missing, agreed, resting
    )


def services_of(situation):
    return [service for service, _ in next_requests(situation)]


def test_the_site_of_each_identifier_is_queried_first_and_alone():
    assert next_requests(now(ARXIV, USENIX)) == [("arxiv", "2305.15778"), ("usenix", "osdi24/a")]


def test_until_it_has_responded_no_other_service_is_queried():
    assert next_requests(now(ARXIV, asked={("arxiv", "2305.15778"): "waiting"})) == []


def test_a_registry_that_does_not_know_a_doi_is_followed_by_the_other():
    asked = {("crossref", DOI.key): "unknown"}
    assert next_requests(now(DOI, asked=asked, agreed=False)) == [("datacite", DOI.key)]
    assert next_requests(now(DOI, asked={("crossref", DOI.key): "answered"}, missing=frozenset())) == []


def test_an_identifier_found_in_a_record_is_looked_up():
    assert next_requests(now(ARXIV, asked={("arxiv", ARXIV.key): "answered"}, claims=(DOI,))) == [("crossref", DOI.key)]


def test_then_services_that_can_add_something_are_queried_in_turn():
    asked = {("arxiv", ARXIV.key): "answered"}
    order = []
    while questions := next_requests(now(ARXIV, asked=asked)):
        (question,) = questions
        order.append(question[0])
        asked[question] = "answered"
    expected = [
        service.name for service in sources.all_services() if service.adds and service.select_keys(now(ARXIV).paper)
    ]
    assert order == expected
    assert len(order) > 1


@pytest.mark.parametrize("missing", [frozenset(), frozenset({"title"})])
def test_services_that_can_add_nothing_are_not_queried(missing):
    assert next_requests(now(ARXIV, asked={("arxiv", ARXIV.key): "answered"}, missing=missing)) == []


def test_a_service_in_backoff_is_postponed_and_blocks_no_other():
    asked = {("arxiv", ARXIV.key): "answered"}
    first, *_ = services_of(now(ARXIV, asked=asked))
    both = services_of(now(ARXIV, asked=asked, resting={first}))
    assert both[0] == first
    assert len(both) == 2


def test_no_other_service_is_queried_while_the_record_may_be_another_work():
    assert next_requests(now(ARXIV, asked={("arxiv", ARXIV.key): "answered"}, agreed=False)) == []


def test_for_a_video_or_page_only_its_own_site_is_queried():
    assert next_requests(now(ARXIV, asked={("arxiv", ARXIV.key): "answered"}, kind="video")) == []


def test_a_paper_known_only_by_title_is_not_queried():
    assert next_requests(now(agreed=False)) == []


def test_missing_fields_of_a_paper_depend_on_its_stage():
    shown = {"title": "T", "authors": [], "year": 2024, "venue": "", "abstract": "A."}
    assert missing_fields(values=shown, published=True, schemes={"doi"}) == {"authors", "venue", "preprint"}
    assert missing_fields(values=shown, published=False, schemes={"arxiv"}) == {"authors", "venue", "published"}
