"""The stand-in for all services: what it tells, how it misbehaves, and what each service of readtrack makes of it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from readtrack.infra import config as operator
from readtrack.infra.errors import SourceUnavailable
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.http.types import HttpResponse
from tests.depth import some
from tests.outside.facts import known
from tests.outside.faults import FAULTS
from tests.outside.world import SERVICES, World, settings_for

pytestmark = pytest.mark.slow  # `make check` is to be quick

PLACES: Mapping[str, str] = {  # one good question to each
    "arxiv": "?id_list=2305.15778",
    "crossref": "/works/10.1145/3627703.3629553",
    "datacite": "/dois/10.48550/arXiv.2305.15778",
    "dblp": "/search/publ/api?q=root+cause+incidents&format=json",
    "github": "/repos/uccl-project/uccl",
    "oembed": "/youtube?url=https://www.youtube.com/watch?v%3DQGtrQXHbTnQ&format=json",
    "openalex": "/works/https://doi.org/10.1145/3627703.3629553",
    "semanticscholar": "/graph/v1/paper/DOI:10.1145/3627703.3629553?fields=title,externalIds",
    "usenix": "/conference/osdi23/presentation/ren",
}


@pytest.fixture
def world():
    with World() as world:
        yield world


@pytest.fixture
def http(world):
    bases = {service: world.base(service) for service in SERVICES}
    return HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases=bases, total=1.0)


def ask(http: HttpClient, service: str, **headers: str) -> HttpResponse:
    return http.get(
        http.base(service) + PLACES[service], {name.replace("_", "-"): said for name, said in headers.items()}
    )


def told(answer: HttpResponse) -> Any:
    return json.loads(answer.body)


@pytest.mark.deep
@pytest.mark.parametrize("service", SERVICES)
def test_every_service_answers_a_valid_request_with_its_data(service, http, world):
    answer = ask(http, service)
    assert answer.status == 200
    assert b"Root Cause" in answer.body or service in {"github", "oembed"}
    assert [request.path for request in world.asked(service)] == [request.path for request in world.requests]


@pytest.mark.deep
@pytest.mark.parametrize("service", SERVICES)
def test_an_unchanged_response_is_not_sent_again(service, http):
    first = ask(http, service)
    again = ask(http, service, if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert ask(http, service, if_none_match='"of yesterday"').status == 200


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("fault", some(sorted(FAULTS - {"hang"}), 2))
def test_a_fault_affects_one_service_and_ends(service, fault, http, world):
    well = ask(http, service)
    world.faults[service] = fault
    assert outcome(http, service) != (200, well.body)
    assert ask(http, "github" if service == "crossref" else "crossref").status == 200
    world.faults.clear()
    assert ask(http, service).body == well.body


def outcome(http: HttpClient, service: str) -> object:
    try:
        answer = ask(http, service)
    except SourceUnavailable as problem:
        return problem.message
    return answer.status, answer.body


def test_a_hanging_service_does_not_respond_in_time(http, world):
    world.faults["dblp"] = "hang"
    assert "did not respond in time" in str(outcome(http, "dblp"))


def test_a_service_sends_retry_after_when_its_fault_says_so(http, world):
    world.faults["crossref"] = "429 after 7"
    with pytest.raises(SourceUnavailable) as told_so:
        ask(http, "crossref")
    assert told_so.value.retry_after == 7


def test_an_unknown_paper_is_unknown_to_every_service():
    with World(unknown=["arxiv:2305.15778"]) as world:
        http = HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases={"": world.url})
        statuses = [http.get(world.base(service) + PLACES[service]).status for service in ("crossref", "datacite")]
        assert statuses == [404, 404]


def test_a_batch_has_null_in_the_position_of_each_unknown_paper(http):
    url = f"{http.base('semanticscholar')}/graph/v1/paper/batch?fields=title,externalIds"
    answer = http.post(url, {"ids": ["ARXIV:2305.15778", "DOI:10.1/none", "ARXIV:1706.03762v7"]})
    first, second, third = told(answer)
    assert (first["externalIds"]["DOI"], second, third["title"]) == (
        "10.1145/3627703.3629553",
        None,
        "Attention Is All You Need",
    )


def test_a_preprint_and_its_paper_are_two_dblp_hits(http):
    answer = told(ask(http, "dblp"))["result"]["hits"]
    assert [hit["info"]["venue"] for hit in answer["hit"]] == ["CoRR", "EuroSys"]
    assert answer["@total"] == "2"


def test_the_settings_for_the_fake_services_are_valid(world, tmp_path):
    settings = operator.load({}, data=tmp_path, **settings_for(world))
    assert settings.bases == {service: world.base(service) for service in SERVICES}


def test_the_expected_facts_list_each_paper_once():
    names = [name for fact in known() for name in fact.names]
    assert len(names) == len(set(names))
    assert all(fact.authors and fact.title and fact.year for fact in known())
